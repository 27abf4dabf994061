"""Numbers a bound may rely on: fractions from what the user typed, logarithms by integer powers, reals rounded up."""

import re
from decimal import ROUND_CEILING, Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, inf, nextafter

from littlestone.errors import LittlestoneError

Exact = int | Fraction
Real = Exact | Decimal

# A hundred digits leave more than thirty after any cancellation in a bound; `up` gives back far more than is lost.
DIGITS = Context(prec=100, Emin=-999_999, Emax=999_999)
SLACK = Decimal("1e-30")


def fraction(value: object, name: str = "value") -> Fraction:
    """The number the user typed, exactly: 1.1 is 11/10, not the nearest binary double.

    >>> fraction(1.1), fraction("3/2"), fraction(5)
    (Fraction(11, 10), Fraction(3, 2), Fraction(5, 1))
    """
    try:
        text = "" if isinstance(value, Fraction) else str(value)
        if len(text) > 400 or re.search(r"[eE][+-]?[0-9_]{4}", text):  # no number that anybody means; it would take for ever
            raise ValueError
        return value if isinstance(value, Fraction) else Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise LittlestoneError(f"{name}={value!r} must be a finite number, such as 2, 1.5 or 3/2") from None


@lru_cache(1024)
def ceil_log(base: Exact, x: Exact) -> int:
    """⌈log_base x⌉ for base > 1 and x > 0, by exact powers (math.log2(2**49 + 1) would be rounded to 49).

    >>> ceil_log(2, 2**49 + 1), ceil_log(2, 8), ceil_log(Fraction(3, 2), 6), ceil_log(2, Fraction(1, 3))
    (50, 3, 5, -1)
    """
    base, x = Fraction(base), Fraction(x)
    k = max(0, estimated_log(base, x) - 2)
    power = base**k
    while power < x:
        power *= base
        k += 1
    while power / base >= x:
        power /= base
        k -= 1
    return k


def estimated_log(base: Fraction, x: Fraction) -> int:
    """log_base x within 1: where to begin an exact count, or where none is needed."""
    with localcontext(DIGITS):
        return int(real(x).ln() / real(base).ln())


def strictly_below(x: Exact) -> int:
    """The largest integer that is < x: what "M < x" says of a count."""
    return ceil(x) - 1


def at_most(x: Real) -> int:
    """The largest integer that is ≤ x: what "M ≤ x" says of a count."""
    return floor(x)


def float_above(x: Real | float) -> float:
    """The smallest double that is ≥ x.

    >>> float_above(Fraction(1, 3)) > Fraction(1, 3), float_above(2)
    (True, 2.0)
    """
    near = float(x)
    return near if near >= x else nextafter(near, inf)


def float_below(x: Real | float) -> float:
    """Return the largest double that is ≤ x.

    >>> float_below(2**53 + 1) == 2**53, float_below(Fraction(1, 3)) < Fraction(1, 3), float_below(0.1)
    (True, True, 0.1)
    """
    near = float(x)
    return near if near <= x else nextafter(near, -inf)


def rounded_up(number: float | Decimal, rounding: str = ROUND_CEILING) -> str:
    """Four digits, never less than the number; never more with `ROUND_FLOOR`.

    >>> rounded_up(0.00656155), rounded_up(13.333725), rounded_up(13.339, "ROUND_FLOOR")
    ('0.006562', '13.34', '13.33')
    """
    return f"{Context(prec=4, rounding=rounding).create_decimal(Decimal(number)):f}"


def real(x: Real | float) -> Decimal:
    """The number as a decimal of a hundred digits."""
    with localcontext(DIGITS):
        return Decimal(x.numerator) / Decimal(x.denominator) if isinstance(x, Fraction) else Decimal(x)


def up(x: Decimal) -> Decimal:
    """A little above x, by a share of it: covers what hundred-digit arithmetic may have rounded away, whatever unit x is in.

    >>> up(Decimal("1e-60")) < Decimal("1.001e-60"), up(Decimal(-1)) > -1, up(Decimal(0))
    (True, True, Decimal('0'))
    """
    with localcontext(DIGITS):
        return x + abs(x) * SLACK if x else x


def root_up(x: Real) -> Decimal:
    """√x, rounded up.

    >>> root_up(Fraction(1, 10**80)) < Decimal("1.001e-40"), root_up(0)
    (True, Decimal('0'))
    """
    with localcontext(DIGITS):
        return up(real(x).sqrt()) if x else Decimal(0)


def cosh(x: Decimal) -> Decimal:
    with localcontext(DIGITS):
        return (x.exp() + (-x).exp()) / 2
