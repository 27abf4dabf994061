"""The dimensions of a finite class by their definitions, for classes so small that nothing need be clever.

A class is a set of rows, the labels that a concept gives to each point.

>>> thresholds = [(0, 0, 1), (0, 1, 1), (1, 1, 1)]
>>> vc(thresholds), littlestone(thresholds), randomised(thresholds), threshold(thresholds), halving(thresholds)
(1, 1, Fraction(3, 4), 3, 1)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations

Row = tuple[int, ...]
Class = frozenset[Row]


def vc(rows: Iterable[Row]) -> int:
    """The most points on which every labelling is some row's."""
    C = frozenset(rows)
    points = range(len(next(iter(C))))
    sizes = range(len(points) + 1)
    return max(k for k in sizes for chosen in combinations(points, k) if len({tuple(row[x] for x in chosen) for row in C}) == 2**k)


def parts(C: Class) -> Iterator[tuple[Class, Class]]:
    """The rows that say 0 of a point and those that say 1, for each point where there are both."""
    for x in range(len(next(iter(C)))):
        zero = frozenset(row for row in C if not row[x])
        if zero and zero != C:
            yield zero, C - zero


def littlestone(rows: Iterable[Row]) -> int:
    """The depth of the deepest tree of points on whose every branch some row agrees with all labels."""

    @cache
    def depth(C: Class) -> int:
        return max((1 + min(map(depth, two)) for two in parts(C)), default=0)

    return depth(frozenset(rows))


def randomised(rows: Iterable[Row]) -> Fraction:
    """The mistakes that the best randomised learner expects: it errs on a point with probability p if the label is 0, 1 - p if it is 1, and
    chooses p so that the worse of p + (what is expected below 0) and 1 - p + (below 1) is least."""

    @cache
    def expected(C: Class) -> Fraction:
        best = Fraction(0)
        for zero, one in parts(C):
            a, b = expected(zero), expected(one)
            p = min(max((1 + b - a) / 2, Fraction(0)), Fraction(1))
            best = max(best, p + a, 1 - p + b)
        return best

    return expected(frozenset(rows))


def halving(rows: Iterable[Row]) -> int:
    """The most mistakes of the rule that predicts with the majority of the rows that agree so far, and 1 where there is none."""

    @cache
    def most(C: Class) -> int:
        return max((max((len(one) >= len(zero)) + most(zero), (len(one) < len(zero)) + most(one)) for zero, one in parts(C)), default=0)

    return most(frozenset(rows))


def threshold(rows: Iterable[Row]) -> int:
    """The largest k with rows c_1, ..., c_k and points x_1, ..., x_k such that c_i says 1 of x_j iff i ≤ j."""
    C = frozenset(rows)
    points = range(len(next(iter(C))))
    size = 0
    while size < len(points) and any(
        {tuple(int(i <= j) for j in range(size + 1)) for i in range(size + 1)} <= {tuple(map(row.__getitem__, chosen)) for row in C}
        for chosen in permutations(points, size + 1)
    ):
        size += 1
    return size
