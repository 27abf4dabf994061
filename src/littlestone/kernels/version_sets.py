"""Dimensions of a class of few concepts on many points: a search over its version spaces, each a set of concepts worked out once.

A set is words of 64 bits, bit c for concept c.  What is known of it stands in a memo: `slots` (a hash table of open addressing, a power of
2 long, -1 where free), `keys` (the sets), `notes` (what is known) and `used` (how many there are).  A memo that is full makes every search
return FULL at once; the caller gives it more room and asks again, and what was found is still there.

A point parts a set in two.  `columns` has a row for each point, the set of the concepts that say 1 of it.  No two concepts are equal.
"""

import numpy as np

from littlestone.kernels.compiler import jit_apart, jit_lent, jit_lent_apart, popcount

FULL = -2
FREE = -1
MOST = 2**31  # no quantity is larger
MIX = np.uint64(0x9E3779B97F4A7C15)
HIGH = np.uint64(32)


@jit_lent_apart
def size_of(V):
    size = np.uint64(0)
    for w in range(len(V)):
        size += popcount(V[w])
    return np.int64(size)


@jit_lent
def home_of(V, slots):
    """The slot where the search for a set begins."""
    hashed = np.uint64(0)
    for w in range(len(V)):
        hashed = (hashed ^ V[w]) * MIX
        hashed ^= hashed >> HIGH
    return np.int64(hashed & np.uint64(len(slots) - 1))


@jit_lent_apart
def find(V, slots, keys):
    """The place of a set in the memo, or FREE."""
    slot = home_of(V, slots)
    while slots[slot] != FREE:
        place = slots[slot]
        same = True
        for w in range(len(V)):
            if keys[place, w] != V[w]:
                same = False
                break
        if same:
            return place
        slot = (slot + 1) & (len(slots) - 1)
    return np.int64(FREE)


@jit_lent_apart
def add(V, slots, keys, used):
    """A place for a set that is not in the memo, or FULL."""
    place = used[0]
    if place == len(keys):
        return np.int64(FULL)
    slot = home_of(V, slots)
    while slots[slot] != FREE:
        slot = (slot + 1) & (len(slots) - 1)
    slots[slot] = place
    for w in range(len(V)):
        keys[place, w] = V[w]
    used[0] += 1
    return place


@jit_lent_apart
def remembered(V, d, slots, keys, notes):
    """Is a quantity of this set at least d? 1 or 0 where the notes, a bound from below and one from above, tell; else FREE."""
    place = find(V, slots, keys)
    if place != FREE and notes[place, 0] >= d:
        return 1
    return 0 if place != FREE and notes[place, 1] < d else FREE


@jit_lent_apart
def remember(V, d, holds, slots, keys, notes, used):
    """Note whether it is at least d, and say so again; or FULL."""
    place = find(V, slots, keys)
    if place == FREE:
        place = add(V, slots, keys, used)
        if place == FULL:
            return FULL
        notes[place, 0], notes[place, 1] = 0, MOST
    if holds:
        notes[place, 0] = max(notes[place, 0], d)
    else:
        notes[place, 1] = min(notes[place, 1], d - 1)
    return holds


@jit_lent_apart
def rehash(slots, keys, used):
    """Fill an empty hash table with the sets that are there."""
    for place in range(used[0]):
        slot = home_of(keys[place], slots)
        while slots[slot] != FREE:
            slot = (slot + 1) & (len(slots) - 1)
        slots[slot] = place


@jit_apart
def splits_of(V, size, least, columns):
    """The points that leave at least so many concepts on either side, the most even first, then by number; and how many say 1."""
    kept, ones = np.empty(len(columns), np.int64), np.empty(len(columns), np.int64)
    count = 0
    for x in range(len(columns)):
        votes = np.uint64(0)
        for w in range(len(V)):
            votes += popcount(V[w] & columns[x, w])
        if least <= np.int64(votes) <= size - least:
            kept[count] = x
            ones[count] = votes
            count += 1
    starts = np.zeros(size // 2 + 2, np.int64)
    for k in range(count):
        starts[size // 2 - min(ones[k], size - ones[k]) + 1] += 1
    for less in range(size // 2 + 1):
        starts[less + 1] += starts[less]
    points, ones_of = np.empty(count, np.int64), np.empty(count, np.int64)
    for k in range(count):
        bucket = size // 2 - min(ones[k], size - ones[k])
        points[starts[bucket]] = kept[k]
        ones_of[starts[bucket]] = ones[k]
        starts[bucket] += 1
    return points, ones_of


@jit_lent_apart
def part(V, column, label, into):
    """The concepts of a set that say 1 of a point; or those that say 0."""
    for w in range(len(V)):
        into[w] = V[w] & column[w] if label else V[w] & ~column[w]


@jit_lent
def power(d):
    return np.int64(1) << np.int64(d)


@jit_apart
def at_least(V, d, columns, slots, keys, notes, used):
    """Is the Littlestone dimension of a set at least d? 1 or 0, or FULL. The notes are a bound from below and one from above."""
    size = size_of(V)
    if size < power(d):
        return 0
    if d <= 1:
        return 1
    answer = remembered(V, d, slots, keys, notes)
    if answer != FREE:
        return answer
    points, ones = splits_of(V, size, power(d - 1), columns)
    less, more = np.empty_like(V), np.empty_like(V)
    holds = 0
    for k in range(len(points)):
        smaller = 2 * ones[k] <= size  # the smaller part first: it is the likelier to fail
        part(V, columns[points[k]], smaller, less)
        answer = at_least(less, d - 1, columns, slots, keys, notes, used)
        if answer == 1:
            part(V, columns[points[k]], not smaller, more)
            answer = at_least(more, d - 1, columns, slots, keys, notes, used)
        if answer == FULL:
            return FULL
        if answer == 1:
            holds = 1
            break
    return remember(V, d, holds, slots, keys, notes, used)


@jit_apart
def errs(V, d, columns, straight, flipped, slots, keys, notes, used):
    """Can halving be made to err d times from this set on? 1 or 0, or FULL. Notes as above.

    It errs on the smaller part, of two that are equal on the one that says 0; a point that also comes `flipped` has its labels exchanged.
    Or it is told what it predicts, and errs d times on the larger part.  The smaller part of a subset is no larger than that of the set, so
    where no point leaves 2^(d-1) concepts on either side, no first mistake can be followed by d - 1 more.
    """
    size = size_of(V)
    if size < power(d):
        return 0
    if d == 0:
        return 1
    answer = remembered(V, d, slots, keys, notes)
    if answer != FREE:
        return answer
    points, ones = splits_of(V, size, 1, columns)
    left = np.empty_like(V)
    holds = 0
    evenest = min(ones[0], size - ones[0]) if len(points) else 0
    for mistake in range(1 if evenest >= power(d - 1) else -1, -1, -1):  # parts that cost a mistake first
        for k in range(2 * len(points)):
            x, label = points[k // 2], k % 2 == 1
            count = ones[k // 2] if label else size - ones[k // 2]
            if count < power(d - mistake):
                continue
            wrong = 2 * count < size or (2 * count == size and (flipped[x] if label else straight[x]))
            if wrong != mistake:
                continue
            part(V, columns[x], label, left)
            answer = errs(left, d - mistake, columns, straight, flipped, slots, keys, notes, used)
            if answer == FULL:
                return FULL
            if answer == 1:
                holds = 1
                break
        if holds:
            break
    return remember(V, d, holds, slots, keys, notes, used)
