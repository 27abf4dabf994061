"""Littlestone's Winnow: promote by α, demote by α."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from littlestone.reference.arithmetic import ordered_sum
from littlestone.reference.calls import served
from littlestone.reference.mixing import Shard, Weights, of_weights, wrong_of

TINY = 2.0**-1000  # below this no mixed weight falls: it would be 0, and 0 has no logarithm


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


def play_shard(w: Weights, rounds: Shard, *, alpha: Any, theta: Any, **_: Any) -> tuple[int, int]:
    """The same over a shard, in doubles, from weights that are mixed, and overwritten: their exponents are no whole numbers."""
    alpha, theta = float(Fraction(alpha)), float(Fraction(theta))

    def predict(x: Mapping) -> bool:
        return ordered_sum([w.get(i, 1.0) for i in x]) >= theta

    def learn(x: Mapping, y: bool, yhat: bool) -> None:
        if yhat != y:
            for i in x:
                w[i] = w.get(i, 1.0) * alpha if y else max(w.get(i, 1.0) / alpha, TINY)

    return wrong_of(rounds, predict, learn)


over_shards = of_weights(play_shard, untouched=1.0)
