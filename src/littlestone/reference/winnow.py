"""Littlestone's Winnow: promote by α, demote by α."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache

from littlestone.reference.calls import served


def winnow(rounds: Iterable[tuple[Mapping, bool | None]], *, n: int, alpha=2, theta=None) -> Iterator[bool]:
    """Predict 1 iff w·x ≥ θ; a missed 1 multiplies the active weights by α, a false 1 divides them by α.

    >>> list(winnow([({0: 1, 1: 1}, True), ({0: 1}, True), ({1: 1}, False), ({1: 1}, False)], n=2))
    [True, False, False, False]
    """
    alpha, theta = Fraction(alpha), Fraction(n if theta is None else theta)
    power = cache(alpha.__pow__)
    e: dict = defaultdict(int)  # w_i = α^e_i; features of one weight are counted, and added up at once
    for x, y in rounds:
        yhat = sum(count * power(k) for k, count in Counter(map(e.__getitem__, x)).items()) >= theta
        yhat = served(yhat, (yield yhat))
        if y is not None and y != yhat:
            for i in x:
                e[i] += 1 if y else -1
