"""The forecasts of a panel as `reference.forecast` defines them, compiled."""

from math import floor, sqrt

import numpy as np

from littlestone.kernels.compiler import double_of, jit, jit_lent
from littlestone.kernels.hyperbolic import log, taylor
from littlestone.kernels.log_loss import BITS, LARGE, SMALL
from littlestone.reference.blend import FAR, LARGEST, STEEP
from littlestone.reference.forecast import BINS, HOLD, KNEE, LEAST, LOW, SELDOM, SHIFTS, TIE
from littlestone.reference.hyperbolic import LN2_HIGH, LN2_LOW, LOG2_E
from littlestone.reference.hyperbolic import exp as plain_exp

AGAINST = np.array([plain_exp(-shift) for shift in SHIFTS])  # what a shift of the logarithm does to the odds of a 0


def first_calibration(members: int) -> np.ndarray:
    """Of each member a slope, an offset, and the Hessian: Σ h·z² + 1, Σ h·z, Σ h + 1."""
    return np.repeat([[1.0], [0.0], [1.0], [0.0], [1.0]], members, axis=1).ravel()


def first_bins() -> tuple[np.ndarray, np.ndarray]:
    """Of each bin the weights of what puts it right; and how many labels there were, and 1s among them."""
    return np.full((BINS, len(SHIFTS) + 1), 1.0 / (len(SHIFTS) + 1)), np.zeros((BINS, 2))


@jit_lent
def thinned(labels, counts, often, seldom):
    """The labels that teach what has all of the past for its memory, counts[0] having come: after `often` every fourth alone."""
    number = counts[0]
    for t in range(len(labels)):
        seldom[t] = labels[t]
        if labels[t] >= 0:
            number += 1
            if number > often and number % SELDOM != 0:
                seldom[t] = -1


@jit_lent
def near_exp(x):
    """e^x as `exp` has it, for |x| < 700 and without a branch, so that a loop over it runs in vectors."""
    k = floor(x * LOG2_E + 0.5)
    r = (x - k * LN2_HIGH) - k * LN2_LOW
    return taylor(r) * double_of((np.int64(k) + 1023) << 52)


@jit_lent
def chances(s):
    """The probabilities of a 1 and of a 0, s the logarithm of the odds."""
    e = near_exp(-min(abs(s), FAR))
    likely = 1.0 / (1.0 + e)
    return (likely, e * likely) if s >= 0.0 else (e * likely, likely)


@jit_lent
def take_step(x, s, likely, other, label, slope, offset, zz, z1, one):
    """Newton's step of every slope and offset towards a label; x are the scores, s the log-odds, `likely` the probability of what each
    expects, and `other` the rest."""
    for k in range(len(slope)):
        up, down = (likely[k], other[k]) if s[k] >= 0.0 else (other[k], likely[k])
        h, g = max(likely[k] * other[k], STEEP), down if label == 1 else -up
        hv = h * x[k]
        zz[k] += hv * x[k]
        z1[k] += hv
        one[k] += h
        step = g / (zz[k] * one[k] - z1[k] * z1[k])
        slope[k] += step * (one[k] * x[k] - z1[k])
        offset[k] += step * (zz[k] - z1[k] * x[k])


@jit
def calibrated(z, labels, calibration, odds, ones, zeros):
    """The log-odds of every member in each round, and a 1, and the probabilities; each learns slope and offset from the labels."""
    members = z.shape[1]
    calibrate_rounds(z, labels, calibration, odds, ones, zeros, np.empty(members), np.empty(members))


@jit_lent
def calibrate_rounds(z, labels, calibration, odds, ones, zeros, likely, other):
    """The pass; `likely` and `other` take the probability of what each member expects, and the rest."""
    members = z.shape[1]
    slope, offset = calibration[:members], calibration[members : 2 * members]
    zz, z1, one = calibration[2 * members : 3 * members], calibration[3 * members : 4 * members], calibration[4 * members :]
    for t in range(len(labels)):
        x, s = z[t], odds[t]
        for k in range(members):  # short loops over few arrays, which run in vectors
            s[k] = min(max(slope[k] * x[k] + offset[k], -FAR), FAR)
        for k in range(members):
            e = near_exp(-abs(s[k]))
            likely[k] = 1.0 / (1.0 + e)
            other[k] = e * likely[k]
        p, q = ones[t], zeros[t]
        for k in range(members):
            p[k] = likely[k] if s[k] >= 0.0 else other[k]
            q[k] = other[k] if s[k] >= 0.0 else likely[k]
        s[members] = 1.0
        if labels[t] >= 0:
            take_step(x, s, likely, other, labels[t], slope, offset, zz, z1, one)


@jit
def heard(scores, labels, seldom, givers, asked, counts, sums, calibration, odds, ones, zeros):
    """What stacks hear of each member in each round, and a 1, and its probabilities; slopes and offsets learn, of those that are asked."""
    room = np.empty((5, len(scores)))
    hear_rounds(scores, labels, seldom, givers, asked, counts[0], sums, calibration, odds, ones, zeros, room)


