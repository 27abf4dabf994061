"""Many small tables of features in one array: each key has a stretch of it, in which a feature's place is found by its hash.

The place is the column that the key's learner sees, so a key with ten features has a state of some sixteen places, whatever n is.
A stretch is a power of two long and at most three quarters full.  One that is too short is left, and a longer one begins at the end of
the pool.
"""

import numpy as np

from littlestone.kernels.compiler import jit, jit_lent
from littlestone.kernels.rows import count, measure

NO_FEATURE = np.uint32(2**32 - 1)
FACTOR = np.uint64(0x9E3779B97F4A7C15)
ONE, TOP = np.uint64(1), np.uint64(64)


@jit_lent
def place_of(table, begin, length, feature):
    """Where a feature stands in a stretch, or the free place where it would stand."""
    mask = np.uint64(length) - ONE
    place = ((np.uint64(feature) * FACTOR) >> np.uint64(32)) & mask
    at = np.uint64(begin)
    while table[at + place] != feature and table[at + place] != NO_FEATURE:
        place = (place + ONE) & mask
    return place


@jit_lent
def put_in(table, begin, length, feature):
    place = place_of(table, begin, length, feature)
    table[np.uint64(begin) + place] = feature


@jit_lent
def put_together(codes, ranks, places, order):
    """The rounds of each code one after the other, in their order: those of code c from `places[ranks[c]]` on, which moves along."""
    for t in range(len(codes)):
        k = ranks[codes[t]]
        order[places[k]] = t
        places[k] += 1


@jit
def enter(first, visits, starts, indptr, indices, table, begins, lengths, used, old_begins, old_lengths, end):
    """Let the features of all rows have places; the visit before which the pool was full, and the room that it needs. `end` is the pool's.

    visits[v] is the key of the rows from starts[v] on.  Where a stretch is left for a longer one, old_begins and old_lengths tell where the
    state stands now: the first of them, if it is left more than once.
    """
    for v in range(first, len(visits)):
        key = visits[v]
        for t in range(starts[v], starts[v + 1]):
            lo, hi = np.uint64(indptr[t]), np.uint64(indptr[t + 1])
            fresh = 0
            length = lengths[key]
            for k in range(lo, hi):
                if length == 0:
                    fresh += 1
                else:
                    fresh += table[np.uint64(begins[key]) + place_of(table, begins[key], length, indices[k])] == NO_FEATURE
            if length == 0 or (fresh > 0 and 4 * (used[key] + fresh) > 3 * length):
                longer = max(1, length)
                while 4 * (used[key] + fresh) > 3 * longer:
                    longer *= 2
                if end[0] + longer > len(table):
                    return v, longer
                begin, before = end[0], begins[key]
                end[0] += longer
                table[begin : begin + longer] = NO_FEATURE
                for k in range(before, before + length):
                    if table[k] != NO_FEATURE:
                        put_in(table, begin, longer, table[k])
                if old_lengths[key] < 0:
                    old_begins[key], old_lengths[key] = before, length
                begins[key], lengths[key] = begin, longer
            if fresh > 0:
                for k in range(lo, hi):
                    put_in(table, begins[key], lengths[key], indices[k])
                used[key] += fresh
    return len(visits), 0


@jit_lent
def look_up(visits, starts, indptr, indices, table, begins, lengths, places):
    """The place of each feature in its key's stretch."""
    for v in range(len(visits)):
        key = visits[v]
        for k in range(np.uint64(indptr[starts[v]]), np.uint64(indptr[starts[v + 1]])):
            places[k] = place_of(table, begins[key], lengths[key], indices[k])


@jit_lent
def move(array, first, visits, table, begins, lengths, old_begins, old_lengths):
    """What a state holds follows its features to their new stretch; new places hold what a first state holds."""
    for v in range(len(visits)):
        key = visits[v]
        if old_lengths[key] < 0:
            continue
        begin, before = np.uint64(begins[key]), old_begins[key]
        for k in range(lengths[key]):
            array[begin + np.uint64(k)] = first
        for k in range(np.uint64(before), np.uint64(before + old_lengths[key])):
            if table[k] != NO_FEATURE:
                array[begin + place_of(table, begins[key], lengths[key], table[k])] = array[k]


@jit_lent
def gather(table, begins, lengths, ends, features, places):
    """The features of each key, and where in the pool they stand; those of key k end before ends[k]."""
    at = 0
    for key in range(len(begins)):
        for k in range(begins[key], begins[key] + lengths[key]):
            if table[k] != NO_FEATURE:
                features[at] = table[k]
                places[at] = k
                at += 1
        ends[key] = at


@jit_lent
def account(visits, starts, indptr, indices, values, labels, weights, predictions, tally, measures, sizes, largest, flags):
    """Add the rounds of each key to its counts: as `Runner` keeps them, a row of each array for a key.

    sizes: the largest index, the smallest, non-zeros, the widest row; flags: is a value no whole number, is one below 0, is a weight not 1?
    """
    for v in range(len(visits)):
        key, a, b = visits[v], starts[v], starts[v + 1]
        own = labels[a:b]
        count(own, predictions[a:b], tally[key])
        measure(indptr[a : b + 1], values, None, own, None if weights is None else weights[a:b], predictions[a:b], measures[key])
        size = sizes[key]
        for t in range(a, b):
            lo, hi = np.uint64(indptr[t]), np.uint64(indptr[t + 1])
            size[2] += np.int64(hi - lo)
            size[3] = max(size[3], np.int64(hi - lo))
            for k in range(lo, hi):
                size[0] = max(size[0], np.int64(indices[k]))
                size[1] = min(size[1], np.int64(indices[k]))
                value = 1.0 if values is None else np.float64(values[k])
                largest[key] = max(largest[key], abs(value))
                flags[key, 0] |= value != np.rint(value)
                flags[key, 1] |= value < 0
            if weights is not None:
                flags[key, 2] |= weights[t] != 1


@jit
def follow(visits, starts, labels, own, shared, counts, predictions):
    """Say what the adviser says that has erred less on this key so far, the shared one where both are even (theory/keyed.py).

    counts[key] are the mistakes of the key's own learner, of the shared one, and of what is predicted here.
    """
    for v in range(len(visits)):
        key = visits[v]
        for t in range(starts[v], starts[v + 1]):
            predictions[t] = own[t] if counts[key, 0] < counts[key, 1] else shared[t]
            if labels[t] >= 0:
                counts[key, 0] += own[t] != labels[t]
                counts[key, 1] += shared[t] != labels[t]
                counts[key, 2] += predictions[t] != labels[t]
