"""What the rules over advice have in common, as the lectures print them. Each rule takes rounds (advice, truth), None for an expert asleep
and for a truth not told, and yields the weighted mean of the advice before it looks at the truth. Losses are advice whose truth is 0.

>>> from littlestone.reference import weighted_majority
>>> [float(share) for share in weighted_majority([([1, 1, 0], 0), ([1, 0, 0], 0)], n=3, beta=Fraction(1, 2))]
[0.6666666666666666, 0.25]
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import cos, exp, inf, log, pi

Rounds = Iterable[tuple[Sequence, int | None]]


@dataclass
class Notes:
    """What a rule writes down while it plays, for whoever asks after each round."""

    weights: Sequence = ()  # of the experts in this round, by which one of those awake is drawn
    gaps: float = 0.0  # AdaHedge's Δ so far
    more: Mapping[str, float] = field(default_factory=dict)  # gaps so far of a rule that has several, by the names of these facts
    facts: Callable[[], dict] = dict  # of a rule by regret: what its prices are made of, so far
    confined: bool = True  # and does a mean lie between those that have weight? In runs of before rounding could carry it beyond


def at_least_half(share) -> bool:
    return share >= Fraction(1, 2)


def coin(seed: int, k: int) -> float:
    """A number in [0, 1) that depends on seed and k alone: splitmix64 of the two.

    >>> coin(0, 0), coin(7, 3)
    (0.8833108082136426, 0.27877461213814525)
    """
    x = (seed * 0xD1342543DE82EF95 + k * 0x9E3779B97F4A7C15 + 0x9E3779B97F4A7C15) % 2**64
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
    return ((x ^ (x >> 31)) >> 11) * 2.0**-53


def drawn(w: Sequence, advice: Sequence, u: float) -> int | None:
    """The expert awake at which the running total of the weights passes u of the whole; None when all sleep."""
    awake = [i for i, a in enumerate(advice) if a is not None]
    total, running, last = sum(w[i] for i in awake), 0.0, None
    for i in awake:
        if w[i] > 0:
            running, last = running + w[i], i
            if running > u * total:
                return i
    return awake[-1] if last is None and awake else last


def mean(w: Sequence, advice: Sequence, number=float):
    """The weighted mean of the advice of those awake; 1/2 when they have no weight."""
    total = sum(v for v, a in zip(w, advice, strict=True) if a is not None)
    favour = sum(v * number(a) for v, a in zip(w, advice, strict=True) if a is not None)
    return favour / total if total > 0 else number(1) / 2


def weights(lost: Sequence, advice: Sequence, eta: float) -> list[float]:
    """e^(-η·loss), measured by the best of those awake; at η = ∞ these share the weight. What sleepers get is of no account."""
    best = min((loss for loss, a in zip(lost, advice, strict=True) if a is not None), default=0.0)
    return [float(loss <= best) if eta == inf else exp(max(-745.0, min(0.0, -eta * (loss - best)))) for loss in lost]


def losses_of(advice: Sequence, y: int, number=float) -> list:
    return [number(0) if a is None else abs(number(a) - y) for a in advice]


def gauss(k: int) -> list[tuple[float, float]]:
    """Nodes and weights of Gauss's rule on [-1, 1]: the roots of Legendre's polynomial, by Newton."""
    nodes = []
    for i in range(k):
        x = cos(pi * (i + 0.75) / (k + 0.5))
        for _ in range(100):
            p, before = 1.0, 0.0
            for j in range(1, k + 1):
                p, before = ((2 * j - 1) * x * p - (j - 1) * before) / j, p
            slope = k * (x * p - before) / (x * x - 1)
            x -= p / slope
            if abs(p / slope) < 1e-16:
                break
        nodes.append((x, 2 / ((1 - x * x) * slope * slope)))
    return nodes


def log_sum(losses: Sequence[float], eta: float) -> float:
    """ln Σ e^(-η·loss), measured by the least of them."""
    least = min(losses)
    return log(sum(exp(max(-745.0, -eta * (loss - least))) for loss in losses))
