"""Beam search for a stream that hurts: every step is a mistake, and some concept of the class agrees with all labels.

A position is a learner, the concepts that are still possible, and the rounds that led there.  All positions of a layer have made the same
number of mistakes.  Those that can be told to be the same are kept once, and of the others the `width` best by what is left to err on:
√a + √b, where a is the share of missed 1s among all pairs of an instance and a concept that says 1 of it, counted while the concept is
possible, and b the share of false 1s among the other pairs.  (The plain number of errors left finds less.)  Nothing is drawn at random.
"""

import pickle
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from littlestone.concepts.classes import ConceptClass
from littlestone.errors import LittlestoneError
from littlestone.protocol.players import Instance, Ours, Player, River, ScikitLearn

Line = tuple[Any, int, bool] | None  # the line before it, a point, its label
Profiles = tuple[list[tuple], Hashable]  # what a learner stores of each feature, and all the rest


class Position(NamedTuple):
    player: Player
    alive: np.ndarray  # the concepts that agree with every label so far
    line: Line
    predicted: np.ndarray  # what the player says of each point


@dataclass(frozen=True, eq=False)
class Search:
    """All that does not change: the instances, who may label them, and how far to look."""

    concepts: ConceptClass
    fixed: bool  # is concept 0 the target? Otherwise whichever is left in the end
    width: int
    most: int  # mistakes, after which to stop

    @cached_property
    def points(self) -> list[Instance]:
        return [dict.fromkeys(self.concepts.row(p), 1) for p in range(self.concepts.points)]

    @cached_property
    def says(self) -> np.ndarray:
        """What each concept that may be the target says of each point."""
        answers = [self.concepts.answers(p) for p in range(self.concepts.points)]
        return np.array([a[:1] if self.fixed else a for a in answers], np.bool_)

    @cached_property
    def part(self) -> list[int]:
        """Of a target that is fixed, the first feature that can change places with each, and no label changes."""
        points, labels = np.arange(len(self.says)), self.says[:, 0]

        def swapped(i: int, j: int) -> np.ndarray:
            differ = (points >> i ^ points >> j) & 1
            return points ^ (differ << i | differ << j)

        return [next(j for j in range(i + 1) if (labels[swapped(i, j)] == labels).all()) for i in range(self.concepts.n)]

    @cached_property
    def ones(self) -> int:
        return max(1, int(self.says.sum()))

    def worst(self, learner: Player) -> list[tuple[Instance, bool]]:
        """The longest stream of mistakes that was found; the learner is left as it was."""
        first = learner.copy()
        rows = _rows(first, self.points)
        layer = [Position(first, np.ones(self.says.shape[1], np.bool_), None, self.heard(first, rows))]
        for _ in range(self.most):
            following = list(self.layer(layer, rows))
            if not following:
                break
            layer = sorted(following, key=self.left, reverse=True)[: self.width]  # of equals the one that was found first
        return self.stream(layer[0].line)

    def layer(self, before: Sequence[Position], rows: list[tuple]) -> Iterator[Position]:
        """The positions one mistake further, each once."""
        keys = set()
        for position in before:
            for p, child, alive in self.steps(position):
                key = self.key(child, alive)
                if key not in keys:
                    keys.add(key)
                    yield Position(child, alive, (position.line, p, not position.predicted[p]), self.heard(child, rows))

    def steps(self, position: Position) -> Iterator[tuple[int, Player, np.ndarray]]:
        """Each point on which the player can err, the player after it, and the concepts that are left."""
        profiles = _profiles(position.player, self.concepts.n) if self.fixed else None
        tried = set()
        for p, x in enumerate(self.points):
            y = not position.predicted[p]
            alive = position.alive & (self.says[p] == y)
            if not alive.any():
                continue
            if profiles is not None:
                alike = tuple(sorted((self.part[i], profiles[0][i]) for i in self.concepts.row(p)))
                if alike in tried:
                    continue
                tried.add(alike)
            child = position.player.copy()
            try:
                child.update(x, y)
            except LittlestoneError:  # it refuses such a round
                continue
            yield p, child, alive

    def heard(self, player: Player, rows: list[tuple]) -> np.ndarray:
        """What the player says of every point."""
        if isinstance(player, Ours):
            player.model.make_room(self.concepts.n)
            return np.array([player.model.predict_row(row) for row in rows], np.bool_)
        return np.array(player.answers(self.points), np.bool_)

    def left(self, position: Position) -> float:
        """How much is left to err on."""
        predicted, possible = position.predicted, self.says[:, position.alive]
        missed = int(possible[~predicted].sum())
        false = int((~possible[predicted]).sum())
        return sqrt(missed / self.ones) + sqrt(false / max(1, self.says.size - self.ones))

    def key(self, player: Player, alive: np.ndarray) -> Hashable:
        """Equal keys, equal positions, up to the names of the features where the target does not tell them apart."""
        profiles = _profiles(player, self.concepts.n) if self.fixed else None
        if profiles is not None:
            return tuple(sorted(zip(self.part, profiles[0], strict=True))), profiles[1]
        return _state(player, self.concepts.n), alive.tobytes()

    def stream(self, line: Line) -> list[tuple[Instance, bool]]:
        rounds = []
        while line is not None:
            line, p, y = line
            rounds.append((self.points[p], bool(y)))
        return rounds[::-1]


def _rows(player: Player, points: Sequence[Instance]) -> list[tuple]:
    """The points as learners take them, checked."""
    if not isinstance(player, Ours):
        return []
    converted = [player.model.row(x) for x in points]
    return [(row.columns, row.values, 0, len(row.indices)) for row in converted]


def _profiles(player: Player, n: int) -> Profiles | None:
    """What is stored of each feature, and all the rest; None where that is not known."""
    if isinstance(player, Ours) and player.model.learner.concepts is None:
        kept = _arrays(player, n)
        own = [a.tolist() for a in kept if a.shape == (n,)]
        return list(zip(*own, strict=True)) if own else [()] * n, tuple(a.tobytes() for a in kept if a.shape != (n,))
    if isinstance(player, ScikitLearn) and hasattr(player.thing, "coef_"):
        return [(w,) for w in player.thing.coef_[0].tolist()], float(player.thing.intercept_[0])
    if isinstance(player, River) and hasattr(player.thing, "weights"):
        return [(player.thing.weights.get(i, 0.0),) for i in range(n)], getattr(player.thing, "intercept", None)
    return None


def _state(player: Player, n: int) -> Hashable:
    """The state as bytes; where there are none to be had, the player itself, who equals no other."""
    if isinstance(player, Ours):
        return tuple(a.tobytes() for a in _arrays(player, n))
    try:
        return pickle.dumps(getattr(player, "thing", player))
    except Exception:  # whatever a stranger's object raises, it cannot be compared
        return id(player), player


def _arrays(player: Ours, n: int) -> list[np.ndarray]:
    """The arrays of a state, without those that only keep accounts, and with room for n features."""
    player.model.make_room(n)
    state, ledger = player.model.state_for(n), player.model.learner.ledger
    names = getattr(state, "_fields", range(len(state)))
    return [a for name, a in zip(names, state, strict=True) if name not in ledger]
