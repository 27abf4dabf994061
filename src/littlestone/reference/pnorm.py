"""The p-norm Perceptron: between the Perceptron (p = 2) and Winnow (p about 2·ln n)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import repeat
from math import frexp, ldexp

from littlestone.reference.arithmetic import ordered_sum
from littlestone.reference.calls import served


def pnorm(rounds: Iterable[tuple[Mapping, bool | None]], *, p: int, weights=None, book=None) -> Iterator[bool]:
    """Predict sign(Σ x_i·sign(θ_i)|θ_i|^(p-1)); on a mistake add y·x to θ, c times in a round of weight c.

    Every θ_i is taken in units of a power of two, `1/scale`, that moves when some power nears what a double can hold: no sign notices.

    >>> list(pnorm([({0: 1.0}, False), ({0: 1.0, 1: 0.5}, True), ({1: 1.0}, True)], p=4))
    [True, False, True]
    """
    far, scale = 2.0 ** (800 // (p - 1)), 0.0
    theta: dict = defaultdict(float)
    for (x, y), c in zip(rounds, weights or repeat(1.0), strict=False):
        score = ordered_sum([signed_power(theta[i] * scale, p - 1) * float(v) for i, v in x.items()])
        yhat = score >= 0
        if book is not None:
            book.hear(score)
        yhat = served(yhat, (yield yhat))
        if y is not None and y != yhat:
            for i, v in x.items():
                theta[i] += (c if y else -c) * float(v)
                if theta[i] != 0 and (scale == 0 or abs(theta[i]) * scale > far):
                    scale = ldexp(1.0, -frexp(theta[i])[1])


def signed_power(a: float, m: int) -> float:
    """sign(a)·|a|^m by squarings, in the order every native pass takes."""
    result, square = 1.0, abs(a)
    while m > 0:
        if m & 1:
            result *= square
        m >>= 1
        if m > 0:
            square *= square
    return -result if a < 0 else result
