"""What a rule of a user's own may use of a row of advice; NaN is an expert asleep. The library's rules are native (`native/rules`).

Sums are taken in eight running sums and joined pairwise, as the native rules take them; the rest goes expert by expert.
"""

import numpy as np

from littlestone.kernels.jit import jit

OUTSIDE, BETWEEN, ASLEEP = 1, 2, 4  # what a row may hold: a value outside [0, 1]; one that is neither 0 nor 1; NaN
LANES = 8
CHUNK = 128  # experts whose weights are added up before one among them is drawn


@jit
def weigh(w, row):
    """Σw and Σw·a over the experts awake, and what the row holds."""
    totals, favours = np.zeros(LANES), np.zeros(LANES)
    whole, holds = len(w) - len(w) % LANES, 0
    for i in range(len(w)):
        a = np.float64(row[i])
        if a != a:
            holds |= ASLEEP
            continue
        if a > 1.0 or a < 0.0:
            holds |= OUTSIDE
        if a != 0.0 and a != 1.0:
            holds |= BETWEEN
        if i < whole:
            totals[i % LANES] += w[i]
            favours[i % LANES] += w[i] * a
    total, favour = joined(totals), joined(favours)
    for i in range(whole, len(w)):
        if row[i] == row[i]:
            total += w[i]
            favour += w[i] * np.float64(row[i])
    return total, favour, holds


@jit
def joined(lanes):
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]))


@jit
def share(favour, total):
    """The weighted mean of the advice; 1/2 when nobody awake has any weight."""
    return favour / total if total > 0.0 else 0.5


@jit
def loss_of(a, y):
    """|a - y|, and 0 of an expert asleep; in doubles, where it is exact or nearly so."""
    loss = abs(np.float64(a) - y)
    return loss if loss > 0.0 else 0.0


@jit
def count_losses(losses, table, t, y):
    """Add what each expert loses in row t of a table."""
    for i in range(len(losses)):
        losses[i] += loss_of(table[t, i], y)


@jit
def coin(seed, k):
    """A number in [0, 1) that depends on seed and k alone: splitmix64 of the two, whose products wrap."""
    x = np.uint64(seed) * np.uint64(0xD1342543DE82EF95) + np.uint64(k) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    x = x ^ (x >> np.uint64(31))
    return np.float64(x >> np.uint64(11)) * 2.0**-53


@jit
def pick(w, row, total, u):
    """The expert awake at which the running total of weights passes u of the whole; chunk by chunk, then inside one. -1 when all sleep."""
    goal, start, passed = u * total, 0, 0.0
    while start + CHUNK < len(w):
        part = weigh(w[start : start + CHUNK], row[start : start + CHUNK])[0]
        if passed + part > goal:
            break
        passed += part
        start += CHUNK
    last = -1
    for i in range(start, len(w)):
        if row[i] == row[i] and w[i] > 0.0:
            last = i
            passed += w[i]
            if passed > goal:
                return i
    if last >= 0:
        return last
    for i in range(len(w) - 1, -1, -1):  # rounding carried the total past every weight: the last one awake
        if row[i] == row[i]:
            return i
    return -1
