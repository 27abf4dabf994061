"""What the best randomised learner expects of a class of few concepts on many points, exactly.

A value is a number of halves of halves: plus one and times 2^bits it is a whole number, kept as words of 64 bits, the lowest first.  The
value of a set of concepts is the largest, over the points, of (1 + a + b)/2 where the values a and b of the two parts differ by at most 1,
else of max(a, b).  A path down the tree meets each point once and drops a concept each time, so min(points, concepts - 1) bits are enough.

Sets and the memo are those of `version_sets`.  Notes are the words of a value, then whether it is the value or a bound from above.
"""

import numpy as np

from littlestone.kernels.compiler import jit_apart, jit_lent, jit_lent_apart
from littlestone.kernels.version_sets import FREE, FULL, add, find, part, size_of, splits_of

ZERO, ONE, TOP = np.uint64(0), np.uint64(1), np.uint64(63)
VALUE, BOUND = 1, 0


@jit_lent
def put(a, into):
    """A copy, word by word: a slice would take the compiler seconds."""
    for k in range(len(a)):
        into[k] = a[k]


@jit_lent_apart
def below(a, b):
    """a < b"""
    for k in range(len(a) - 1, -1, -1):
        if a[k] != b[k]:
            return a[k] < b[k]
    return False


@jit_lent_apart
def subtract(a, b):
    """a -= b, where a ≥ b"""
    borrow = ZERO
    for k in range(len(a)):
        taken = a[k] - b[k] - borrow
        borrow = ONE if a[k] < b[k] or (a[k] == b[k] and borrow) else ZERO
        a[k] = taken


@jit_lent_apart
def increase(a, b):
    """a += b"""
    carry = ZERO
    for k in range(len(a)):
        total = a[k] + b[k] + carry
        carry = ONE if total < a[k] or (total == a[k] and carry) else ZERO
        a[k] = total


@jit_lent_apart
def join(a, b, one, into):
    """The value where a point parts the concepts into two of value a and b. An empty part has value 0, and leaves the other as it is."""
    more, less = (b, a) if below(a, b) else (a, b)
    put(less, into)
    increase(into, one)
    if below(into, more):
        put(more, into)
        return
    increase(into, more)
    for k in range(len(into)):
        into[k] = (into[k] >> ONE) | (into[k + 1] << TOP if k + 1 < len(into) else ZERO)


@jit_lent_apart
def to_beat(other, best, one, into):
    """The largest a whose join with `other` is no more than `best`; 0 where every join is more."""
    for k in range(len(into)):
        into[k] = ZERO
    if below(best, other):
        return
    put(other, into)
    increase(into, one)
    if not below(best, into):
        put(best, into)
        return
    put(best, into)
    increase(into, best)
    subtract(into, one)
    subtract(into, other)


@jit_apart
def limits_by_size(table, one):
    """The most that so many concepts of Littlestone dimension at most d can be worth, into table[d, size]: of two parts one has a smaller
    dimension than the whole, and one concept is worth 0 (kept as one)."""
    trial = np.empty_like(one)
    for d in range(table.shape[0]):
        for size in range(1, table.shape[1]):
            put(one, table[d, size])
            if d > 0:
                for smaller in range(1, size):
                    join(table[d - 1, smaller], table[d, size - smaller], one, trial)
                    if below(table[d, size], trial):
                        put(trial, table[d, size])


@jit_apart
def worth(V, floor, into, limits, one, columns, slots, keys, notes, used):
    """The value of a set, if it is more than `floor`, else some bound from above that is not: into `into`. VALUE or BOUND, or FULL."""
    size, words = size_of(V), len(one)
    limit = limits[size]
    if size == 1 or not below(floor, limit):
        put(limit, into)
        return VALUE if size == 1 else BOUND
    place = find(V, slots, keys)
    if place != FREE:
        for k in range(words):
            into[k] = np.uint64(notes[place, k])
        if notes[place, words] == VALUE or not below(floor, into):
            return notes[place, words]
    points, ones = splits_of(V, size, 1, columns)
    less, more = np.empty_like(V), np.empty_like(V)
    a, b, needed, trial = np.empty_like(one), np.empty_like(one), np.empty_like(one), np.empty_like(one)
    best, above, kind = np.empty_like(one), np.empty_like(one), BOUND
    put(floor, best)
    for k in range(words):
        above[k] = ZERO
    for k in range(len(points)):
        column, ones_first = columns[points[k]], 2 * ones[k] <= size
        smaller = min(ones[k], size - ones[k])
        bound = limits[size - smaller]
        join(limits[smaller], bound, one, trial)
        if below(best, trial):
            to_beat(bound, best, one, needed)
            part(V, column, ones_first, less)
            answer = worth(less, needed, a, limits, one, columns, slots, keys, notes, used)
            if answer == FULL:
                return FULL
            join(a, bound, one, trial)
            if answer == VALUE and below(best, trial):
                to_beat(a, best, one, needed)
                part(V, column, not ones_first, more)
                answer = worth(more, needed, b, limits, one, columns, slots, keys, notes, used)
                if answer == FULL:
                    return FULL
                join(a, b, one, trial)
                if answer == VALUE and below(best, trial):
                    kind = VALUE
                    put(trial, best)
        if below(above, trial):
            put(trial, above)
        if kind == VALUE and not below(best, limit):
            break
    if place == FREE:
        place = add(V, slots, keys, used)
        if place == FULL:
            return FULL
    put(best if kind == VALUE else above, into)
    for k in range(words):
        notes[place, k] = np.int64(into[k])
    notes[place, words] = kind
    return kind
