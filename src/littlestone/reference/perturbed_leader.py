"""The perturbed leader, and what it says on average over all head starts, as the lectures print it."""

from collections.abc import Iterator, Sequence
from math import log

from littlestone.reference.experts import Rounds, coin, gauss, losses_of, weights


def perturbed_leader(rounds: Rounds, *, n: int, eta, seed: int) -> Iterator[float]:
    """Follow the first among the least of losses less head starts, of those awake."""
    yield from led(rounds, [-log(1.0 - coin(seed, i)) / float(eta) for i in range(n)])


def led(rounds: Rounds, start: Sequence[float]) -> Iterator[float]:
    """The leader with these head starts."""
    behind = [0.0] * len(start)
    for advice, y in rounds:
        awake = [i for i, a in enumerate(advice) if a is not None]
        yield float(advice[min(awake, key=lambda i: behind[i] - start[i])]) if awake else 0.5
        if y is not None:
            behind = [b + loss for b, loss in zip(behind, losses_of(advice, y), strict=True)]


def expected(rounds: Rounds, *, n: int, eta) -> Iterator[float]:
    """What the leader says, on average over all head starts.

    Expert i leads with the chance c_i·∫_0^1 Π_{j≠i} (1 - v·c_j) dv: by Gauss's rule, on intervals that double in length.
    """
    lost, nodes = [0.0] * n, gauss(16)
    for advice, y in rounds:
        votes = [float(a) for a in advice if a is not None]
        c = [v for v, a in zip(weights(lost, advice, float(eta)), advice, strict=True) if a is not None]
        share, left, right, alive = 0.0 if votes else 0.5, 0.0, 1 / 64 / max(1.0, sum(c)), 1.0
        while left < 1 and alive > 1e-18 and votes:
            for node, weight in nodes:
                v = left + (right - left) * (node + 1) / 2
                alive = 1.0
                for c_i in c:
                    alive *= 1 - v * c_i
                share += (right - left) / 2 * weight * alive * sum(a * c_i / (1 - v * c_i) for a, c_i in zip(votes, c, strict=True))
            left, right = right, 2 * right if right < 0.3 else 1.0
        yield share
        if y is not None:
            lost = [a + b for a, b in zip(lost, losses_of(advice, y), strict=True)]
