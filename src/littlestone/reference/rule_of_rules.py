"""The rule of rules: its members, each as its own definition has it, and AdaHedge over them."""

from collections.abc import Iterator, Sequence
from math import exp, log, sqrt
from typing import Any

from littlestone.reference.experts import Notes, Rounds
from littlestone.reference.regrets import Excess, Gain, blended, loss_of, regrets_of, slope
from littlestone.theory.regrets import DUST, INVERSE, KEEP, LEAST, LEVEL, MOST_EXPERTS, NINE, PRICED, SEVEN, STEPS


class Gaps:
    """AdaHedge by regrets: weights e^(-η·behind), η = ln n/Δ; of a steady one 2·ln n/(Δ + E), E the largest regret so far.

    The mean of the regrets by these weights is 0, but for eased ones: it is then less."""

    def __init__(self, n: int, steady: bool = False) -> None:
        self.behind, self.gaps, self.widest, self.ln, self.steady = [0.0] * n, 0.0, 0.0, log(max(2, n)), steady

    @property
    def slowness(self) -> float:
        """ln n/η."""
        return 0.5 * (self.gaps + self.widest) if self.steady else self.gaps

    def weights(self, advice: Sequence[float | None]) -> list[float]:
        best = min((b for b, a in zip(self.behind, advice, strict=True) if a is not None), default=0.0)
        slow = self.slowness
        if not slow:
            largest = max(map(abs, self.behind))
            return [float(b - best <= DUST * largest) for b in self.behind]
        return [exp(max(-745.0, min(0.0, -(b - best) * self.ln / slow))) for b in self.behind]

    def learn(self, r: Sequence[float], eased: bool = False) -> None:
        after = [b - x for b, x in zip(self.behind, r, strict=True)]
        trusted = self.weights(r)
        mean = sum(w * x for w, x in zip(trusted, r, strict=True)) / sum(trusted) if eased else 0.0
        gap, slow, widest = min(self.behind) - min(after), self.slowness, max(abs(x) for x in r)
        if slow:
            ahead, left = (sum(exp(max(-745.0, -(b - min(column)) * self.ln / slow)) for b in column) for column in (self.behind, after))
            gap += (log(left) - log(ahead)) * slow / self.ln
        gap -= min(mean, 0.0)  # above 0 it is rounding, and must not make the gap smaller
        self.gaps += gap if gap > DUST * widest else 0.0
        self.behind, self.widest = after, max(self.widest, widest)


class Forgetful(Gain):
    """BOA that forgets: after each round what was learned weighs a little less."""

    def learn(self, r: Sequence[float]) -> None:
        super().learn(r)
        self.gains, self.squares = [KEEP * x for x in self.gains], [KEEP * x for x in self.squares]
        self.slowness = [max(2 * self.widest, sqrt(V / self.ln)) for V in self.squares]


class LeastSquares:
    """Weights whose mean had the least squared error, `keep` of a round counting in the next; the plain average pulls. Beyond so many
    experts it is the plain average. Weights are n times what they are."""

    def __init__(self, n: int, keep: float, pull: float) -> None:
        self.keep, self.pull, self.leads, self.slopes = keep, pull, [1.0] * n, [0.0] * n
        self.products = [[0.0] * n for _ in range(n if n <= MOST_EXPERTS else 0)]
        self.rounds = self.squares = 0.0

    def weights(self, advice: Sequence[float | None]) -> list[float]:
        return self.leads

    def learn(self, errors: Sequence[float]) -> None:
        if not self.products:
            return
        n, own, square = len(errors), 0.0, 0.0
        for w, e in zip(self.leads, errors, strict=True):
            own, square = own + w * e, square + e * e
        self.rounds, self.squares = self.keep * self.rounds + 1.0, self.keep * self.squares + square
        self.slopes = [self.keep * s + e * own for s, e in zip(self.slopes, errors, strict=True)]
        self.products = [
            [self.keep * p + e * b for p, b in zip(line, errors, strict=True)] for line, e in zip(self.products, errors, strict=True)
        ]
        rho = self.pull * self.squares / (self.rounds * n)
        for _ in range(STEPS):
            tilted = [s + rho * (w - 1.0) for s, w in zip(self.slopes, self.leads, strict=True)]
            to = min(range(n), key=tilted.__getitem__)
            away = max((i for i in range(n) if self.leads[i] > 0), key=tilted.__getitem__)
            gap = tilted[away] - tilted[to]
            if not gap > LEVEL * abs(tilted[away]):
                return
            bend = self.products[to][to] + self.products[away][away] - 2.0 * self.products[to][away] + 2.0 * rho
            step = min(gap / bend, self.leads[away]) if bend > 0 else self.leads[away]
            self.leads[away] -= step
            self.leads[to] += step
            self.slopes = [s + step * (line[to] - line[away]) for s, line in zip(self.slopes, self.products, strict=True)]


class InverseSquares:
    """Weights in proportion to 1/q, q the mean squared error, with one round more of their harmonic mean; `keep` of it after each round."""

    def __init__(self, n: int, keep: float) -> None:
        self.keep, self.squares, self.awake, self.middle = keep, [0.0] * n, [0.0] * n, 0.0

    def weights(self, advice: Sequence[float | None]) -> list[float]:
        m = self.middle
        return [m * (N + 1.0) / (S + m) if m else 1.0 for S, N in zip(self.squares, self.awake, strict=True)]

    def learn(self, errors: Sequence[float | None]) -> None:
        for i, e in enumerate(errors):
            if e is not None:
                self.squares[i], self.awake[i] = self.keep * self.squares[i] + e * e, self.keep * self.awake[i] + 1.0
        m, total, rounds = self.middle, 0.0, 0.0
        for S, N in zip(self.squares, self.awake, strict=True):
            rounds += N
            if S + m > 0 and N:
                total += N * (N + 1.0) / (S + m) if m else N * N / S
        self.middle = rounds / total if total else 0.0


