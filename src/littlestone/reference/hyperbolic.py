"""exp, log, sinh and cosh from +, -, ×, ÷ and √ alone, so that a run in doubles is the same on every machine.

A system's own sinh may differ from another's in the last bit, and one bit can turn a prediction. These differ from the true values by
a few units in the last place, and from themselves nowhere.
"""

from math import factorial, floor, frexp, ldexp, sqrt

LOG2_E = 1.4426950408889634
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10  # ln 2, the first 33 bits exact
ODD_SHARES = tuple(1.0 / j for j in range(25, 0, -2))  # of artanh, the last first
SINH_DIVISORS = tuple(2.0 * m * (2 * m + 1) for m in range(8, 0, -1))
C2, C3, C4, C5, C6, C7, C8, C9, C10, C11, C12, C13 = (1.0 / factorial(j) for j in range(2, 14))


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
    return ldexp(taylor(r), k)


def taylor(r: float) -> float:
    """The first fourteen terms of e^r, paired so that few of them wait for another."""
    square = r * r
    fourth = square * square
    first = (1.0 + r) + square * (C2 + r * C3)
    second = (C4 + r * C5) + square * (C6 + r * C7)
    third = (C8 + r * C9) + square * (C10 + r * C11) + fourth * (C12 + r * C13)
    return first + fourth * (second + fourth * third)


def log(x: float) -> float:
    """e·ln 2 + 2·artanh((m-1)/(m+1)) for x = m·2^e > 0, m between √½ and √2.

    >>> import math
    >>> all(abs(log(x / 7) - math.log(x / 7)) < 1e-15 * (1 + abs(math.log(x / 7))) for x in range(1, 700))
    True
    """
    m, e = frexp(x)
    if m < 0.7071067811865476:
        m, e = 2.0 * m, e - 1
    s = (m - 1.0) / (m + 1.0)
    square, p = s * s, 0.0
    for share in ODD_SHARES:
        p = share + square * p
    return e * LN2_HIGH + (e * LN2_LOW + 2.0 * s * p)


def sinh(a: float) -> float:
    """By its series near 0, where e^a - e^-a would lose digits.

    >>> import math
    >>> all(abs(sinh(x / 64) / math.sinh(x / 64) - 1) < 1e-15 for x in range(1, 700))
    True
    """
    if abs(a) < 1.0:
        square, p = a * a, 1.0
        for divisor in SINH_DIVISORS:
            p = 1.0 + square * p / divisor
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
