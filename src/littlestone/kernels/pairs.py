"""A store of pairs of features in arrays, with a table to find them by: open addressing, linear probing, exact comparison.

Pair number r, in order of arrival, stands in `pairs[4r:4r + 4]`: the smaller column, the larger one (the same where it is a square),
its weight, and its sum of squares.  What a probe compares and what it is after lie side by side, half a line of the cache.  The table
holds r + 1, or 0 where it is empty; its length is a power of two, at least twice the pairs there is room for.  Whoever calls `enter` has
made room before.  The code of a pair is the sum of the codes of its features, so it is the same in either order; it says only where to
look first.

A table at work has tags: ten bits of the code above the number, so that up to sixteen places, those of one line of the cache, are
compared at once, and hardly ever is a pair looked at that is another.  Behind its end its first sixteen places stand once more; by that its
length tells it from a plain one, the form in which it is kept and compared.
"""

import numpy as np

from littlestone.kernels.compiler import PROBES, jit_lent, jit_lent_apart, prefetch_entry, probed, trailing_zeros
from littlestone.kernels.instances import ONE_BITS, mixed

ONE, FOUR, SHIFT = np.uint64(1), np.uint64(4), np.uint64(32)
NUMBER_BITS = 21  # of an entry with a tag
MOST_TAGGED = 2**NUMBER_BITS - 2  # pairs; a table of more has no tags
NUMBER, TAG_SHIFT, TAG = np.int32(2**NUMBER_BITS - 1), np.uint64(52), np.uint64(2**10 - 1)
NOWHERE, LANE_BITS = np.uint64(1 << PROBES), np.uint64(PROBES)
LANES_MASK, ALL = np.uint64((1 << PROBES) - 1), np.uint64(PROBES)


@jit_lent
def code_of(index):
    """The code of one feature, below 2^62."""
    return mixed(index, ONE_BITS)


@jit_lent
def is_tagged(table):
    return len(table) & (len(table) - 1) != 0


@jit_lent
def tag_of(code):
    """Ten bits of a code that its place does not depend on."""
    return np.int32((code >> TAG_SHIFT) & TAG)


@jit_lent
def first_place(table, code):
    """Where a table with tags may hold a pair of this code; the memory is asked for it."""
    place = (code ^ (code >> SHIFT)) & np.uint64(len(table) - PROBES - 1)
    prefetch_entry(table, place)
    return place


@jit_lent
def likely(table, pairs, place, code):
    """What a table with tags holds from its first place on: the number of a pair that has this tag, for which the memory is asked; -1 where
    there is none, or -2 where the line of the cache does not tell."""
    lanes = probed(table, place, tag_of(code))
    like, empty = trailing_zeros(lanes & LANES_MASK | NOWHERE), trailing_zeros(lanes >> LANE_BITS | NOWHERE)
    nearest = min(like, empty)
    r = np.int64(table[place + nearest] & NUMBER) - 1  # -1 where it is empty
    prefetch_entry(pairs, FOUR * np.uint64(r if r > 0 else 0))
    return r if nearest < ALL else np.int64(-2)


@jit_lent
def is_pair(pairs, r, low, high):
    """Is r the number of the pair of columns low ≤ high?"""
    return (pairs[FOUR * np.uint64(r)] == low) & (pairs[FOUR * np.uint64(r) + ONE] == high)


@jit_lent_apart
def find(table, pairs, code, low, high):
    """The number of the pair of columns low ≤ high, or -1, place by place; with tags or without."""
    tagged = is_tagged(table)
    last = np.uint64(len(table) - (PROBES if tagged else 0) - 1)
    place = (code ^ (code >> SHIFT)) & last
    while table[place] != 0:
        r = np.uint64((table[place] & NUMBER if tagged else table[place]) - 1)
        if is_pair(pairs, r, low, high):
            return np.int64(r)
        place = (place + ONE) & last
    return np.int64(-1)


@jit_lent
def enter(table, code, r):
    """Note that pair r has this code."""
    tagged = is_tagged(table)
    size = np.uint64(len(table) - (PROBES if tagged else 0))
    place = (code ^ (code >> SHIFT)) & (size - ONE)
    while table[place] != 0:
        place = (place + ONE) & (size - ONE)
    table[place] = r + 1
    if tagged:
        table[place] |= tag_of(code) << NUMBER_BITS
        if place < ALL:
            table[size + place] = table[place]


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
