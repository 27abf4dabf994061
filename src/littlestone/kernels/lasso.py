"""Coordinate descent for Σ c·φ(y·u·x) + λ|u|₁, column by column; φ is the hinge with its corner rounded over a width μ.

φ(m) = 0 for m ≥ 1, (1-m)²/(2μ) for 1-μ ≤ m ≤ 1, 1 - m - μ/2 below.  Its slope times c, a number between 0 and c, is a dual variable.
"""

import numpy as np

from littlestone.kernels.compiler import jit


@jit
def rounded_hinge(m, mu):
    gap = 1.0 - m
    if gap <= 0.0:
        return 0.0
    return gap * gap / (2.0 * mu) if gap < mu else gap - 0.5 * mu


@jit
def slopes(margins, weights, mu, out):
    """-c·φ'(m) for every row."""
    for t in range(len(margins)):
        out[t] = weights[t] * min(max((1.0 - margins[t]) / mu, 0.0), 1.0)


@jit
def change(rows, values, lo, hi, signs, weights, margins, mu, d):
    """What Σ c·φ gains when this column's entry of u moves by d."""
    total = 0.0
    for k in range(lo, hi):
        t = rows[k]
        m = margins[t]
        total += weights[t] * (rounded_hinge(m + signs[t] * values[k] * d, mu) - rounded_hinge(m, mu))
    return total


@jit
def sweep(indptr, rows, values, signs, weights, margins, u, columns, lam, mu):
    """A Newton step with a line search for each of these columns; returns how far the worst was from its best, as a share of λ."""
    worst = 0.0
    for b in range(len(columns)):
        i = columns[b]
        lo, hi = indptr[i], indptr[i + 1]
        pull = curvature = whole = 0.0
        for k in range(lo, hi):
            t = rows[k]
            x = np.float64(values[k])
            gap = 1.0 - margins[t]
            if gap > 0.0:
                pull += weights[t] * min(gap / mu, 1.0) * signs[t] * x
                if gap < mu:
                    curvature += weights[t] * x * x
            whole += weights[t] * x * x
        if whole == 0.0:
            continue
        curvature = max(curvature, 1e-3 * whole) / mu
        old = u[i]
        if old > 0.0:
            off = abs(pull - lam)
        elif old < 0.0:
            off = abs(pull + lam)
        else:
            off = max(abs(pull) - lam, 0.0)
        worst = max(worst, off / lam)
        target = old + pull / curvature
        shrunk = max(abs(target) - lam / curvature, 0.0)
        d = (shrunk if target > 0.0 else -shrunk) - old
        if d == 0.0:
            continue
        for _ in range(20):
            price = lam * (abs(old + d) - abs(old))
            if change(rows, values, lo, hi, signs, weights, margins, mu, d) + price <= 0.01 * (price - pull * d):
                break
            d *= 0.5
        else:
            continue
        u[i] = old + d
        for k in range(lo, hi):
            margins[rows[k]] += signs[rows[k]] * values[k] * d
    return worst
