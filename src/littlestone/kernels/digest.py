"""Rows as the bytes that a stream's digest is made of."""

from __future__ import annotations

import numpy as np

from littlestone.jit import jit

NAME_ENDS, ROW_ENDS = np.uint8(0xFF), np.uint8(0xFE)
DIGITS = 10  # of the largest index


@jit
def encode(indptr, indices, bits, labels, weights, rank, starts, names, out):
    """Write the rows of a block; the number of bytes written.

    `bits` are the values as they lie in memory, None for ones; `weights` likewise, None for none. Features are named by their index, or,
    where `rank` is not empty, by names[starts[i]:starts[i+1]], and go in the order of their ranks.
    """
    at = 0
    order = np.empty(64, np.int64)
    named = len(rank) > 0
    for t in range(len(labels)):
        lo, hi = indptr[t], indptr[t + 1]
        m = hi - lo
        out[at] = 49 if labels[t] == 1 else 48 if labels[t] == 0 else 63
        at += 1
        if weights is not None:
            at = _four(out, at, weights[t])
        if m > len(order):
            order = np.empty(2 * m, np.int64)
        sorted_already = True
        last = np.int64(-1)
        for j in range(m):
            i = np.int64(indices[lo + j])
            key = np.int64(rank[i]) if named else i
            order[j] = (key << 31) | j
            if key < last:
                sorted_already = False
            last = key
        if not sorted_already:
            order[:m].sort()
        for j in range(m):
            k = lo + (order[j] & 0x7FFFFFFF)
            if bits is not None and (bits[k] & 0x7FFFFFFF) == 0:
                continue
            i = np.int64(indices[k])
            if named:
                for b in range(starts[i], starts[i + 1]):
                    out[at] = names[b]
                    at += 1
            else:
                at = _decimal(out, at, i)
            out[at] = NAME_ENDS
            at += 1
            at = _four(out, at, np.int32(0x3F800000) if bits is None else bits[k])
        out[at] = ROW_ENDS
        at += 1
    return at


@jit
def _four(out, at, bits):
    """Four bytes of a float32, the lowest first."""
    b = np.uint32(bits)
    out[at] = b & 0xFF
    out[at + 1] = (b >> 8) & 0xFF
    out[at + 2] = (b >> 16) & 0xFF
    out[at + 3] = (b >> 24) & 0xFF
    return at + 4


@jit
def _decimal(out, at, i):
    digits = 1
    power = np.int64(10)
    while i >= power:
        power *= 10
        digits += 1
    for d in range(digits - 1, -1, -1):
        out[at + d] = 48 + i % 10
        i //= 10
    return at + digits
