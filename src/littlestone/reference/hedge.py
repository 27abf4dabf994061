"""Hedge, as the lectures print it."""

from collections.abc import Iterator
from math import log, sqrt

from littlestone.reference.experts import Notes, Rounds, losses_of, mean, weights


def hedge(rounds: Rounds, *, n: int, eta=None, notes: Notes | None = None) -> Iterator[float]:
    """Weights e^(-η·loss); η_t = √(8·ln n/t) when no η is given."""
    lost, t, notes = [0.0] * n, 0, notes or Notes()
    for advice, y in rounds:
        rate = float(eta) if eta is not None else sqrt(8 * log(max(2, n)) / (t + 1))
        notes.weights = weights(lost, advice, rate)
        yield mean(notes.weights, advice)
        if y is not None:
            lost, t = [a + b for a, b in zip(lost, losses_of(advice, y), strict=True)], t + 1
