"""A store of pairs of features in arrays, with a table to find them by: open addressing, linear probing, exact comparison.

Pair number r, in order of arrival, stands in `pairs[4r:4r + 4]`: the smaller column, the larger one (the same where it is a square),
its weight, and its sum of squares.  What a probe compares and what it is after lie side by side, half a line of the cache.  The table
holds r + 1, or 0 where it is empty; its length is a power of two, at least twice the pairs there is room for.  Whoever calls `enter` has
made room before.  The code of a pair is the sum of the codes of its features, so it is the same in either order; it says only where to
look first.
"""

import numpy as np

from littlestone.kernels.compiler import jit_lent
from littlestone.kernels.instances import ONE_BITS, enter, mixed

ONE, FOUR, SHIFT = np.uint64(1), np.uint64(4), np.uint64(32)


@jit_lent
def code_of(index):
    """The code of one feature, below 2^62."""
    return mixed(index, ONE_BITS)


@jit_lent
def find(table, pairs, code, low, high):
    """The number of the pair of columns low ≤ high, or -1."""
    last = np.uint64(len(table) - 1)
    place = (code ^ (code >> SHIFT)) & last
    while table[place] != 0:
        r = np.uint64(table[place] - 1)
        if pairs[FOUR * r] == low and pairs[FOUR * r + ONE] == high:
            return np.int64(r)
        place = (place + ONE) & last
    return np.int64(-1)


@jit_lent
def enter_all(table, pairs, known):
    """Fill an empty table with the first so many pairs, in their order: the same table however it came to its length."""
    for r in range(known):
        enter(table, code_of(np.uint64(pairs[4 * r])) + code_of(np.uint64(pairs[4 * r + 1])), r)


@jit_lent
def count(indptr, values, most):
    """How many pairs and squares the rows of at most `most` features have, those that are 0 not counted."""
    total = np.int64(0)
    for t in range(len(indptr) - 1):
        lo, hi = np.uint64(indptr[t]), np.uint64(indptr[t + 1])
        c = np.int64(hi - lo)
        if values is not None:
            for k in range(lo, hi):
                c -= values[k] == 0.0
        if c <= most:
            total += c * (c + 1) // 2
    return total
