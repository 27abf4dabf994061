"""ML-Prod, as the paper prints it."""

from collections.abc import Iterator
from typing import Any

from littlestone.reference.experts import Notes, Rounds
from littlestone.reference.regrets import Gain, by_regret


def ml_prod(rounds: Rounds, *, n: int, loss: str | None = None, quantile: Any = None, notes: Notes | None = None) -> Iterator[Any]:
    """Weights η_i·e^(η_i·X_i), X_i = Σ ln(1 + η_i·r)/η_i."""
    return by_regret(rounds, Gain(n, products=True), loss, quantile, notes)
