"""The rules over advice as the lectures print them. Each takes rounds (advice, truth), None for an expert asleep and for a truth not told,
and yields the weighted mean of the advice before it looks at the truth. Losses are advice whose truth is 0.

>>> [float(share) for share in weighted_majority([([1, 1, 0], 0), ([1, 0, 0], 0)], n=3, beta=Fraction(1, 2))]
[0.6666666666666666, 0.25]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import cos, exp, inf, log, log1p, pi, sqrt

Rounds = Iterable[tuple[Sequence, int | None]]


@dataclass
class Notes:
    """What a rule writes down while it plays, for whoever asks after each round."""

    weights: Sequence = ()  # of the experts in this round, by which one of those awake is drawn
    gaps: float = 0.0  # AdaHedge's Δ so far


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


def follow_leader(rounds: Rounds, *, n: int) -> Iterator[float]:
    yield from perturbed_leader(rounds, start=[0.0] * n)


def perturbed_leader(rounds: Rounds, *, start: Sequence[float]) -> Iterator[float]:
    """Follow the first among the least of losses less head starts, of those awake."""
    behind = [0.0] * len(start)
    for advice, y in rounds:
        awake = [i for i, a in enumerate(advice) if a is not None]
        yield float(advice[min(awake, key=lambda i: behind[i] - start[i])]) if awake else 0.5
        if y is not None:
            behind = [b + loss for b, loss in zip(behind, losses_of(advice, y), strict=True)]


def chance_of_leading(losses: Sequence[Fraction], eta_power: Callable[[Fraction], Fraction]) -> list[Fraction]:
    """How probably each leads after exponential head starts: c_i·∫_0^1 Π_{j≠i} (1 - v·c_j) dv, the polynomial multiplied out."""
    lowest, chances = min(losses), []
    c = [eta_power(loss - lowest) for loss in losses]
    for i, c_i in enumerate(c):
        polynomial = [Fraction(1)]
        for j, c_j in enumerate(c):
            if j != i:
                shifted = [Fraction(0), *(-c_j * p for p in polynomial)]
                polynomial = [a + b for a, b in zip([*polynomial, Fraction(0)], shifted, strict=True)]
        chances.append(c_i * sum((p / (k + 1) for k, p in enumerate(polynomial)), Fraction(0)))
    return chances


def gauss(k: int) -> list[tuple[float, float]]:
    """Nodes and weights of Gauss's rule on [-1, 1]: the roots of Legendre's polynomial, by Newton."""
    found = []
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
        found.append((x, 2 / ((1 - x * x) * slope * slope)))
    return found


def expected_leader(rounds: Rounds, *, n: int, eta) -> Iterator[float]:
    """What the leader says, on average over all head starts: `chance_of_leading` by Gauss's rule on intervals that double in length."""
    lost, nodes = [0.0] * n, gauss(16)
    for advice, y in rounds:
        said = [float(a) for a in advice if a is not None]
        c = [v for v, a in zip(weights(lost, advice, float(eta)), advice, strict=True) if a is not None]
        share, left, right, alive = 0.0 if said else 0.5, 0.0, 1 / 64 / max(1.0, sum(c)), 1.0
        while left < 1 and alive > 1e-18 and said:
            for node, weight in nodes:
                v = left + (right - left) * (node + 1) / 2
                alive = 1.0
                for c_i in c:
                    alive *= 1 - v * c_i
                share += (right - left) / 2 * weight * alive * sum(a * c_i / (1 - v * c_i) for a, c_i in zip(said, c, strict=True))
            left, right = right, 2 * right if right < 0.3 else 1.0
        yield share
        if y is not None:
            lost = [a + b for a, b in zip(lost, losses_of(advice, y), strict=True)]


def weighted_majority(rounds: Rounds, *, n: int, beta, always: bool = False, decide=at_least_half) -> Iterator[Fraction]:
    """Weights β^(what counted); predict 1 where the mean is at least 1/2, and learn from mistakes only, or always."""
    exact = Fraction(beta).denominator > 0
    costs: list = [0] * n
    for advice, y in rounds:
        votes = exact and all(a is None or a in (0, 1) for a in advice)
        number = Fraction if votes and all(float(c).is_integer() for c in costs) else float
        if number is Fraction:
            least = min(costs) if beta else 0
            w: list = [Fraction(beta) ** int(c - least) for c in costs]
        else:
            w = weights(costs, advice, -log(beta))
        share = mean(w, advice, number)
        yield share
        if y is not None and (always or decide(share) != (y == 1)):
            costs = [c + loss for c, loss in zip(costs, losses_of(advice, y), strict=True)]


