"""AdaHedge with sleepers, as the lectures print it."""

from collections.abc import Iterator
from math import inf, log

from littlestone.reference.experts import Notes, Rounds, log_sum, mean, weights


def sleeping_adahedge(rounds: Rounds, *, n: int, notes: Notes | None = None) -> Iterator[float]:
    """AdaHedge where a sleeper is charged what the rule loses; kept of an expert is how far it is behind the rule."""
    behind, gaps, notes = [0.0] * n, 0.0, notes or Notes()
    for advice, y in rounds:
        eta = log(n) / gaps if gaps > 0 else inf
        notes.weights = w = weights(behind, advice, eta)
        yield mean(w, advice)
        if y is None or all(a is None for a in advice):
            continue
        least = min(abs(float(a) - y) for a in advice if a is not None)
        more = [None if a is None else abs(float(a) - y) - least for a in advice]
        lost = mean(w, more)  # beyond the least
        after = [b if x is None else b + (x - lost) for b, x in zip(behind, more, strict=True)]
        gap = min(behind) - min(after)
        if eta < inf:
            gap += (log_sum(after, eta) - log_sum(behind, eta)) / eta
        notes.gaps, behind = gaps + max(0.0, gap), after
        gaps = notes.gaps
