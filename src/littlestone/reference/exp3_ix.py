"""Exp3 with implicit exploration, as the lectures print it."""

from collections.abc import Iterator

from littlestone.reference.exp3 import exp3
from littlestone.reference.experts import Notes, Rounds


def exp3_ix(rounds: Rounds, *, n: int, eta=None, seed: int, notes: Notes | None = None) -> Iterator[float]:
    """Exp3 whose estimates are loss/(p + η/2)."""
    yield from exp3(rounds, n=n, eta=eta, seed=seed, explore=True, notes=notes)
