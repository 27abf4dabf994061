"""Threshold functions "at least k of these r variables"; k = 1 is a disjunction, k = r a monotone conjunction."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import comb

import numpy as np

from littlestone.concepts.classes import Concept, ConceptClass, Row, masks, present
from littlestone.concepts.disjunctions import chosen, subset, whole
from littlestone.errors import require


@dataclass(frozen=True)
class Threshold(Concept):
    """1 where at least k variables of S are on."""

    k: int
    S: frozenset[int]

    def __call__(self, row: Row) -> bool:
        return len(self.S & present(row)) >= self.k

    def __repr__(self) -> str:
        return f"at least {self.k} of {', '.join(f'x{i}' for i in sorted(self.S))}"

    @property
    def witness(self) -> frozenset[int]:
        return self.S

    @property
    def assume(self) -> str:
        return f"k_of_r:k={self.k},r={len(self.S)}"

    @property
    def balance(self) -> float:
        low, high, r = 0.0, 1.0, len(self.S)
        for _ in range(50):
            p = (low + high) / 2
            likely = sum(comb(r, j) * p**j * (1 - p) ** (r - j) for j in range(self.k, r + 1))
            low, high = (p, high) if likely < 0.5 else (low, p)
        return low


@dataclass(frozen=True, repr=False)
class KOfR(ConceptClass):
    n: int
    k: int
    r: int

    @property
    def size(self) -> int:
        return comb(self.n, self.r)

    def of(self, variables: Iterable[int]) -> Threshold:
        """At least k of these variables."""
        return Threshold(self.k, chosen(self, variables))

    def _concept(self, c: int) -> Threshold:
        return Threshold(self.k, subset(self.n, self.r, c))

    def answers(self, point: int) -> np.ndarray:
        return np.bitwise_count(_masks(self.n, self.r) & np.uint64(point)) >= self.k


@cache
def _masks(n: int, r: int) -> np.ndarray:
    return masks(combinations(range(n), r))


def k_of_r(n: int, k: int, r: int) -> KOfR:
    """The functions "at least k of r variables" among n, for each choice of the r.

    >>> C = k_of_r(5, 2, 3)
    >>> C.size, C.concept(0), C.concept(0)([0, 4]), C.concept(0)([0, 2]), C.concept(0).assume
    (10, at least 2 of x0, x1, x2, False, True, 'k_of_r:k=2,r=3')
    """
    whole(n, "n")
    require(1 <= whole(r, "r") <= n, f"r={r!r} must lie between 1 and n={n}")
    require(1 <= whole(k, "k") <= r, f"k={k!r} must lie between 1 and r={r}")
    return KOfR(n, k, r)
