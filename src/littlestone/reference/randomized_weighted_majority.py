"""The randomised weighted majority, as the lectures print it."""

from collections.abc import Iterator
from fractions import Fraction
from math import log1p

from littlestone.reference.experts import Notes, Rounds
from littlestone.reference.hedge import hedge


def randomized_weighted_majority(rounds: Rounds, *, n: int, epsilon=Fraction(1, 4), notes: Notes | None = None) -> Iterator[float]:
    """Weights (1-ε)^loss, learning from every round."""
    yield from hedge(rounds, n=n, eta=-log1p(-float(epsilon)), notes=notes)
