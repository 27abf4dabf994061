"""The weighted majority, as the lectures print it."""

from collections.abc import Iterator
from fractions import Fraction
from math import log

from littlestone.reference.experts import Rounds, at_least_half, losses_of, mean, weights


def weighted_majority(
    rounds: Rounds, *, n: int, beta=Fraction(1, 2), updates: str = "mistakes", decide=at_least_half
) -> Iterator[Fraction]:
    """Weights β^(what counted); predict 1 where the mean is at least 1/2, and learn from mistakes only, or always."""
    exact = Fraction(beta).denominator > 0
    costs: list = [0] * n
    for advice, y in rounds:
        votes = exact and all(a is None or a in (0, 1) for a in advice)
        number = Fraction if votes and all(float(c).is_integer() for c in costs) else float
        if number is Fraction:
            least = min(costs) if beta else 0
            w: list = [Fraction(beta) ** int(c - least) for c in costs]
        else:
            w = weights(costs, advice, -log(beta))
        share = mean(w, advice, number)
        yield share
        if y is not None and (updates == "always" or decide(share) != (y == 1)):
            costs = [c + loss for c, loss in zip(costs, losses_of(advice, y), strict=True)]
