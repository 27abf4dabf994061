"""AROW, adaptive regularisation of weights, with a diagonal: a weight and a variance for each feature."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from littlestone.reference.arithmetic import ordered_sum


def arow(rounds: Iterable[tuple[Mapping, bool | None]], *, r=1, bias=0) -> Iterator[bool]:
    """Predict sign(μ·x); where ℓ = 1 - y·μ·x is positive, μ_i += α·y·σ_i x_i with α = ℓ/(Σσ_i x_i² + r), then 1/σ_i += x_i²/r.

    >>> list(arow([({0: 2}, False), ({0: 2}, False), ({1: 2}, True)]))
    [True, False, True]
    """
    r, rho = float(r), float(bias)
    mu: dict = defaultdict(float)
    sigma: dict = defaultdict(lambda: 1.0)
    b, variance = 0.0, 1.0
    for x, y in rounds:
        score = ordered_sum([mu[i] * float(v) for i, v in x.items()]) + rho * b
        yield score >= 0
        if y is None:
            continue
        sign = 1.0 if y else -1.0
        loss = 1.0 - sign * score
        if loss > 0:
            spread = ordered_sum([sigma[i] * float(v) * float(v) for i, v in x.items()]) + variance * rho * rho
            step = sign * (loss / (spread + r))
            for i, v in x.items():
                pull = sigma[i] * float(v)
                mu[i] += step * pull
                sigma[i] /= 1.0 + pull * float(v) * (1.0 / r)
            pull = variance * rho
            b += step * pull
            variance /= 1.0 + pull * rho * (1.0 / r)
