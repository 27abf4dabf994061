"""Logistic regression, a falling rate for each coordinate (AdaGrad)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import repeat
from math import sqrt

from littlestone.reference.arithmetic import ordered_sum
from littlestone.reference.hyperbolic import exp, log
from littlestone.theory.adaptive import log_loss

SMALL, LARGE, BITS = 2.0**-100, 2.0**100, 100


def adaptive(rounds: Iterable[tuple[Mapping, bool | None]], *, eta, bias=0, weights=None, book=None) -> Iterator[bool]:
    """Predict w·x ≥ 0; then, p = 1/(1 + e^(-w·x)) and g_i = (p - y)x_i: G_i += g_i², w_i -= η·g_i/√G_i.

    In a round of weight c, g is c times as large. A `book` is told at the end the log-loss of all: a product of probabilities, kept as
    product·2^-halvings, and the sum of the losses of rounds of other weights than 1.

    >>> list(adaptive([({0: 2}, False), ({0: 2}, False), ({1: 2}, True)], eta=0.5))
    [True, False, True]
    """
    eta, rho = float(eta), float(bias)
    w: dict = defaultdict(float)
    G: dict = defaultdict(float)
    b, bias_G = 0.0, 0.0
    product, halvings, weighed = 1.0, 0, 0.0
    for (x, y), c in zip(rounds, weights or repeat(1.0), strict=False):
        score = ordered_sum([w[i] * float(v) for i, v in x.items()]) + rho * b
        yhat = score >= 0
        yield yhat
        if y is None or c == 0:
            continue
        e = exp(-min(abs(score), 600.0))
        likely = 1.0 / (1.0 + e)
        right, wrong = (likely, e * likely) if yhat == y else (e * likely, likely)  # probabilities of the true label and of the other
        if c == 1:
            product *= right
            while product < SMALL:
                product, halvings = product * LARGE, halvings + BITS
        else:
            weighed -= c * log(right)
        pull = c * wrong if y else -c * wrong
        for i, v in x.items():
            g = pull * float(v)
            G[i] += g * g
            if G[i] > 0:
                w[i] += eta * g / sqrt(G[i])
        g = pull * rho
        bias_G += g * g
        if bias_G > 0:
            b += eta * g / sqrt(bias_G)
    if book is not None:
        book.facts["loss"] = log_loss(Fraction(product), halvings, Fraction(weighed))
