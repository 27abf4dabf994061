"""exp, sinh and cosh as `reference.hyperbolic` defines them, compiled."""

from math import floor, ldexp, sqrt

from littlestone.jit import jit
from littlestone.reference.hyperbolic import LN2_HIGH, LN2_LOW, LOG2_E


@jit
def exp(x):
    if x < -745.0:
        return 0.0
    k = floor(x * LOG2_E + 0.5)
    r = (x - k * LN2_HIGH) - k * LN2_LOW
    p = 1.0
    for j in range(13, 0, -1):
        p = 1.0 + r * p / j
    return ldexp(p, int(k))


@jit
def sinh(a):
    if abs(a) < 1.0:
        square, p = a * a, 1.0
        for m in range(8, 0, -1):
            p = 1.0 + square * p / (2 * m * (2 * m + 1))
        return a * p
    e = exp(abs(a))
    half = 0.5 * (e - 1.0 / e)
    return half if a > 0 else -half


@jit
def cosh(a):
    if abs(a) < 1.0:
        s = sinh(a)
        return sqrt(1.0 + s * s)
    e = exp(abs(a))
    return 0.5 * (e + 1.0 / e)
