"""Names of features as bytes: their hash, the table that gives them columns, and rows in which a feature stands twice. Compiled.

With SEED the hash is that of `rounds.features.hash64`, which says where --bits puts a name. A table of names takes another seed in every
process: whoever writes a file cannot know which names would fall together in it.

A name is a span of a text, `n` bytes from `at` on; where `m` is not 0, the m bytes from `pre` on and the byte `joint` stand before it
(a namespace of VW text, a column of a table). Every text has SLACK bytes more than what is spoken of: eight and more are read at a time.
"""

import secrets

import numpy as np

from littlestone.kernels.compiler import jit_lent, jit_lent_apart, load8
from littlestone.streams.number_kernels import BITS, EIGHT, LARGEST_FLOAT32, NONE, ONE, SEVEN, SIXTEEN, U

SLACK = 80
BATCH = 512  # names that are looked up together
MANY = np.uint64(12)  # features of a row that are compared with each other; rows with more use stamps
HALF, ALL, LAST_BIT = U(32), U(2**64 - 1), U(63)
SECOND, BEFORE = U(BATCH), U(2 * BATCH)  # where the second words of collected names lie, and what stands before them
DOUBTFUL, LISTED = U(BATCH), U(2 * BATCH)  # what `look_up` knows of names: column, whether that is sure, and lists of some
SEED, FACTOR = U(0x9E3779B97F4A7C15), U(0xD6E8FEB86659FD93)
TABLE_SEED = U(secrets.randbits(64))  # of tables of names in this process
LOW_HALF, UPPER = U(0xFFFFFFFF), U(0xFFFFFF0000000000)
UNKNOWN = np.uint32(0xFFFFFFFF)  # the column of a name that waits


@jit_lent
def mixed(h, word):
    h = (h ^ word) * FACTOR
    return h ^ (h >> HALF)


@jit_lent
def ended(h):
    h = h * FACTOR
    return h ^ (h >> HALF)


@jit_lent
def first_bytes(text, place, n):
    """The n bytes (1 to 8) at a place as one number."""
    return load8(text, place) & (ALL >> (BITS - n * EIGHT))


@jit_lent
def hash_of(seed, text, at, n, pre, m, joint):
    """The hash of a name by a seed, and all its words or-ed together: whether a byte is above 0x7F."""
    high = NONE
    if m == NONE:
        h = seed ^ n
        while n > EIGHT:
            word = load8(text, at)
            h, high, at, n = mixed(h, word), high | word, at + EIGHT, n - EIGHT
        if n > NONE:
            word = first_bytes(text, at, n)
            h, high = mixed(h, word), high | word
        return ended(h), high
    h = seed ^ (n + m + ONE)
    if m < SEVEN and NONE < n <= EIGHT:  # most names: one word, or two
        word = first_bytes(text, at, n)
        carry = (U(joint) << (m * EIGHT)) | first_bytes(text, pre, m)
        high = word | carry
        used = (m + ONE) * EIGHT
        h = mixed(h, carry | (word << used))
        if n + m >= EIGHT:
            h = mixed(h, word >> (BITS - used))
        return ended(h), high
    while m >= EIGHT:
        word = load8(text, pre)
        h, high, pre, m = mixed(h, word), high | word, pre + EIGHT, m - EIGHT
    carry = U(joint) << (m * EIGHT)  # the bytes of the next word that are known already: m of them, and the joint
    if m > NONE:
        carry |= first_bytes(text, pre, m)
    used = m + ONE
    high |= carry
    if used == EIGHT:
        h, carry, used = mixed(h, carry), NONE, NONE
    while n > NONE:
        taken = min(n, EIGHT)
        word = first_bytes(text, at, taken)
        high |= word
        carry |= word << (used * EIGHT)
        if used + taken >= EIGHT:
            h = mixed(h, carry)
            carry = (word >> ONE) >> (BITS - ONE - used * EIGHT)  # two steps: a shift by 64 would be none
            used = used + taken - EIGHT
        else:
            used += taken
        at, n = at + taken, n - taken
    if used > NONE:
        h = mixed(h, carry)
    return ended(h), high


@jit_lent
def hash_spans(seed, text, starts, hashes):
    """The hash by a seed of each of the names text[starts[i]:starts[i+1]]."""
    for i in range(len(hashes)):
        hashes[i], _ = hash_of(seed, text, U(starts[i]), U(starts[i + 1] - starts[i]), NONE, NONE, np.uint8(0))


