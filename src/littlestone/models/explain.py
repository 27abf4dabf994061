"""Why an instance is predicted as it is: what each feature adds to the score, and which rounds made its weight what it is."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from math import isfinite
from textwrap import wrap
from typing import Any, NamedTuple

import numpy as np

from littlestone.errors import require
from littlestone.kernels.rows import dot
from littlestone.models.compare import room_of
from littlestone.protocol import Learner, Model, Parts, Term

LEAST = 30  # so wide the last column of a table remains


class Move(NamedTuple):
    """A round of the ledger, and how far it moved a weight (or what the weight is made of)."""

    round: int
    label: bool
    predicted: bool
    moved: float

    def __str__(self) -> str:
        return self.written(("0", "1"))

    def written(self, labels: tuple[str, str]) -> str:
        """With the labels as their stream writes them."""
        return f"{self.round} ({labels[self.label]}/{labels[self.predicted]}) {self.moved:+.6g}"


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
    prediction: bool
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

    def lines(self, most: int = 10, rounds: int = 3, labels: tuple[str, str] = ("0", "1"), width: int | None = None) -> list[str]:
        """A table of so many features with so many rounds each; `labels` are as the stream writes them, `width` that of the terminal."""
        told = [f"predicted {labels[self.prediction]}{self._why()}"]
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

    def _why(self) -> str:
        if self.score is None or self.threshold is None:
            return ""
        score, threshold = f"{self.score:.6g}", f"{self.threshold:.6g}"
        if (self.score >= self.threshold) != self.prediction:
            return f": score {score} is too near the threshold {threshold} for doubles to tell, and exact arithmetic decided"
        if score == threshold and self.score != self.threshold:
            score, threshold = f"{self.score!r}", f"{self.threshold!r}"
        return f": score {score} {'reaches' if self.prediction else 'is below'} the threshold {threshold}"

    def _levels(self) -> bool:
        """Do rounds move something else than the weights, and is there any of it to show?"""
        return self.moves != "weight" and any(share.column is not None for share in self.features)

    def _heading(self) -> list[str]:
        level = [self.moves] if self._levels() else []
        return ["feature", "value", "weight", *level, "contribution", "" if self.no_rounds else "moved by round (label/predicted)"]

    def _row(self, share: Share, most: int, labels: tuple[str, str]) -> list[str]:
        level = [_number(None if share.column is None else share.level)] if self._levels() else []
        moves = [move.written(labels) for move in share.rounds[:most]]
        if share.moved_by is not None and share.moved_by > len(moves) > 0:
            moves.append(f"and {share.moved_by - len(moves):,} more")
        numbers = [_number(share.value), _number(share.weight), *level, _number(share.contribution)]
        return [share.shown, *numbers, "" if self.no_rounds else ", ".join(moves) or "none"]


def _folded(cells: str, last: str, width: int | None) -> list[str]:
    """A row of the table; where its last cell does not fit, in several lines, all of which begin where the first one does."""
    if width is None or len(cells) + len(last) <= width:
        return [(cells + last).rstrip()]
    indent = len(cells) if len(cells) + LEAST <= width else 6
    parts = wrap(last, max(LEAST, width - indent), break_on_hyphens=False, break_long_words=False)
    first = [cells + parts[0]] if indent == len(cells) else [cells.rstrip(), " " * indent + parts[0]]
    return first + [" " * indent + part for part in parts[1:]]


def explain(model: Model, x: Any, rounds: int | None = 100) -> Explanation:
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
    row = model.row(x)
    parts = _parts(model.learner, row.state, row.indices, row.values)
    why = _no_rounds(model, rounds)
    shares = _shares(model, x, row, parts)
    if not why:
        shares = _with_rounds(model, row, parts, shares, rounds)
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
        unknown=tuple(key for key in x if key not in model.features) if _by_name(x) else (),
    )


def _rank(share: Share) -> tuple:
    """The largest contribution first; by name where they are equal, so that a set of features has one order."""
    return (
        -abs(share.level if share.contribution is None else share.contribution),
        share.column is None,
        "" if share.column is None else share.name,
    )


def _parts(learner: Learner, state: tuple, indices: np.ndarray, values: np.ndarray | None) -> Parts:
    return (learner.parts or _assumed(learner))(learner.params, state, indices, values)


def _assumed(learner: Learner) -> Any:
    """The parts for a learner that does not give them: what its score says of each feature alone, or else just what it keeps of it."""
    growing = [k for k, grows in enumerate(learner._growing()) if grows and learner.init(1)[k].ndim == 1]

    def by_score(params: tuple, state: tuple, indices: np.ndarray, values: np.ndarray | None) -> Parts:
        one = np.ones(1, np.float32)
        none = learner.score(state, np.empty(0, np.uint32), np.empty(0, np.float32))
        weights = np.array([learner.score(state, indices[k : k + 1], one) - none for k in range(len(indices))])
        contributions = weights if values is None else weights * values
        rest = learner.score(state, indices, values) - _dot(contributions)
        words = "the learner does not say what its score is made of; a weight is what a feature of value 1 adds when alone"
        return Parts(weights, contributions, weights, (Term("the rest", 1.0, rest, rest, rest),), words=words)

    def by_state(params: tuple, state: tuple, indices: np.ndarray, values: np.ndarray | None) -> Parts:
        words = "the learner does not say what its predictions are made of"
        if not growing:
            return Parts(None, None, None, threshold=None, words=words)
        names = getattr(state, "_fields", ["state"] * len(state))
        return Parts(None, None, state[growing[0]][indices], threshold=None, kind=names[growing[0]], words=words)

    return by_state if learner.kernels.score is None else by_score


def _no_rounds(model: Model, rounds: int | None) -> str:
    if model.learner.updates_on == "always":
        return f"{model.learner!r} updates on every round, and keeps no ledger"
    if model.ledger is None:
        return "this model has no ledger: it began from a state whose rounds are not known, or was told to keep none"
    return "none were asked for" if rounds == 0 else ""


def _shares(model: Model, x: Any, row: Any, parts: Parts) -> list[Share]:
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


def _with_rounds(model: Model, row: Any, parts: Parts, shares: list[Share], most: int | None) -> list[Share]:
    """The ledger played once more, watching the levels of these shares alone."""
    learner, ledger = model.learner, model.ledger
    assert ledger is not None
    others = [term.name for term in parts.others]
    state = learner.first_state(room_of(learner, row.state))
    if learner.prepare is not None and len(ledger):
        state = learner.prepare(state, ledger.block())
    arguments, update = (*learner.params, *state), learner.kernels.update
    before = _levels(_parts(learner, state, row.indices, row.values), others)
    places, moves = [array("q") for _ in shares], [array("d") for _ in shares]
    for t, entry in enumerate(ledger):
        update(*arguments, entry.indices, entry.values, 0, len(entry.indices), entry.label, entry.predicted, entry.weight)
        now = _levels(_parts(learner, state, row.indices, row.values), others)
        for k in (now != before).nonzero()[0].tolist():
            places[k].append(t)
            moves[k].append(now[k] - before[k])
        before = now
    same = np.array_equal(before, _levels(parts, others))
    require(same, f"the ledger makes another {parts.kind} than the one that is kept: it is not that of this model")
    numbers, labels, said = ledger.rounds, ledger.labels, ledger.predictions

    def largest(k: int) -> Iterable[Move]:
        for j in np.argsort(-np.abs(moves[k]), kind="stable")[:most].tolist():
            t = places[k][j]
            yield Move(int(numbers[t]), bool(labels[t]), bool(said[t]), moves[k][j])

    return [replace(share, rounds=tuple(largest(k)), moved_by=len(moves[k])) for k, share in enumerate(shares)]


def _levels(parts: Parts, others: list) -> np.ndarray:
    """What is watched: the levels of the row's features, and of the other terms by their names."""
    if not others:
        return np.empty(0) if parts.levels is None else parts.levels
    found = {term.name: term.level for term in parts.others}
    rest = np.array([found.get(name, 0.0) for name in others])
    return rest if parts.levels is None else np.concatenate([parts.levels, rest])


def _added(parts: Parts) -> float:
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
