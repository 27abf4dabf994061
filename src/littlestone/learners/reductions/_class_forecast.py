"""The forecasts of a panel of several classes as `reference.class_forecast` defines them, compiled."""

from collections import namedtuple

import numpy as np

from littlestone.kernels.compiler import jit, jit_lent
from littlestone.kernels.hyperbolic import exp, log
from littlestone.kernels.log_loss import BITS, LARGE, SMALL
from littlestone.reference.blend import FAR
from littlestone.reference.class_forecast import FLAT, FORECASTERS, PRIOR
from littlestone.reference.forecast import HOLD

# slopes, the curvatures that their steps are divided by, and weights of the forecasters; products of the probabilities that labels had,
# with their halvings, of each and of the mixture last; rounds, and mistakes of the likeliest class
ForecastState = namedtuple("ForecastState", "slopes curvatures trust products halvings counts")
FIRST = np.array(PRIOR)


def first_forecasts() -> ForecastState:
    size = len(FORECASTERS)
    return ForecastState(
        np.ones(size), np.ones(size), FIRST.copy(), np.ones(size + 1), np.zeros(size + 1, np.int64), np.zeros(2, np.int64)
    )  # fmt: skip


@jit
def forecast(odds, labels, seen, prior, slopes, curvatures, trust, products, halvings, counts, chances, likeliest):
    """The logarithm of the odds of each known class, rounds × classes, from what blends make of them, rounds × blends × classes; and the
    class with the largest probability, the first of several, -1 before any is known."""
    size, classes = len(slopes), odds.shape[2]
    own, mixed = np.empty((size, classes)), np.empty(classes)
    forecast_rounds(odds, labels, seen, prior, slopes, curvatures, trust, products, halvings, counts, chances, likeliest, own, mixed)


@jit_lent
def forecast_rounds(odds, labels, seen, prior, slopes, curvatures, trust, products, halvings, counts, chances, likeliest, own, mixed):
    """The pass; `own` takes the probabilities of each blend, `mixed` those of all."""
    size = len(slopes)
    for t in range(len(labels)):
        known = seen[t]
        new = 1.0 / (counts[0] + 2.0)
        mixed[:] = 0.0
        for i in range(size):
            u = odds[t, i - 1 if i > 0 else size - 1]  # `blend-each` stands last among the blends, and is the first to forecast
            top = slopes[i] * u[0] if known > 0 else 0.0
            for c in range(known):
                top = max(top, slopes[i] * u[c])
            total = 0.0
            for c in range(known):
                own[i, c] = exp(-min(top - slopes[i] * u[c], FAR))
                total += own[i, c]
            for c in range(known):
                own[i, c] /= total
                mixed[c] += trust[i] * own[i, c]
        best = 0
        for c in range(known):
            p = (1.0 - new) * mixed[c]
            chances[t, c] = log(p / (1.0 - p))
            if mixed[c] > mixed[best]:
                best = c
        likeliest[t] = best if known > 0 else -1
        y = labels[t]
        if y < 0:
            continue
        total = 0.0
        for i in range(size):
            total += trust[i]
        right = (1.0 - new) * mixed[y] if y < known else new * total
        counts[0] += 1
        counts[1] += y >= known or best != y
        share = 1.0 / (counts[0] + HOLD)
        kept = (1.0 - share) / right
        for i in range(size):
            p = (1.0 - new) * own[i, y] if y < known else new
            trust[i] = kept * trust[i] * p + share * prior[i]
            products[i] *= p
        products[size] *= right
        for i in range(size + 1):
            while products[i] < SMALL:
                products[i] *= LARGE
                halvings[i] += BITS
        if y < known:
            for i in range(size):
                u = odds[t, i - 1 if i > 0 else size - 1]
                turn(own[i], u, known, y, i, slopes, curvatures)


@jit_lent
def turn(own, u, known, y, i, slopes, curvatures):
    """A step of a slope."""
    mean = spread = 0.0
    for c in range(known):
        mean += own[c] * u[c]
    for c in range(known):
        spread += own[c] * (u[c] - mean) * (u[c] - mean)
    curvatures[i] += spread
    slopes[i] = max(slopes[i] + (u[y] - mean) / curvatures[i], FLAT)