@jit_lent
def same(names, place, text, at, n, pre, m, joint):
    """Does the name that is kept at `place`, as long as this one, consist of the same bytes?"""
    different = NONE
    if m > NONE:
        different = U(names[place + m] ^ joint)
        after = place + m + ONE
        while m >= EIGHT:
            different |= load8(names, place) ^ load8(text, pre)
            place, pre, m = place + EIGHT, pre + EIGHT, m - EIGHT
        if m > NONE:
            different |= first_bytes(names, place, m) ^ first_bytes(text, pre, m)
        place = after
    while n >= EIGHT:
        different |= load8(names, place) ^ load8(text, at)
        place, at, n = place + EIGHT, at + EIGHT, n - EIGHT
    if n > NONE:
        different |= first_bytes(names, place, n) ^ first_bytes(text, at, n)
    return different == NONE


@jit_lent
def entry_of(h, length, column):
    """What a slot holds: the upper 24 bits of the hash; the length, or 255 for more; the column plus 1."""
    return (h & UPPER) | (min(length, U(255)) << HALF) | (column + ONE)


@jit_lent
def find(i, slots, hashes, starts, names, count, h, text, at, n, pre, m, joint):
    """The column of a name, if it is below `count`, searched for from slot i on; UNKNOWN else.

    Names of at most eight bytes are told apart by hash and length alone: the steps of the hash can be undone. Names with lower columns were
    put in earlier, so a slot that is empty, or taken by a column that is not below `count`, ends the search, whatever another thread puts
    in meanwhile.
    """
    mask = U(len(slots)) - ONE
    length = n if m == NONE else n + m + ONE
    entry_kind = entry_of(h, length, NONE) >> HALF
    while True:
        entry = slots[i]
        column = (entry & LOW_HALF) - ONE  # of an empty slot: beyond any count
        if column >= count:
            return UNKNOWN
        if entry >> HALF == entry_kind and hashes[column] == h:
            if length <= EIGHT:
                return np.uint32(column)
            begin = U(starts[column])
            if U(starts[column + ONE]) - begin == length and same(names, begin, text, at, n, pre, m, joint):
                return np.uint32(column)
        i = (i + ONE) & mask


@jit_lent
def put(slots, h, length, column):
    """Take the first free slot for a name that is not in the table; which one."""
    mask = U(len(slots)) - ONE
    i = h & mask
    while slots[i] != NONE:
        i = (i + ONE) & mask
    slots[i] = entry_of(h, U(length), U(column))
    return i


@jit_lent
def refill(slots, hashes, starts, count):
    """Put all names into an empty table, by column."""
    for column in range(count):
        put(slots, hashes[column], starts[column + 1] - starts[column], column)


@jit_lent
def look_up(first, many, batch, joint, text, table, indices, waiting, waits):
    """Columns of a batch of names, those that are known; the others are noted in `waiting`. How many wait then.

    A branch that waits for the memory and is guessed wrongly costs the whole way there. So the first loops have none that are hard to
    guess: what the first slot, the hash and two words do not decide, `find` does, when all it reads is near.
    """
    hashes, at, n, pre, m, seen, spelled, _late = batch
    slots, kept, starts, names, known = table
    count, mask, longer, doubts = U(known), U(len(slots)) - ONE, NONE, NONE
    for k in range(many):
        j = U(k)
        h = hashes[j]
        entry = slots[h & mask]
        column = (entry & LOW_HALF) - ONE
        alike = (column < count) & (entry >> HALF == entry_of(h, U(n[j]) + U(m[j]) + U(m[j] != 0), NONE) >> HALF)
        seen[j] = column if alike else NONE
        seen[DOUBTFUL + j] = U((kept[seen[j]] != h) | (not alike))
    for k in range(many):
        j = U(k)
        indices[first + j] = seen[j]
        seen[LISTED + longer] = j
        longer += U((seen[DOUBTFUL + j] == NONE) & (U(n[j]) + U(m[j]) + U(m[j] != 0) > EIGHT))
    for d in range(longer):  # names of at most eight bytes are told apart by their hashes: their steps can be undone
        j = seen[LISTED + U(d)]
        length, begin = U(n[j]) + U(m[j]) + U(m[j] != 0), U(starts[seen[j]])
        rest = ALL >> ((SIXTEEN - length) * EIGHT & LAST_BIT)
        different = (load8(names, begin) ^ spelled[j]) | ((load8(names, begin + EIGHT) ^ spelled[SECOND + j]) & rest)
        seen[DOUBTFUL + j] = U((different != NONE) | (length > SIXTEEN))
    for k in range(many):
        j = U(k)
        seen[LISTED + doubts] = j
        doubts += seen[DOUBTFUL + j]
    for d in range(doubts):
        seen[DOUBTFUL + U(d)] = U(starts[seen[seen[LISTED + U(d)]]])
    for d in range(doubts):
        seen[DOUBTFUL + U(d)] = load8(names, seen[DOUBTFUL + U(d)])
    for d in range(doubts):
        j = seen[LISTED + U(d)]
        h, place, size, prefix, prefixed = hashes[j], U(at[j]), U(n[j]), U(pre[j]), U(m[j])
        known_column = find(h & mask, slots, kept, starts, names, count, h, text, place, size, prefix, prefixed, joint)
        indices[first + j] = known_column
        if known_column == UNKNOWN:
            waits = wait(waiting, waits, first + j, h, place, size, prefix, prefixed)
    return waits


