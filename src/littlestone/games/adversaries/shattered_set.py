"""A largest shattered set, each point once with the label that was not predicted: as many mistakes as the VC dimension of the class.

Points are shattered if every labelling of them is some concept's.  So whatever a deterministic learner predicts of them, some concept
of the class says the opposite on each: VCD(C) ≤ opt(C).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from littlestone.concepts.finite import finite
from littlestone.games.adversaries._finite import ClassAdversary
from littlestone.protocol.players import Instance, Player

N = 6  # of a class that is named without


@dataclass(frozen=True, repr=False)
class ShatteredSet(ClassAdversary):
    source = "Kanade, Lecture 10, section 3"

    @cached_property
    def points(self) -> list[int]:
        """A largest shattered set."""
        return self._shattered([self.dimensions.all], self.evenest(self.dimensions.all))

    def _shattered(self, parts: list[int], points: list[int]) -> list[int]:
        """A largest set of these points on which every part of the class has every labelling."""
        best: list[int] = []
        room = min(part.bit_count() for part in parts).bit_length() - 1  # 2^d labellings need 2^d concepts
        for k, point in enumerate(points):
            if len(best) >= min(room, len(points) - k):
                break
            ones = self.dimensions.ones[point]
            finer = [piece for part in parts for piece in (part & ones, part & ~ones)]
            if all(finer):
                best = max(best, [point, *self._shattered(finer, points[k + 1 :])], key=len)
        return best

    @property
    def forces(self) -> int:
        return len(self.points)

    def rounds(self, learner: Player) -> Iterator[tuple[Instance, bool]]:
        for point in self.points:
            x = self.instance(point)
            yield x, not learner.predict(x)


def shattered_set(concepts: Any = "disjunctions", *, n: int | None = None, r: int | None = None) -> ShatteredSet:
    """A shattered set of a finite class: one of `littlestone.concepts`, its name with n (6 unless given; r of disjunctions), or a boolean
    matrix with a row for each concept.

    >>> shattered_set("half_intervals", n=16).forces, shattered_set("conjunctions", n=3).forces
    (1, 3)
    >>> shattered_set([[0, 0, 1], [0, 1, 0], [1, 0, 1], [1, 1, 0]]).points  # the third column says the opposite of the second
    [0, 1]
    """
    return ShatteredSet(finite(concepts, N if n is None and isinstance(concepts, str) else n, r))
