"""Dual coordinate descent: the loops that look for a good vector to compare a learner with.

Rows as in `rows`, and a bias feature of value ρ that stands in every row when ρ > 0; its weight is the last entry of u.
Sums have a fixed order and the visits come from a generator of our own, so a search gives the same vector every time.
"""

import numpy as np

from littlestone.kernels.compiler import jit
from littlestone.kernels.rows import add, dot, squared_length


@jit
def margins(indptr, indices, values, signs, rho, u, out):
    """y·(u·x) for every row."""
    for t in range(len(signs)):
        out[t] = signs[t] * (dot(u, indices, values, indptr[t], indptr[t + 1]) + rho * u[len(u) - 1])


@jit
def squares(indptr, values, rho, out):
    """|x|² for every row."""
    for t in range(len(out)):
        out[t] = squared_length(values, indptr[t], indptr[t + 1]) + rho * rho


@jit
def combine(indptr, indices, values, signs, rho, a, u):
    """u += Σ a·y·x."""
    for t in range(len(signs)):
        if a[t] != 0.0:
            add(u, indices, values, indptr[t], indptr[t + 1], a[t] * signs[t])
            if rho > 0.0:
                u[len(u) - 1] += a[t] * signs[t] * rho


@jit
def shuffle(order, seed):
    """A permutation, from a linear congruential generator (Knuth's constants)."""
    for k in range(len(order) - 1, 0, -1):
        seed = seed * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        j = (seed >> np.uint64(33)) % np.uint64(k + 1)
        order[k], order[j] = order[j], order[k]
    return seed


@jit
def descend(indptr, indices, values, signs, rho, lengths, scale, weights, ridge, a, u, active, blocks, block, high, low):
    """One pass over the active rows, each made best by itself: min ½|u|² + ½Σ ridge·a² - Σ a, u = Σ a·y·x, 0 ≤ a ≤ scale·weights.

    Rows come in blocks of neighbours, for the memory's sake; `blocks` says in which order.  A row that stands at a limit and is pressed
    against it harder than `high` or `low` is struck out, with -1.  Returns the largest and the smallest projected gradient.
    """
    top, bottom = 0.0, 0.0
    for b in range(len(blocks)):
        for k in range(blocks[b] * block, min((blocks[b] + 1) * block, len(active))):
            t = active[k]
            lo, hi = indptr[t], indptr[t + 1]
            cap = scale * weights[t]
            old = a[t]
            g = signs[t] * (dot(u, indices, values, lo, hi) + rho * u[len(u) - 1]) - 1.0 + ridge[t] * old
            if (old == 0.0 and g >= 0.0) or (old == cap and g <= 0.0):
                if g > high or g < low:
                    active[k] = -1
                continue
            top, bottom = max(top, g), min(bottom, g)
            curvature = lengths[t] + ridge[t]
            new = old
            if curvature > 0.0:
                new = min(max(old - g / curvature, 0.0), cap)
            elif np.isfinite(cap):  # a row without features: its loss is 1 for every u
                new = cap
            if new != old:
                a[t] = new
                step = (new - old) * signs[t]
                add(u, indices, values, lo, hi, step)
                if rho > 0.0:
                    u[len(u) - 1] += step * rho
    return top, bottom


@jit
def losses(margins, weights, scale):
    """Of the vector `scale` times u, given y·(u·x): Σ c·hinge, and Σ c·y·(u·x) over the rows with a loss."""
    loss = pull = 0.0
    for t in range(len(margins)):
        gap = 1.0 - scale * margins[t]
        if gap > 0.0:
            loss += weights[t] * gap
            pull += weights[t] * margins[t]
    return loss, pull
