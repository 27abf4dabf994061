"""The log-loss of a rule whose score is the logarithm of the odds of a 1."""

from decimal import Decimal
from fractions import Fraction

from littlestone.reference.hyperbolic import exp, log
from littlestone.theory.log_loss import log_loss

SMALL, LARGE, BITS = 2.0**-100, 2.0**100, 100


def chances(score: float, y: bool) -> tuple[float, float]:
    """The probabilities of the true label and of the other.

    >>> chances(0.0, True)
    (0.5, 0.5)
    """
    e = exp(-min(abs(score), 600.0))
    likely = 1.0 / (1.0 + e)
    return (likely, e * likely) if (score >= 0) == y else (e * likely, likely)


class LogLoss:
    """The log-loss so far: a product of probabilities, kept as product·2^-halvings, and the losses of rounds of other weights than 1."""

    def __init__(self) -> None:
        self.product, self.halvings, self.weighed = 1.0, 0, 0.0

    def add(self, right: float, c: float) -> None:
        """A round of weight c whose true label had this probability."""
        if c == 1:
            self.product *= right
            while self.product < SMALL:
                self.product, self.halvings = self.product * LARGE, self.halvings + BITS
        else:
            self.weighed -= c * log(right)

    def total(self) -> Decimal:
        return log_loss(Fraction(self.product), self.halvings, Fraction(self.weighed))
