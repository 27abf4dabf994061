"""What two models have in common, and what not."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from littlestone.models.describe import described
from littlestone.protocol import Block, Learner, Model
from littlestone.protocol.learner import LARGEST_INDEX

SHOWN = 5  # of each kind in a repr


def weights_of(learner: Learner, state: tuple) -> np.ndarray | None:
    """A number for each feature: what it adds to the score at value 1, or else what the learner keeps of it; None if nothing.

    >>> import littlestone as ls
    >>> run = ls.play(ls.winnow(n=3), [[1, 1, 0], [1, 0, 1]], [1, 0])
    >>> weights_of(run.learner, run.state).tolist()
    [0, 1, -1]
    """
    if learner.seats(state):  # of a panel, those of the member with the largest weight
        return weights_of(*learner.chosen(state)[1:])
    grows = [array for array, grown in zip(state, learner._growing, strict=True) if grown and array.ndim == 1]
    if not learner.scored or not grows:
        return grows[0] if grows else None
    fresh = learner.init(len(grows[0]))
    moved = np.zeros(len(grows[0]), np.bool_)
    for array, untouched in zip(state, fresh, strict=True):
        if array.shape == untouched.shape == moved.shape:  # others may happen to have as many numbers
            moved |= array != untouched
    value, none = np.ones(1, np.float32), learner.score(state, np.empty(0, np.uint32), np.empty(0, np.float32))
    weights = np.zeros(len(moved))
    for i in np.flatnonzero(moved).tolist():
        weights[i] = learner.score(state, np.array([i], np.uint32), value) - none
    return weights


def weight_tables(model: Any) -> dict[str, dict[str | int, float]]:
    """The weights that are not 0, by the name of the feature or its column: one table, or one for each class or pair of classes.

    Of a rule over experts they are the weights of the experts.
    """
    return {"two classes": _of_two, "several classes": _of_several, "advice": _of_experts}[model.kind](model)


def _of_two(model: Any) -> dict[str, dict[str | int, float]]:
    return {"": _named(model, weights_of(model.learner, model.state))}


def _of_several(model: Any) -> dict[str, dict[str | int, float]]:
    labels = list(model.classes)
    if model.learner.seats(model.state):  # of a panel, those of the member with the largest weight
        return _of_several(model.member())
    if model.reduced:
        return {text_of(name): _named(model, weights_of(member.learner, member.state)) for name, member in model.members().items()}
    width = model.columns
    ends = np.concatenate((np.arange(width + 1), [width]))
    alone = Block(ends, np.arange(width, dtype=np.uint32), np.ones(width, np.float32), np.full(width + 1, -1, np.int32))
    scores = model.table(alone)  # of each feature alone, and last of none
    return {text_of(label): _named(model, scores[:-1, c] - scores[-1, c]) for c, label in enumerate(labels)}


def _of_experts(model: Any) -> dict[str, dict[str | int, float]]:
    return {"": {} if model.rule.weights is None else {name: weight for name, weight in model.scores().items() if weight}}


def _named(model: Any, weights: np.ndarray | None) -> dict[str | int, float]:
    if weights is None:
        return {}
    names = {column: name for name, column in model.features.items()}
    return {names.get(i, i): weights[i].item() for i in np.flatnonzero(weights).tolist()}


def text_of(label: Any) -> str:
    """A class, or a pair of classes, in words."""
    return " / ".join(map(str, label)) if isinstance(label, tuple) else str(label)


def named_weights(model: Any) -> dict[str | int, float]:
    """The same in one table, of every member of a panel: of several classes `class: feature`, of a panel `member: feature`.

    (A weight of one member and a weight of another are not to be compared, and which is the most trusted one may change.)
    """
    if model.kind == "two classes":
        tables = _of_panel(model)
    elif model.kind == "several classes" and (seats := model.learner.seats(model.state)):
        names = [seat.name for seat in seats[: len(model.learner.members)]]
        tables = {f"{name}: {label}": table for name in names for label, table in _of_several(model.member(name)).items()}
    elif model.kind == "several classes" and model.reduced and model.learner.of_experts:
        members = model.members().items()
        tables = {f"{text_of(name)}: {part}": table for name, member in members for part, table in _of_panel(member).items()}
    else:
        tables = weight_tables(model)
    return {f"{name}: {key}" if name else key: weight for name, table in tables.items() for key, weight in table.items()}


def _of_panel(model: Any) -> dict[str, dict[str | int, float]]:
    """A table for each member of a panel, and of any other learner its own."""
    state, size = model.state, len(getattr(model.learner, "members", ()))  # after the members sit blends, which have no weights
    members = {seat.name: model.learner.chosen(state, seat.name)[1:] for seat in model.learner.seats(state)[:size]}
    return {name: _named(model, weights_of(*member)) for name, member in members.items()} or _of_two(model)


@dataclass(frozen=True)
class Difference:
    """In what two models differ: settings and counts as (this, that), weights by feature, and the rounds only one learned from."""

    settings: dict[str, tuple[Any, Any]]
    counts: dict[str, tuple[int, int]]
    weights: dict[str | int, tuple[float, float]]
    only_first: list[int]
    only_second: list[int]
    state: bool  # does anything at all differ in what they have learned?

    def __bool__(self) -> bool:
        return bool(self.settings or self.counts or self.weights or self.only_first or self.only_second or self.state)

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def lines(self, most: int = SHOWN) -> list[str]:
        """The differences in words, at most so many of each kind."""
        if not self:
            return ["the same: settings, counts, weights and rounds"]
        lines = [f"{name}: {a} and {b}" for name, (a, b) in (self.settings | self.counts).items()]
        lines += changes_in_words(self.weights, "weights differ", most)
        for rounds, which in ((self.only_first, "first"), (self.only_second, "second")):
            if rounds:
                lines.append(f"{len(rounds):,} rounds that only the {which} learned from: {shortened(rounds, most)}")
        return lines or ["what they have learned differs"]


def diff(first: Model, second: Model) -> Difference:
    """Settings, weights and rounds in which two models differ.

    >>> import littlestone as ls
    >>> first, second = ls.perceptron(bias=0).start(), ls.perceptron(bias=1).start()
    >>> first.update({"rain": 2}, False), second.update({"sun": 1}, False)
    (None, None)
    >>> first.diff(second)
    bias: 0 and 1
    2 weights differ: 'rain' -2.0 → 0, 'sun' 0 → -1.0
    """
    mine, theirs = _flat(described(first.learner)), _flat(described(second.learner))
    settings = {k: (mine.get(k), theirs.get(k)) for k in {**mine, **theirs} if mine.get(k) != theirs.get(k)}
    labels = [list(getattr(model, "classes", ())) for model in (first, second)]
    if labels[0] != labels[1]:
        settings["classes"] = (", ".join(map(text_of, labels[0])), ", ".join(map(text_of, labels[1])))
    counts = {k: (getattr(first, k), getattr(second, k)) for k in ("rounds", "mistakes") if getattr(first, k) != getattr(second, k)}
    lists = [set() if model.ledger is None else set(model.ledger.rounds.tolist()) for model in (first, second)]
    return Difference(
        settings=settings,
        counts=counts,
        weights=changed(named_weights(first), named_weights(second)),
        only_first=sorted(lists[0] - lists[1]),
        only_second=sorted(lists[1] - lists[0]),
        state=bool(settings) or first.named != second.named or not first.learner.alike(first.state, second.state),
    )


def _flat(description: dict[str, Any]) -> dict[str, Any]:
    """The name and the settings; of a learner inside another, with its name before each."""
    flat = {"learner": description["name"]}
    for name, value in description["settings"].items():
        if isinstance(value, dict):
            flat |= {"of" if key == "learner" else f"{value['name']}.{key}": inner for key, inner in _flat(value).items()}
        elif name == "learner":
            flat["of"] = value
        else:
            flat[name] = value
    return flat


def changed(before: dict, after: dict) -> dict[str | int, tuple[float, float]]:
    """What is not the same in two tables of weights; 0 where one has none."""
    both = {name: (before.get(name, 0), after.get(name, 0)) for name in {**before, **after}}
    return {name: pair for name, pair in both.items() if pair[0] != pair[1]}


def room_of(learner: Learner, state: tuple) -> int:
    """For how many features a state has places; 1 where it has none of that kind."""
    room = learner.room_of(state)
    return 1 if room > LARGEST_INDEX else room


def shortened(items: list, most: int = SHOWN) -> str:
    more = f", and {len(items) - most:,} more" if len(items) > most else ""
    return ", ".join(map(str, items[:most])) + more


def changes_in_words(weights: dict, what: str, most: int) -> list[str]:
    if not weights:
        return []
    largest = sorted(weights.items(), key=lambda item: -abs(item[1][1] - item[1][0]))
    return [f"{len(weights):,} {what}: {shortened([f'{name!r} {a} → {b}' for name, (a, b) in largest], most)}"]
