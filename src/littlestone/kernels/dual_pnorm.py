"""Dual coordinate descent for a p-norm in place of the Euclidean one, p a whole number.

w = ∇½|v|_p² has w_i = sign(v_i)|v_i|^(p-1)/|v|_p^(p-2).  `s` holds sign(v_i)(|v_i|/σ)^(p-1) and `z` σ, S = Σ(|v_i|/σ)^p and its p-th root.
"""

import numpy as np

from littlestone.kernels.compiler import jit, jit_apart
from littlestone.kernels.rows import dot
from littlestone.kernels.whole_powers import power, signed_power


@jit
def root(S, p, guess):
    """S^(1/p) by Newton's steps; from below the first one overshoots, then it falls to the root."""
    r = guess
    for _ in range(200):
        new = r - (r - S / power(r, p - 1)) / p
        if abs(new - r) <= 1e-13 * r:
            return new
        r = min(new, 2.0 * r)
    return r


@jit_apart
def restart(p, v, s, z):
    """s, σ, S and the root from v itself."""
    largest = 0.0
    for i in range(len(v)):
        largest = max(largest, abs(v[i]))
    z[0] = largest
    total = 0.0
    for i in range(len(v)):
        q = v[i] / largest if largest > 0.0 else 0.0
        s[i] = signed_power(q, p - 1)
        total += abs(s[i] * q)
    z[1] = total
    z[2] = root(total, p, max(1.0, total)) if total > 0.0 else 0.0


@jit
def row_powers(p, indptr, values, out):
    """|x|_p² of every row."""
    for t in range(len(out)):
        largest = 0.0
        for k in range(indptr[t], indptr[t + 1]):
            largest = max(largest, abs(np.float64(values[k])))
        total = 0.0
        for k in range(indptr[t], indptr[t + 1]):
            total += power(abs(values[k] / largest), p) if largest > 0.0 else 0.0
        out[t] = (largest * root(total, p, max(1.0, total))) ** 2 if largest > 0.0 else 0.0


@jit
def descend(p, indptr, indices, values, signs, lengths, C, weights, a, v, s, z, active, blocks, block, high, low):
    """One pass: min (C/2)|v|_p² - Σ a, v = Σ a·y·x, 0 ≤ a ≤ weights; strikes out rows as `dual.descend` does.

    The curvature along a row is at most C(p-1)|x|_p², so no step overshoots.
    """
    top, bottom = 0.0, 0.0
    for b in range(len(blocks)):
        for k in range(blocks[b] * block, min((blocks[b] + 1) * block, len(active))):
            t = active[k]
            lo, hi = indptr[t], indptr[t + 1]
            old = a[t]
            factor = C * z[0] / power(z[2], p - 2)
            g = signs[t] * factor * dot(s, indices, values, lo, hi) - 1.0
            if (old == 0.0 and g >= 0.0) or (old == weights[t] and g <= 0.0):
                if g > high or g < low:
                    active[k] = -1
                continue
            top, bottom = max(top, g), min(bottom, g)
            new = weights[t]
            if lengths[t] > 0.0:
                new = min(max(old - g / (C * (p - 1) * lengths[t]), 0.0), weights[t])
            if new == old:
                continue
            a[t] = new
            step = (new - old) * signs[t]
            total, far = z[1], False
            for e in range(np.uint64(lo), np.uint64(hi)):
                i = indices[e]
                total -= abs(s[i] * (v[i] / z[0]))
                v[i] += step * values[e]
                q = v[i] / z[0]
                far |= abs(q) > 8.0
                s[i] = signed_power(q, p - 1)
                total += abs(s[i] * q)
            z[1] = total
            if far or not (total > 1e-100):
                restart(p, v, s, z)
                if z[0] == 0.0:
                    return top, bottom
            else:
                z[2] = root(total, p, z[2])
    return top, bottom
