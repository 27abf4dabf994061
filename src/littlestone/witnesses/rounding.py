"""Doubles as decimals of twelve digits, rounded outward: what a search measured in doubles, as a certificate may state it."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

TWELVE = Context(prec=12, rounding=ROUND_CEILING, Emin=-999_999, Emax=999_999)
TWELVE_DOWN = Context(prec=12, rounding=ROUND_FLOOR, Emin=-999_999, Emax=999_999)
OUTWARD = 1 + 2.0**-40


def above(x: float) -> Decimal:
    """A decimal of twelve digits that is x or a little more, and more than x itself may have lost in doubles.

    >>> above(0.1), above(0.0)
    (Decimal('0.100000000001'), Decimal('0'))
    """
    return TWELVE.create_decimal(Decimal(x * OUTWARD)) if x else Decimal(0)


def below(x: float) -> Decimal:
    """The same, x or a little less, of a positive x.

    >>> below(0.1)
    Decimal('0.0999999999999')
    """
    return TWELVE_DOWN.create_decimal(Decimal(x / OUTWARD))
