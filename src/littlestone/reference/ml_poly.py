"""ML-Poly, as the paper prints it."""

from collections.abc import Iterator
from typing import Any

from littlestone.reference.experts import Notes, Rounds
from littlestone.reference.regrets import Excess, by_regret


def ml_poly(rounds: Rounds, *, n: int, loss: str | None = None, quantile: Any = None, notes: Notes | None = None) -> Iterator[Any]:
    """Weights (R_i)₊/(E + V_i), E the largest square of a regret."""
    return by_regret(rounds, Excess(n), loss, quantile, notes)
