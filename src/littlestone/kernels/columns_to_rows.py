"""Columns to rows: what Arrow keeps column by column, as rows of floats, square by square so that both sides stay in the cache."""

import numpy as np

from littlestone.kernels.compiler import jit

SQUARE = 64


@jit
def rows_of(across, start, out):
    """out[t, k] = across[k, start + t]; whole numbers or floats. Eight columns go together: their floats are neighbours."""
    rows, n = out.shape
    whole = n - n % 8
    for low in range(0, rows, SQUARE):
        high = min(low + SQUARE, rows)
        first, last = start + low, start + high
        for k in range(0, whole, 8):
            a, b, c, d = across[k, first:last], across[k + 1, first:last], across[k + 2, first:last], across[k + 3, first:last]
            e, f, g, h = across[k + 4, first:last], across[k + 5, first:last], across[k + 6, first:last], across[k + 7, first:last]
            for t in range(high - low):
                row = out[low + t, k : k + 8]
                row[0], row[1], row[2], row[3] = a[t], b[t], c[t], d[t]
                row[4], row[5], row[6], row[7] = e[t], f[t], g[t], h[t]
        for k in range(whole, n):
            for t in range(high - low):
                out[low + t, k] = across[k, first + t]


@jit
def rows_of_bits(across, start, out):
    """The same of bits, eight in a byte, the lowest first; `start` is a multiple of 8."""
    rows, n = out.shape
    for low in range(0, rows, 8):
        place, high = (start + low) >> 3, min(8, rows - low)
        for k in range(n):
            byte = across[k, place]
            for t in range(high):
                out[low + t, k] = (byte >> np.uint8(t)) & np.uint8(1)


@jit
def none_infinite(across):
    bad = 0
    for k in range(len(across)):
        for t in range(across.shape[1]):
            bad += abs(across[k, t]) == np.inf
    return bad == 0
