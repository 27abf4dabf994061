"""One round of advice: weights against a row of experts, NaN where one is asleep.

Sums are taken in eight running sums and joined pairwise, on every machine; the rest goes expert by expert. Nothing here calls the
system's exp or log: a run is the same everywhere.
"""

import numpy as np

from littlestone.kernels.compiler import (
    LANES,
    bits_of,
    double_of,
    fma,
    jit_lent,
    laned_counts,
    laned_given,
    laned_losses,
    laned_shares,
    laned_sums,
    laned_votes,
)

OUTSIDE, BETWEEN, ASLEEP = 1, 2, 4  # what a row may hold: a value outside [0, 1]; one that is neither 0 nor 1; NaN
NEIGHBOURS = 128  # experts that are asked at a time whether one of them weighs anything
FAINT = -600.0  # e^-600 of the leader's weight is no weight; long before doubles lose their digits
MAGIC = 6755399441055744.0  # 1.5·2^52: adding it leaves the nearest whole number in the last bits
LOG2_E, LN2 = 1.4426950408889634, 0.6931471805599453
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
NEARLY_ALL = 1.0 - 1e-6  # where more of the weight was wrong, 1 - f has too few digits to tell how much was right
BITS_OF_1, SIGN = np.uint32(0x3F800000), np.uint32(0x80000000)  # of a float
ONE_BITS = np.int64(0x3FF0000000000000)
# (e^x - 1)/x for -1/16 ≤ x ≤ 0, the polynomial through six of Chebyshev's points: e^x to 4·10⁻¹⁶
NEAR = (0.9999999999999943, 0.49999999999350087, 0.16666666545281716, 0.041666583704695295, 0.00833076766263903, 0.0013522257934224311)


@jit_lent
def weigh(w, row):
    """Σw and Σw·a over the experts awake, and what the row holds."""
    return with_the_last(w, row, laned_sums((w,), row, row, ()))


@jit_lent
def with_the_last(w, row, sums):
    """The same, where the first experts are added up, eight at a time."""
    total, favour, largest, odd, asleep = sums
    faults = np.int64(BETWEEN if odd & ~SIGN else 0) | np.int64(ASLEEP if asleep else 0)
    if largest > BITS_OF_1:  # or a zero with a sign
        for i in range(len(w)):
            faults |= np.int64((row[i] > 1) | (row[i] < 0))
    for i in range(len(w) - len(w) % LANES, len(w)):
        a = row[i]
        if a == a:
            total += w[i]
            favour += w[i] * a
            faults |= np.int64((a > 1) | (a < 0)) | (np.int64(a * a != a) << 1)
        else:
            faults |= ASLEEP
    return total, favour, faults


@jit_lent
def of_following(w, row, sums):
    """The same after weights were changed: sums that a sleeper may have spoilt are made anew."""
    return weigh(w, row) if sums[2] > BITS_OF_1 else with_the_last(w, row, sums)


@jit_lent
def weigh_first(w, table):
    """The same for the first row, where there is one."""
    return weigh(w, table[0]) if len(table) else (0.0, 0.0, 0)


@jit_lent
def after(t, rounds):
    """The number of the row that follows row t; of the last one, its own."""
    return min(t + 1, rounds - 1)


@jit_lent
def total_of(w):
    """Σw, asleep or not, in the same order."""
    a = b = c = d = e = f = g = h = 0.0
    whole = len(w) - len(w) % LANES
    for i in range(0, whole, LANES):
        a += w[i]
        b += w[i + 1]
        c += w[i + 2]
        d += w[i + 3]
        e += w[i + 4]
        f += w[i + 5]
        g += w[i + 6]
        h += w[i + 7]
    total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for i in range(whole, len(w)):
        total += w[i]
    return total


@jit_lent
def exp(x):
    """e^x for x ≤ 0, and 0 below e^-600. No branch, so that a loop over it runs in vectors."""
    t = fma(x, LOG2_E, MAGIC)
    k = t - MAGIC
    r = fma(-k, LN2_LOW, fma(-k, LN2_HIGH, x))
    s = r * r
    q = s * s
    low = fma(fma(r, 1 / 6, 1 / 2), s, 1.0 + r)
    middle = fma(fma(r, 1 / 5040, 1 / 720), s, fma(r, 1 / 120, 1 / 24))
    high = fma(fma(r, 1 / 39916800, 1 / 3628800), s, fma(r, 1 / 362880, 1 / 40320))
    p = fma(fma(fma(r, 1 / 6227020800, 1 / 479001600), q, high), q, middle)
    p = fma(p, q, low)
    return p * double_of((bits_of(t) << 52) + ONE_BITS) if x > FAINT else 0.0


