"""Rosenblatt's Perceptron, as the lectures print it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import repeat

from littlestone.reference.arithmetic import ordered_sum
from littlestone.reference.calls import served

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
