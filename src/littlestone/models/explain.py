"""Why an instance is predicted as it is: what each feature adds to the score, and which rounds made its weight what it is.

A panel's forecast is no weighted sum of features. What a feature contributes to it is the exact change of its log-odds when the feature is
left out of the row.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from littlestone.errors import require
from littlestone.models.compare import room_of, text_of
from littlestone.models.explanation import AdviceExplanation, ClassExplanation, Explanation, Move, Share
from littlestone.protocol import Block, Learner, Ledger, Model, Opening, ScoreTerms, Term
from littlestone.protocol.events import EventRow
from littlestone.protocol.learner import copied
from littlestone.protocol.ledger import Entry
from littlestone.protocol.run import play_through
from littlestone.protocol.score_terms import linear, whole
from littlestone.reference.arithmetic import ordered_sum

MOST = 2**20  # features played together of the rows that have one feature less
LEFT_OUT = (
    "a contribution is the exact change of the score when the feature is left out; the score is not linear, so they need not add up to it"
)
KEEPS_NONE = "a panel updates on every round, and keeps no ledger"


def explain(model: Model, x: Any, rounds: int | None = 100, member: Any = None) -> Any:
    """Return what the prediction for x is made of, and which rounds of the ledger made it so: for each weight its `rounds` largest moves.
    With `member` it is the prediction of that member or blend of a panel, or of the member for a class or a pair of classes.

    >>> import littlestone as ls
    >>> model = ls.perceptron(bias=0).start()
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
    if member is None:
        return kinds[model.kind](model, x, rounds)
    blends = getattr(model.learner, "blend_names", None)
    if blends is None:  # no panel
        part = model.member(member)
        return kinds[part.kind](part, x, rounds)
    members = model.learner.names[: len(model.learner.members)]
    known = f"the members are {', '.join(members)}; the blends are {', '.join(blends) or 'none'}"
    require(member in (*members, *blends), f"member {member!r}: {known}")
    if member in members:
        part = model.member(member)
        return replace(kinds[part.kind](part, x, rounds), no_rounds=KEEPS_NONE)
    return (_of_blend if model.kind == "two classes" else _of_class_blend)(model, x, member)


def _of_two(model: Any, x: Any, rounds: int | None) -> Explanation:
    why = _no_rounds(model, rounds)
    model = model.hypothesis
    x, labels = model.by_features(x), model.answers or (False, True)
    row = model.row(x)
    if getattr(model.learner, "forecasts", False):
        return _of_forecast(model, x, row, labels)
    parts = _parts(model.learner, row.state, row.indices, row.values)
    shares = _shares(model, x, row, parts)
    if not why:
        shares = _with_rounds(_Binary(model, row, parts), model.ledger, parts, shares, rounds, labels)
    contributions = [share.contribution for share in shares]
    score = None
    if model.learner.scored and model.learner.decides_by_score:
        score = model.learner.score(row.state, row.indices, row.values) + (parts.threshold or 0.0)
    elif None not in contributions:
        score = _added(parts)
    return Explanation(
        answer=None if model.operating is None else model.predict(x),
        learner=repr(model.learner),
        prediction=labels[row.prediction],
        score=score,
        threshold=None if score is None else parts.threshold,
        features=tuple(sorted(shares, key=_rank)),
        moves=parts.kind,
        words=parts.words,
        no_rounds=why,
        unknown=_unknown(model, x),
        labels=labels,
    )


def _of_forecast(model: Any, x: Any, row: EventRow, labels: tuple[Any, Any]) -> Explanation:
    """By what each feature changes in the log-odds of a panel's forecast."""

    def forecasts(rows: Block) -> np.ndarray:
        scores = np.empty(len(rows))
        play_through(model.learner, _prepared(model, row, rows), rows, np.empty(len(rows), np.bool_), scores)
        return scores

    fields = _left_out(model, x, row, forecasts)
    return Explanation(
        **fields,
        forecast=fields["score"],
        learner=repr(model.learner),
        prediction=labels[row.prediction],
        threshold=0.0,
        labels=labels,
        forecast_weights=model.learner.trust(row.state),
        answer=None if model.operating is None else model.predict(x),
    )


def _of_blend(model: Any, x: Any, name: str) -> Explanation:
    """By what each feature changes in the score of a blend, a stack or its bins, of a panel of two classes."""
    x, labels = model.by_features(x), model.answers or (False, True)
    row = model.row(x)
    fields = _left_out(model, x, row, lambda rows: model.learner.blend_scores(_prepared(model, row, rows), rows)[name])
    return Explanation(**fields, learner=name, prediction=labels[fields["score"] >= 0.0], threshold=0.0, labels=labels)


