"""What rules by regret share: the slope of a loss at the rule's own forecast, a round's regrets, and the three ways to learn from them.

A rule's forecast is f, the weighted mean of those awake.  Expert i's regret in a round is r_i = s·(f - x_i), s the slope of the loss at f,
and 0 while it sleeps.  Of votes, probabilities and losses the loss |f - y| is a line between 0 and 1, so that r_i is exactly what the rule
lost beyond the expert; of forecasts under a convex loss it is no less than that (`theory.regrets`).  Regrets are in the table's own units:
every rule here has rates that do not mind the unit.

Sums go expert by expert, in one order: a rule whose weights begin at a regret of 0 must have the same bits everywhere.
"""

import numpy as np

from littlestone.errors import require
from littlestone.kernels.advice import ASLEEP, exp, log
from littlestone.kernels.compiler import jit_lent
from littlestone.learners._rates import strictness
from littlestone.protocol.soundness import MOST, NOT_NEGATIVE, REAL, within
from littlestone.theory.regrets import LOSSES

DUST = 1e-12  # what is smaller beside what it is made of is rounding (theory/regrets.py)
LEVEL, STEPS = 1e-9, 6  # of least squares, as there: code kept on disk looks at this room, and the twins at that one
SQUARED, PINBALL = LOSSES.index("squared"), LOSSES.index("pinball")


def told_as(advice, loss, quantile):
    """Of a rule's settings, the numbers that its kernel takes: which faults a row may not have, which loss, its quantile."""
    require(loss is None or advice == "loss", f"loss={loss!r} is of forecasts, whose rounds are losses; advice={advice!r}")
    require((quantile is None) == (loss != "pinball"), f"quantile={quantile!r} goes with loss='pinball', and it with a quantile")
    kind = 0 if loss is None else LOSSES.index(loss)
    return (0 if kind else strictness(advice)), kind, 0.0 if quantile is None else float(quantile)


@jit_lent
def labelled(loss, y):
    """Is there a truth? Codes are -1 where there is none, outcomes of forecasts NaN."""
    return y == y if loss else y >= 0


@jit_lent
def slope(loss, quantile, f, y):
    """How fast the loss grows with the forecast, at f; at a kink 0, which lies between the two."""
    if loss == 0:  # between 0 and 1, y one of the two
        return 1.0 if y == 0 else -1.0
    if loss == SQUARED:
        return 2.0 * (f - y)
    if f == y:
        return 0.0
    up, down = (1.0 - quantile, -quantile) if loss == PINBALL else (1.0, -1.0)
    return up if f > y else down


@jit_lent
def cost(loss, quantile, x, y):
    d = x - y
    if loss == SQUARED:
        return d * d
    if loss == PINBALL:
        return max(-quantile * d, (1.0 - quantile) * d)
    return abs(d)


@jit_lent
def blended(loss, w, row):
    """The weighted mean of those awake, their weight, and what the row holds. Where they have no weight all count alike; where nobody is
    awake it is 1/2, and of forecasts no number. It lies between those that have weight: rounding makes no regret beside who is alone."""
    total = favour = 0.0
    low, high = np.inf, -np.inf
    awake, holds = 0, np.int64(0)
    for i in range(len(w)):
        a = row[i]
        if a == a:
            awake += 1
            total += w[i]
            favour += w[i] * a
            low, high = (min(low, a), max(high, a)) if w[i] > 0.0 else (low, high)
            holds |= np.int64((a > 1) | (a < 0)) | (np.int64(a * a != a) << 1)
        else:
            holds |= ASLEEP
    if awake == 0:
        return (np.nan if loss else 0.5), 0.0, holds
    if not total > 0.0:
        favour = 0.0
        for i in range(len(w)):
            if row[i] == row[i]:
                w[i] = 1.0
                favour += row[i]
                low, high = min(low, row[i]), max(high, row[i])
        total = float(awake)
    return min(max(favour / total, low), high), total, holds


@jit_lent
def drawn(w, row, total, u):
    """The expert awake at which the running total of weights passes u of the whole; -1 when all sleep."""
    passed, last = 0.0, -1
    for i in range(len(w)):
        if row[i] == row[i] and w[i] > 0.0:
            last = i
            passed += w[i]
            if passed > u * total:
                return i
    return last


