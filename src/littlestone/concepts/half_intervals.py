"""Half-intervals of a line of N points: 1 from some point on. What binary search learns."""

from dataclasses import dataclass, field

import numpy as np

from littlestone.concepts.classes import Concept, ConceptClass, Row, present
from littlestone.concepts.disjunctions import whole


@dataclass(frozen=True)
class HalfInterval(Concept):
    """c_a(x) = 1 iff x ≥ a. An instance is one point: the row whose only active feature is its number."""

    a: int
    n: int = field(repr=False)

    def __call__(self, row: Row) -> bool:
        (x,) = present(row)
        return x >= self.a

    @property
    def witness(self) -> dict[int, int]:
        """A weight for each point: y·(u·x) ≥ 1 on every round."""
        return {x: 1 if x >= self.a else -1 for x in range(self.n)}


@dataclass(frozen=True, repr=False)
class HalfIntervals(ConceptClass):
    n: int
    empty: bool = True

    domain = "points"
    symmetric = False

    @property
    def size(self) -> int:
        return self.n + self.empty

    def _concept(self, c: int) -> HalfInterval:
        return HalfInterval(c, self.n)

    def answers(self, point: int) -> np.ndarray:
        return np.arange(self.size) <= point


def half_intervals(n: int, *, empty: bool = True) -> HalfIntervals:
    """The functions c_a(x) = 1 iff x ≥ a on the points 0 to n-1, for a = 0 to n: n + 1 of them.

    a = n is the empty half-interval, never 1. Without it (`empty=False`) there are n: the 2^m concepts on 2^m points of the lecture's
    binary search.

    >>> C = half_intervals(8, empty=False)
    >>> C.size, [C.concept(3)([x]) for x in range(5)], half_intervals(8).size
    (8, [False, False, False, True, True], 9)
    """
    whole(n, "n")
    return HalfIntervals(n, bool(empty))
