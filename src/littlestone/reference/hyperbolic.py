"""exp, sinh and cosh from +, -, ×, ÷ and √ alone, so that a run in doubles is the same on every machine.

A system's own sinh may differ from another's in the last bit, and one bit can turn a prediction. These differ from the true values by
a few units in the last place, and from themselves nowhere.
"""

from __future__ import annotations

from math import floor, ldexp, sqrt

LOG2_E = 1.4426950408889634
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10  # ln 2, the first 33 bits exact


def exp(x: float) -> float:
    """2^k·(Taylor series of the remainder), k whole.

    >>> import math
    >>> all(abs(exp(x / 7) / math.exp(x / 7) - 1) < 1e-15 for x in range(-700, 700))
    True
    """
    if x < -745.0:
        return 0.0
    k = floor(x * LOG2_E + 0.5)
    r = (x - k * LN2_HIGH) - k * LN2_LOW
    p = 1.0
    for j in range(13, 0, -1):
        p = 1.0 + r * p / j
    return ldexp(p, k)


def sinh(a: float) -> float:
    """By its series near 0, where e^a - e^-a would lose digits.

    >>> import math
    >>> all(abs(sinh(x / 64) / math.sinh(x / 64) - 1) < 1e-15 for x in range(1, 700))
    True
    """
    if abs(a) < 1.0:
        square, p = a * a, 1.0
        for m in range(8, 0, -1):
            p = 1.0 + square * p / (2 * m * (2 * m + 1))
        return a * p
    e = exp(abs(a))
    half = 0.5 * (e - 1.0 / e)
    return half if a > 0 else -half


def cosh(a: float) -> float:
    """√(1 + sinh²) near 0, (e^a + e^-a)/2 beyond."""
    if abs(a) < 1.0:
        s = sinh(a)
        return sqrt(1.0 + s * s)
    e = exp(abs(a))
    return 0.5 * (e + 1.0 / e)
