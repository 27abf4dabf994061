"""Buckets of hashed names: what fell into each, and rows in which one stands twice. Compiled."""

import numpy as np

from littlestone.kernels.compiler import jit_lent
from littlestone.streams.name_kernels import ended, mixed

MANY = 24  # features of a row that are compared with each other; rows with more use stamps
U = np.uint64
NONE, ONE, TEN, EIGHT, SEED, HALF, NOUGHT = U(0), U(1), U(10), U(8), U(0x9E3779B97F4A7C15), U(32), U(48)
FULL, PRINT = U(2**32 - 1), U(2**32 - 2)


@jit_lent
def count_rows(indptr, indices, prints, table, stamp, tick):
    """Note features in their buckets: 32 bits of occurrences, 31 of the first name's print, and one: has another print come?

    Returns how many features stand in a bucket that their row has already, and the largest and smallest bucket.
    """
    repeats, top, bottom = 0, np.uint32(0), np.uint32(0xFFFFFFFF)
    for k in range(len(indices)):
        i = indices[k]
        entry = table[i]
        mark = U(prints[k]) & PRINT
        mark = mark if mark != NONE else U(2)
        if entry == NONE:
            entry = mark
        entry |= U((entry & PRINT) != mark)
        if entry >> HALF != FULL:
            entry += U(2**32)
        table[i] = entry
        top, bottom = max(top, i), min(bottom, i)
    for t in range(len(indptr) - 1):
        lo, hi = U(indptr[t]), U(indptr[t + 1])
        if hi - lo <= U(MANY):
            for k in range(lo, hi):
                i, twice = indices[k], 0
                for j in range(lo, k):
                    twice += indices[j] == i
                repeats += twice > 0
        else:
            for k in range(lo, hi):
                i = indices[k]
                repeats += stamp[i] == tick
                stamp[i] = tick
        tick += np.uint32(1)
    return repeats, np.int64(top), np.int64(bottom)


@jit_lent
def decimal_hashes(numbers, hashes):
    """`hash64` of the decimal digits of each number."""
    for k in range(len(numbers)):
        i, low, high, length = U(numbers[k]), NONE, NONE, NONE
        while length == NONE or i > NONE:  # the last digit first: what is there moves up by a byte
            high = (high << EIGHT) | (low >> U(56))
            low = (low << EIGHT) | (NOUGHT + i % TEN)
            i //= TEN
            length += ONE
        h = mixed(SEED ^ length, low)
        if length > EIGHT:
            h = mixed(h, high)
        hashes[k] = ended(h)
