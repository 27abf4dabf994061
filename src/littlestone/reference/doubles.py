"""Sums, exponentials and draws in doubles, operation by operation, each rounded once.

Exp3 divides by small chances, and so multiplies whatever rounding has done: two ways to compute the same weights agree for some hundred
rounds and then no more.  Its definition therefore says in which order doubles are added, and how e^x is made of them.
"""

import math
from collections.abc import Callable, Sequence

LANES, CHUNK = 8, 128
FAINT = -600.0  # e^-600 of the leader's weight is no weight
MAGIC = 6755399441055744.0  # 1.5·2^52: adding it leaves the nearest whole number
LOG2_E, LN2_HIGH, LN2_LOW = 1.4426950408889634, 6.93147180369123816490e-01, 1.90821492927058770002e-10


def _fma(a: float, b: float, c: float) -> float:
    """a·b + c, rounded once: a quotient of whole numbers is.

    >>> _fma(0.1, 10.0, -1.0), 0.1 * 10.0 - 1.0
    (5.551115123125783e-17, 0.0)
    """
    (p, q), (r, s), (t, u) = a.as_integer_ratio(), b.as_integer_ratio(), c.as_integer_ratio()
    return (p * r * u + t * q * s) / (q * s * u)


fma: Callable[[float, float, float], float] = getattr(math, "fma", _fma)


def exp(x: float) -> float:
    """e^x for x ≤ 0, and 0 below e^-600: the remainder after powers of two, by its series.

    >>> exp(0.0), exp(-1.0) == math.exp(-1.0), exp(-700.0)
    (1.0, True, 0.0)
    """
    if not x > FAINT:
        return 0.0
    k = fma(x, LOG2_E, MAGIC) - MAGIC
    r = fma(-k, LN2_LOW, fma(-k, LN2_HIGH, x))
    s = r * r
    q = s * s
    low = fma(fma(r, 1 / 6, 1 / 2), s, 1.0 + r)
    middle = fma(fma(r, 1 / 5040, 1 / 720), s, fma(r, 1 / 120, 1 / 24))
    high = fma(fma(r, 1 / 39916800, 1 / 3628800), s, fma(r, 1 / 362880, 1 / 40320))
    p = fma(fma(fma(r, 1 / 6227020800, 1 / 479001600), q, high), q, middle)
    return math.ldexp(fma(p, q, low), int(k))


def weights(lost: Sequence[float], rate: float, base: float) -> list[float]:
    """e^(-η·(loss - base)), none above 1."""
    return [exp(min(0.0, -rate * (loss - base))) for loss in lost]


def total(values: Sequence[float]) -> float:
    """Eight running sums, joined pairwise, and then what is left over.

    >>> total([1.0] * 11)
    11.0
    """
    whole = len(values) - len(values) % LANES
    lanes = [0.0] * LANES
    for i in range(whole):
        lanes[i % LANES] += values[i]
    while len(lanes) > 1:
        lanes = [lanes[k] + lanes[k + 1] for k in range(0, len(lanes), 2)]
    for i in range(whole, len(values)):
        lanes[0] += values[i]
    return lanes[0]


def picked(w: Sequence[float], advice: Sequence[float | None], goal: float) -> int | None:
    """The expert awake at which the running total of the weights passes the goal, whole chunks first; None when all sleep."""
    awake = [0.0 if a is None else v for v, a in zip(w, advice, strict=True)]
    start, passed, last = 0, 0.0, None
    while start + CHUNK < len(w) and not passed + (part := total(awake[start : start + CHUNK])) > goal:
        passed, start = passed + part, start + CHUNK
    for i in range(start, len(w)):
        if awake[i] > 0.0:
            passed, last = passed + awake[i], i
            if passed > goal:
                return i
    return last if last is not None else max((i for i, a in enumerate(advice) if a is not None), default=None)
