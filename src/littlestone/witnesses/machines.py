"""Support vector machines at a given price: the least |u|² + 2C·L, the least L + λ|u|₁ within a ball, and the least ½|u|_q² + C·L.

These are the forms by which a vector is chosen where the bound itself cannot tell good vectors from 0 (see `searches`).
"""

from dataclasses import dataclass
from math import inf, sqrt
from typing import Any

import numpy as np

from littlestone.errors import require
from littlestone.kernels import native
from littlestone.witnesses.rows import IN_CACHE, TOLERANCE, Descent, Price, Work, best_scale, euclidean, rounds, visits
from littlestone.witnesses.sparse import WIDTHS, SparseDescent

STEPS = 12
TRIES = 4  # prices of length that are tried on the way to the best
CHECK = 2  # passes between two looks at the limit


def pa_vector(
    X: Any, y: Any, c: Any = None, *, C: float | None = 1.0, variant: str = "I", bias: float = 0.0, effort: float = 1.0
) -> np.ndarray:
    """The u with the least |u|² + 2CΣc·hinge (variant I) or |u|² + 2CΣc·hinge² (II) over these rounds, the updates.

    Without C: the least b + √(b² + |u|²), b² = Σ hinge²/|x|².  An update has |w-u|² fall by at least (ℓ² - 2ℓ·hinge(u))/|x|², ℓ the
    learner's loss; so S = Σℓ²/|x|² has S - 2b√S ≤ |u|², and the mistakes, Σc with ℓ ≥ 1, are at most √(Σc²|x|²)·√S.  Rows without
    features are left out.  No u gives less than the learner's own dual value: this is for showing a vector beside it.
    """
    require(variant in ("I", "II"), f"variant={variant!r} must be 'I' or 'II'")
    data = rounds(X, y, c, bias)
    work = Work(effort)
    if C is not None:
        require(0 < C < inf, f"C={C!r} must be positive and finite, or None")
        if variant == "I":
            return machine(Descent(data, C, work=work))
        data = data.take(np.flatnonzero(data.weights > 0))
        return machine(Descent(data, inf, np.ones(data.count), 1 / (2 * C * data.weights), work))
    data = data.take(np.flatnonzero(data.lengths() > 0))
    lengths, mu, value = data.lengths(), 4.0, inf
    best, u = np.zeros(data.width), np.zeros(0)
    descent = Descent(data, inf, np.ones(data.count), lengths / mu, work)
    for _ in range(30):
        u = machine(descent)
        hinge = np.maximum(0.0, 1 - data.margins(descent.u))
        b, size = sqrt(float((hinge**2 / np.maximum(lengths, 1e-300)).sum())), euclidean(u)
        reached = b + sqrt(b * b + size * size)
        if reached < value:
            best, improved, value = u.copy(), value - reached, reached
        if b <= 1e-9 * value or improved < TOLERANCE / 4 * value or work.over():
            break
        # the slope of b + √(b² + |u|²) is that of |u|² + μb² at this μ
        mu, improved = min(reached / b, 1e6), 0.0
        descent.ridge = lengths / mu
        descent.refresh()
    return best


def machine(descent: Descent) -> np.ndarray:
    """A support vector machine at its given C, until primal and dual value are close."""
    data = descent.data
    end = descent.visited + visits(data)
    while descent.visited < end and not descent.work.over():
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


@dataclass(frozen=True)
class FlatPrice:
    """L + a|u|₁: each unit of |u|₁ costs the same."""

    a: float
    h: float = 0.0

    def limit(self, loss: float, size: float) -> float:
        return loss + self.a * size

    def rate(self, limit: float) -> float:
        return self.a

    def least(self, total: float, pull: float) -> float:
        return total * min(1.0, self.a / pull) if pull > 0 else total


