"""Vectors to compare with the Perceptron, ALMA and the Passive-Aggressive rules.

The Perceptron's limit over some rounds is least at a soft-margin support vector machine without intercept, ½|u|² + CΣc·hinge, whose C
is not known beforehand: at the optimum C·|v| = |u| and |v|² = κB (see `price`).  So a pass of dual coordinate descent (Hsieh et al. 2008)
and a step of C take turns, both from where they stand.  The same dual variables prove how near the end is.

Which rounds?  The limit is true with L over the updates alone, but then u = 0 is best and says only M ≤ M (see `price`).  Over all labelled
rounds it compares the learner with the best that a vector could do on this stream.

>>> import numpy as np
>>> X, y = [[1, 0], [1, 0], [0, 1], [1, 1]], [1, 1, -1, -1]
>>> hinge_vector(X, y, kappa=0.25).round(3).tolist()
[1.0, -2.0]
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, sqrt
from typing import Any

import numpy as np
import scipy.sparse as sp

from littlestone.errors import require
from littlestone.kernels import dual
from littlestone.witnesses.pnorm import pnorm_search, pnorm_vector
from littlestone.witnesses.price import Quadratic
from littlestone.witnesses.quantised import quantised, value_of
from littlestone.witnesses.rows import TOLERANCE, Clock, Descent, Found, Rounds, best_scale, euclidean, rounds, visits
from littlestone.witnesses.separating import separating_vector
from littlestone.witnesses.sparse import l1_limit, l1_search, l1_vector

__all__ = [
    "Found",
    "alma_vector",
    "hinge_limit",
    "hinge_search",
    "hinge_vector",
    "l1_limit",
    "l1_search",
    "l1_vector",
    "pa_vector",
    "pnorm_search",
    "pnorm_vector",
    "quantised",
    "separating_vector",
    "value_of",
]

CHECK = 2  # passes between two looks at the limit
FAR = 2.0**20  # ALMA's level for u = 0: the higher the better


def hinge_vector(
    X: Any, y: Any, c: Any = None, *, bias: float = 0.0, extra: float = 0.0, kappa: float | None = None, seconds: float = 60.0
) -> np.ndarray:
    """The u with the least ((√K + √(K+4L))/2)², K = κ|u|², L = Σc·hinge over these rounds; `bias` > 0 adds an entry for it, the last.

    κ is Σc²|x|²/Σc + `extra` over these rounds, or `kappa` where the caller knows it: the mean over the updates, when these are all rounds.
    """
    return hinge_search(X, y, c, bias=bias, extra=extra, kappa=kappa, seconds=seconds).u


def hinge_search(
    X: Any,
    y: Any,
    c: Any = None,
    *,
    bias: float = 0.0,
    extra: float = 0.0,
    kappa: float | None = None,
    seconds: float = 60.0,
    tolerance: float = TOLERANCE,
) -> Found:
    """`hinge_vector` with what is known of its quality."""
    data = rounds(X, y, c, bias)
    if kappa is None:
        total = float(data.weights.sum())
        kappa = (float(data.weights**2 @ data.lengths()) / total if total > 0 else 0.0) + extra
    require(kappa >= 0, f"kappa={kappa!r} must not be negative")
    return _least(data, Quadratic(kappa), tolerance, Clock(seconds))


def hinge_limit(X: Any, y: Any, c: Any = None, *, kappa: float, bias: float = 0.0) -> Callable[[np.ndarray], float]:
    """What `hinge_vector` makes small, as a function of u, in doubles."""
    data, price = rounds(X, y, c, bias), Quadratic(kappa)

    def limit(u: np.ndarray) -> float:
        full = data.zeros()
        full[: data.width] = u
        return price.limit(dual.losses(data.margins(full), data.weights, 1.0)[0], euclidean(full))

    return limit


def _least(data: Rounds, price: Quadratic, tolerance: float, clock: Clock) -> Found:
    """Passes of dual coordinate descent, C moved between them until |v|² = κA."""
    total = float(data.weights.sum())
    nothing = np.zeros(data.width)
    start = data.combine(data.weights)
    if price.kappa == 0.0 or price.least(total, euclidean(start)) >= total:
        # α = c proves that 0 is best; κ = 0: no row has a feature
        return Found(nothing, total, total, "proved")
    descent = Descent(data, 1 / price.kappa)
    best, limit, least = nothing, total, 0.0
    while descent.visited < visits(data):
        far = max(descent.turn() for _ in range(CHECK))
        size = euclidean(descent.u)
        scale, value = best_scale(price, data.margins(descent.u), data.weights, size)
        if value < limit:
            limit, best = value, (scale * descent.u)[: data.width]
        A, v = float(descent.a.sum()) / descent.C, size / descent.C
        least = max(least, price.least(A, v))
        if limit <= (1 + tolerance) * least:
            return Found(best, limit, least, "proved")
        if clock.over():
            return Found(best, limit, least, "clock")
        step = price.balance(A, v) ** 1.25  # with 1 it creeps, with 1.5 it overshoots where few rows matter
        if abs(step - 1) > tolerance / 4:
            descent.rescale(step)
        elif far < tolerance / 4:
            descent.refresh()
    return Found(best, limit, least, "budget")


def alma_vector(X: Any, y: Any, *, A: float, bias: float = 0.0, seconds: float = 60.0) -> tuple[np.ndarray, float]:
    """(u, g), |u| ≤ 1, with the least ((A + √(A² + 4gL))/(2g))², L = Σ max(0, g - y·u·x/|x|) over these rounds.

    With u = g·u' it is the Perceptron's limit for u' on rows of length 1, κ = A², and best at g = 1/|u'|.
    `A` is `theory.alma.constant` times the run's slack.
    """
    rows: Any = sp.csr_matrix(X, dtype=np.float64)
    if bias > 0:
        rows = sp.hstack([rows, sp.csr_matrix(np.full((rows.shape[0], 1), float(bias)))]).tocsr()
    lengths = np.sqrt(np.repeat(rounds(rows, y).lengths(), np.diff(rows.indptr)))
    unit = sp.csr_matrix((rows.data / np.where(lengths > 0, lengths, 1), rows.indices, rows.indptr), shape=rows.shape)
    u = hinge_search(unit, y, kappa=A * A, seconds=seconds).u
    size = euclidean(u)
    if size == 0.0:
        return u, FAR
    return u / size * (1 - 2.0**-40), 1 / size


def pa_vector(
    X: Any, y: Any, c: Any = None, *, C: float | None = 1.0, variant: str = "I", bias: float = 0.0, seconds: float = 60.0
) -> np.ndarray:
    """The u with the least |u|² + 2CΣc·hinge (variant I) or |u|² + 2CΣc·hinge² (II) over these rounds, the updates.

    Without C: the least b + √(b² + |u|²), b² = Σ hinge²/|x|².  An update has |w-u|² fall by at least (ℓ² - 2ℓ·hinge(u))/|x|², ℓ the
    learner's loss; so S = Σℓ²/|x|² has S - 2b√S ≤ |u|², and the mistakes, Σc with ℓ ≥ 1, are at most √(Σc²|x|²)·√S.  Rows without
    features are left out.  No u gives less than the learner's own dual value: this is for showing a vector beside it.
    """
    require(variant in ("I", "II"), f"variant={variant!r} must be 'I' or 'II'")
    data = rounds(X, y, c, bias)
    clock = Clock(seconds)
    if C is not None:
        require(0 < C < inf, f"C={C!r} must be positive and finite, or None")
        if variant == "I":
            return _machine(Descent(data, C), clock)
        data = data.take(np.flatnonzero(data.weights > 0))
        return _machine(Descent(data, inf, np.ones(data.count), 1 / (2 * C * data.weights)), clock)
    data = data.take(np.flatnonzero(data.lengths() > 0))
    lengths, mu, value = data.lengths(), 4.0, inf
    best, u = np.zeros(data.width), np.zeros(0)
    descent = Descent(data, inf, np.ones(data.count), lengths / mu)
    for _ in range(30):
        u = _machine(descent, clock)
        hinge = np.maximum(0.0, 1 - data.margins(descent.u))
        b, size = sqrt(float((hinge**2 / np.maximum(lengths, 1e-300)).sum())), euclidean(u)
        reached = b + sqrt(b * b + size * size)
        if reached < value:
            best, improved, value = u.copy(), value - reached, reached
        if b <= 1e-9 * value or improved < TOLERANCE / 4 * value or clock.over():
            break
        # the slope of b + √(b² + |u|²) is that of |u|² + μb² at this μ
        mu, improved = min(reached / b, 1e6), 0.0
        descent.ridge = lengths / mu
        descent.refresh()
    return best


def _machine(descent: Descent, clock: Clock) -> np.ndarray:
    """A support vector machine at its given C, until primal and dual value are close."""
    data = descent.data
    end = descent.visited + visits(data)
    while descent.visited < end and not clock.over():
        far = max(descent.turn() for _ in range(CHECK))
        hinge = np.maximum(0.0, 1 - data.margins(descent.u))
        length2 = float(descent.u @ descent.u)
        soft = np.isfinite(descent.C)
        loss = 2 * descent.C * float(descent.weights @ hinge) if soft else float((hinge**2 / descent.ridge).sum())
        proved = 2 * float(descent.a.sum()) - length2 - float(descent.ridge @ descent.a**2)
        if length2 + loss <= (1 + TOLERANCE / 4) * proved:
            break
        if far < 1e-4:
            descent.refresh()
    return descent.u[: data.width]
