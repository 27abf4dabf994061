"""Rosenblatt's Perceptron, as the lectures print it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import repeat
from typing import Any

from littlestone.reference.arithmetic import ordered_sum
from littlestone.reference.calls import served
from littlestone.reference.mixing import Shard, Weights, of_weights, wrong_of

Rounds = Iterable[tuple[Mapping, bool | None]]


def perceptron(rounds: Rounds, *, bias=0, margin=0, number=float, weights=None, book=None) -> Iterator[bool]:
    """Predict sign(w·x), sign(0) = +1; on a mistake, or where y·w·x ≤ margin, add y·x. `number` is the arithmetic: float or Fraction.
    A round of weight c adds c·y·x. A `book` is told the rounds it learned from.

    >>> list(perceptron([({0: 1}, False), ({0: 1}, False), ({1: 2}, True)]))
    [True, False, True]
    """
    w: dict = defaultdict(number)
    b, rho2 = number(0), number(bias * bias)
    for t, ((x, y), c) in enumerate(zip(rounds, weights or repeat(1), strict=False)):
        score = ordered_sum([w[i] * number(v) for i, v in x.items()]) + rho2 * b
        yhat = score >= 0
        if book is not None:
            book.hear(score)
        yhat = served(yhat, (yield yhat))
        sign = 1 if y else -1
        if y is not None and (y != yhat or (margin > 0 and sign * score <= number(margin))):
            step = sign * number(c)
            for i, v in x.items():
                w[i] += step * number(v)
            b += step
            if book is not None:
                book.updates.append(t)


def play_shard(w: Weights, rounds: Shard, *, bias: Any, **_: Any) -> tuple[int, int]:
    """The same over a shard, in doubles, from weights that are mixed, and overwritten."""
    rho2 = float(Fraction(bias) ** 2)

    def predict(x: Mapping) -> bool:
        return ordered_sum([w.get(i, 0.0) * v for i, v in x.items()]) + rho2 * w.get(None, 0.0) >= 0.0

    def learn(x: Mapping, y: bool, yhat: bool) -> None:
        if yhat != y:
            step = 1.0 if y else -1.0
            for i, v in x.items():
                w[i] = w.get(i, 0.0) + step * v
            if rho2 > 0.0:
                w[None] = w.get(None, 0.0) + step

    return wrong_of(rounds, predict, learn)


over_shards = of_weights(play_shard, untouched=0.0)
