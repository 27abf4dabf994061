"""Beam search for a stream that hurts: every step is a mistake, and some concept of the class agrees with all labels.

A position is a learner, the concepts that are still possible, and the rounds that led there.  All positions of a layer have made the same
number of mistakes; those that can be told to be the same are kept once, and of the others the `width` with the most left to err on: over all
instances and all possible concepts, how many disagree with what the learner says.  Nothing is drawn at random.
"""

from __future__ import annotations

import pickle
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from littlestone.concepts import ConceptClass
from littlestone.errors import LittlestoneError
from littlestone.players import Instance, Ours, Player, River, ScikitLearn

Line = tuple[Any, int, bool] | None  # the line before, the point, its label


class Position(NamedTuple):
    player: Player
    alive: np.ndarray  # the concepts that agree with every label so far
    line: Line
    said: np.ndarray  # what the player says of each point


@dataclass(frozen=True)
class Search:
    """All that does not change: the instances, what each concept says of them, and who labels them, where only one does."""

    concepts: ConceptClass
    target: int | None  # the number of the only concept, or None for whichever is left
    width: int
    most: int  # mistakes, after which to stop
    points: Sequence[Instance] = field(init=False)
    says: np.ndarray = field(init=False)  # points × concepts

    def __post_init__(self) -> None:
        points = [dict.fromkeys(self.concepts.row(p), 1) for p in range(self.concepts.points)]
        numbers = range(len(self.concepts)) if self.target is None else [self.target]
        says = np.array([self.concepts.answers(p)[numbers] for p in range(len(points))], np.bool_)
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "says", says)

    def worst(self, learner: Player) -> list[tuple[Instance, bool]]:
        """The longest stream of mistakes that was found; the learner is left alone."""
        first = learner.copy()
        rows = _rows(first, self.points)
        layer = [Position(first, np.ones(self.says.shape[1], np.bool_), None, self.heard(first, rows))]
        best: Line = None
        for _ in range(self.most):
            found: dict[Hashable, tuple[int, Position]] = {}
            for position in layer:
                for key, child in self.steps(position, rows):
                    if key not in found:
                        found[key] = (self.left(child), child)
            if not found:
                break
            ranked = sorted(found.values(), key=lambda pair: -pair[0])  # of equals the one that was found first
            layer = [child for _, child in ranked[: self.width]]
            best = layer[0].line
        return self.stream(best)

    def heard(self, player: Player, rows: Any) -> np.ndarray:
        """What the player says of every point."""
        if isinstance(player, Ours):
            player.model.make_room(self.concepts.n)
            return np.array([player.model.predict_row(row) for row in rows], np.bool_)
        return np.array(player.answers(self.points), np.bool_)

    def left(self, position: Position) -> int:
        """How many pairs of a point and a possible concept disagree with the player."""
        return int((self.says[:, position.alive] != position.said[:, None]).sum())

    def steps(self, position: Position, rows: Any) -> Iterator[tuple[Hashable, Position]]:
        """The positions one mistake away, each with a key: equal keys, equal positions (up to the names of the features)."""
        tried = set()
        profiles = None if self.target is None else _profiles(position.player, self.concepts.n)
        group = self.says_alone()
        for p, x in enumerate(self.points):
            y = not position.said[p]
            alive = position.alive & (self.says[p] == y)
            if not alive.any():
                continue
            if profiles is not None:  # features with equal weights and equal parts in the target are interchangeable
                alike = tuple(sorted((group[i], profiles[0][i]) for i in x))
                if alike in tried:
                    continue
                tried.add(alike)
            child = position.player.copy()
            try:
                child.update(x, y)
            except LittlestoneError:
                continue  # it refuses such a round
            yield self.key(child, alive), Position(child, alive, (position.line, p, y), self.heard(child, rows))

    def says_alone(self) -> list[bool]:
        """What the target says of each unit vector: which features are relevant, of a disjunction."""
        return [bool(self.says[1 << i, 0]) for i in range(self.concepts.n)] if self.target is not None else []

    def key(self, player: Player, alive: np.ndarray) -> Hashable:
        if self.target is not None and (profiles := _profiles(player, self.concepts.n)) is not None:
            group = self.says_alone()
            return tuple(sorted(zip(group, profiles[0], strict=True))), profiles[1]
        return _state(player, self.concepts.n), alive.tobytes()

    def stream(self, line: Line) -> list[tuple[Instance, bool]]:
        rounds = []
        while line is not None:
            line, p, y = line
            rounds.append((self.points[p], bool(y)))
        return rounds[::-1]


def _rows(player: Player, points: Sequence[Instance]) -> list[tuple]:
    """The points as kernels take them, checked."""
    if not isinstance(player, Ours):
        return []
    found = [player.model.row(dict(x)) for x in points]  # type: ignore[arg-type]
    return [(row.indices, row.values, 0, len(row.indices)) for row in found]


def _profiles(player: Player, n: int) -> tuple[list[tuple], Hashable] | None:
    """What is stored of each feature, and all the rest; None where that is not known."""
    if isinstance(player, Ours) and getattr(player.model.learner, "concepts", None) is None:
        state = player.model.state_for(n)
        kept = [a for name, a in zip(_names(state), state, strict=True) if name not in player.model.learner.ledger]
        own = [a.tolist() for a in kept if a.shape == (n,)]
        return list(zip(*own, strict=True)) if own else [()] * n, tuple(a.tobytes() for a in kept if a.shape != (n,))
    if isinstance(player, ScikitLearn) and hasattr(player.thing, "coef_"):
        return [(w,) for w in player.thing.coef_[0].tolist()], float(player.thing.intercept_[0])
    if isinstance(player, River) and hasattr(player.thing, "weights"):
        return [(player.thing.weights.get(i, 0.0),) for i in range(n)], getattr(player.thing, "intercept", None)
    return None


def _state(player: Player, n: int) -> Hashable:
    """The learner's state as bytes; where there is none to be had, the player itself, which equals no other."""
    if isinstance(player, Ours):
        state = player.model.state_for(n)
        return tuple(a.tobytes() for name, a in zip(_names(state), state, strict=True) if name not in player.model.learner.ledger)
    try:
        return pickle.dumps(getattr(player, "thing", player))
    except Exception:  # noqa: BLE001 - whatever a stranger's object raises, it cannot be compared
        return id(player)


def _names(state: tuple) -> Sequence[Any]:
    return getattr(state, "_fields", range(len(state)))