@jit_lent
def regretted(r, row, f, s):
    """The regrets of a round, and the largest of them in size."""
    widest = 0.0
    for i in range(len(r)):
        r[i] = s * (f - row[i]) if row[i] == row[i] else 0.0
        widest = max(widest, abs(r[i]))
    return widest


# ---- ML-Poly: weights η_i·(R_i)₊, η_i = 1/(E + V_i) ----


@jit_lent
def trust_by_excess(w, regrets, squares, widest):
    for i in range(len(w)):
        w[i] = regrets[i] / (widest + squares[i]) if regrets[i] > 0.0 else 0.0


@jit_lent
def learn_excess(r, regrets, squares, widest, potential):
    """Add a round's regrets; the largest square so far, and the bound on the potential (`theory.regrets`)."""
    before, added, leap = widest, 0.0, 0.0
    for i in range(len(r)):
        widest = max(widest, r[i] * r[i])
    if not widest > 0.0:
        return widest, potential
    for i in range(len(r)):
        square = r[i] * r[i]
        if before > 0.0:
            added += square / (before + squares[i])
        squares[i] += square
        if r[i] > 0.0:
            leap += square / (widest + squares[i])
        regrets[i] += r[i]
    root = np.sqrt(potential) + np.sqrt(leap)
    leap = root * root
    return widest, min(potential + added, leap) if before > 0.0 else leap


# ---- BOA and ML-Prod: weights η_i·e^(η_i·X_i), each expert with a rate of its own; kept is 1/η_i ----


@jit_lent
def grown(x):
    """e^x for any x."""
    return exp(x) if x <= 0.0 else 1.0 / exp(-x)


@jit_lent
def trust_by_gain(w, gains, slowness):
    """η·e^(η·X), divided by the largest e^(η·X)."""
    best = -np.inf
    for i in range(len(w)):
        if slowness[i] > 0.0:
            best = max(best, gains[i] / slowness[i])
    for i in range(len(w)):
        w[i] = exp(gains[i] / slowness[i] - best) / slowness[i] if slowness[i] > 0.0 else 0.0


@jit_lent
def relight(w, gains, slowness, row):
    """The same beside the best of those awake, for a round in which the leaders sleep."""
    best = -np.inf
    for i in range(len(w)):
        if row[i] == row[i] and slowness[i] > 0.0:
            best = max(best, gains[i] / slowness[i])
    for i in range(len(w)):
        awake = row[i] == row[i] and slowness[i] > 0.0
        w[i] = exp(gains[i] / slowness[i] - best) / slowness[i] if awake else 0.0


@jit_lent
def log_more(x):
    """ln(1 + x) for x ≥ -1/2, good for small x too: twice the series of artanh near 0."""
    if abs(x) > 0.25:
        return log(1.0 + x)
    s = x / (2.0 + x)
    q, p = s * s, 0.0
    for j in range(21, 0, -2):
        p = p * q + 1.0 / j
    return 2.0 * s * p


@jit_lent
def learn_gain(products, r, widest, ln_n, gains, corrections, squares, sizes, slowness):
    """Add a round's regrets, of which none so far was larger than `widest`; how much the potential grew beyond what the lemma allows.

    With `products` an expert gains ln(1 + ηr)/η (ML-Prod) and its rate minds its own largest regret; else r - ηr² (BOA), and the rates mind
    the largest of all.
    """
    n, share = len(r), 1.0
    for i in range(n):  # the part of this round that the rates of before could have borne
        if 2.0 * abs(r[i]) > slowness[i]:
            share = min(share, slowness[i] / (2.0 * abs(r[i])))
    allowed = after = 0.0
    for i in range(n):
        x = share * r[i] / slowness[i] if slowness[i] > 0.0 else 0.0
        ahead = grown(gains[i] / slowness[i]) if slowness[i] > 0.0 else 1.0
        allowed += ahead * (1.0 + x if products else grown(x - x * x))
        sizes[i] = max(sizes[i], abs(r[i]))
        squares[i] += r[i] * r[i]
        size = sizes[i] if products and sizes[i] > 0.0 else widest
        slowness[i] = slow = max(2.0 * size, np.sqrt(squares[i] / ln_n))
        if slow > 0.0:
            gain = slow * log_more(r[i] / slow) if products else r[i] - r[i] * r[i] / slow
            gains[i] += gain
            corrections[i] += r[i] - gain
            after += grown(gains[i] / slow)
        else:
            after += 1.0
    return max(0.0, (after - allowed) / n)