def ball_vector(X: Any, y: Any, c: Any = None, *, a: float, cap: float, effort: float = 1.0) -> np.ndarray:
    """The u with the least L + a|u|₁ among those with |u|₁ ≤ cap, nearly: a higher price is asked until it stays within.

    >>> X = np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1], [0, 0, 1]] * 50, float)
    >>> ball_vector(X, [1, 1, -1, -1] * 50, a=1.0, cap=3.0).round(2).tolist()
    [2.0, 0.0, -1.0]
    """
    data, work = rounds(X, y, c), Work(effort)
    total = float(data.weights.sum())
    best, least = np.zeros(data.width), total
    low, high, price = a, inf, a
    for _ in range(STEPS):
        search = SparseDescent(data, FlatPrice(price), np.zeros(data.width), total, 0.0, TOLERANCE, work)
        search.descend(WIDTHS[:4])
        if not search.done():
            search.programme()
        if not search.done():
            search.descend(WIDTHS[4:])
        u = search.best
        size = float(np.abs(u).sum())
        kept = u * min(1.0, cap / size) * (1 - 2.0**-40) if size > 0 else u
        full = data.zeros()
        full[: data.width] = kept
        value = native.core.hinge_losses(data.margins(full), data.weights, 1.0)[0] + a * float(np.abs(kept).sum())
        if value < least:
            best, least = kept, value
        if (size <= cap and price == a) or work.over() or 0.98 * cap <= size <= cap:
            break
        low, high = (price, high) if size > cap else (low, price)
        price = 2 * low if high == inf else (low * high) ** 0.5
    return best


def dual_length(u: np.ndarray, p: int) -> float:
    """|u|_q, 1/p + 1/q = 1, rounded up: powers by the machine's own pow, good to far more than 2^-35."""
    top = float(np.abs(u).max(initial=0.0))
    return top * float(np.sum((np.abs(u) / top) ** (p / (p - 1)))) ** (1 - 1 / p) * (1 + 2.0**-35) if top else 0.0


def pnorm_vector(X: Any, y: np.ndarray, c: np.ndarray | None, p: int, price: Price, effort: float) -> np.ndarray:
    """A u with a small limit over these rounds, its length |u|_q: a machine whose C is found on the way, as for the floor."""
    weights = np.ones(len(y)) if c is None else c
    best, value = np.zeros(X.shape[1]), price.limit(float(weights.sum()), 0.0)
    rate = price.rate(value)
    C = value / rate / rate if len(y) and rate > 0.0 else 0.0
    for _ in range(TRIES if C > 0 else 0):
        u = pnorm_machine(X, y, c, p=p, C=C, effort=effort / TRIES)
        size = dual_length(u, p)
        scale, limit = best_scale(price, y * (X @ u), weights, size)
        if limit < value:
            best, value = scale * u, limit
        C = max(scale * size / max(price.rate(limit), 1e-300), C / 16)
    return best


def pnorm_machine(X: Any, y: Any, c: Any = None, *, p: int, C: float, effort: float = 1.0) -> np.ndarray:
    """The u with the least ½|u|_q² + C·Σc·hinge, 1/p + 1/q = 1, until primal and dual value are close."""
    data, work = rounds(X, y, c), Work(effort)
    lengths, nothing = np.empty(data.count), np.zeros(data.width)
    native.core.row_powers(p, data.indptr, data.values, lengths)
    a = data.weights.copy()
    v, s, z = data.combine(a), np.empty(len(data.zeros())), np.empty(3)
    native.core.restart_pnorm(p, v, s, z)
    size = float(z[0] * z[2])
    if size == 0.0:
        return nothing
    a *= min(1.0, float(a.sum()) / (C * size * size))  # on this ray the dual is best
    v = data.combine(a)
    native.core.restart_pnorm(p, v, s, z)
    high, low, active = inf, -inf, np.arange(data.count)
    block, seed, visited = 1 if data.work() < IN_CACHE else 32, 1, 0
    best, least, end = nothing, C * float(data.weights.sum()), visits(data)
    while visited < end and not work.over():
        for _ in range(2):
            visited += max(len(active), data.count // 8)
            work.spend(data.work() * max(len(active), data.count // 8) / max(1, data.count))
            blocks = np.arange(-(-len(active) // block))
            seed = native.core.shuffle(blocks, seed)
            top, bottom = native.core.descend_pnorm(
                p, data.indptr, data.indices, data.values, data.signs, lengths, C, data.weights,
                a, v, s, z, active, blocks, block, high, low,
            )  # fmt: skip
            active = active[active >= 0]
            high, low = top if top > 0 else inf, bottom if bottom < 0 else -inf
        v = data.combine(a)
        native.core.restart_pnorm(p, v, s, z)
        if z[0] == 0.0:
            break
        u = C * z[0] / z[2] ** (p - 2) * s
        size = C * float(z[0] * z[2])
        value = size * size / 2 + C * native.core.hinge_losses(data.margins(u), data.weights, 1.0)[0]
        if value < least:
            best, least = u[: data.width].copy(), value
        if least <= (1 + TOLERANCE / 4) * (C * float(a.sum()) - size * size / 2):
            break
        if top - bottom < TOLERANCE:
            active, high, low = np.arange(data.count), inf, -inf
    return best
