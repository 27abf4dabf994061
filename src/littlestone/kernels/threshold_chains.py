"""The threshold dimension of a class on many points: the longest chain of concepts c_1, ..., c_k and points x_1, ..., x_k with c_i(x_j) = 1
iff i ≤ j, by branch and bound.

A chain begins with c_1 and x_1 where c_1(x_1) = 1.  All later points must be points of c_1, and all later concepts 0 at x_1.  So what is
left to choose from is a set C of concepts and a set X of points: one set of words, C first, kept in the memo of `version_sets`.

Of two first concepts the one that holds all points of the other is no worse.  Of two first points in c_1 the one where all concepts are 0
that are 0 at the other is no worse.  And c_i holds k - i + 1 points of the chain, x_j lies in j concepts of it: counting gives a bound.

`rows[c]` is the set of the points where concept c is 1, `columns[x]` the set of the concepts that are 1 at point x.
"""

import numpy as np

from littlestone.kernels.compiler import jit_apart, jit_lent, jit_lent_apart, popcount
from littlestone.kernels.version_sets import FREE, FULL, remember, remembered

ZERO, ONE = np.uint64(0), np.uint64(1)


@jit_lent
def holds(V, i):
    return (V[i >> 6] >> np.uint64(i & 63)) & ONE != ZERO


@jit_lent_apart
def tidy(members, others, others_at, V, at, count, sums):
    """How many of the other kind each member has, and how many have some; the rest are dropped. The words of members begin in V at `at`."""
    left = 0
    for i in range(count):
        sums[i] = 0
        word, bit = at + (i >> 6), ONE << np.uint64(i & 63)
        if V[word] & bit:
            total = ZERO
            for w in range(others):
                total += popcount(members[i, w] & V[others_at + w])
            sums[i] = np.int64(total)
            if total == ZERO:
                V[word] &= ~bit
            else:
                left += 1
    return left


@jit_lent_apart
def bound_of(sums, counts):
    """The longest chain that these sums allow: k - j + 1 of them must be at least j, for j = 1 to k."""
    for j in range(len(counts)):
        counts[j] = 0
    for s in sums:
        counts[min(s, len(counts) - 1)] += 1
    total, best = 0, len(counts) - 1
    for j in range(len(counts) - 1, 0, -1):
        total += counts[j]
        best = min(best, total + j - 1) if j <= best else best
    return best


@jit_lent
def within(members, a, b, others, others_at, V):
    """Has b all that a has, of the other kind? 2 where they have the same, 1 where b has more, else 0."""
    more = False
    for w in range(others):
        of_a, of_b = members[a, w] & V[others_at + w], members[b, w] & V[others_at + w]
        if of_a & ~of_b:
            return 0
        more |= (of_b & ~of_a) != ZERO
    return 1 if more else 2


@jit_lent
def after(V, c, x, rows, columns, into):
    """What is left to choose from after c and x."""
    C, X = columns.shape[1], rows.shape[1]
    for w in range(C):
        into[w] = V[w] & ~columns[x, w]
    for w in range(X):
        into[C + w] = V[C + w] & rows[c, w]


@jit_apart
def chain(V, k, rows, columns, slots, keys, notes, used):
    """Is there a chain of k in these concepts and points? 1 or 0, or FULL. V is tidied; notes are a bound from below and one from above."""
    if k == 0:
        return 1
    C, X = columns.shape[1], rows.shape[1]
    of_rows, of_columns = np.empty(len(rows), np.int64), np.empty(len(columns), np.int64)
    size = tidy(rows, X, C, V, 0, len(rows), of_rows)
    width = tidy(columns, C, 0, V, C, len(columns), of_columns)
    if min(size, width) < k:
        return 0
    if k == 1:
        return 1
    counts = np.empty(k + 1, np.int64)
    if bound_of(of_rows, counts) < k or bound_of(of_columns, counts) < k:
        return 0
    answer = remembered(V, k, slots, keys, notes)
    if answer != FREE:
        return answer
    first, points = np.empty(size, np.int64), np.empty(width, np.int64)
    chosen = offered = 0
    for c in range(len(rows)):
        if of_rows[c] >= k:
            first[chosen] = c
            chosen += 1
    for x in range(len(columns)):
        if of_columns[x] > 0 and size - of_columns[x] >= k - 1:
            points[offered] = x
            offered += 1
    answer, left = 0, np.empty_like(V)
    for i in range(chosen):
        c, best = first[i], True
        for j in range(chosen):
            if i != j:
                how = within(rows, c, first[j], X, C, V)
                if how == 1 or (how == 2 and j < i):
                    best = False
                    break
        if not best:
            continue
        for i2 in range(offered):
            x = points[i2]
            best = holds(rows[c], x)
            for j in range(offered if best else 0):
                if i2 != j and holds(rows[c], points[j]):
                    how = within(columns, points[j], x, C, 0, V)
                    if how == 1 or (how == 2 and j < i2):
                        best = False
                        break
            if not best:
                continue
            after(V, c, x, rows, columns, left)
            answer = chain(left, k - 1, rows, columns, slots, keys, notes, used)
            if answer:
                break
        if answer:
            break
    return FULL if answer == FULL else remember(V, k, answer, slots, keys, notes, used)