@jit_lent
def collect_name(j, text, at, n, pre, m, before, batch):
    """Put a name among those that are collected; its first sixteen bytes, and perhaps some after it, or-ed together.

    `before` is what stands before it, as one word, where that is less than eight bytes.
    """
    _hashes, ats, ns, pres, ms, _seen, spelled, _late = batch
    ats[j], ns[j], pres[j], ms[j] = at, n, pre, m
    spelled[j], spelled[SECOND + j], spelled[BEFORE + j] = load8(text, at), load8(text, at + EIGHT), before
    return spelled[j] | spelled[SECOND + j]


@jit_lent
def collect_hash(j, h, batch):
    """The hash of a name that is collected, and longer than two words with what stands before it."""
    late = batch[7]
    late[0, 0] += ONE
    late[late[0, 0], 0], late[late[0, 0], 1] = j, h


@jit_lent
def before_names(text, pre, m, joint):
    """What stands before names as one word, and how many bytes two words have left for a name; 0 where it is too long for that."""
    if m == NONE:
        return NONE, SIXTEEN
    if m >= SEVEN:
        return NONE, NONE
    return first_bytes(text, pre, m) | (U(joint) << (m * EIGHT)), SIXTEEN - m - ONE


@jit_lent_apart
def hash_names(many, batch, seed):
    """The hashes of names that were collected: nearly all are at most two words long with what stands before them, and made in vectors.

    The words themselves, filled up with zeros, are left in the place of the bytes.
    """
    hashes, _at, n, _pre, m, _seen, spelled, late = batch
    for k in range(many):
        j = U(k)
        used = U(m[j]) + U(m[j] != 0)
        length, bits = used + U(n[j]), used * EIGHT
        word = spelled[j]
        low = (spelled[BEFORE + j] | (word << (bits & LAST_BIT))) & (ALL >> (BITS - min(length, EIGHT) * EIGHT))
        high = ((word >> ONE) >> ((BITS - ONE - bits) & LAST_BIT)) | (spelled[SECOND + j] << (bits & LAST_BIT))
        high &= ALL >> ((SIXTEEN - length) * EIGHT & LAST_BIT)
        h = mixed(seed ^ length, low)
        hashes[j] = ended(mixed(h, high) if length > EIGHT else h)
        spelled[j], spelled[SECOND + j] = low, high
    for i in range(late[0, 0]):
        hashes[late[U(i) + ONE, 0]] = late[U(i) + ONE, 1]
    late[0, 0] = NONE


@jit_lent_apart
def place_names(first, many, text, joint, indices, waits, names):
    """Columns for names that were collected, by the table or, with bits, by their hashes; how many wait then."""
    batch, table, bits, prints, waiting, seed = names
    hash_names(many, batch, seed)
    if bits == 0:
        return look_up(first, many, batch, joint, text, table, indices, waiting, waits)
    hashes, mask = batch[0], (ONE << U(bits)) - ONE
    for j in range(many):
        indices[first + j] = hashes[j] & mask
        prints[first + j] = hashes[j] >> HALF
    return waits