def _prepared(model: Any, row: EventRow, rows: Block) -> tuple:
    return row.state if model.learner.prepare is None else model.learner.prepare(row.state, rows)


def _left_out(model: Any, x: Any, row: EventRow, scores_of: Callable[[Block], np.ndarray]) -> dict[str, Any]:
    """Return the fields of an explanation by what leaving out each feature changes in the score of a row. `scores_of` takes rows without
    labels and returns the score of each."""
    scores = np.concatenate([scores_of(rows) for rows in _rows_without(row)])
    score, empty, contributions = float(scores[0]), float(scores[1]), scores[0] - scores[2:]
    parts = ScoreTerms(None, contributions, np.zeros(len(contributions)))
    rest = score - ordered_sum(contributions.tolist())
    return {
        "score": score,
        "features": (*sorted(_shares(model, x, row, parts), key=_rank), Share("the rest", None, 1.0, None, rest, 0.0)),
        "moves": "weight",
        "words": f"{LEFT_OUT}; without any feature it is {empty:.6g}",
        "no_rounds": KEEPS_NONE,
        "unknown": _unknown(model, x),
        "additive": False,
    }


def _rows_without(row: EventRow) -> Iterator[Block]:
    """Yield, in blocks without labels, the row as it is, a row of nothing, and the row without each of its features in turn."""
    m = len(row.indices)
    yield row.block()
    values = None if row.values is None else row.values[:0]
    yield replace(row.block(), indptr=np.zeros(2, np.int64), indices=row.indices[:0], values=values)
    step = max(1, MOST // max(1, m))
    for start in range(0, m, step):
        without = np.arange(start, min(start + step, m))
        kept = np.nonzero(without[:, None] != np.arange(m))[1]
        values = None if row.values is None else row.values[kept]
        ends = np.arange(len(without) + 1, dtype=np.int64) * (m - 1)
        yield Block(ends, row.indices[kept], values, np.full(len(without), -1, np.int32))


def _unknown(model: Any, x: Any) -> tuple[str, ...]:
    return tuple(key for key in x if key not in model.features) if _by_name(x) else ()


def _of_several(model: Any, x: Any, rounds: int | None) -> ClassExplanation:
    """By the member that decides between the class that is named and its strongest rival; or by the weights of the two."""
    kept, x = model.hypothesis, model.by_features(x)
    row, scores = kept.row(x), kept.scores(x)
    label = row.prediction
    rival = max((other for other in scores if other != label), key=lambda other: scores[other], default=None)
    known = {"prediction": label, "rival": rival, "scores": scores, "learner": repr(model.learner), "unknown": _unknown(model, x)}
    empty: dict[str, Any] = {"score": None, "threshold": None, "features": (), "moves": "weight"}
    if label is None:
        return ClassExplanation(**known, **empty, words="no class has appeared yet", no_rounds="there are none so far")
    if model.learner.seats(model.state):
        return (_by_forecast if model.learner.probabilities else _by_votes)(model, x, row, known)
    if not model.reduced:
        return _by_weights(model, x, row, rounds, known)
    codes = [model.classes[label], model.classes[rival] if rival is not None else 0]
    if rival is None and label not in model.members():
        return ClassExplanation(**known, **empty, words="one class has appeared so far", no_rounds="no member has been made")
    place, favours = model.learner.engine(Opening()).between(*codes)
    name = label if len(place) == 1 else tuple(list(model.classes)[c] for c in place)
    member = _of_two(model.member(name), x, rounds)
    sides = (text_of(name), "the rest") if len(place) == 1 else (str(name[0]), str(name[1]))
    against = "the other members outvote it" if len(place) > 1 else "no member says 1, or several do"
    return ClassExplanation(
        **known,
        score=member.score,
        threshold=member.threshold,
        features=tuple(replace(share, rounds=tuple(map(_as_numbers, share.rounds))) for share in member.features),
        moves=member.moves,
        words="; ".join(filter(None, (member.words, "" if bool(member.prediction) == favours else against))),
        no_rounds=member.no_rounds,
        by=f"by the member of {sides[0]} (1) and {sides[1]} (0), which says {int(member.prediction)}",
    )


def _as_numbers(move: Move) -> Move:
    """The labels that a member learned from are 1 and 0."""
    return move._replace(label=int(move.label), predicted=int(move.predicted))


def _by_forecast(model: Any, x: Any, row: EventRow, known: dict[str, Any]) -> ClassExplanation:
    """Of a panel: by what each feature changes in the log-odds that it forecasts for the class that is named."""
    c = model.classes[known["prediction"]]
    fields = _left_out(model, x, row, lambda rows: model.table(rows)[:, c])
    return ClassExplanation(
        **known | fields,
        forecast=fields["score"],
        threshold=None,
        forecast_weights=model.learner.trust(row.state),
        answer=None if model.operating is None else model.predict(x),
    )


def _of_class_blend(model: Any, x: Any, name: str) -> ClassExplanation:
    """By what each feature changes in how far the class that a blend names is ahead of its rival, of a panel of several classes."""
    x, labels = model.by_features(x), list(model.classes)
    if not labels:
        return _of_several(model, x, 0)
    row = model.row(x)
    (scores,) = model._engine.blend_scores(row.block())[name]
    ranks = sorted(range(len(labels)), key=lambda c: (-scores[c], c))
    c, rival = ranks[0], ranks[1] if len(ranks) > 1 else -1

    def ahead(rows: Block) -> np.ndarray:
        scores = model._engine.blend_scores(rows)[name]
        return scores[:, c] - (scores[:, rival] if rival >= 0 else 0.0)

    return ClassExplanation(
        **_left_out(model, x, row, ahead),
        learner=name,
        prediction=labels[c],
        rival=labels[rival] if rival >= 0 else None,
        scores=dict(zip(labels, scores.tolist(), strict=True)),
        threshold=0.0,
    )


def _by_votes(model: Any, x: Any, row: EventRow, known: dict[str, Any]) -> ClassExplanation:
    """Of a panel: who names the class, who its rival, and with which weight."""
    label, rival = known["prediction"], known["rival"]
    values = [1.0 if vote == label else -1.0 if vote == rival else 0.0 for vote in model.ballot(x)]
    seats = zip(model.learner.seats(model.state), values, strict=True)
    parts = whole(*(Term(seat.name, value, seat.weight, value * seat.weight, seat.weight) for seat, value in seats))
    return ClassExplanation(
        **known,
        score=_added(parts),
        threshold=0.0,
        features=tuple(sorted(_shares(model, x, row, parts), key=_rank)),
        moves=parts.kind,
        words=f"a panel is explained by its members: +1 names {label}, -1 names {rival}, 0 another class, by the weight each has earned",
        answer=None if model.operating is None else model.predict(x),
        no_rounds=_no_rounds(model, None),
    )


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
    """Each expert with what it says, its weight among those awake, and what it adds to the weighted mean.

    Where the experts' forecasts were read as votes, by a threshold, or as what they lose, the row holds forecasts.
    """
    rule, reading = model.rule, model.reading
    row = np.array(model.in_order(row), np.float64).ravel()
    require(len(row) == rule.n or rule.n is None, f"a row of {len(row)} experts; this {rule.name} has n={rule.n}")
    awake, losses, words = ~np.isnan(row), rule.advice == "loss", []
    if reading.get("threshold") is not None:
        row = np.where(awake, row >= reading["threshold"], np.nan)
        words.append(f"a forecast of at least {reading['threshold']:g} is a vote for 1")
    forecasts = model.of_forecasts  # it predicts the mean of their forecasts
    mix = None if losses else model.mixture(row)
    chosen = model.choose() if rule.bandit or (losses and not forecasts) else -1
    weights = np.full(len(row), np.nan) if rule.weights is None else model.weights_in(row)
    words += ["weights are of those awake"] if not awake.all() else []
    words += [model.short_records] if model.short_records else []
    words += [f"it follows {model.names[chosen]}"] if chosen >= 0 else []
    words += ["a coin decides, 1 by that share"] if rule.coin and chosen < 0 and not losses else []
    shares = []
    for i, (name, weight) in enumerate(zip(model.names, weights.tolist(), strict=True)):
        known = weight == weight
        adds = (weight * float(row[i]) if awake[i] else 0.0) if known else None
        shares.append(Share(name, i, float(row[i]), weight if known else None, adds, weight if known else 0.0))
    if mix is None and rule.weights is not None:
        mix = model.predict(row) if rule.gradient else float(np.nansum(weights * row))
    return AdviceExplanation(
        learner=repr(rule),
        prediction=mix if forecasts else model.names[chosen] if losses else model.predict(row),
        score=mix,
        threshold=None if chosen >= 0 or rule.coin or losses else 0.5,
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
    growing = [k for k, grows in enumerate(learner._growing) if grows and learner.init(1)[k].ndim == 1]

    def by_score(params: tuple, state: tuple, indices: np.ndarray, values: np.ndarray | None) -> ScoreTerms:
        value = np.ones(1, np.float32)
        none = learner.score(state, np.empty(0, np.uint32), np.empty(0, np.float32))
        weights = np.array([learner.score(state, indices[k : k + 1], value) - none for k in range(len(indices))])
        contributions = weights if values is None else weights * values
        rest = learner.score(state, indices, values) - ordered_sum(contributions.tolist())
        words = "the learner does not say what its score is made of; a weight is what a feature of value 1 adds when alone"
        return ScoreTerms(weights, contributions, weights, (Term("the rest", 1.0, rest, rest, rest),), words=words)

    def by_state(params: tuple, state: tuple, indices: np.ndarray, values: np.ndarray | None) -> ScoreTerms:
        words = "the learner does not say what its predictions are made of"
        if not growing:
            return ScoreTerms(None, None, None, threshold=None, words=words)
        names = getattr(state, "_fields", ["state"] * len(state))
        return ScoreTerms(None, None, state[growing[0]][indices], threshold=None, kind=names[growing[0]], words=words)

    return by_score if learner.scored else by_state


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
        new = [key for key in x if key not in model.features and (not isinstance(x, Mapping) or x[key])]
        names |= {len(model.features) + k: key for k, key in enumerate(sorted(new) if model.sorts else new)}
    shares = []
    if parts.levels is not None:
        blank = [None] * len(row.indices)
        values = [1.0] * len(row.indices) if row.values is None else row.values.tolist()
        weights = blank if parts.weights is None else parts.weights.tolist()
        contributions = blank if parts.contributions is None else parts.contributions.tolist()
        columns = row.columns.tolist()
        table: Any = zip(columns, values, weights, contributions, parts.levels.tolist(), strict=True)
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
        learner, snapshot, room = self.learner, model.ledger.snapshot, room_of(self.learner, row.state)
        state = learner.first_state(room) if snapshot is None else learner.grown(copied(snapshot.state), room)
        self.state = learner.prepare(state, model.ledger.block()) if learner.prepare is not None and len(model.ledger) else state
        self.player = learner.over(self.state)

    def teach(self, entry: Entry) -> None:
        row = (entry.indices, entry.values, 0, len(entry.indices), entry.label, entry.predicted, entry.weight)
        self.player.update(*row)

    def levels(self) -> np.ndarray:
        return _levels(_parts(self.learner, self.state, self.row.indices, self.row.values), self.others)


class _Classes:
    """The same for a learner of several classes: the weights of a class less those of its rival (-1 for none)."""

    others: tuple = ()

    def __init__(self, model: Any, row: EventRow, c: int, rival: int) -> None:
        self.row, self.c, self.rival = row, c, rival
        room, snapshot = max(model.columns, int(row.indices.max(initial=0)) + 1), model.ledger and model.ledger.snapshot
        self.engine = model.learner.engine(Opening(room=room, events=True))
        if snapshot is not None:
            self.engine.resume(snapshot.state, snapshot.classes)
            self.engine.make_room(room)

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
    numbers, labelled, predicted = ledger.rounds, ledger.labels, ledger.predictions

    def largest(k: int) -> Iterable[Move]:
        for j in np.argsort(-np.abs(moves[k]), kind="stable")[:most].tolist():
            t = places[k][j]
            yield Move(int(numbers[t]), labels[labelled[t]], labels[int(predicted[t])], moves[k][j])

    return [replace(share, rounds=tuple(largest(k)), moved_by=len(moves[k])) for k, share in enumerate(shares)]


def _levels(parts: ScoreTerms, others: list) -> np.ndarray:
    """What is watched: the levels of the row's features, and of the other terms by their names."""
    if not others:
        return np.empty(0) if parts.levels is None else parts.levels
    levels = {term.name: term.level for term in parts.others}
    rest = np.array([levels.get(name, 0.0) for name in others])
    return rest if parts.levels is None else np.concatenate([parts.levels, rest])


def _added(parts: ScoreTerms) -> float:
    """The contributions, in the order in which learners add."""
    total = 0.0 if parts.contributions is None else ordered_sum(parts.contributions.tolist())
    for term in parts.others:
        total += term.contribution
    return float(total)


def _by_name(x: Any) -> bool:
    return isinstance(x, dict | set | frozenset) and any(isinstance(key, str) for key in x)
