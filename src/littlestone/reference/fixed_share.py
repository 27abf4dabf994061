"""Fixed share, as the lectures print it."""

from collections.abc import Iterator
from math import exp

from littlestone.reference.experts import Notes, Rounds, at_least_half, losses_of, mean


def fixed_share(
    rounds: Rounds, *, n: int, alpha, eta, beta, form: str = "randomized", decide=at_least_half, notes: Notes | None = None
) -> Iterator[float]:
    """Punish, then every weight gives away the share α, divided equally; always, or on mistakes of the weighted majority only."""
    w, notes = [1 / n] * n, notes or Notes()
    for advice, y in rounds:
        notes.weights, share = w, mean(w, advice)
        yield share
        if y is not None and (form == "randomized" or decide(share) != (y == 1)):
            w = [v * (float(beta) if loss == 1 else exp(-float(eta) * loss)) for v, loss in zip(w, losses_of(advice, y), strict=True)]
            total = sum(w)
            w = [(1 - float(alpha)) * v / total + float(alpha) / n for v in w]
