"""Rows as the bytes that a stream's digest is made of (verifier/rounds.py says which)."""

import numpy as np

from littlestone.kernels.compiler import jit, jit_apart, store8

LONG = np.uint8(255)  # in place of a length: a name of more than eight bytes
SPARE = 16  # bytes a row's place must have beyond what it needs: names and values are written eight bytes at a time
ONE_BITS = np.int32(0x3F800000)
SHORT = 32  # features that are sorted by insertion


@jit
def numbered(first, words, lengths):
    """The names of columns first, first+1, …: decimal digits as one number each, the first digit lowest, and how many (at most eight)."""
    for k in range(len(words)):
        i, word, length = first + k, np.uint64(0), 0
        while length == 0 or i > 0:
            word = (word << np.uint64(8)) | np.uint64(48 + i % 10)
            i //= 10
            length += 1
        words[k] = word
        lengths[k] = length


@jit
def encode(indptr, indices, bits, labels, weights, keys, words, lengths, starts, names, out):
    """Write the rows of a block; the number of bytes written.

    `bits` are the values as they lie in memory, None for ones; `weights` likewise, None for none. A feature's name is words[i], lengths[i]
    bytes of it, or names[starts[i]:starts[i+1]] where it is longer; columns beyond these are named by their digits. Features go in the
    order of their keys, which are their length (255 for more) and the first seven bytes, or of their numbers where there are no keys.
    """
    at = np.int64(0)
    order = np.empty(64, np.int64)
    for t in range(len(labels)):
        lo, hi = indptr[t], indptr[t + 1]
        out[at] = 49 if labels[t] == 1 else 48 if labels[t] == 0 else 63
        at += 1
        if weights is not None:
            store8(out, at, np.uint64(np.uint32(weights[t])))
            at += 4
        sorted_already = len(keys) == 0
        if sorted_already:
            for k in range(lo + 1, hi):
                sorted_already = sorted_already & (indices[k - 1] < indices[k])
        if not sorted_already:
            if hi - lo > len(order):
                order = np.empty(2 * (hi - lo), np.int64)
            sort_row(indices, lo, hi, keys, starts, names, order)
        for j in range(hi - lo):
            k = lo + (j if sorted_already else order[j])
            if bits is not None and (bits[k] & 0x7FFFFFFF) == 0:
                continue
            i = indices[k]
            if i >= len(words):
                at = decimal(np.int64(i), out, at)
                out[at] = 0xFF
                at += 1
            elif lengths[i] != LONG:
                store8(out, at, words[i])
                at += np.int64(lengths[i])  # uncompiled, a count must not become as small as a length
                out[at] = 0xFF
                at += 1
            else:
                for b in range(starts[i], starts[i + 1]):
                    out[at] = names[b]
                    at += 1
                out[at] = 0xFF
                at += 1
        out[at] = 0xFE
        at += 1
        for j in range(hi - lo):
            k = lo + (j if sorted_already else order[j])
            value = ONE_BITS if bits is None else bits[k]
            if (value & 0x7FFFFFFF) != 0:
                store8(out, at, np.uint64(np.uint32(value)))
                at += 4
    return at


@jit_apart
def sort_row(indices, lo, hi, keys, starts, names, order):
    """The places of a row's features in the order of their keys, and of their names where those are the same; or of their numbers."""
    m = hi - lo
    if len(keys) == 0:
        for k in range(m):
            order[k] = (np.int64(indices[lo + k]) << 31) | k
        order[:m].sort()
        for k in range(m):
            order[k] &= 0x7FFFFFFF
        return
    for first in range(0, m, SHORT):  # a few at a time by insertion
        for k in range(first, min(first + SHORT, m)):
            j = k
            while j > first and before(indices[lo + k], indices[lo + order[j - 1]], keys, starts, names):
                order[j] = order[j - 1]
                j -= 1
            order[j] = k
    width = SHORT
    while width < m:  # and then two sorted parts to one
        merged = order[:m].copy()
        for first in range(0, m, 2 * width):
            a, b, middle, end = first, first + width, min(first + width, m), min(first + 2 * width, m)
            for k in range(first, end):
                if a < middle and (b >= end or not before(indices[lo + merged[b]], indices[lo + merged[a]], keys, starts, names)):
                    order[k] = merged[a]
                    a += 1
                else:
                    order[k] = merged[b]
                    b += 1
        width *= 2


@jit
def before(a, b, keys, starts, names):
    """Does name a come before name b? The shorter first, then the order of their bytes."""
    if keys[a] != keys[b]:
        return keys[a] < keys[b]
    size, other = starts[a + 1] - starts[a], starts[b + 1] - starts[b]
    if size != other:
        return size < other
    for k in range(size):
        x, y = names[starts[a] + k], names[starts[b] + k]
        if x != y:
            return x < y
    return False


@jit_apart
def decimal(i, out, at):
    """A column's number in digits; where they end."""
    digits, power = 1, np.int64(10)
    while i >= power:
        power *= 10
        digits += 1
    for d in range(digits - 1, -1, -1):
        out[at + d] = 48 + i % 10
        i //= 10
    return at + digits
