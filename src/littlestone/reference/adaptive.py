"""Logistic regression, a falling rate for each coordinate (AdaGrad)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from math import sqrt

from littlestone.reference.arithmetic import ordered_sum
from littlestone.reference.hyperbolic import exp


def adaptive(rounds: Iterable[tuple[Mapping, bool | None]], *, eta, bias=0) -> Iterator[bool]:
    """Predict w·x ≥ 0; then, p = 1/(1 + e^(-w·x)) and g_i = (p - y)x_i: G_i += g_i², w_i -= η·g_i/√G_i.

    >>> list(adaptive([({0: 2}, False), ({0: 2}, False), ({1: 2}, True)], eta=0.5))
    [True, False, True]
    """
    eta, rho = float(eta), float(bias)
    w: dict = defaultdict(float)
    G: dict = defaultdict(float)
    b, bias_G = 0.0, 0.0
    for x, y in rounds:
        score = ordered_sum([w[i] * float(v) for i, v in x.items()]) + rho * b
        yhat = score >= 0
        yield yhat
        if y is None:
            continue
        e = exp(-min(abs(score), 600.0))
        likely = 1.0 / (1.0 + e)
        wrong = e * likely if yhat == y else likely  # the probability that the other label had
        pull = wrong if y else -wrong
        for i, v in x.items():
            g = pull * float(v)
            G[i] += g * g
            if G[i] > 0:
                w[i] += eta * g / sqrt(G[i])
        g = pull * rho
        bias_G += g * g
        if bias_G > 0:
            b += eta * g / sqrt(bias_G)
