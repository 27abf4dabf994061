"""The error of a frozen model while labels keep coming: an interval that is true at every round at once.

Let X_t = 1 where the model errs on labelled round t, p_t the probability of that given all rounds before, M = X_1 + ... + X_T, and
p = (p_1 + ... + p_T)/T, the average error of the rounds so far.  Where rounds are independent draws from one distribution, every p_t is
the error of the model and so is p.  Nothing of that is needed below: rounds may depend on each other, and the error may drift.

**One bet.** Fix λ.  E[e^(λX_t) | past] = 1 + p_t(e^λ - 1), so Π e^(λX_t)/(1 + p_t(e^λ - 1)) is a martingale that begins at 1.  ln is
concave, so Π(1 + p_t(e^λ - 1)) ≤ (1 + p(e^λ - 1))^T, and e^(λM)/(1 + p(e^λ - 1))^T is at most that martingale.  By Ville's inequality it
ever reaches 1/δ with probability at most δ.  Hence, with probability at least 1-δ, for all T at once:

    (1 + p(e^λ - 1))^T > δe^(λM).

With λ > 0 this says that p is not small, p > ((δe^(λM))^(1/T) - 1)/(e^λ - 1); with -λ in its place, that p is not large:
p < (1 - (δe^(-λM))^(1/T))/(1 - e^-λ).

**Many bets.** λ must be chosen before the rounds.  Bet with λ_j = 4/2^j and with -λ_j at δ_j = (δ/2)/((j+1)(j+2)), j = 0, ..., 59.  The
δ_j of both sides add up to less than δ, so all of it holds together, and the best of each side may be read off at any round.

**A limit is crossed** where the first side leaves no room for it: λ_jM - T·ln(1 + P(e^λ_j - 1)) ≥ ln(1/δ_j) for some j.  Each j is a
straight line in the plane of T and M.  Then the average error of the rounds so far was above P, but for δ/2.

A round without a label does not count.  Whether a label is told must not depend on the example; else the error is that of examples whose
labels are told.  A mistake counts once, whatever its round weighs.
"""

from decimal import Decimal, localcontext
from fractions import Fraction
from math import nextafter
from typing import NamedTuple

from littlestone.errors import require
from littlestone.theory.numbers import DIGITS, SLACK, float_above, fraction, real, up

BETS = 60  # the last of them is the best one after more than 10^30 rounds
RATES = [Fraction(4, 2**j) for j in range(BETS)]
LEAST = Fraction(1, 10**100)  # of delta: a hundred digits hold what follows from it
NEAR = 1e-9  # what doubles can tell: closer to a line than this part of its terms, a hundred digits decide


class Interval(NamedTuple):
    """Where the average error lies: lower is rounded down, upper up."""

    lower: float
    upper: float


def chance_of(delta: object) -> Fraction:
    """The probability that the claim is false, as a decimal that a double holds: what is written down is what is meant, or less.

    >>> chance_of(0.05)
    Fraction(1, 20)
    """
    chance = fraction(delta, "delta")
    require(0 < chance < 1, f"delta={delta!s} must lie between 0 and 1: it is the probability that the claim is false")
    require(chance >= LEAST, f"delta={delta!s} is too small: expected at least 1e-100")
    near = float(chance)
    return Fraction(repr(near)) if Fraction(repr(near)) <= chance else Fraction(repr(nextafter(near, 0.0)))


def share(j: int, delta: Fraction) -> Fraction:
    """δ_j, the part of δ that bet j has on each side."""
    return delta / (2 * (j + 1) * (j + 2))


def interval(M: int, T: int, delta: Fraction) -> Interval:
    """What M mistakes in T labelled rounds say of the average error.

    >>> [round(end, 4) for end in interval(100, 1000, Fraction(1, 20))], interval(0, 0, Fraction(1, 20))
    ([0.0682, 0.1401], Interval(lower=0.0, upper=1.0))
    """
    require(0 <= M <= T, f"M={M!r}, T={T!r}: the mistakes must be a number from 0 to the rounds")
    lower, upper = Decimal(0), Decimal(1)
    if T == 0:
        return Interval(0.0, 1.0)
    with localcontext(DIGITS):
        for j, rate in enumerate(RATES):
            lam, sure = real(rate), real(share(j, delta)).ln()
            lower = max(lower, (((lam * M + sure) / T).exp() - 1) / (lam.exp() - 1))
            upper = min(upper, (1 - ((sure - lam * M) / T).exp()) / (1 - (-lam).exp()))
        down = lower - abs(lower) * SLACK - SLACK
    return Interval(max(0.0, -float_above(-down)), min(1.0, float_above(up(upper))))


class Crossing:
    """The lines that the mistakes must reach to prove that the average error was above a limit."""

    def __init__(self, limit: object, delta: Fraction) -> None:
        self.limit = Fraction(repr(float(fraction(limit, "limit"))))  # what is written down is what is meant
        require(0 <= self.limit < 1, f"limit={limit!s} must lie between 0 and 1: it is the error that is allowed")
        with localcontext(DIGITS):
            rates = list(map(real, RATES))
            costs = [up((1 + real(self.limit) * (lam.exp() - 1)).ln()) for lam in rates]
            sure = [up(-real(share(j, delta)).ln()) for j in range(BETS)]
        self.exact = list(zip(rates, costs, sure, strict=True))
        self.lines = [tuple(map(float, line)) for line in self.exact]

    def reached(self, M: int, T: int) -> bool:
        """Do M mistakes in T rounds prove it?

        >>> Crossing(0.05, Fraction(1, 20)).reached(100, 1000), Crossing(0.07, Fraction(1, 20)).reached(100, 1000)
        (True, False)
        """
        for line, (rate, cost, sure) in zip(self.lines, self.exact, strict=True):
            gain, price = line[0] * M, line[1] * T + line[2]
            if gain < line[2] * (1 - NEAR):  # the lines of all bets that follow begin higher
                return False
            if gain > price * (1 - NEAR):
                with localcontext(DIGITS):
                    if rate * M >= cost * T + sure:
                        return True
        return False


def first_crossing(crossing: Crossing, rounds: list[int]) -> int | None:
    """The first labelled round at which the limit is crossed; `rounds` are the rounds of the mistakes, counted from 1.

    >>> first_crossing(Crossing(0.1, Fraction(1, 20)), [3, 5, 6, 7, 8, 9, 10])
    8
    """
    return next((T for M, T in enumerate(rounds, 1) if crossing.reached(M, T)), None)