@jit_lent
def hear_rounds(scores, labels, seldom, givers, asked, rounds, sums, calibration, odds, ones, zeros, room):
    """The pass. Of those that are asked, and then of the others: v takes the scores, x the scores made alike, s the log-odds, `likely` and
    `other` the probability of what each expects, and the rest."""
    n, members = len(asked), len(scores)
    v, x, s, likely, other = room[0], room[1], room[2], room[3], room[4]
    total, squares = sums[:n], sums[n:]
    slope, offset = calibration[:n], calibration[n : 2 * n]
    zz, z1, one = calibration[2 * n : 3 * n], calibration[3 * n : 4 * n], calibration[4 * n :]
    for t in range(len(labels)):
        p, q, stacked = ones[t], zeros[t], odds[t]
        for k in range(n):
            v[k] = scores[asked[k], t] if scores[asked[k], t] == scores[asked[k], t] else 0.0
            v[k] = min(max(v[k], -LARGEST), LARGEST)
        each, each_square = 1.0 / (rounds + 2.0), 1.0 / (rounds + 1.0)
        for k in range(n):  # short loops over few arrays, which run in vectors
            mean = (total[k] + v[k]) * each
            spread = (squares[k] + v[k] * v[k]) * each_square - mean * mean
            ratio = (v[k] - mean) / sqrt(spread) if spread > 0.0 else 0.0
            x[k] = ratio / sqrt(1.0 + abs(ratio))
        for k in range(n):
            s[k] = min(max(slope[k] * x[k] + offset[k], -FAR), FAR)
        for k in range(n):
            stacked[asked[k]] = s[k]
        for k in range(n, members):
            m = givers[k - n]
            s[k] = scores[m, t] if scores[m, t] == scores[m, t] else 0.0
            s[k] = min(max(s[k], -FAR), FAR)
            stacked[m] = s[k] / sqrt(1.0 + abs(s[k]) * (1.0 / KNEE))
        stacked[members] = 1.0
        for k in range(members):
            e = near_exp(-abs(s[k]))
            likely[k] = 1.0 / (1.0 + e)
            other[k] = e * likely[k]
        for k in range(members):
            m = asked[k] if k < n else givers[k - n]
            p[m] = likely[k] if s[k] >= 0.0 else other[k]
            q[m] = other[k] if s[k] >= 0.0 else likely[k]
        if labels[t] >= 0:
            rounds += 1
            for k in range(n):
                total[k] += v[k]
                squares[k] += v[k] * v[k]
        if seldom[t] >= 0:
            take_step(x, s, likely, other, seldom[t], slope, offset, zz, z1, one)


@jit
def binned(stack, labels, against, weights, counts, estimates):
    """What a stack says in each round, put right by bins of it, which learn from the labels."""
    room = np.empty((2, weights.shape[1]))
    put_right(stack, labels, against, weights, counts, estimates, room[0], room[1])


@jit_lent
def put_right(stack, labels, against, weights, counts, estimates, ones, zeros):
    """The pass; the last two take the probabilities of those that are mixed in a bin."""
    shifts = len(against)
    for t in range(len(labels)):
        above = stack[t] - LOW
        b = int(min(above, BINS - 1.0)) if above > 0.0 else 0  # NaN, which a state that was tampered with may lead to, is in the first bin
        n, m, far = counts[b, 0], counts[b, 1], near_exp(-min(max(stack[t], -FAR), FAR))
        for k in range(shifts):
            ones[k] = 1.0 / (1.0 + far * against[k])
            zeros[k] = far * against[k] * ones[k]
        ones[shifts], zeros[shifts] = (m + 0.5) / (n + 1.0), (n - m + 0.5) / (n + 1.0)
        one, zero = 0.0, 0.0
        for k in range(shifts + 1):
            one += weights[b, k] * ones[k]
            zero += weights[b, k] * zeros[k]
        estimates[t] = log(one / zero)
        if labels[t] >= 0:
            kept = 1.0 / (one if labels[t] == 1 else zero)
            for k in range(shifts + 1):
                weights[b, k] = max(weights[b, k] * (ones[k] if labels[t] == 1 else zeros[k]) * kept, LEAST)
            counts[b, 0] += 1.0
            counts[b, 1] += labels[t]


@jit_lent
def mixed(others, labels, prior, ones, zeros, weights, products, halvings, counts, slow, forecasts):
    """The mixture's log-odds in each round, from the members' probabilities and the others' log-odds; it learns whom to trust."""
    n = len(weights)
    members = n - len(others)
    for t in range(len(labels)):
        for i in range(members, n):
            ones[t, i], zeros[t, i] = chances(others[i - members, t])
        sum1, sum0 = 0.0, 0.0
        for i in range(n):
            sum1 += weights[i] * ones[t, i]
            sum0 += weights[i] * zeros[t, i]
        forecasts[t] = log(sum1 / sum0)
        if abs(forecasts[t]) < TIE:
            forecasts[t] = 0.0
        if labels[t] >= 0:
            rights, right = (ones[t], sum1) if labels[t] == 1 else (zeros[t], sum0)
            counts[0] += 1
            counts[1] += (forecasts[t] >= 0.0) != (labels[t] == 1)
            share = 1.0 / (slow * (counts[0] + HOLD))
            kept = (1.0 - share) / right
            for i in range(n):
                weights[i] = kept * weights[i] * rights[i] + share * prior[i]
                products[i] *= rights[i]
            products[n] *= right
            for i in range(n + 1):
                if products[i] < SMALL:
                    products[i] *= LARGE
                    halvings[i] += BITS
