"""Apple tasting: the Perceptron where a label is seen only if 1 was predicted, and a coin that now and then predicts 1 all the same."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from littlestone.reference.arithmetic import ordered_sum
from littlestone.reference.calls import served
from littlestone.reference.experts import coin
from littlestone.theory.apple_tasting import facts_of


def apple_tasting(rounds: Iterable[tuple[Mapping, bool | None]], *, taste=Fraction(1, 10), bias=0, seed=0, book=None) -> Iterator[bool]:
    """Predict w·x ≥ 0, or with probability `taste` 1; where 1 was predicted and w·x erred, add y·x.

    >>> list(apple_tasting([({0: 1}, False), ({0: 1}, False), ({1: 2}, True)]))
    [True, False, True]
    """
    w: dict = defaultdict(float)
    b, rho2 = 0.0, float(Fraction(bias) ** 2)
    labels = gained = lost = idle = missed = widest = 0
    Q = largest = 0.0
    for x, y in rounds:
        liked = ordered_sum([w[i] * float(v) for i, v in x.items()]) + rho2 * b >= 0
        yhat = liked or coin(seed, labels) < float(taste)
        yhat = served(yhat, (yield yhat))
        if y is None:
            continue
        labels += 1
        if not yhat:
            missed += y
        elif liked == y:
            idle += not y
        else:
            sign = 1.0 if y else -1.0
            square = ordered_sum([float(v) * float(v) for v in x.values()]) + rho2
            for i, v in x.items():
                w[i] += sign * float(v)
            b += sign if rho2 > 0 else 0.0
            gained, lost = gained + y, lost + (not y)
            Q, largest, widest = Q + square, max(largest, square), max(widest, len(x))
    if book is not None:
        length2 = sum((Fraction(v) ** 2 for v in w.values()), Fraction(0)) + Fraction(rho2) * Fraction(b) ** 2
        book.facts |= facts_of((gained, lost, idle, missed, Q, largest, widest), length2)
