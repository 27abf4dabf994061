"""What rules by regret have in common, as the papers print them: the regrets of a round, and three ways to learn from them.

A round is what each expert says, None while it sleeps, and the truth.  With a `loss` these are forecasts and an outcome.
"""

from collections.abc import Iterator, Sequence
from math import exp, log, log1p, sqrt
from typing import Any, Protocol

from littlestone.reference.experts import Notes, Rounds


def loss_of(loss: str, quantile: float, x: float, y: float) -> float:
    """What a forecast x loses where y comes true."""
    d = x - y
    return d * d if loss == "squared" else max(-quantile * d, (1.0 - quantile) * d) if loss == "pinball" else abs(d)


def slope(loss: str | None, quantile: float, f: float, y: float) -> float:
    """How fast the loss grows with the forecast, at f; at a kink 0, which lies between the two."""
    if loss is None:  # |f - y|, between 0 and 1, y one of the two
        return 1.0 if y == 0 else -1.0
    if loss == "squared":
        return 2.0 * (f - y)
    up, down = (1.0 - quantile, -quantile) if loss == "pinball" else (1.0, -1.0)
    return up if f > y else down if f < y else 0.0


def blended(w: Sequence[float], advice: Sequence[float | None], confined: bool = True) -> float | None:
    """The weighted mean of those awake; all of them alike where they have no weight; None where nobody is awake.

    `confined`, it lies between those that have weight: rounding makes no regret beside who is alone."""
    total = favour = 0.0
    for v, a in zip(w, advice, strict=True):
        if a is not None:
            total, favour = total + v, favour + v * a
    heard = [a for v, a in zip(w, advice, strict=True) if a is not None and (v > 0 or not total > 0)]
    if not heard:
        return None
    if not total > 0:
        total, favour = len(heard), 0.0
        for a in heard:
            favour += a
    return min(max(favour / total, min(heard)), max(heard)) if confined else favour / total


def regrets_of(advice: Sequence[float | None], f: float, s: float) -> list[float]:
    return [0.0 if a is None else s * (f - a) for a in advice]


class ByRegret(Protocol):
    """A way to learn from regrets: weights now, and what a round teaches."""

    def weights(self, advice: Sequence[float | None]) -> list[float]: ...

    def learn(self, r: Sequence[float]) -> None: ...

    def facts(self) -> dict[str, Any]: ...


class Excess:
    """ML-Poly: weights (R_i)₊/(E + V_i)."""

    def __init__(self, n: int) -> None:
        self.regrets, self.squares, self.widest, self.potential = [0.0] * n, [0.0] * n, 0.0, 0.0

    def weights(self, advice: Sequence[float | None]) -> list[float]:
        return [R / (self.widest + V) if R > 0 else 0.0 for R, V in zip(self.regrets, self.squares, strict=True)]

    def learn(self, r: Sequence[float]) -> None:
        before, rates = self.widest, [self.widest + V for V in self.squares]
        self.widest = max(before, *(x * x for x in r))
        if not self.widest:
            return
        self.squares = [V + x * x for V, x in zip(self.squares, r, strict=True)]
        self.regrets = [R + x for R, x in zip(self.regrets, r, strict=True)]
        leap = sqrt(self.potential) + sqrt(sum(x * x / (self.widest + V) for V, x in zip(self.squares, r, strict=True) if x > 0))
        added = sum(x * x / rate for rate, x in zip(rates, r, strict=True)) if before else 0.0
        self.potential = min(self.potential + added, leap * leap) if before else leap * leap

    def facts(self) -> dict[str, Any]:
        return {"potential": self.potential, "widest": self.widest, "squares": self.squares}


class Gain:
    """BOA and, with `products`, ML-Prod: weights η_i·e^(η_i·X_i)."""

    def __init__(self, n: int, products: bool) -> None:
        self.products, self.n, self.ln = products, n, log(max(2, n))
        self.gains, self.corrections, self.squares, self.sizes, self.slowness = ([0.0] * n for _ in range(5))
        self.widest = self.excess = 0.0

    def weights(self, advice: Sequence[float | None]) -> list[float]:
        if not self.widest:
            return [0.0] * self.n
        scores = [X / slow for X, slow in zip(self.gains, self.slowness, strict=True)]
        best = max((score for score, a in zip(scores, advice, strict=True) if a is not None), default=0.0)
        return [
            exp(max(-745.0, min(0.0, x - best))) / slow if a is not None else 0.0
            for x, slow, a in zip(scores, self.slowness, advice, strict=True)
        ]

    def learn(self, r: Sequence[float]) -> None:
        part = min((slow / (2 * abs(x)) for x, slow in zip(r, self.slowness, strict=True) if 2 * abs(x) > slow), default=1.0)
        allowed = after = 0.0
        self.widest = max(self.widest, *(abs(x) for x in r))
        for i, regret in enumerate(r):
            slow = self.slowness[i]
            x = part * regret / slow if slow else 0.0
            allowed += (exp(self.gains[i] / slow) if slow else 1.0) * (1.0 + x if self.products else exp(x - x * x))
            self.sizes[i] = max(self.sizes[i], abs(regret))
            self.squares[i] += regret * regret
            size = self.sizes[i] if self.products and self.sizes[i] else self.widest
            self.slowness[i] = slow = max(2 * size, sqrt(self.squares[i] / self.ln))
            if slow:
                gain = slow * log1p(regret / slow) if self.products else regret - regret * regret / slow
                self.gains[i] += gain
                self.corrections[i] += regret - gain
            after += exp(self.gains[i] / slow) if slow else 1.0
        self.excess += max(0.0, (after - allowed) / self.n)

    def facts(self) -> dict[str, Any]:
        return {"excess": self.excess, "corrections": self.corrections, "slowness": self.slowness}


def by_regret(rounds: Rounds, way: ByRegret, loss: str | None, quantile: Any, notes: Notes | None) -> Iterator[Any]:
    """The protocol of all of them: the mean of those awake by weight, then a lesson from the regrets. Of forecasts None where all sleep."""
    notes, q = notes or Notes(), float(quantile or 0)
    notes.facts = way.facts
    for advice, y in rounds:
        notes.weights = w = way.weights(advice)
        f = blended(w, advice, notes.confined)
        if not any(v for v, a in zip(w, advice, strict=True) if a is not None):
            notes.weights = [1.0] * len(w)
        yield 0.5 if f is None and loss is None else f
        if y is not None and f is not None:
            way.learn(regrets_of(advice, f, slope(loss, q, f, y)))
