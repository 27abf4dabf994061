"""Sums of powers of a fraction α: the table of powers that native/core/powers.h looks weights up in, and the exact answer."""

from collections import Counter, namedtuple
from decimal import Decimal, localcontext
from fractions import Fraction
from math import inf, log2, nextafter

import numpy as np

from littlestone.theory.numbers import Context, estimated_log, real
from littlestone.theory.winnow import promotions_of_one_weight

Powers = namedtuple("Powers", "theta low powers exact_low exact_high")

SPARE = 4096  # places above the largest exponent: where labels come late a weight may be raised when it is past θ already


LOWEST = -(2**31) + 2**24  # the least exponent that a state may bring: so many more mistakes do not overflow


def negligible(base: Fraction, exponent: int, times: int, gap: Fraction) -> bool:
    """Is times·base^exponent surely below a gap above 0? By logarithms: a power that cannot matter may be too long to be worked out."""
    bits = log2(base.numerator) - log2(base.denominator)
    return exponent * bits + log2(max(1, times)) < -gap.denominator.bit_length() - 1


def outweighs(beta: Fraction, votes_for: Counter, votes_against: Counter) -> bool:
    """Do votes for it weigh as much as those against it, a vote with count c weighing β^c? Exactly, from the heaviest down, no further than
    needed."""
    left, ahead, heaviest = votes_for.total() + votes_against.total(), Fraction(0), 0
    for c in sorted(set(votes_for) | set(votes_against)):
        if beta and ahead == 0:
            heaviest = c  # a common factor decides nothing, unless it is 0
        elif beta and negligible(beta, c - heaviest, left, abs(ahead)):
            break
        weight = beta ** (c - heaviest)
        if abs(ahead) > left * weight:
            break
        ahead += (votes_for[c] - votes_against[c]) * weight
        left -= votes_for[c] + votes_against[c]
    return ahead >= 0


def reaches_exactly(alpha: Fraction, theta: Fraction, exponents: np.ndarray) -> bool:
    """Σ α^e_i ≥ θ in exact arithmetic, from the largest weights down, no further than needed."""
    left, total = len(exponents), Fraction(0)
    for e, times in sorted(Counter(exponents.tolist()).items(), reverse=True):
        if negligible(alpha, e, left, theta - total):
            return False
        weight = alpha**e
        if total + left * weight < theta:
            return False
        total += times * weight
        left -= times
        if total >= theta:
            return True
    return total >= theta


def powers_of(alpha: Fraction, theta: Fraction) -> Powers:
    """α^e from where it no longer counts (θ·2^-132) up to the largest exponent, and the range that doubles add exactly."""
    high = promotions_of_one_weight(alpha, theta) + 1
    low = -2 - estimated_log(alpha, max(1 / theta, Fraction(1)) * 2**132)
    with localcontext(Context(prec=60)):
        base = Decimal(alpha.numerator) / alpha.denominator
        up, down = [Decimal(1)], [Decimal(1)]
        for _ in range(high):
            up.append(up[-1] * base)
        for _ in range(-low):
            down.append(down[-1] / base)
    table = np.array([float(p) for p in [*reversed(down), *up[1:]]])
    powers = np.append(table, np.full(SPARE, table[-1]))  # any of them is θ or more by itself, and so is a sum with it
    exact_low = exact_high = 0
    p, q = alpha.numerator, alpha.denominator
    reach, most = 4 * theta.numerator, 2**53 * theta.denominator  # whole numbers: fractions would cost as much as a pass over 5,000 rows
    if q == 1 and p & (p - 1) == 0:
        while reach * p ** (1 - exact_low) <= most:
            exact_low -= 1
    if q & (q - 1) == 0:
        while exact_high < high and p ** (exact_high + 1) < 2**53 and reach * q ** (exact_high + 1) <= most:
            exact_high += 1
    above = float(real(theta))
    while Fraction(above) < theta:  # the least double ≥ θ: an exact sum is ≥ θ iff it is ≥ this
        above = nextafter(above, inf)
    return Powers(above, low, powers, exact_low, exact_high)
