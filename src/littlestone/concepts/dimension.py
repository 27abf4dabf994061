"""Dimensions of a finite class, exactly: how many mistakes must be made, how many points can be shattered.

Ldim(V) = max over points x of 1 + min(Ldim(V where c(x) = 0), Ldim(V where c(x) = 1)), 0 for a single function, -1 for none: the
mistakes that the best deterministic learner makes in the worst case (Littlestone 1988).  VCD is the largest set of points on which
every labelling is some concept's.  The best randomised learner expects as many mistakes as the same recursion gives with (1 + a + b)/2
for 1 + min(a, b), where a and b differ by at most 1, and max(a, b) where they differ by more.

>>> from littlestone import concepts
>>> conjunctions = concepts.conjunctions(2, contradictory=True)
>>> littlestone_dimension(conjunctions), vc_dimension(conjunctions), randomised_optimum(conjunctions)
(3, 2, Fraction(13, 8))
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import log2
from typing import Any

from littlestone.concepts.classes import ConceptClass
from littlestone.concepts.table import table
from littlestone.errors import require

MOST_BITS = 2**24  # the recursion is exponential: a larger table would never end, except by luck


class Dimensions:
    """The dimensions of every version space of one class. A version space is a number: bit c is 1 while concept c is in it."""

    def __init__(self, concepts: Any) -> None:
        C = concepts if isinstance(concepts, ConceptClass) else table(concepts)
        size, points = len(C), C.points
        require(
            size * points <= MOST_BITS,
            f"{C!r} has {size:,} concepts on {points:,} points; dimensions are worked out up to {MOST_BITS:,} concepts times points",
        )
        self.all = (1 << size) - 1
        self.ones = [int.from_bytes(column.tobytes(), "little") for column in C.columns().astype("<u8")]
        self.distinct = sorted({min(ones, self.all ^ ones) for ones in self.ones} - {0})  # 0 and 1 may be exchanged
        self._littlestone: dict[int, int] = {0: -1}
        self._randomised: dict[int, Fraction] = {0: Fraction(-1)}

    def _splits(self, V: int) -> Iterator[tuple[int, int, int]]:
        """The ways a point divides V, the most even first: (size of the smaller part, the two parts)."""
        found = set()
        for ones in self.distinct:
            one = V & ones
            if one and one != V:
                found.add(min(one, V ^ one))
        parts = [(min(part.bit_count(), (V ^ part).bit_count()), part, V ^ part) for part in found]
        yield from sorted(parts, reverse=True)

    def littlestone(self, V: int) -> int:
        """Ldim(V). A part of m concepts has Ldim at most log2 m, so most points need no look."""
        known = self._littlestone.get(V)
        if known is None:
            known = 0
            for smaller, one, zero in self._splits(V):
                if smaller.bit_length() <= known:
                    break
                a = self.littlestone(one)
                if 1 + a > known:
                    known = max(known, 1 + min(a, self.littlestone(zero)))
            self._littlestone[V] = known
        return known

    def randomised(self, V: int) -> Fraction:
        """The mistakes that the best randomised learner expects, from V on, against the worst stream.

        It is half the expected length of a random path down a tree whose leaves are distinct concepts, so half the entropy of the leaf: at
        most half of log2 |V|. Splits that cannot be better for that reason are left out.
        """
        known = self._randomised.get(V)
        if known is None:
            known = Fraction(0)
            for _, one, zero in self._splits(V):
                a, b = log2(one.bit_count()) / 2, log2(zero.bit_count()) / 2
                wanted = float(known) - 1e-9
                if _divided(a, b) > wanted and _divided(float(x := self.randomised(one)), b) > wanted:
                    known = max(known, _divided(x, self.randomised(zero)))
            self._randomised[V] = known
        return known

    def vc(self) -> int:
        """The largest number of points on which every labelling occurs."""
        return self._shattered([self.all], self.distinct)

    def _shattered(self, parts: list[int], points: list[int]) -> int:
        """How many of these points can be shattered in every one of the parts at once."""
        best, room = 0, min(part.bit_count() for part in parts).bit_length() - 1
        for k, ones in enumerate(points):
            if best >= room:
                break
            finer = [piece for part in parts for piece in (part & ones, part & ~ones)]
            if all(finer):
                best = max(best, 1 + self._shattered(finer, points[k + 1 :]))
        return best


def _divided(a: Any, b: Any) -> Any:
    """What the best randomised learner expects where a point divides the concepts into parts of value a and b."""
    return (1 + a + b) / 2 if abs(a - b) <= 1 else max(a, b)


def littlestone_dimension(concepts: Any) -> int:
    """Ldim of a finite class, or of a boolean matrix: the mistakes the best deterministic learner makes in the worst case."""
    dimensions = Dimensions(concepts)
    return dimensions.littlestone(dimensions.all)


def vc_dimension(concepts: Any) -> int:
    """VCD of a finite class, or of a boolean matrix."""
    return Dimensions(concepts).vc()


def randomised_optimum(concepts: Any) -> Fraction:
    """The mistakes the best randomised learner expects in the worst case (Filmus, Hanneke, Mehalel, Moran 2023)."""
    dimensions = Dimensions(concepts)
    return dimensions.randomised(dimensions.all)
