"""Follow the leader, as the lectures print it."""

from collections.abc import Iterator

from littlestone.reference.experts import Rounds
from littlestone.reference.perturbed_leader import led


def follow_leader(rounds: Rounds, *, n: int) -> Iterator[float]:
    """Follow the first among the least of losses, of those awake."""
    yield from led(rounds, [0.0] * n)