@jit_lent
def log(x):
    """The natural logarithm, from +, -, × and ÷ alone; x > 0 and not denormal."""
    bits = bits_of(x)
    k = (bits >> 52) - 1023
    m = double_of((bits & np.int64(0x000FFFFFFFFFFFFF)) | ONE_BITS)
    if m > 1.4142135623730951:
        m, k = m * 0.5, k + 1
    return k * LN2_HIGH + (near_log((m - 1.0) / (m + 1.0)) + k * LN2_LOW)


@jit_lent
def near_log(s):
    """ln((1+s)/(1-s)) for |s| ≤ 0.172: twice the series of artanh."""
    q, p = s * s, 0.0
    for j in range(21, 0, -2):
        p = p * q + 1.0 / j
    return 2.0 * s * p


@jit_lent
def log_less(z):
    """ln(1-z) for 0 ≤ z < 1, good for small z too."""
    return near_log(-z / (2.0 - z)) if z < 0.25 else log(1.0 - z)


@jit_lent
def votes_mixed(eta, f):
    """-(1/η)·ln(1 - f(1-e^-η)), for f up to NEARLY_ALL; at η = ∞, 0."""
    return -log_less(f * (1.0 - exp(-eta))) / eta if eta < np.inf else 0.0


@jit_lent
def least(losses):
    """The smallest, by eight running minima: one alone would wait for itself."""
    a = b = c = d = e = f = g = h = losses[0]
    whole = len(losses) - len(losses) % LANES
    for i in range(0, whole, LANES):
        a, b = min(a, losses[i]), min(b, losses[i + 1])
        c, d = min(c, losses[i + 2]), min(d, losses[i + 3])
        e, f = min(e, losses[i + 4]), min(f, losses[i + 5])
        g, h = min(g, losses[i + 6]), min(h, losses[i + 7])
    for i in range(whole, len(losses)):
        a = min(a, losses[i])
    return min(min(min(a, b), min(c, d)), min(min(e, f), min(g, h)))


@jit_lent
def first_of_the_least(losses):
    return first_at(losses, least(losses))


@jit_lent
def first_at(losses, lowest):
    for i in range(len(losses)):
        if losses[i] == lowest:
            return i
    return 0


@jit_lent
def refresh(w, losses, eta, base):
    """w_i = e^(-η(L_i - base))."""
    for i in range(len(w)):
        w[i] = exp(-eta * (losses[i] - base))


@jit_lent
def refresh_near(w, losses, eta, base):
    """The same, where most may be so far behind that they weigh nothing: then nothing but that is worked out."""
    for start in range(0, len(w), NEIGHBOURS):
        stop = min(start + NEIGHBOURS, len(w))
        part = losses[start:stop]
        if -eta * (least(part) - base) > FAINT:
            refresh(w[start:stop], part, eta, base)
        else:
            w[start:stop] = 0.0


@jit_lent
def is_due(rounds, period):
    """Has a whole number of periods passed? As whole numbers: the remainder of doubles takes a hundred nanoseconds."""
    return np.int64(rounds) % np.int64(period) == 0


@jit_lent
def faint(total, holds):
    """Do all those awake weigh nothing beside the sleepers?"""
    return holds & ASLEEP and not total > 1e-200


@jit_lent
def least_awake(losses, row):
    lowest = np.inf
    for i in range(len(losses)):
        if row[i] == row[i]:
            lowest = min(lowest, losses[i])
    return lowest


@jit_lent
def measure(w, losses, eta, base):
    """The weights e^(-η(L_i - base)), none above 1; at η = ∞ the leaders share them."""
    if eta < np.inf:
        for i in range(len(w)):
            w[i] = exp(min(0.0, -eta * (losses[i] - base)))
    else:
        for i in range(len(w)):
            w[i] = 1.0 if losses[i] <= base else 0.0


@jit_lent
def loss_of(a, y):
    """|a - y|, and 0 of an expert asleep; in doubles, where it is exact or nearly so."""
    loss = abs(np.float64(a) - y)
    return loss if loss > 0.0 else 0.0


# These change weights for a row of advice, and tell what `weigh` then says of the row that follows: weights are brought once a round.


@jit_lent
def punish_votes(w, losses, row, following, y, beta):
    """A wrong vote costs 1, and multiplies its weight by β."""
    wrong = np.float32(1 - y)  # NaN equals nothing, so a sleeper is not wrong
    sums = laned_votes((w, losses), row, following, (np.float64(wrong), np.float64(beta)))
    for i in range(len(w) - len(w) % LANES, len(w)):
        losses[i] += 1.0 if row[i] == wrong else 0.0
        w[i] *= beta if row[i] == wrong else 1.0
    return of_following(w, following, sums)


