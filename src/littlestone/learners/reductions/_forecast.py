"""The forecasts of a panel as `reference.forecast` defines them, compiled."""

from math import floor

import numpy as np

from littlestone.kernels.compiler import double_of, jit, jit_lent
from littlestone.kernels.hyperbolic import log, taylor
from littlestone.kernels.log_loss import BITS, LARGE, SMALL
from littlestone.reference.blend import FAR, STEEP
from littlestone.reference.forecast import HOLD, SELDOM
from littlestone.reference.hyperbolic import LN2_HIGH, LN2_LOW, LOG2_E


def first_calibration(members: int) -> np.ndarray:
    """Of each member a slope, an offset, and the Hessian: Σ h·z² + 1, Σ h·z, Σ h + 1."""
    return np.repeat([[1.0], [0.0], [1.0], [0.0], [1.0]], members, axis=1).ravel()


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
            for k in range(members):
                h, g = max(p[k] * q[k], STEEP), q[k] if labels[t] == 1 else -p[k]
                hv = h * x[k]
                zz[k] += hv * x[k]
                z1[k] += hv
                one[k] += h
                step = g / (zz[k] * one[k] - z1[k] * z1[k])
                slope[k] += step * (one[k] * x[k] - z1[k])
                offset[k] += step * (zz[k] - z1[k] * x[k])


@jit_lent
def mixed(others, labels, prior, ones, zeros, weights, products, halvings, counts, forecasts):
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
        if labels[t] >= 0:
            rights, right = (ones[t], sum1) if labels[t] == 1 else (zeros[t], sum0)
            counts[0] += 1
            counts[1] += (sum1 >= sum0) != (labels[t] == 1)
            share = 1.0 / (counts[0] + HOLD)
            kept = (1.0 - share) / right
            for i in range(n):
                weights[i] = kept * weights[i] * rights[i] + share * prior[i]
                products[i] *= rights[i]
            products[n] *= right
            for i in range(n + 1):
                if products[i] < SMALL:
                    products[i] *= LARGE
                    halvings[i] += BITS
