"""A set of concepts as words of 64 bits: bit c is 1 while concept c is in it. One pass counts those that say 1, or drops the others.

What the concepts say of an instance is a column of a table of bits; or, of all monotone disjunctions over n variables, it is worked out:
concept c is the subset c, and says 1 where it meets the set x of the active variables.  Words are 64 subsets that differ in the variables
0 to 5 only.  So a word is all ones where its number meets x >> 6, and else a pattern that depends on the six lowest bits of x.
"""

import numpy as np

from littlestone.kernels.compiler import jit_lent, popcount

ZERO, ONE, SIX = np.uint64(0), np.uint64(1), np.uint64(6)
ALL = np.uint64(2**64 - 1)
#: Bit s of word j is bit j of s, for s = 0 to 63.
HOLDING = np.array([sum(1 << s for s in range(64) if s >> j & 1) for j in range(6)], np.uint64)


@jit_lent
def meeting(x):
    """Which of the subsets 0 to 63 meet the six lowest bits of x."""
    pattern = ZERO
    for j in range(6):
        if (x >> np.uint64(j)) & ONE:
            pattern |= HOLDING[j]
    return pattern


@jit_lent
def count_column(alive, column):
    """How many of the living say 1."""
    ones = ZERO
    for w in range(len(alive)):
        ones += popcount(alive[w] & column[w])
    return np.int64(ones)


@jit_lent
def keep_column(alive, column, flip):
    """Drop those that say 0; with flip = ALL, those that say 1."""
    for w in range(len(alive)):
        alive[w] &= column[w] ^ flip


@jit_lent
def keep_and_count_column(alive, before, flip, column):
    """Both in one pass: drop by what was said of the instance before this one, and count what the rest say of this one."""
    ones = ZERO
    for w in range(len(alive)):
        word = alive[w] & (before[w] ^ flip)
        alive[w] = word
        ones += popcount(word & column[w])
    return np.int64(ones)


@jit_lent
def count_meeting(alive, x):
    """How many of the living subsets meet x."""
    low, high, ones = meeting(x), x >> SIX, ZERO
    for w in range(np.uint64(len(alive))):
        ones += popcount(alive[w] & (ALL if w & high else low))
    return np.int64(ones)


@jit_lent
def keep_meeting(alive, x, flip):
    """Drop the subsets that do not meet x; with flip = ALL, those that do."""
    low, high = meeting(x), x >> SIX
    for w in range(np.uint64(len(alive))):
        alive[w] &= (ALL if w & high else low) ^ flip


@jit_lent
def keep_and_count_meeting(alive, before, flip, x):
    """Both in one pass, as for a table."""
    low0, high0, low, high, ones = meeting(before), before >> SIX, meeting(x), x >> SIX, ZERO
    for w in range(np.uint64(len(alive))):
        word = alive[w] & ((ALL if w & high0 else low0) ^ flip)
        alive[w] = word
        ones += popcount(word & (ALL if w & high else low))
    return np.int64(ones)