def randomized(rounds: Rounds, *, n: int, epsilon, notes: Notes | None = None) -> Iterator[float]:
    """Weights (1-ε)^loss, learning from every round."""
    yield from hedge(rounds, n=n, eta=-log1p(-float(epsilon)), notes=notes)


def exponential_weights(rounds: Rounds, *, n: int, beta, number=float) -> Iterator:
    """Weights β^loss multiplied down, which long streams exhaust; `number=Fraction` is exact for votes."""
    w = [number(1)] * n
    for advice, y in rounds:
        yield mean(w, advice, number)
        if y is not None:
            punished = losses_of(advice, y, number)
            w = [v * (number(beta) ** (int(loss) if loss in (0, 1) else float(loss))) for v, loss in zip(w, punished, strict=True)]


def hedge(rounds: Rounds, *, n: int, eta=None, notes: Notes | None = None) -> Iterator[float]:
    """Weights e^(-η·loss); η_t = √(8·ln n/t) when no η is given."""
    lost, t, notes = [0.0] * n, 0, notes or Notes()
    for advice, y in rounds:
        rate = float(eta) if eta is not None else sqrt(8 * log(max(2, n)) / (t + 1))
        notes.weights = weights(lost, advice, rate)
        yield mean(notes.weights, advice)
        if y is not None:
            lost, t = [a + b for a, b in zip(lost, losses_of(advice, y), strict=True)], t + 1


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


def log_sum(losses: Sequence[float], eta: float) -> float:
    """ln Σ e^(-η·loss), measured by the least of them."""
    least = min(losses)
    return log(sum(exp(max(-745.0, -eta * (loss - least))) for loss in losses))


def fixed_share(
    rounds: Rounds, *, n: int, alpha, eta, beta, always: bool, decide=at_least_half, notes: Notes | None = None
) -> Iterator[float]:
    """Punish, then every weight gives away the share α, divided equally; always, or on mistakes of the weighted majority only."""
    w, notes = [1 / n] * n, notes or Notes()
    for advice, y in rounds:
        notes.weights, share = w, mean(w, advice)
        yield share
        if y is not None and (always or decide(share) != (y == 1)):
            w = [v * (float(beta) if loss == 1 else exp(-float(eta) * loss)) for v, loss in zip(w, losses_of(advice, y), strict=True)]
            total = sum(w)
            w = [(1 - float(alpha)) * v / total + float(alpha) / n for v in w]


def specialists(rounds: Rounds, *, n: int, eta, always: bool, decide=at_least_half, notes: Notes | None = None) -> Iterator[float]:
    """Punish those awake, then rescale them so that their total stays what it was."""
    log_w, notes = [0.0] * n, notes or Notes()
    for advice, y in rounds:
        awake = [i for i, a in enumerate(advice) if a is not None]
        top = max((log_w[i] for i in awake), default=0.0)
        w = [exp(max(-700.0, min(0.0, v - top))) for v in log_w]
        notes.weights, share = w, mean(w, advice)
        yield share
        if y is not None and awake and (always or decide(share) != (y == 1)):
            punished = losses_of(advice, y)
            back = log(sum(w[i] for i in awake) / sum(w[i] * exp(-float(eta) * punished[i]) for i in awake))
            for i in awake:
                log_w[i] += back - float(eta) * punished[i]


def exp3(
    rounds: Rounds, *, n: int, eta, coin: Callable[[int], float], explore: bool = False, notes: Notes | None = None
) -> Iterator[float]:
    """Choose by weight; only the chosen expert's estimate grows, by loss/p, or by loss/(p + η/2) with implicit exploration."""
    estimates, t, notes = [0.0] * n, 0, notes or Notes()
    for advice, y in rounds:
        rate = float(eta) if eta is not None else sqrt(log(max(2, n)) / n / (t + 1))
        notes.weights = w = weights(estimates, advice, rate)
        yield mean(w, advice)
        if y is None:
            continue
        i = drawn(w, advice, coin(t))
        if i is not None:
            total = sum(v for v, a in zip(w, advice, strict=True) if a is not None)
            estimates[i] += abs(float(advice[i]) - y) / (w[i] / total + (rate / 2 if explore else 0.0))
        t += 1
