"""Support vector machines at a given price: the least L + λ|u|₁ within a ball, and the least ½|u|_q² + C·L.

These are the forms by which a vector is chosen where the bound itself cannot tell good vectors from 0 (see `of_vectors`).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from littlestone.kernels import dual, dual_pnorm
from littlestone.witnesses.price import Fractional
from littlestone.witnesses.rows import IN_CACHE, TOLERANCE, Clock, rounds, visits
from littlestone.witnesses.sparse import WIDTHS, Search

STEPS = 12


@dataclass(frozen=True)
class Straight(Fractional):
    """B = L + a·U: each unit of |u|₁ has one price; beyond `cap` there is nothing to buy."""

    cap: float = inf

    def limit(self, loss: float, size: float) -> float:
        return loss + self.a * size if size <= self.cap else inf

    def rate(self, limit: float) -> float:
        return self.a

    def least(self, total: float, pull: float) -> float:
        return total * min(1.0, self.a / pull) if pull > 0 else total


def ball_vector(X: Any, y: Any, c: Any = None, *, a: float, cap: float, seconds: float = 10.0) -> np.ndarray:
    """The u with the least L + a|u|₁ among those with |u|₁ ≤ cap, nearly: a higher price is asked until it stays within.

    >>> X = np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1], [0, 0, 1]] * 50, float)
    >>> ball_vector(X, [1, 1, -1, -1] * 50, a=1.0, cap=3.0).round(2).tolist()
    [2.0, 0.0, -1.0]
    """
    data, clock = rounds(X, y, c), Clock(seconds)
    total = float(data.weights.sum())
    best, least = np.zeros(data.width), total
    low, high, price = a, inf, a
    for _ in range(STEPS):
        search = Search(data, Straight(price, 0.0), np.zeros(data.width), total, 0.0, TOLERANCE, clock)
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
        value = dual.losses(data.margins(full), data.weights, 1.0)[0] + a * float(np.abs(kept).sum())
        if value < least:
            best, least = kept, value
        if (size <= cap and price == a) or clock.over() or 0.98 * cap <= size <= cap:
            break
        low, high = (price, high) if size > cap else (low, price)
        price = 2 * low if high == inf else (low * high) ** 0.5
    return best


def pnorm_machine(X: Any, y: Any, c: Any = None, *, p: int, C: float, seconds: float = 10.0) -> np.ndarray:
    """The u with the least ½|u|_q² + C·Σc·hinge, 1/p + 1/q = 1, until primal and dual value are close."""
    data, clock = rounds(X, y, c), Clock(seconds)
    lengths, nothing = np.empty(data.count), np.zeros(data.width)
    dual_pnorm.row_powers(p, data.indptr, data.values, lengths)
    a = data.weights.copy()
    v, s, z = data.combine(a), np.empty(len(data.zeros())), np.empty(3)
    dual_pnorm.restart(p, v, s, z)
    size = float(z[0] * z[2])
    if size == 0.0:
        return nothing
    a *= min(1.0, float(a.sum()) / (C * size * size))  # on this ray the dual is best
    v = data.combine(a)
    dual_pnorm.restart(p, v, s, z)
    high, low, active = inf, -inf, np.arange(data.count)
    block, seed, visited = 1 if data.work() < IN_CACHE else 32, np.uint64(1), 0
    best, least, end = nothing, C * float(data.weights.sum()), visits(data)
    while visited < end and not clock.over():
        for _ in range(2):
            visited += max(len(active), data.count // 8)
            blocks = np.arange(-(-len(active) // block))
            seed = np.uint64(dual.shuffle(blocks, seed))
            top, bottom = dual_pnorm.descend(
                p,
                data.indptr,
                data.indices,
                data.values,
                data.signs,
                lengths,
                C,
                data.weights,
                a,
                v,
                s,
                z,
                active,
                blocks,
                block,
                high,
                low,
            )
            active = active[active >= 0]
            high, low = top if top > 0 else inf, bottom if bottom < 0 else -inf
        v = data.combine(a)
        dual_pnorm.restart(p, v, s, z)
        if z[0] == 0.0:
            break
        u = C * z[0] / z[2] ** (p - 2) * s
        size = C * float(z[0] * z[2])
        value = size * size / 2 + C * dual.losses(data.margins(u), data.weights, 1.0)[0]
        if value < least:
            best, least = u[: data.width].copy(), value
        if least <= (1 + TOLERANCE / 4) * (C * float(a.sum()) - size * size / 2):
            break
        if top - bottom < TOLERANCE:
            active, high, low = np.arange(data.count), inf, -inf
    return best
