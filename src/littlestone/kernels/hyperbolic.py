"""exp, log, sinh and cosh as `reference.hyperbolic` defines them, compiled."""

from math import floor, frexp, inf, ldexp, sqrt

import numpy as np

from littlestone.kernels.compiler import (
    any_lane,
    bits_of,
    chosen_lanes,
    double_of,
    jit_lent,
    lanes_abs,
    lanes_floor,
    lanes_frexp,
    lanes_power,
    lanes_sqrt,
)
from littlestone.reference.hyperbolic import C2, C3, C4, C5, C6, C7, C8, C9, C10, C11, C12, C13, LN2_HIGH, LN2_LOW, LOG2_E

LEAST, FRACTION, HALF = 2.0**-1022, (1 << 52) - 1, 1022 << 52  # the least double that is not tiny; the bits of a fraction; those of 1/2


@jit_lent
def exp(x):
    if x < -745.0:
        return 0.0
    k = floor(x * LOG2_E + 0.5)
    r = (x - k * LN2_HIGH) - k * LN2_LOW
    if abs(x) < 700.0:
        return taylor(r) * double_of((np.int64(k) + 1023) << 52)  # 2^k by its bits: the same, and no call
    return ldexp(taylor(r), int(k))


@jit_lent
def taylor(r):
    square = r * r
    fourth = square * square
    first = (1.0 + r) + square * (C2 + r * C3)
    second = (C4 + r * C5) + square * (C6 + r * C7)
    third = (C8 + r * C9) + square * (C10 + r * C11) + fourth * (C12 + r * C13)
    return first + fourth * (second + fourth * third)


@jit_lent
def log(x):
    if LEAST <= x < inf:  # m·2^e by its bits: the same, and no call
        bits = bits_of(x)
        m, e = double_of(bits & FRACTION | HALF), (bits >> 52) - 1022
    else:
        m, e = frexp(x)
    if m < 0.7071067811865476:
        m, e = 2.0 * m, e - 1
    s = (m - 1.0) / (m + 1.0)
    square, p = s * s, 0.0
    for j in range(25, 0, -2):
        p = 1.0 / j + square * p
    return e * LN2_HIGH + (e * LN2_LOW + 2.0 * s * p)


@jit_lent
def lanes_log(x):
    """The same for eight numbers, none of them tiny."""
    m, e = lanes_frexp(x)
    low = m < 0.7071067811865476
    m, e = chosen_lanes(low, 2.0 * m, m), chosen_lanes(low, e - 1.0, e)
    s = (m - 1.0) / (m + 1.0)
    square = s * s
    p = 1.0 / 25 + square * 0.0
    for j in range(23, 0, -2):
        p = 1.0 / j + square * p
    return e * LN2_HIGH + (e * LN2_LOW + 2.0 * s * p)


@jit_lent
def sinh(a):
    if abs(a) < 1.0:
        square, p = a * a, 1.0
        for m in range(8, 0, -1):
            p = 1.0 + square * p / (2 * m * (2 * m + 1))
        return a * p
    e = exp(abs(a))
    half = 0.5 * (e - 1.0 / e)
    return half if a > 0 else -half


@jit_lent
def cosh(a):
    if abs(a) < 1.0:
        s = sinh(a)
        return sqrt(1.0 + s * s)
    e = exp(abs(a))
    return 0.5 * (e + 1.0 / e)


@jit_lent
def lanes_exp(x):
    """e^x of eight numbers, none beyond ±700."""
    k = lanes_floor(x * LOG2_E + 0.5)
    return taylor((x - k * LN2_HIGH) - k * LN2_LOW) * lanes_power(k)


@jit_lent
def lanes_sinh(a):
    """The same for eight numbers, none beyond ±700."""
    square = a * a
    p = 1.0 + square * 0.0
    for m in range(8, 0, -1):
        p = 1.0 + square * p / (2.0 * m * (2.0 * m + 1.0))
    near, far = a * p, lanes_abs(a) >= 1.0
    if any_lane(far):
        e = lanes_exp(chosen_lanes(far, lanes_abs(a), 1.0))
        half = 0.5 * (e - 1.0 / e)
        near = chosen_lanes(far, chosen_lanes(a > 0.0, half, 0.0 - half), near)
    return near


@jit_lent
def lanes_cosh(a):
    """The same for eight numbers, none beyond ±700."""
    far = lanes_abs(a) >= 1.0
    s = lanes_sinh(chosen_lanes(far, 0.0, a))
    near = lanes_sqrt(1.0 + s * s)
    if any_lane(far):
        e = lanes_exp(chosen_lanes(far, lanes_abs(a), 1.0))
        near = chosen_lanes(far, 0.5 * (e + 1.0 / e), near)
    return near
