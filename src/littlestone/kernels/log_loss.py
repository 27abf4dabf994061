"""The log-loss of a rule whose score is the logarithm of the odds of a 1."""

from littlestone.kernels.compiler import jit_lent
from littlestone.kernels.hyperbolic import exp, log

FAR = 600.0  # scores beyond this are taken for it where a probability is made: no product of two can vanish
SMALL, LARGE, BITS = 2.0**-100, 2.0**100, 100.0
SOUND = ([SMALL, 0.0, 0.0, 0.0], [1.0, 2.0**53, 1e300, 1e300])  # the least and the most that `sums` can hold


@jit_lent
def chances(s, y):
    """The probabilities of the true label and of the other, s the score."""
    e = exp(-min(abs(s), FAR))
    likely = 1.0 / (1.0 + e)
    if (s >= 0.0) != y:
        return e * likely, likely
    return likely, e * likely


@jit_lent
def keep(sums, right, weight):
    """The accounts: a product of probabilities needs no logarithm, and scaling it by powers of two loses nothing.

    `sums`: Π of the true labels' probabilities as a·2^-b (two numbers), the log-loss of rounds of other weights than 1, Σ weights.
    """
    sums[3] += weight
    if weight == 1.0:
        sums[0] *= right
        while sums[0] < SMALL:
            sums[0] *= LARGE
            sums[1] += BITS
    else:
        sums[2] -= weight * log(right)
