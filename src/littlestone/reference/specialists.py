"""Specialists, as the lectures print it."""

from collections.abc import Iterator
from math import exp, log

from littlestone.reference.experts import Notes, Rounds, at_least_half, losses_of, mean


def specialists(
    rounds: Rounds, *, n: int, eta, form: str = "randomized", decide=at_least_half, notes: Notes | None = None
) -> Iterator[float]:
    """Punish those awake, then rescale them so that their total stays what it was."""
    log_w, notes = [0.0] * n, notes or Notes()
    for advice, y in rounds:
        awake = [i for i, a in enumerate(advice) if a is not None]
        top = max((log_w[i] for i in awake), default=0.0)
        w = [exp(max(-700.0, min(0.0, v - top))) for v in log_w]
        notes.weights, share = w, mean(w, advice)
        yield share
        if y is not None and awake and (form == "randomized" or decide(share) != (y == 1)):
            punished = losses_of(advice, y)
            back = log(sum(w[i] for i in awake) / sum(w[i] * exp(-float(eta) * punished[i]) for i in awake))
            for i in awake:
                log_w[i] += back - float(eta) * punished[i]
