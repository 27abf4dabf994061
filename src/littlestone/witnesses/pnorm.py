"""The vector to compare the p-norm Perceptron with: the least ((√K + √(K+4L))/2)², K = κ|u|_q², 1/p + 1/q = 1.

As for the Perceptron, with the p-norm of v = Σ α·y·x in the dual: min (C/2)|v|_p² - Σα over 0 ≤ α ≤ c, and u = C·∇½|v|_p², |u|_q = C|v|_p.

>>> u = pnorm_vector([[1, 0, 1], [1, 1, 0], [0, 1, 1]], [1, 1, -1], p=4, kappa=0.1)
>>> u.round(1).tolist()
[1.5, -0.5, -0.5]
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from littlestone.errors import require
from littlestone.kernels import dual, dual_pnorm
from littlestone.witnesses.price import Quadratic
from littlestone.witnesses.rows import IN_CACHE, TOLERANCE, Clock, Found, Rounds, best_scale, rounds, visits


def pnorm_vector(X: Any, y: Any, c: Any = None, *, p: int, kappa: float | None = None, seconds: float = 60.0) -> np.ndarray:
    """The u with the least limit over these rounds.  κ = (p-1)·max c|x|_p² over them, unless given: over the mistakes, say."""
    return pnorm_search(X, y, c, p=p, kappa=kappa, seconds=seconds).u


def pnorm_search(
    X: Any, y: Any, c: Any = None, *, p: int, kappa: float | None = None, seconds: float = 60.0, tolerance: float = TOLERANCE
) -> Found:
    """`pnorm_vector` with what is known of its quality."""
    require(2 <= p <= 256, f"p={p!r} must be a whole number from 2 to 256")
    data, clock = rounds(X, y, c), Clock(seconds)
    lengths = np.empty(data.count)
    dual_pnorm.row_powers(p, data.indptr, data.values, lengths)
    if kappa is None:
        kappa = (p - 1) * float((data.weights * lengths).max(initial=0.0))
    price = Quadratic(kappa)
    total, nothing = float(data.weights.sum()), np.zeros(data.width)
    a = data.weights.copy()
    v, s, z = _start(data, p, a)
    if kappa == 0.0 or price.least(total, float(z[0] * z[2])) >= total:
        return Found(nothing, total, total, "proved")
    a *= min(1.0, kappa * total / float(z[0] * z[2]) ** 2)  # now |v|² = κA
    v, s, z = _start(data, p, a)
    C, high, low, active = 1 / kappa, inf, -inf, np.arange(data.count)
    block, seed, visited = 1 if data.work() < IN_CACHE else 32, np.uint64(1), 0
    best, limit, least, turn = nothing, total, 0.0, 0
    while visited < visits(data):
        visited += max(len(active), data.count // 8)
        turn += 1
        blocks = np.arange(-(-len(active) // block))
        seed = np.uint64(dual.shuffle(blocks, seed))
        top, bottom = dual_pnorm.descend(
            p, data.indptr, data.indices, data.values, data.signs, lengths, C, data.weights, a, v, s, z, active, blocks, block, high, low
        )
        active = active[active >= 0]
        high, low = top if top > 0 else inf, bottom if bottom < 0 else -inf
        if turn % 2:
            continue
        v, s, z = _start(data, p, a)
        if z[0] == 0.0:
            break
        u = C * z[0] / z[2] ** (p - 2) * s
        size, A = float(z[0] * z[2]), float(a.sum())
        scale, value = best_scale(price, data.margins(u), data.weights, C * size)
        if value < limit:
            limit, best = value, (scale * u)[: data.width]
        least = max(least, price.least(A, size))
        if limit <= (1 + tolerance) * least:
            return Found(best, limit, least, "proved")
        if clock.over():
            return Found(best, limit, least, "clock")
        step = price.balance(A, size)
        C *= step
        if abs(step - 1) > 0.01 or top - bottom < tolerance / 4:
            active, high, low = np.arange(data.count), inf, -inf
    return Found(best, limit, least, "budget")


def _start(data: Rounds, p: int, a: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    v = data.combine(a)
    s, z = np.empty_like(v), np.empty(3)
    dual_pnorm.restart(p, v, s, z)
    return v, s, z