def new_batch() -> tuple[np.ndarray, ...]:
    """Arrays for BATCH names to be looked up: hash, place, length, place and length of what stands before; room for `look_up`; their
    bytes, two words and what stands before; and hashes that were made one by one: late[0, 0] of them, each after its place."""
    kinds = (np.uint64, np.uint32, np.uint32, np.uint32, np.uint32)
    spelled, late = np.zeros(3 * BATCH, np.uint64), np.zeros((BATCH + 1, 2), np.uint64)
    return (*(np.empty(BATCH, kind) for kind in kinds), np.empty(3 * BATCH, np.uint64), spelled, late)


@jit_lent
def wait(waiting, waits, k, h, at, n, pre, m):
    """Note a name that has no column yet: which feature it is, its hash, and where its bytes are."""
    w = U(waits)
    waiting[w, 0] = U(k)
    waiting[w, 1] = h
    waiting[w, 2] = U(at) | (U(n) << HALF)
    waiting[w, 3] = U(pre) | (U(m) << HALF)
    return waits + 1


ROW, WAITED, COUNT, BYTES, TICK, REPEATS, BAD, TOP, BOTTOM, WIDEST, NEED_NAMES, NEED_BYTES, STATE = range(13)


@jit_lent
def settle_rows(indptr, indices, waiting, waits, text, joint, slots, hashes, starts, names, stamp, bad, refuse, state):
    """Give a column to each name that waits, in order, and look for features that stand twice in their row.

    Goes on from row state[ROW]; stops before a row for which the arrays have no room, and says what it needs. A row with a repeated
    feature is noted in `bad` if that is refused, and its new names are taken back; else it is only counted.
    """
    row, w, count, used, tick = state[ROW], U(state[WAITED]), state[COUNT], state[BYTES], np.uint32(state[TICK])
    repeats, bads, top, bottom, widest = state[REPEATS], state[BAD], np.uint32(state[TOP]), np.uint32(state[BOTTOM]), state[WIDEST]
    rows, some, first, mask = len(indptr) - 1, U(waits), NONE, U(len(slots)) - ONE
    while row < rows:
        lo, hi = U(indptr[row]), U(indptr[row + 1])
        begun, before = count, used
        if w < some and waiting[w, 0] < hi:
            last, length = w, np.int64(0)
            while last < some and waiting[last, 0] < hi:
                length += np.int64(waiting[last, 2] >> HALF) + np.int64(waiting[last, 3] >> HALF) + 1
                last += ONE
            fresh = np.int64(last - w)
            if (count + fresh) * 2 > len(slots) or count + fresh + 1 > len(starts) or used + length + SLACK > len(names):
                state[NEED_NAMES], state[NEED_BYTES] = count + fresh, used + length
                break
            first = w
            while w < last:
                h, span, prefix = waiting[w, 1], waiting[w, 2], waiting[w, 3]
                at, n, pre, m = span & LOW_HALF, span >> HALF, prefix & LOW_HALF, prefix >> HALF
                column = find(h & mask, slots, hashes, starts, names, U(count), h, text, at, n, pre, m, joint)
                if column == UNKNOWN:
                    length = np.int64(n + m + ONE if m > NONE else n)
                    write(names, used, text, at, n, pre, m, joint)
                    used += length
                    hashes[count] = h
                    starts[count + 1] = used
                    waiting[first + U(count - begun), 3] = put(slots, h, length, count)  # in a place that has been read
                    column = np.uint32(count)
                    count += 1
                indices[waiting[w, 0]] = column
                w += ONE
        twice = 0
        if hi - lo <= MANY:
            for k in range(lo, hi):
                i = indices[k]
                for j in range(k + ONE, hi):
                    twice += indices[j] == i
                top, bottom = max(top, i), min(bottom, i)
        else:
            for k in range(lo, hi):
                i = indices[k]
                twice += stamp[i] == tick
                stamp[i] = tick
                top, bottom = max(top, i), min(bottom, i)
        tick += np.uint32(1)
        widest = max(widest, np.int64(hi - lo))
        if twice > 0:
            repeats += twice
            if refuse:
                bad[bads] = row
                bads += 1
                for j in range(count - begun):  # the last ones put in, so no search passes over them
                    slots[waiting[first + U(j), 3]] = NONE
                count, used = begun, before
        row += 1
    state[ROW], state[WAITED], state[COUNT], state[BYTES], state[TICK] = row, w, count, used, tick
    state[REPEATS], state[BAD], state[TOP], state[BOTTOM], state[WIDEST] = repeats, bads, top, bottom, widest