# ---- AdaHedge: weights e^(-η·behind), η = ln n/Δ; while Δ is 0 the leaders share them, and rounding makes no leader ----


@jit_lent
def level(r, row, f):
    """Let those that agree with f to twelve digits have no regret; the largest that they had."""
    dust = 0.0
    for i in range(len(r)):
        if abs(f - row[i]) <= DUST * max(abs(f), abs(row[i])):
            dust = max(dust, abs(r[i]))
            r[i] = 0.0
    return dust


@jit_lent
def ease(r, row, f):
    """Under squared loss a gradient says (f - x)² more than was lost: take half of that off the regrets."""
    for i in range(len(r)):
        r[i] -= 0.5 * (f - row[i]) * (f - row[i])


@jit_lent
def trust_by_gaps(w, behind, gaps, ln_n, row):
    best, largest = np.inf, 0.0
    for i in range(len(w)):
        if row[i] == row[i]:
            best = min(best, behind[i])
        largest = max(largest, abs(behind[i]))
    for i in range(len(w)):
        if gaps > 0.0:
            w[i] = exp(min(0.0, -(behind[i] - best) * ln_n / gaps))
        else:
            w[i] = 1.0 if behind[i] - best <= DUST * largest else 0.0


@jit_lent
def learn_gaps(r, behind, gaps, ln_n, mean):
    """How far each expert is behind the rule now; the mixability gap of the round, none where it is no more than rounding beside the
    largest regret. `mean` is that of the regrets, by the rule's weights."""
    before, after, widest = np.inf, np.inf, 0.0
    for i in range(len(r)):
        before, after, widest = min(before, behind[i]), min(after, behind[i] - r[i]), max(widest, abs(r[i]))
    gap, ahead, left = before - after, 0.0, 0.0
    for i in range(len(r)):
        if gaps > 0.0:
            ahead += exp(-(behind[i] - before) * ln_n / gaps)
            left += exp(-(behind[i] - r[i] - after) * ln_n / gaps)
        behind[i] -= r[i]
    if gaps > 0.0:
        gap += (log(left) - log(ahead)) * gaps / ln_n
    gap -= min(mean, 0.0)  # above 0 it is rounding, and must not make the gap smaller
    return gap if gap > DUST * widest else 0.0


# ---- least squares: the weights whose mean had the least squared error, the plain average pulling (theory/regrets.py) ----


@jit_lent
def learn_squares(row, f, y, keep, pull, leads, slopes, products, about):
    """Add a round's errors, and step towards the least: `products` are Σ e_i·e_j, `slopes` Σ_j e_i·e_j·w_j, `about` the rounds and the
    squares so far. Weights are kept as n times what they are: all are 1 at the start."""
    n, own, square = len(leads), 0.0, 0.0
    for i in range(n):
        e = (row[i] if row[i] == row[i] else f) - y
        own += leads[i] * e
        square += e * e
    about[0] = keep * about[0] + 1.0
    about[1] = keep * about[1] + square
    for i in range(n):
        e = (row[i] if row[i] == row[i] else f) - y
        slopes[i] = keep * slopes[i] + e * own
        for j in range(n):
            products[i, j] = keep * products[i, j] + e * ((row[j] if row[j] == row[j] else f) - y)
    rho = pull * about[1] / (about[0] * n)
    for _ in range(STEPS):
        to = away = -1
        least, most = np.inf, -np.inf
        for i in range(n):
            d = slopes[i] + rho * (leads[i] - 1.0)
            if d < least:
                least, to = d, i
            if leads[i] > 0.0 and d > most:
                most, away = d, i
        if not most - least > LEVEL * abs(most):
            return
        bend = products[to, to] + products[away, away] - 2.0 * products[to, away] + 2.0 * rho
        step = min((most - least) / bend, leads[away]) if bend > 0.0 else leads[away]
        leads[away] -= step
        leads[to] += step
        for i in range(n):
            slopes[i] += step * (products[i, to] - products[i, away])


