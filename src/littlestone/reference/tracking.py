"""Tracking, as theory/tracking.py tells it: seven rules, each by its own definition's steps, and an AdaHedge over them."""

from collections.abc import Iterator, Sequence
from math import exp, inf, log

from littlestone.reference.experts import Notes, Rounds, losses_of, mean
from littlestone.reference.experts import weights as weights_of
from littlestone.theory.tracking import GAPS, RATES


def tracking(rounds: Rounds, *, n: int, notes: Notes | None = None) -> Iterator[float]:
    """Rule 0 is AdaHedge, the others share; the one above weighs them by their losses, and by its own gaps."""
    notes = notes or Notes()
    lost, shared = [0.0] * n, [[1 / n] * n for _ in RATES]
    behind, gaps, above = [0.0] * len(GAPS), [0.0] * len(GAPS), 0.0
    for advice, y in rounds:
        eta = log(n) / gaps[0] if gaps[0] > 0 else inf
        rules = [weights_of(lost, advice, eta), *shared]
        shares = [mean(w, advice) for w in rules]
        rate = log(len(GAPS)) / above if above > 0 else inf
        trust = weights_of(behind, shares, rate)
        share = mean(trust, shares)
        notes.weights = combined(trust, rules, advice)
        yield share
        if y is None:
            continue
        punished, awake = losses_of(advice, y), [a is not None for a in advice]
        if any(awake):
            gaps[0] += max(0.0, abs(shares[0] - y) - mixed(lost, punished, awake, eta))
        for k, ((alpha, sharp), w) in enumerate(zip(RATES, shared, strict=True)):
            kept = [v * exp(-float(sharp) * loss) for v, loss in zip(w, punished, strict=True)]
            total = sum(kept)
            if all(awake):
                gaps[k + 1] += max(0.0, abs(shares[k + 1] - y) + log(total / sum(w)) / float(sharp))
            shared[k] = [(1 - float(alpha)) * v / total + float(alpha) / n for v in kept]
        costs = [abs(s - y) for s in shares]
        above += max(0.0, abs(share - y) - mixed(behind, costs, [True] * len(costs), rate))
        lost = [a + b for a, b in zip(lost, punished, strict=True)]
        behind = [a + b for a, b in zip(behind, costs, strict=True)]
        notes.more = dict(zip(GAPS, [2 * gaps[0] + 2 * above, *(gap + 2 * above for gap in gaps[1:])], strict=True))


def combined(trust: Sequence[float], rules: Sequence[Sequence[float]], advice: Sequence) -> list[float]:
    """The weights on the experts that come of trusting the rules so: each rule spends its weight on those awake."""
    totals = [sum(v for v, a in zip(w, advice, strict=True) if a is not None) for w in rules]
    parts = [p / total if total > 0 else 0.0 for p, total in zip(trust, totals, strict=True)]
    return [sum(part * w[i] for part, w in zip(parts, rules, strict=True)) for i in range(len(advice))]


def mixed(lost: Sequence[float], more: Sequence[float], awake: Sequence[bool], eta: float) -> float:
    """The mix loss of a round, of those awake: how the least loss grows, and at a finite rate the logarithms beside it."""
    before = [loss for loss, here in zip(lost, awake, strict=True) if here]
    after = [loss + extra for loss, extra, here in zip(lost, more, awake, strict=True) if here]
    grown = min(after) - min(before)
    if eta == inf:
        return grown
    ahead, behind = (sum(exp(max(-745.0, -eta * (loss - min(losses)))) for loss in losses) for losses in (before, after))
    return grown + (log(ahead) - log(behind)) / eta
