"""AdaHedge, as the lectures print it."""

from collections.abc import Iterable, Iterator
from itertools import repeat
from math import exp, inf, log

from littlestone.reference.experts import Notes, Rounds, losses_of, mean
from littlestone.reference.experts import weights as weights_of


def adahedge(rounds: Rounds, *, n: int, notes: Notes | None = None, weights: Iterable[float] | None = None) -> Iterator[float]:
    """η = ln n/Δ, Δ the sum of the mixability gaps f + (1/η)·ln Σ p_i·e^(-η·loss_i).

    All losses of a round of weight c are c times as large.
    """
    lost, gaps, notes = [0.0] * n, 0.0, notes or Notes()
    for (advice, y), c in zip(rounds, weights or repeat(1.0), strict=False):
        eta = log(n) / gaps if gaps > 0 else inf
        notes.weights = w = weights_of(lost, advice, eta)
        share = mean(w, advice)
        yield share
        if y is None:
            continue
        punished = [c * loss for loss in losses_of(advice, y)]
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
            notes.gaps = gaps = gaps + max(0.0, c * abs(share - y) - mixed)
        lost = [a + b for a, b in zip(lost, punished, strict=True)]