# ---- inverse squares: weights 1/q, q the mean squared error, with one round more of their harmonic mean (theory/regrets.py) ----


@jit_lent
def trust_by_squares(w, squares, rounds, middle):
    for i in range(len(w)):
        w[i] = middle * (rounds[i] + 1.0) / (squares[i] + middle) if middle > 0.0 else 1.0


@jit_lent
def trust_by_likelihood(w, squares, rounds, middle, row):
    """q^(-N/2) of the same q, N the rounds of the one awake most: the likelihood of normal errors, beside the best of those awake."""
    best, most = np.inf, 0.0
    for i in range(len(w)):
        most = max(most, rounds[i])
        if row[i] == row[i]:
            best = min(best, (squares[i] + middle) / (rounds[i] + 1.0))
    for i in range(len(w)):
        if row[i] == row[i] and middle > 0.0:
            w[i] = exp(min(0.0, -0.5 * most * log((squares[i] + middle) / (rounds[i] + 1.0) / best)))
        else:
            w[i] = 1.0


@jit_lent
def learn_errors(row, y, keep, squares, rounds, middle):
    """Add a round's errors; the harmonic mean of the squares now, by rounds."""
    for i in range(len(row)):
        if row[i] == row[i]:
            e = row[i] - y
            squares[i] = keep * squares[i] + e * e
            rounds[i] = keep * rounds[i] + 1.0
    total = played = 0.0
    for i in range(len(row)):
        played += rounds[i]
        if squares[i] + middle > 0.0 and rounds[i] > 0.0:
            more = rounds[i] + 1.0 if middle > 0.0 else rounds[i]
            total += rounds[i] * more / (squares[i] + middle)
    return played / total if total > 0.0 else 0.0


# ---- the median of those awake, and the mean of the middle two of an even number ----


@jit_lent
def trust_the_middle(w, row):
    m = 0
    for i in range(len(row)):
        if row[i] == row[i]:
            w[m] = row[i]
            m += 1
    if m == 0:
        return
    k, left, right = (m - 1) // 2, 0, m - 1
    while left < right:  # Hoare's Find: what is at k is not less than what stands before it, nor more than what stands after
        x, i, j = w[k], left, right
        while i <= j:
            while w[i] < x:
                i += 1
            while x < w[j]:
                j -= 1
            if i <= j:
                w[i], w[j] = w[j], w[i]
                i += 1
                j -= 1
        if j < k:
            left = i
        if k < i:
            right = j
    low = high = w[k]
    if m % 2 == 0:
        high = np.inf
        for i in range(k + 1, m):
            high = min(high, w[i])
    lows = highs = 0
    for i in range(len(row)):
        lows += row[i] == low
        highs += row[i] == high
    for i in range(len(row)):
        w[i] = 0.0
        if row[i] == low:
            w[i] += 1.0 / lows
        if row[i] == high:
            w[i] += 1.0 / highs


@jit_lent
def fade(keep, ln_n, widest, gains, squares, slowness):
    """Let what was learned weigh less than what is learned next."""
    for i in range(len(gains)):
        gains[i] *= keep
        squares[i] *= keep
        slowness[i] = max(2.0 * widest, np.sqrt(squares[i] / ln_n))


def sound_regrets(state):
    """What is true of the states of these rules: sizes and counts are not negative, and other numbers are finite."""
    signed = ("regrets", "gains", "products", "slopes", "top_behind")
    within(state, **{name: REAL if name in signed else NOT_NEGATIVE for name in state._fields if name != "z"})
    within(state, z=(0, [2**53, 1, *[MOST] * (len(state.z) - 2)]))
    require(state.z[0] == int(state.z[0]), f"its z says {state.z[0]} rounds; expected a whole number")
