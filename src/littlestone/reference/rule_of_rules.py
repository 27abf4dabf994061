"""The rule of rules: its members, each as its own definition has it, and ML-Prod over them."""

from collections.abc import Iterator, Sequence
from math import exp, log, sqrt
from typing import Any

from littlestone.reference.experts import Notes, Rounds
from littlestone.reference.regrets import ByRegret, Excess, Gain, blended, loss_of, regrets_of, slope
from littlestone.theory.regrets import DUST, KEEP, MEMBERS, PRICED


class Gaps:
    """AdaHedge by regrets: weights e^(-η·behind), η = ln n/Δ."""

    def __init__(self, n: int) -> None:
        self.behind, self.gaps, self.ln = [0.0] * n, 0.0, log(max(2, n))

    def weights(self, advice: Sequence[float | None]) -> list[float]:
        best = min((b for b, a in zip(self.behind, advice, strict=True) if a is not None), default=0.0)
        if not self.gaps:
            return [float(b <= best) for b in self.behind]
        return [exp(max(-745.0, min(0.0, -(b - best) * self.ln / self.gaps))) for b in self.behind]

    def learn(self, r: Sequence[float]) -> None:
        after = [b - x for b, x in zip(self.behind, r, strict=True)]
        gap = min(self.behind) - min(after)
        if self.gaps:
            ahead, left = (
                sum(exp(max(-745.0, -(b - min(column)) * self.ln / self.gaps)) for b in column) for column in (self.behind, after)
            )
            gap += (log(left) - log(ahead)) * self.gaps / self.ln
        self.gaps += gap if gap > DUST * max(abs(x) for x in r) else 0.0
        self.behind = after

    def facts(self) -> dict[str, Any]:
        return {"gaps": self.gaps}


class Forgetful(Gain):
    """BOA that forgets: after each round what was learned weighs a little less."""

    def learn(self, r: Sequence[float]) -> None:
        super().learn(r)
        self.gains, self.squares = [KEEP * x for x in self.gains], [KEEP * x for x in self.squares]
        self.slowness = [max(2 * self.widest, sqrt(V / self.ln)) for V in self.squares]


class Alike:
    """The plain average."""

    def __init__(self, n: int) -> None:
        self.n = n

    def weights(self, advice: Sequence[float | None]) -> list[float]:
        return [1.0] * self.n

    def learn(self, r: Sequence[float]) -> None: ...

    def facts(self) -> dict[str, Any]:
        return {}


def rule_of_rules(rounds: Rounds, *, n: int, loss: str | None = None, quantile: Any = None, notes: Notes | None = None) -> Iterator[Any]:
    """Each member's forecast is the mean of those awake by its own weights; ML-Prod, by gradients, takes the mean of theirs."""
    notes, q = notes or Notes(), float(quantile or 0)
    poly, boa, prod, losses, adahedge, forgets = Excess(n), Gain(n, False), Gain(n, True), Excess(n), Gaps(n), Forgetful(n, False)
    members: list[ByRegret] = [poly, boa, prod, losses, adahedge, forgets, Alike(n)]
    top = Gain(len(MEMBERS), True)
    apart = [[0.0] * n for _ in PRICED]

    def facts() -> dict[str, Any]:
        trust = [C + log(len(MEMBERS) * (1 + top.excess)) * slow for C, slow in zip(top.corrections, top.slowness, strict=True)]
        prices = [[sqrt(poly.potential * (poly.widest + V)) for V in poly.squares]]
        for way in (boa, prod):
            prices.append([C + log(n * (1 + way.excess)) * slow for C, slow in zip(way.corrections, way.slowness, strict=True)])
        prices.append([2 * adahedge.gaps] * n)
        return {
            "price": [
                [p + trust[member] + a for p, a in zip(row, away, strict=True)]
                for member, row, away in zip(PRICED, prices, apart, strict=True)
            ]
        }

    notes.facts = facts
    for advice, y in rounds:
        each = [(w, blended(w, advice)) for w in (member.weights(advice) for member in members)]
        forecasts = [f for _, f in each]
        trusted = top.weights(forecasts)
        own = blended(trusted, forecasts) if None not in forecasts else None
        notes.weights = mixed(trusted, [w for w, _ in each], advice)
        yield 0.5 if own is None and loss is None else own
        if y is None or own is None:
            apart = [[a + (0.5 if y is not None and loss is None else 0.0) for a in away] for away in apart]
            continue
        top.learn(regrets_of(forecasts, own, slope(loss, q, own, y)))
        for k, away in zip(PRICED, apart, strict=True):
            for i in range(n):
                if advice[i] is None:
                    away[i] += loss_of(loss or "absolute", q, forecasts[k], y)  # type: ignore[arg-type]
        for member, f in zip(members, forecasts, strict=True):
            assert f is not None
            if member is losses:
                lost = loss_of(loss or "absolute", q, f, y)
                member.learn([0.0 if a is None else lost - loss_of(loss or "absolute", q, a, y) for a in advice])
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