@jit_lent
def renumber(slots, hashes, starts, names, first, kept_hashes, kept_starts, kept_names, order):
    """Give the names from column `first` on, which were put in last, other columns: the k-th of `order` gets first + k.

    `kept_hashes`, `kept_starts` and `kept_names` are copies of what stands there; names that `order` leaves out are taken back.
    """
    mask = U(len(slots)) - ONE
    for k in range(len(kept_hashes)):
        i = kept_hashes[k] & mask
        while slots[i] & LOW_HALF != U(first + k + 1):  # over those that were taken back, too
            i = (i + ONE) & mask
        slots[i] = NONE
    used = starts[first]
    for k in range(len(order)):
        old = U(order[k])
        at, n = U(kept_starts[old]), U(kept_starts[old + ONE]) - U(kept_starts[old])
        write(names, used, kept_names, at, n, NONE, NONE, np.uint8(0))
        hashes[first + k] = kept_hashes[old]
        used += np.int64(n)
        starts[first + k + 1] = used
        put(slots, kept_hashes[old], np.int64(n), first + k)


@jit_lent_apart
def write(names, used, text, at, n, pre, m, joint):
    """Keep the bytes of a name."""
    place = U(used)
    if m > NONE:
        for b in range(m):
            names[place + U(b)] = text[pre + U(b)]
        names[place + m] = joint
        place += m + ONE
    for b in range(n):
        names[place + U(b)] = text[at + U(b)]


@jit_lent
def add_up(indptr, indices, values, stamp, where, tick, bad, sums):
    """Add up features that stand more than once in their row, at their first place, in float64, rounded once; rows are moved together.

    Returns how many features remain, and how many rows have a sum beyond float32; these are noted in `bad`. `sums` has a place for each
    feature of the longest row.
    """
    to, bads = U(0), 0
    lo = U(0)
    for row in range(len(indptr) - 1):
        hi, begun = U(indptr[row + 1]), to
        for k in range(lo, hi):
            i = indices[k]
            if stamp[i] == tick:
                sums[where[i]] += np.float64(values[k])
            else:
                stamp[i] = tick
                where[i] = np.uint32(to - begun)
                sums[to - begun] = np.float64(values[k])
                indices[to] = i
                to += ONE
        tick += np.uint32(1)
        worst = 0.0
        for j in range(to - begun):
            worst = max(worst, abs(sums[U(j)]))
            values[begun + U(j)] = np.float32(sums[U(j)])
        if worst > LARGEST_FLOAT32:
            bad[bads] = row
            bads += 1
        indptr[row + 1] = np.int64(to)
        lo = hi
    return np.int64(to), bads


@jit_lent
def repeated(indptr, indices, stamp, tick, bad):
    """Note the rows in which an index stands twice; how many they are."""
    bads = 0
    for row in range(len(indptr) - 1):
        twice = 0
        for k in range(U(indptr[row]), U(indptr[row + 1])):
            twice += stamp[indices[k]] == tick
            stamp[indices[k]] = tick
        tick += np.uint32(1)
        if twice > 0:
            bad[bads] = row
            bads += 1
    return bads


@jit_lent
def valid_utf8(text, place, stop):
    """Are these bytes UTF-8, as Python judges it?"""
    p, stop = U(place), U(stop)
    while p < stop:
        c = text[p]
        if c < 0x80:
            p += ONE
            continue
        more = 1 if 0xC2 <= c <= 0xDF else 2 if 0xE0 <= c <= 0xEF else 3 if 0xF0 <= c <= 0xF4 else 0
        if more == 0 or p + U(more) >= stop:
            return False
        low = 0xA0 if c == 0xE0 else 0x90 if c == 0xF0 else 0x80
        high = 0x9F if c == 0xED else 0x8F if c == 0xF4 else 0xBF
        if text[p + ONE] < low or text[p + ONE] > high:
            return False
        for b in range(2, more + 1):
            if text[p + U(b)] & 0xC0 != 0x80:
                return False
        p += U(more + 1)
    return True
