"""Logistic regression, a falling rate for each coordinate (AdaGrad)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import repeat
from math import sqrt

from littlestone.reference.arithmetic import ordered_sum
from littlestone.reference.log_loss import LogLoss, chances


def adaptive(rounds: Iterable[tuple[Mapping, bool | None]], *, eta=Fraction(1, 2), bias=0, weights=None, book=None) -> Iterator[bool]:
    """Predict w·x ≥ 0; then, p = 1/(1 + e^(-w·x)) and g_i = (p - y)x_i: G_i += g_i², w_i -= η·g_i/√G_i.

    In a round of weight c, g is c times as large. A `book` is told at the end the log-loss of all.

    >>> list(adaptive([({0: 2}, False), ({0: 2}, False), ({1: 2}, True)], eta=0.5))
    [True, False, True]
    """
    eta, rho = float(eta), float(bias)
    w: dict = defaultdict(float)
    G: dict = defaultdict(float)
    b, bias_G = 0.0, 0.0
    loss = LogLoss()
    for (x, y), c in zip(rounds, weights or repeat(1.0), strict=False):
        score = ordered_sum([w[i] * float(v) for i, v in x.items()]) + rho * b
        if book is not None:
            book.hear(score)
        yield score >= 0
        if y is None or c == 0:
            continue
        right, wrong = chances(score, y)
        loss.add(right, c)
        pull = c * wrong if y else -c * wrong
        for i, v in x.items():
            g = pull * float(v)
            G[i] = sums = G[i] + g * g
            if sums > 0:
                w[i] += eta * g / sqrt(sums)
        g = pull * rho
        bias_G += g * g
        if bias_G > 0:
            b += eta * g / sqrt(bias_G)
    if book is not None:
        book.facts["loss"] = loss.total()
