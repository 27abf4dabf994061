"""Why an instance is predicted as it is: what each feature adds to the score, and which rounds made its weight what it is."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import isfinite
from textwrap import wrap
from typing import Any, NamedTuple

import numpy as np

from littlestone.errors import require
from littlestone.kernels.rows import dot
from littlestone.models.compare import room_of, text_of
from littlestone.protocol import Block, Learner, Ledger, Model, Opening, ScoreTerms, Term
from littlestone.protocol.events import EventRow
from littlestone.protocol.ledger import Entry
from littlestone.protocol.score_terms import linear

LEAST = 30  # so wide the last column of a table remains


class Move(NamedTuple):
    """A round of the ledger, and how far it moved a weight (or what the weight is made of). Of several classes, labels are labels."""

    round: int
    label: Any
    predicted: Any
    moved: float

    def __str__(self) -> str:
        return self.written(("0", "1"))

    def written(self, labels: Sequence[str] | None) -> str:
        """With the labels as their stream writes them; None where they are written as they are."""
        label, predicted = (str(y) if labels is None else labels[y] for y in (self.label, self.predicted))
        return f"{self.round} ({label}/{predicted}) {self.moved:+.6g}"


@dataclass(frozen=True)
class Share:
    """What one feature adds to the score. A bias, or a vote, has no column; a weight that nobody knows is None."""

    name: str | int
    column: int | None
    value: float
    weight: float | None
    contribution: float | None
    level: float  # the number that rounds move: the weight itself, or what it is made of
    rounds: tuple[Move, ...] = ()  # the largest moves first
    moved_by: int | None = None  # how many rounds moved it in all; None where that is not known

    @property
    def shown(self) -> str:
        return f"({self.name})" if self.column is None else str(self.name)


@dataclass(frozen=True, repr=False)
class Explanation:
    """The prediction for one instance: 1 where the score reaches the threshold. `features` are in the order of what they contribute."""

    learner: str
    prediction: Any  # True or False; of several classes the label; of losses the expert to follow
    score: float | None
    threshold: float | None
    features: tuple[Share, ...]
    moves: str  # what rounds move: weight, exponent, ...
    words: str
    no_rounds: str  # why there are none; "" where there are
    unknown: tuple[str, ...]  # names that the model has not met

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def as_json(self) -> dict[str, Any]:
        """All of it in numbers and text; a number that is not finite is None."""
        features = [asdict(share) | {"rounds": [move._asdict() for move in share.rounds]} for share in self.features]
        return _plain({**vars(self), "features": features, "unknown": list(self.unknown)})

    def lines(self, most: int = 10, rounds: int = 3, labels: Sequence[str] | None = ("0", "1"), width: int | None = None) -> list[str]:
        """A table of so many features with so many rounds each; `labels` are as the stream writes them, `width` that of the terminal."""
        told = [f"predicted {self._predicted(labels)}{self._why()}"]
        if self.words:
            told.append(f"  {self.words}")
        rows = [self._heading(), *(self._row(share, rounds, labels) for share in self.features[:most])]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for name, *numbers, last in rows if self.features else ():
            cells = [f"{number:>{width}}" for number, width in zip(numbers, widths[1:-1], strict=True)]
            told += _folded("  ".join([f"  {name:<{widths[0]}}", *cells, ""]), last, width)
        if len(self.features) > most:
            told.append(f"  and {len(self.features) - most:,} more")
        if self.unknown:
            told.append(f"  never met: {', '.join(self.unknown)}")
        if self.no_rounds:
            told.append(f"  no rounds: {self.no_rounds}")
        return told

    def _predicted(self, labels: Sequence[str] | None) -> str:
        return str(self.prediction) if labels is None else labels[self.prediction]

    def _reached(self) -> bool:
        """Does the prediction say that the score reaches the threshold?"""
        return bool(self.prediction)

    def _why(self) -> str:
        if self.score is None or self.threshold is None:
            return ""
        score, threshold = f"{self.score:.6g}", f"{self.threshold:.6g}"
        if (self.score >= self.threshold) != self._reached():
            return f": score {score} is too near the threshold {threshold} for doubles to tell, and exact arithmetic decided"
        if score == threshold and self.score != self.threshold:
            score, threshold = f"{self.score!r}", f"{self.threshold!r}"
        return f": score {score} {'reaches' if self._reached() else 'is below'} the threshold {threshold}"

    def _levels(self) -> bool:
        """Do rounds move something else than the weights, and is there any of it to show?"""
        return self.moves != "weight" and any(share.column is not None for share in self.features)

    def _heading(self) -> list[str]:
        level = [self.moves] if self._levels() else []
        return ["feature", "value", "weight", *level, "contribution", "" if self.no_rounds else "moved by round (label/predicted)"]

    def _row(self, share: Share, most: int, labels: Sequence[str] | None) -> list[str]:
        level = [_number(None if share.column is None else share.level)] if self._levels() else []
        moves = [move.written(labels) for move in share.rounds[:most]]
        if share.moved_by is not None and share.moved_by > len(moves) > 0:
            moves.append(f"and {share.moved_by - len(moves):,} more")
        numbers = [_number(share.value), _number(share.weight), *level, _number(share.contribution)]
        return [share.shown, *numbers, "" if self.no_rounds else ", ".join(moves) or "none"]


@dataclass(frozen=True, repr=False)
class ClassExplanation(Explanation):
    """The same of several classes: why this class, and not its strongest rival. It is named where the score reaches the threshold."""

    rival: Any = None
    scores: dict[Any, float] = field(default_factory=dict)  # of every class
    by: str = ""  # whose weights these are

    def lines(self, most: int = 10, rounds: int = 3, labels: Any = None, width: int | None = None) -> list[str]:
        return super().lines(most, rounds, labels, width)

    def as_json(self) -> dict[str, Any]:
        return super().as_json() | {"scores": {str(label): score for label, score in self.scores.items()}}

    def _reached(self) -> bool:
        return self.rival is None or self.score is None or self.threshold is None or self.score >= self.threshold

    def _why(self) -> str:
        rival = "" if self.rival is None else f", the strongest rival is {self.rival}"
        return f"{rival}{f'; {self.by}' if self.by else ''}{super()._why()}"


@dataclass(frozen=True, repr=False)
class AdviceExplanation(Explanation):
    """The same of a rule over experts: each expert with its advice, and by what weight it counts."""

    def _heading(self) -> list[str]:
        return ["expert", "advice", "weight", "contribution", ""]

    def _why(self) -> str:
        if self.threshold is None and self.score is not None:
            return f": the weighted mean is {self.score:.6g}"
        return super()._why()

    def _predicted(self, labels: Sequence[str] | None) -> str:
        return str(int(self.prediction)) if isinstance(self.prediction, bool) else str(self.prediction)


def _folded(cells: str, last: str, width: int | None) -> list[str]:
    """A row of the table; where its last cell does not fit, in several lines, all of which begin where the first one does."""
    if width is None or len(cells) + len(last) <= width:
        return [(cells + last).rstrip()]
    indent = len(cells) if len(cells) + LEAST <= width else 6
    parts = wrap(last, max(LEAST, width - indent), break_on_hyphens=False, break_long_words=False)
    first = [cells + parts[0]] if indent == len(cells) else [cells.rstrip(), " " * indent + parts[0]]
    return first + [" " * indent + part for part in parts[1:]]


def explain(model: Model, x: Any, rounds: int | None = 100) -> Any:
    """What the prediction for x is made of, and which rounds of the ledger made it so: the largest moves of each weight, so many.

    >>> import littlestone as ls
    >>> model = ls.perceptron().start()
    >>> for mail, spam in [({"minutes", "attached"}, False), ({"free", "offer"}, True), ({"free", "minutes"}, False), ({"free"}, True)]:
    ...     model.update(mail, spam)
    >>> model.explain({"free", "minutes"})
    predicted 0: score -1 is below the threshold 0
      feature  value  weight  contribution  moved by round (label/predicted)
      minutes      1      -1            -1  1 (0/1) -1
      free         1       0             0  none
    """
    whole = rounds is None or (isinstance(rounds, int) and not isinstance(rounds, bool) and rounds >= 0)
    require(whole, f"rounds={rounds!r} must be a whole number, 0 or more, or None for all")
    kinds: dict[str, Any] = {"two classes": _of_two, "several classes": _of_several, "advice": _of_advice}
    return kinds[model.kind](model, x, rounds)


def _of_two(model: Any, x: Any, rounds: int | None) -> Explanation:
    row = model.row(x)
    parts = _parts(model.learner, row.state, row.indices, row.values)
    why = _no_rounds(model, rounds)
    shares = _shares(model, x, row, parts)
    if not why:
        shares = _with_rounds(_Binary(model, row, parts), model.ledger, parts, shares, rounds, (False, True))
    contributions = [share.contribution for share in shares]
    score = None
    if model.learner.kernels.score is not None:
        score = model.learner.score(row.state, row.indices, row.values) + (parts.threshold or 0.0)
    elif None not in contributions:
        score = _added(parts)
    return Explanation(
        learner=repr(model.learner),
        prediction=row.prediction,
        score=score,
        threshold=None if score is None else parts.threshold,
        features=tuple(sorted(shares, key=_rank)),
        moves=parts.kind,
        words=parts.words,
        no_rounds=why,
        unknown=_unknown(model, x),
    )


def _unknown(model: Any, x: Any) -> tuple[str, ...]:
    return tuple(key for key in x if key not in model.features) if _by_name(x) else ()


def _of_several(model: Any, x: Any, rounds: int | None) -> ClassExplanation:
    """By the member that decides between the class that is named and its strongest rival; or by the weights of the two."""
    row, scores = model.row(x), model.scores(x)
    label = row.prediction
    rival = max((other for other in scores if other != label), key=lambda other: scores[other], default=None)
    known = {"prediction": label, "rival": rival, "scores": scores, "learner": repr(model.learner), "unknown": _unknown(model, x)}
    empty: dict[str, Any] = {"score": None, "threshold": None, "features": (), "moves": "weight"}
    if label is None:
        return ClassExplanation(**known, **empty, words="no class has appeared yet", no_rounds="there are none so far")
    if not model.reduced:
        return _by_weights(model, x, row, rounds, known)
    codes = [model.classes[label], model.classes[rival] if rival is not None else 0]
    if rival is None and label not in model.members():
        return ClassExplanation(**known, **empty, words="one class has appeared so far", no_rounds="no member has been made")
    place, favours = model.learner.engine(Opening()).between(*codes)
    name = label if len(place) == 1 else tuple(list(model.classes)[c] for c in place)
    found = _of_two(model.member(name), x, rounds)
    sides = (text_of(name), "the rest") if len(place) == 1 else (str(name[0]), str(name[1]))
    by = f"by the member of {sides[0]} (1) and {sides[1]} (0), which says {int(found.prediction)}"
    against = (
        "" if bool(found.prediction) == favours else "the other members outvote it" if len(place) > 1 else "no member says 1, or several do"
    )
    return ClassExplanation(
        **known,
        score=found.score,
        threshold=found.threshold,
        features=tuple(replace(share, rounds=tuple(_told(move) for move in share.rounds)) for share in found.features),
        moves=found.moves,
        words="; ".join(filter(None, (found.words, against))),
        no_rounds=found.no_rounds,
        by=by,
    )


def _told(move: Move) -> Move:
    """The labels that a member was told are 1 and 0."""
    return move._replace(label=int(move.label), predicted=int(move.predicted))


def _by_weights(model: Any, x: Any, row: EventRow, rounds: int | None, known: dict[str, Any]) -> ClassExplanation:
    """The weights of the class less those of its rival, which add up to what its score is ahead."""
    labels = list(model.classes)
    watched = _Classes(model, row, model.classes[known["prediction"]], model.classes.get(known["rival"], -1))
    parts, why = watched.parts(model._engine), _no_rounds(model, rounds)
    shares = _shares(model, x, row, parts)
    if not why:
        shares = _with_rounds(watched, model.ledger, parts, shares, rounds, [*labels, None])
    ahead = "of the class" if known["rival"] is None else f"of {known['prediction']} less those of {known['rival']}"
    return ClassExplanation(
        **known,
        score=_added(parts),
        threshold=0.0,
        features=tuple(sorted(shares, key=_rank)),
        moves="weight",
        words=f"weights are those {ahead}",
        no_rounds=why,
    )


def _of_advice(model: Any, row: Any, rounds: int | None) -> AdviceExplanation:
    """Each expert with what it says, its weight among those awake, and what it adds to the weighted mean."""
    rule, said = model.rule, np.asarray(row, np.float64).ravel()
    require(len(said) == rule.n or rule.n is None, f"a row of {len(said)} experts; this {rule.name} has n={rule.n}")
    losses = rule.advice == "loss"  # then the row may hold any numbers, such as forecasts: they do not decide whom it follows
    mix = None if losses else model.mixture(row)
    chosen = model.choose() if losses or rule.bandit else -1
    awake = ~np.isnan(said)
    weights = np.full(len(said), np.nan) if rule.weights is None else np.where(awake, model.weights, 0.0)
    weights = weights / weights.sum() if weights.sum() > 0 else weights
    words = ["weights are of those awake"] if not awake.all() else []
    words += [f"it follows {model.names[chosen]}"] if chosen >= 0 else []
    words += ["a coin decides, 1 by that share"] if rule.coin and chosen < 0 else []
    shares = []
    for i, (name, weight) in enumerate(zip(model.names, weights.tolist(), strict=True)):
        known = weight == weight
        adds = (weight * float(said[i]) if awake[i] else 0.0) if known else None
        shares.append(Share(name, i, float(said[i]), weight if known else None, adds, weight if known else 0.0))
    if mix is None and rule.weights is not None:
        mix = float(np.nansum(weights * said))
    return AdviceExplanation(
        learner=repr(rule),
        prediction=model.names[chosen] if losses else model.predict(row),
        score=mix,
        threshold=None if chosen >= 0 or rule.coin else 0.5,
        features=tuple(sorted(shares, key=lambda share: (-(share.weight or 0.0), share.column))),
        moves="weight",
        words="; ".join(words),
        no_rounds=_no_rounds(model, rounds),
        unknown=(),
    )


def _rank(share: Share) -> tuple:
    """The largest contribution first; by name where they are equal, so that a set of features has one order."""
    return (
        -abs(share.level if share.contribution is None else share.contribution),
        share.column is None,
        "" if share.column is None else share.name,
    )


def _parts(learner: Learner, state: tuple, indices: np.ndarray, values: np.ndarray | None) -> ScoreTerms:
    return (learner.parts or _assumed(learner))(learner.params, state, indices, values)


def _assumed(learner: Learner) -> Any:
    """The parts for a learner that does not give them: what its score says of each feature alone, or else just what it keeps of it."""
    growing = [k for k, grows in enumerate(learner._growing()) if grows and learner.init(1)[k].ndim == 1]

    def by_score(params: tuple, state: tuple, indices: np.ndarray, values: np.ndarray | None) -> ScoreTerms:
        one = np.ones(1, np.float32)
        none = learner.score(state, np.empty(0, np.uint32), np.empty(0, np.float32))
        weights = np.array([learner.score(state, indices[k : k + 1], one) - none for k in range(len(indices))])
        contributions = weights if values is None else weights * values
        rest = learner.score(state, indices, values) - _dot(contributions)
        words = "the learner does not say what its score is made of; a weight is what a feature of value 1 adds when alone"
        return ScoreTerms(weights, contributions, weights, (Term("the rest", 1.0, rest, rest, rest),), words=words)

    def by_state(params: tuple, state: tuple, indices: np.ndarray, values: np.ndarray | None) -> ScoreTerms:
        words = "the learner does not say what its predictions are made of"
        if not growing:
            return ScoreTerms(None, None, None, threshold=None, words=words)
        names = getattr(state, "_fields", ["state"] * len(state))
        return ScoreTerms(None, None, state[growing[0]][indices], threshold=None, kind=names[growing[0]], words=words)

    return by_state if learner.kernels.score is None else by_score


def _no_rounds(model: Model, rounds: int | None) -> str:
    if model.kind == "advice":
        return "a rule weighs its experts on every round, and keeps no ledger"
    if model.learner.updates_on == "always":
        return f"{model.learner!r} updates on every round, and keeps no ledger"
    if model.ledger is None:
        return "this model has no ledger: it began from a state whose rounds are not known, or was told to keep none"
    return "none were asked for" if rounds == 0 else ""


def _shares(model: Model, x: Any, row: Any, parts: ScoreTerms) -> list[Share]:
    """The features of the row in its order, then the other terms."""
    names: dict[int, str | int] = {column: name for name, column in model.features.items()}
    if _by_name(x):  # names that are new have columns behind the others, for this row alone
        names |= {len(model.features) + k: key for k, key in enumerate(key for key in x if key not in model.features)}
    shares = []
    if parts.levels is not None:
        blank = [None] * len(row.indices)
        values = [1.0] * len(row.indices) if row.values is None else row.values.tolist()
        weights = blank if parts.weights is None else parts.weights.tolist()
        contributions = blank if parts.contributions is None else parts.contributions.tolist()
        table: Any = zip(row.indices.tolist(), values, weights, contributions, parts.levels.tolist(), strict=True)
        shares = [Share(names.get(column, column), column, *numbers) for column, *numbers in table]
    for term in parts.others:
        column = term.name if isinstance(term.name, int) else None
        if isinstance(term.name, tuple):
            name: str | int = "·".join(str(names.get(factor, factor)) for factor in term.name)
        else:
            name = term.name if column is None else names.get(column, column)
        shares.append(Share(name, column, term.value, term.weight, term.contribution, term.level))
    return shares


class _Binary:
    """A learner of two classes that is taught a ledger once more, while the levels of a row are watched."""

    def __init__(self, model: Any, row: EventRow, parts: ScoreTerms) -> None:
        self.learner, self.row, self.others = model.learner, row, [term.name for term in parts.others]
        learner, state = self.learner, self.learner.first_state(room_of(self.learner, row.state))
        self.state = learner.prepare(state, model.ledger.block()) if learner.prepare is not None and len(model.ledger) else state
        self.arguments = (*learner.params, *self.state)

    def teach(self, entry: Entry) -> None:
        row = (entry.indices, entry.values, 0, len(entry.indices), entry.label, entry.predicted, entry.weight)
        self.learner.kernels.update(*self.arguments, *row)

    def levels(self) -> np.ndarray:
        return _levels(_parts(self.learner, self.state, self.row.indices, self.row.values), self.others)


class _Classes:
    """The same for a learner of several classes: the weights of a class less those of its rival (-1 for none)."""

    others: tuple = ()

    def __init__(self, model: Any, row: EventRow, c: int, rival: int) -> None:
        self.row, self.c, self.rival = row, c, rival
        self.engine = model.learner.engine(Opening(room=max(model.columns, int(row.indices.max(initial=0)) + 1), events=True))

    def teach(self, entry: Entry) -> None:
        self.engine.learn((entry.indices, entry.values, 0, len(entry.indices)), entry.label, entry.predicted, entry.weight)

    def levels(self) -> np.ndarray:
        weights = self.parts(self.engine).weights
        assert weights is not None
        return weights

    def parts(self, engine: Any) -> ScoreTerms:
        """What each feature of the row adds when alone, at value 1, to what the class is ahead of its rival."""
        m = len(self.row.indices)
        ends = np.concatenate((np.arange(m + 1), [m]))
        values = None if self.row.values is None else np.ones(m, np.float32)
        alone = Block(ends, self.row.indices, values, np.full(m + 1, -1, np.int32))  # and last a row of nothing
        scores = np.zeros((m + 1, max(engine.seen, self.c + 1, self.rival + 1)))
        engine.play(alone, np.empty(m + 1, np.int32), scores)
        ahead = scores[:, self.c] - (scores[:, self.rival] if self.rival >= 0 else 0.0)
        return linear(ahead[:-1] - ahead[-1], self.row.values)


def _with_rounds(watched: Any, ledger: Ledger, parts: ScoreTerms, shares: list[Share], most: int | None, labels: Sequence) -> list[Share]:
    """The ledger played once more, watching the levels of these shares alone."""
    before = watched.levels()
    places, moves = [array("q") for _ in shares], [array("d") for _ in shares]
    for t, entry in enumerate(ledger):
        watched.teach(entry)
        now = watched.levels()
        for k in (now != before).nonzero()[0].tolist():
            places[k].append(t)
            moves[k].append(now[k] - before[k])
        before = now
    same = np.array_equal(before, _levels(parts, list(watched.others)))
    require(same, f"the ledger makes another {parts.kind} than the one that is kept: it is not that of this model")
    numbers, told, predicted = ledger.rounds, ledger.labels, ledger.predictions

    def largest(k: int) -> Iterable[Move]:
        for j in np.argsort(-np.abs(moves[k]), kind="stable")[:most].tolist():
            t = places[k][j]
            yield Move(int(numbers[t]), labels[told[t]], labels[int(predicted[t])], moves[k][j])

    return [replace(share, rounds=tuple(largest(k)), moved_by=len(moves[k])) for k, share in enumerate(shares)]


def _levels(parts: ScoreTerms, others: list) -> np.ndarray:
    """What is watched: the levels of the row's features, and of the other terms by their names."""
    if not others:
        return np.empty(0) if parts.levels is None else parts.levels
    found = {term.name: term.level for term in parts.others}
    rest = np.array([found.get(name, 0.0) for name in others])
    return rest if parts.levels is None else np.concatenate([parts.levels, rest])


def _added(parts: ScoreTerms) -> float:
    """The contributions, in the order in which kernels add."""
    total = 0.0 if parts.contributions is None else _dot(parts.contributions)
    for term in parts.others:
        total += term.contribution
    return float(total)


def _dot(contributions: np.ndarray) -> float:
    m = len(contributions)
    return float(dot(np.asarray(contributions, np.float64), np.arange(m, dtype=np.uint32), None, 0, m))


def _by_name(x: Any) -> bool:
    return isinstance(x, dict | set | frozenset) and any(isinstance(key, str) for key in x)


def _number(number: float | None) -> str:
    return "" if number is None else f"{number + 0.0:.6g}"  # + 0.0: no -0


def _plain(thing: Any) -> Any:
    """The same with None for numbers that JSON has no word for."""
    if isinstance(thing, dict):
        return {key: _plain(value) for key, value in thing.items()}
    if isinstance(thing, list):
        return [_plain(value) for value in thing]
    return None if isinstance(thing, float) and not isfinite(thing) else thing
