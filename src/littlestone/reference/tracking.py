"""Tracking, as theory/tracking.py tells it: seven rules, each by its own definition's steps, and an AdaHedge over them."""

from collections.abc import Iterator, Sequence
from math import exp, inf, log

from littlestone.reference.experts import Notes, Rounds, losses_of, mean
from littlestone.reference.experts import weights as weights_of
from littlestone.theory.tracking import GAPS, RATES, START


def tracking(rounds: Rounds, *, n: int, notes: Notes | None = None) -> Iterator[float]:
    """Rule 0 is AdaHedge, the others share; the one above weighs them by their losses, and by its own gaps.

    On rounds when somebody sleeps the weights on the experts learn, and nothing else does.
    """
    notes = notes or Notes()
    lost, shared = [0.0] * n, [[1 / n] * n for _ in RATES]
    behind, gaps, above = [0.0] * len(GAPS), [0.0] * len(GAPS), 0.0
    for advice, y in rounds:
        eta = log(n) / gaps[0] if gaps[0] > 0 else inf
        first = weights_of(lost, [0] * n, eta)
        rules = [[v / sum(first) for v in first], *shared]
        rate = log(len(GAPS)) / (START + above)
        trust = weights_of(behind, behind, rate)
        trust = [p / sum(trust) for p in trust]
        notes.weights = [sum(p * w[i] for p, w in zip(trust, rules, strict=True)) for i in range(n)]
        share = mean(notes.weights, advice)
        yield share
        if y is None:
            continue
        punished = losses_of(advice, y)
        if None not in advice:
            costs = [abs(mean(w, advice) - y) for w in rules]
            gaps[0] += max(0.0, costs[0] - mixed(lost, punished, eta))
            above += max(0.0, abs(share - y) - mixed(behind, costs, rate))
            behind = [a + b for a, b in zip(behind, costs, strict=True)]
        for k, ((alpha, sharp), w) in enumerate(zip(RATES, shared, strict=True)):
            kept = [v * exp(-float(sharp) * loss) for v, loss in zip(w, punished, strict=True)]
            total = sum(kept)
            if None not in advice:
                gaps[k + 1] += max(0.0, costs[k + 1] + log(total / sum(w)) / float(sharp))
            shared[k] = [(1 - float(alpha)) * v / total + float(alpha) / n for v in kept]
        lost = [a + b for a, b in zip(lost, punished, strict=True)]
        notes.more = dict(zip(GAPS, [2 * gaps[0] + 2 * above + START, *(gap + 2 * above + START for gap in gaps[1:])], strict=True))


def mixed(lost: Sequence[float], more: Sequence[float], eta: float) -> float:
    """The mix loss of a round: how the least loss grows, and at a finite rate the logarithms beside it."""
    after = [loss + extra for loss, extra in zip(lost, more, strict=True)]
    grown = min(after) - min(lost)
    if eta == inf:
        return grown
    ahead, behind = (sum(exp(max(-745.0, -eta * (loss - min(losses)))) for loss in losses) for losses in (lost, after))
    return grown + (log(ahead) - log(behind)) / eta
