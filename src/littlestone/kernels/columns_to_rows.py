"""Columns to rows: what Arrow keeps column by column, as rows of floats, square by square so that both sides stay in the cache."""

import numpy as np

from littlestone.kernels.compiler import jit, jit_lent

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


@jit_lent
def turned(word):
    """Eight bytes as a square of bits, its rows made its columns: three times the halves of a square change places, each half the size."""
    swap = (word ^ (word >> np.uint64(7))) & np.uint64(0x00AA00AA00AA00AA)
    word ^= swap ^ (swap << np.uint64(7))
    swap = (word ^ (word >> np.uint64(14))) & np.uint64(0x0000CCCC0000CCCC)
    word ^= swap ^ (swap << np.uint64(14))
    swap = (word ^ (word >> np.uint64(28))) & np.uint64(0x00000000F0F0F0F0)
    return word ^ swap ^ (swap << np.uint64(28))


def eights(dtype):
    """For each byte its bits as eight numbers, the lowest first."""
    return np.unpackbits(np.arange(256, dtype=np.uint8).reshape(-1, 1), axis=1, bitorder="little").astype(dtype)


@jit_lent
def rows_of_bits(across, start, eights, squares, out):
    """The same of bits, eight in a byte, the lowest first; `start` is a multiple of 8. Eight rows of eight columns are turned at once.

    `squares` has room for eight rows of them.
    """
    rows, n = out.shape
    whole = n // 8
    for low in range(0, rows, 8):
        place, high = (start + low) >> 3, min(8, rows - low)
        for k in range(whole):
            word = np.uint64(0)
            for j in range(8):
                word |= np.uint64(across[8 * k + j, place]) << np.uint64(8 * j)
            squares[k] = turned(word)
        for t in range(high):
            row, shift = out[low + t], np.uint64(8 * t)
            for k in range(whole):
                numbers, first = eights[(squares[k] >> shift) & np.uint64(255)], 8 * k
                a, b, c, d, e, f, g, h = numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6], numbers[7]
                row[first], row[first + 1], row[first + 2], row[first + 3] = a, b, c, d
                row[first + 4], row[first + 5], row[first + 6], row[first + 7] = e, f, g, h
            for k in range(8 * whole, n):
                row[k] = (across[k, place] >> np.uint8(t)) & np.uint8(1)


@jit
def none_infinite(across):
    bad = 0
    for k in range(len(across)):
        for t in range(across.shape[1]):
            bad += abs(across[k, t]) == np.inf
    return bad == 0
