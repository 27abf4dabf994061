"""Mistakes from log-loss: what is true of every rule that gives probabilities and predicts the likelier label.

On a mistake the true label had probability at most 1/2, so the round lost at least ln 2: M·ln 2 ≤ Λ, Λ = Σ log-loss over the labelled
rounds, each of the rule as it was then.  Weights: the loss of a round of weight c counts c times; Λ and M are then sums of c.

Scores beyond ±600 are taken as ±600 where a probability is made: the loss of a mistake stays above ln 2 and below the true one.
Rounding: each probability is right to a relative 2^-49, as are sums of losses; a share 2^-30 is added.
"""

from decimal import Decimal, localcontext
from fractions import Fraction

from littlestone.theory.bound import Bound, hindsight
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


def own_loss(of: str) -> Bound:
    """The bound by the run's own log-loss; `of` is what its name begins with."""
    return hindsight(
        f"{of}-loss",
        "M ≤ Λ/ln 2,  Λ = the run's own log-loss",
        from_loss,
        "on a mistake the true label had probability at most 1/2",
        witness="run",
    )
