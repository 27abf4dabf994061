"""The forecasts of a panel as `reference.forecast` defines them, compiled."""

import numpy as np

from littlestone.kernels.compiler import jit
from littlestone.kernels.hyperbolic import exp, log
from littlestone.kernels.log_loss import BITS, LARGE, SMALL
from littlestone.reference.blend import FAR, STEEP
from littlestone.reference.forecast import HOLD


def first_calibration(members: int) -> np.ndarray:
    """Of each member a slope, an offset, and the Hessian: Σ h·z² + 1, Σ h·z, Σ h + 1."""
    return np.repeat([[1.0], [0.0], [1.0], [0.0], [1.0]], members, axis=1).ravel()


@jit
def calibrated(z, labels, calibration, odds):
    """The log-odds of every member in each round, and a 1; each learns its slope and its offset from the labels."""
    members = z.shape[1]
    slope, offset = calibration[:members], calibration[members : 2 * members]
    zz, z1, one = calibration[2 * members : 3 * members], calibration[3 * members : 4 * members], calibration[4 * members :]
    for t in range(len(labels)):
        for k in range(members):
            s = min(max(slope[k] * z[t, k] + offset[k], -FAR), FAR)
            odds[t, k] = s
            if labels[t] >= 0:
                v, p = z[t, k], 1.0 / (1.0 + exp(-s))
                h, g = max(p * (1.0 - p), STEEP), labels[t] - p
                zz[k] += h * v * v
                z1[k] += h * v
                one[k] += h
                step = g / (zz[k] * one[k] - z1[k] * z1[k])
                slope[k] += step * (one[k] * v - z1[k])
                offset[k] += step * (zz[k] - z1[k] * v)
        odds[t, members] = 1.0


@jit
def mixed(odds, others, labels, prior, weights, products, halvings, counts, forecasts):
    """The mixture's log-odds in each round, from those of the members and of the others; it learns whom to trust, and keeps accounts."""
    members, n = odds.shape[1] - 1, len(weights)
    ones, zeros = np.empty(n), np.empty(n)
    for t in range(len(labels)):
        sum1, sum0 = 0.0, 0.0
        for i in range(n):
            s = odds[t, i] if i < members else others[i - members, t]
            e = exp(-min(abs(s), FAR))
            likely = 1.0 / (1.0 + e)
            ones[i], zeros[i] = (likely, e * likely) if s >= 0.0 else (e * likely, likely)
            sum1 += weights[i] * ones[i]
            sum0 += weights[i] * zeros[i]
        forecasts[t] = log(sum1 / sum0)
        if labels[t] >= 0:
            rights, right = (ones, sum1) if labels[t] == 1 else (zeros, sum0)
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
