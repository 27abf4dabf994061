"""AdaHedge, as the lectures print it."""

from collections.abc import Iterator
from math import exp, inf, log

from littlestone.reference.experts import Notes, Rounds, losses_of, mean, weights


def adahedge(rounds: Rounds, *, n: int, notes: Notes | None = None) -> Iterator[float]:
    """η = ln n/Δ, Δ the sum of the mixability gaps f + (1/η)·ln Σ p_i·e^(-η·loss_i)."""
    lost, gaps, notes = [0.0] * n, 0.0, notes or Notes()
    for advice, y in rounds:
        eta = log(n) / gaps if gaps > 0 else inf
        notes.weights = w = weights(lost, advice, eta)
        share = mean(w, advice)
        yield share
        if y is None:
            continue
        punished = losses_of(advice, y)
        awake = [(loss, loss + more) for loss, more, a in zip(lost, punished, advice, strict=True) if a is not None]
        if awake:
            before, after = (min(column) for column in zip(*awake, strict=True))
            mixed = after - before
            if eta < inf:
                ahead, behind = (
                    sum(exp(max(-745.0, -eta * (loss - least))) for loss in column)
                    for column, least in zip(zip(*awake, strict=True), (before, after), strict=True)
                )
                mixed += (log(ahead) - log(behind)) / eta
            notes.gaps = gaps = gaps + max(0.0, abs(share - y) - mixed)
        lost = [a + b for a, b in zip(lost, punished, strict=True)]