@jit_lent
def punish_and_share(w, losses, row, following, y, beta, keep, gift):
    """The same; then of every weight this part is kept, and all get the same gift."""
    wrong = np.float32(1 - y)
    sums = laned_shares((w, losses), row, following, (np.float64(wrong), np.float64(beta), keep, gift))
    for i in range(len(w) - len(w) % LANES, len(w)):
        losses[i] += 1.0 if row[i] == wrong else 0.0
        w[i] = keep * (w[i] * (beta if row[i] == wrong else 1.0)) + gift
    return of_following(w, following, sums)


@jit_lent
def punish(w, losses, row, following, y, eta):
    """Advice a costs |a - y|, and a loss multiplies its weight by e^(-η·loss)."""
    x = -eta if eta <= 1 / 16 else -eta / 64.0  # e^(-η) = (e^(-η/64))^64
    xx = x * x
    a, b, c = x * NEAR[0], xx * NEAR[1], xx * x * NEAR[2]
    d, e, f = xx * xx * NEAR[3], xx * xx * x * NEAR[4], xx * xx * xx * NEAR[5]
    if eta <= 1 / 16:
        if y == 0:  # the advice is the loss, which saves a sixth
            sums = laned_given((w, losses), row, following, (a, b, c, d, e, f))
        else:
            sums = laned_losses((w, losses), row, following, (np.float64(y), a, b, c, d, e, f))
        for i in range(len(w) - len(w) % LANES, len(w)):
            loss = loss_of(row[i], y)
            losses[i] += loss
            w[i] *= near_one(loss, a, b, c, d, e, f)
        return of_following(w, following, sums)
    if eta <= 4.0:
        for i in range(len(w)):
            loss = loss_of(row[i], y)
            losses[i] += loss
            p = near_one(loss, a, b, c, d, e, f)
            p *= p
            p *= p
            p *= p
            p *= p
            p *= p
            w[i] *= p * p
    else:
        for i in range(len(w)):
            loss = loss_of(row[i], y)
            losses[i] += loss
            w[i] *= exp(-eta * loss)
    return weigh(w, following)


@jit_lent
def near_one(loss, a, b, c, d, e, f):
    """1 + a·loss + b·loss² + ... + f·loss⁶; 1 where nothing is lost."""
    p = fma(loss, f, e)
    p = fma(loss, p, d)
    p = fma(loss, p, c)
    p = fma(loss, p, b)
    return fma(loss, fma(loss, p, a), 1.0)


@jit_lent
def tells_what_is_left(beta, strict):
    """Does the wrong share tell what those awake will weigh? Of votes it does, unless β is so small that the rest would be lost."""
    return strict == 3 and beta > 1e-3


@jit_lent
def left_of(total, favour, y, beta):
    """What those awake weigh once wrong votes are punished."""
    return total - (1.0 - beta) * (total - favour if y == 1 else favour)


@jit_lent
def count_losses(losses, table, t, y):
    count_these(losses, table[t], y)


@jit_lent
def count_these(losses, row, y):
    for i in range(len(losses)):
        losses[i] += loss_of(row[i], y)


@jit_lent
def count_and_look(losses, row, following, y):
    """Count what a row costs: the least of the losses, and what the row that follows holds."""
    sums = laned_counts((losses,), row, following, (np.float64(y),))
    lowest = sums[0]
    for i in range(len(losses) - len(losses) % LANES, len(losses)):
        losses[i] += loss_of(row[i], y)
        lowest = min(lowest, losses[i])
    return lowest, of_following(losses, following, sums)[2]


@jit_lent
def share(favour, total):
    """The weighted mean of the advice; 1/2 when nobody awake has any weight."""
    return favour / total if total > 0.0 else 0.5


@jit_lent
def coin(seed, k):
    """A number in [0, 1) that depends on seed and k alone: splitmix64 of the two."""
    x = np.uint64(seed) * np.uint64(0xD1342543DE82EF95) + np.uint64(k) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(31)
    return np.float64(x >> np.uint64(11)) * 2.0**-53


@jit_lent
def pick(w, row, total, u):
    """The expert awake at which the running total of weights passes u of the whole; chunk by chunk, then inside one. -1 when all sleep."""
    goal, start, passed = u * total, 0, 0.0
    while start + 128 < len(w):
        part = laned_sums((w[start : start + 128],), row[start : start + 128], row[start : start + 128], ())[0]
        if passed + part > goal:
            break
        passed += part
        start += 128
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
