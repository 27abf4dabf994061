"""Mistakes from log-loss: what is true of every rule that gives probabilities and predicts the likelier label.

On a mistake the true label had probability at most 1/2, so the round lost at least ln 2: M·ln 2 ≤ Λ, Λ = Σ log-loss over the labelled
rounds, each of the rule as it was then.  Weights: the loss of a round of weight c counts c times; Λ and M are then sums of c.

Compared: every round loses what it loses, mistake or not, so Λ does not follow from M, and labels without a pattern make it about T·ln 2 or
more.  For any fixed u, Λ = Λ(u) + (Λ - Λ(u)): what u loses over all rounds, and the regret, which is measured, not bounded.  In bits, with
logarithms to the base 2, M ≤ Λ.  Where u lost more than the run, Λ(u) is stated.

Scores beyond ±600 are taken as ±600 where a probability is made: the loss of a mistake stays above ln 2 and below the true one.
Rounding: each probability is right to a relative 2^-49, as are sums of losses; a share 2^-30 is added.
"""

from decimal import Decimal, localcontext
from fractions import Fraction

from littlestone.theory.all_rounds import LogLossMeter
from littlestone.theory.bound import MEASURED_REGRET, Bound, hindsight
from littlestone.theory.numbers import DIGITS, Real, real, up

SHARE = Fraction(1, 2**30)


def ln2() -> Decimal:
    with localcontext(DIGITS):
        return Decimal(2).ln()


def log_loss(product: Real, halvings: int, weighed: Real = 0) -> Decimal:
    """-ln(product) + halvings·ln 2 + weighed, rounded up: the loss from the product of the probabilities, kept as product·2^-halvings.

    >>> log_loss(Fraction(1, 4), 3).quantize(Decimal("0.0001"))
    Decimal('3.4657')
    """
    with localcontext(DIGITS):
        return up((halvings * ln2() - real(product).ln() + real(weighed)) * real(1 + SHARE) + real(SHARE))


def from_loss(loss: Real) -> Decimal:
    """M ≤ Λ/ln 2.

    >>> from_loss(Decimal(7)).quantize(Decimal("0.01"))
    Decimal('10.10')
    """
    with localcontext(DIGITS):
        return up(real(loss) / ln2())


def measured(bits: Real, loss: Real) -> Decimal:
    """M ≤ Λ(u) + (Λ - Λ(u)), in bits, and no less than Λ(u).

    >>> measured(Decimal(5), Decimal(7)).quantize(Decimal("0.01")), measured(Decimal(12), Decimal(7)).quantize(Decimal("0.01"))
    (Decimal('10.10'), Decimal('12.00'))
    """
    return max(from_loss(loss), up(real(bits)))


def measured_regret(of: str) -> Bound:
    """The bound by the run's own log-loss, beside what a fixed linear rule loses over all rounds."""
    return hindsight(
        f"{of}{MEASURED_REGRET}",
        "M ≤ Λ(u) + (Λ - Λ(u)),  Λ = the run's own log-loss in bits, Λ(u) = that of u over all rounds: what is between them is measured",
        measured,
        "on a mistake the true label had probability at most 1/2",
        witness="vector",
        every=True,
        loss="bits",
        meter=LogLossMeter,
        own=("loss",),
    )


def own_loss(of: str) -> Bound:
    """The bound by the run's own log-loss; `of` is what its name begins with."""
    return hindsight(
        f"{of}-loss",
        "M ≤ Λ/ln 2,  Λ = the run's own log-loss",
        from_loss,
        "on a mistake the true label had probability at most 1/2",
        witness="run",
    )