class Likeliest(InverseSquares):
    """Weights in proportion to q^(-N/2) of the same q, N the rounds of the expert awake most: the likelihood of normal errors."""

    def weights(self, advice: Sequence[float | None]) -> list[float]:
        q = [(S + self.middle) / (N + 1.0) for S, N in zip(self.squares, self.awake, strict=True)]
        best = min((x for x, a in zip(q, advice, strict=True) if a is not None), default=0.0)
        if not self.middle or not best:
            return [1.0] * len(advice)
        power = 0.5 * max(self.awake)
        return [1.0 if a is None else exp(max(-745.0, min(0.0, -power * log(x / best)))) for x, a in zip(q, advice, strict=True)]


class Median:
    """Weights by which the mean of those awake is their median; of an even number, the mean of the middle two."""

    def weights(self, advice: Sequence[float | None]) -> list[float]:
        awake = sorted(a for a in advice if a is not None)
        if not awake:
            return [0.0] * len(advice)
        low, high = awake[(len(awake) - 1) // 2], awake[len(awake) // 2]
        return [(a == low) / awake.count(low) + (a == high) / awake.count(high) for a in advice]

    def learn(self, errors: Sequence[float | None]) -> None:
        pass


def rule_of_rules(
    rounds: Rounds, *, n: int, members: int = SEVEN, loss: str | None = None, quantile: Any = None, notes: Notes | None = None
) -> Iterator[Any]:
    """Each member's forecast is the mean of those awake by its own weights; AdaHedge, by gradients, takes the mean of theirs."""
    notes, q = notes or Notes(), float(quantile or 0)
    poly, boa, prod = Excess(n), Gain(n, False), Gain(n, True)
    seats: list[Any] = [poly, boa, prod, Forgetful(n, False), *(LeastSquares(n, keep, pull) for keep, pull in LEAST)]
    seats += [InverseSquares(n, keep) for keep in INVERSE] if members > SEVEN else []
    seats += [Median(), *(Likeliest(n, keep) for keep in INVERSE)] if members > NINE else []
    top, dust, eased = Gaps(members, steady=members == NINE), 0.0, members > NINE and loss == "squared"
    apart = [[0.0] * n for _ in PRICED]

    def facts() -> dict[str, Any]:
        prices = [[sqrt(poly.potential * (poly.widest + V)) for V in poly.squares]]
        for way in (boa, prod):
            prices.append([C + log(n * (1 + way.excess)) * slow for C, slow in zip(way.corrections, way.slowness, strict=True)])
        return {
            "price": [
                [p + (top.slowness + top.gaps) + dust + a for p, a in zip(row, away, strict=True)]
                for row, away in zip(prices, apart, strict=True)
            ]
        }

    notes.facts = facts
    for advice, y in rounds:
        each = [(w, blended(w, advice, notes.confined)) for w in (member.weights(advice) for member in seats)]
        forecasts = [f for _, f in each]
        trusted = top.weights(forecasts)
        own = blended(trusted, forecasts, notes.confined) if None not in forecasts else None
        notes.weights = mixed(trusted, [w for w, _ in each], advice)
        yield 0.5 if own is None and loss is None else own
        if y is None or own is None:
            apart = [[a + (0.5 if y is not None and loss is None else 0.0) for a in away] for away in apart]
            continue
        r = regrets_of(forecasts, own, slope(loss, q, own, y))
        r = [x - 0.5 * (own - f) * (own - f) for x, f in zip(r, forecasts, strict=True)] if eased else r  # type: ignore[operator]
        alike = [f is not None and abs(own - f) <= DUST * max(abs(own), abs(f)) for f in forecasts]
        dust += max((abs(x) for x, same in zip(r, alike, strict=True) if same), default=0.0)
        top.learn([0.0 if same else x for x, same in zip(r, alike, strict=True)], eased)
        for k, away in zip(PRICED, apart, strict=True):
            for i in range(n):
                if advice[i] is None:
                    away[i] += loss_of(loss or "absolute", q, forecasts[k], y)  # type: ignore[arg-type]
        for member, f in zip(seats, forecasts, strict=True):
            assert f is not None
            if isinstance(member, InverseSquares | Median):
                member.learn([None if a is None else a - y for a in advice])
            elif isinstance(member, LeastSquares):
                member.learn([(f if a is None else a) - y for a in advice])
            else:
                member.learn(regrets_of(advice, f, slope(loss, q, f, y)))


def mixed(trusted: Sequence[float], weights: Sequence[Sequence[float]], advice: Sequence[float | None]) -> list[float]:
    """The weights of the experts awake in the mean of the members."""
    trusted = trusted if any(trusted) else [1.0] * len(trusted)
    total = [0.0] * len(advice)
    for share, w in zip(trusted, weights, strict=True):
        there = [0.0 if a is None else v for v, a in zip(w, advice, strict=True)]
        there = there if any(there) else [float(a is not None) for a in advice]
        whole = sum(there) or 1.0
        total = [a + share * v / whole for a, v in zip(total, there, strict=True)]
    return total
