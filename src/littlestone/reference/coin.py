"""Logistic regression by coin betting: each feature bets a share of what it owns on the next gradient."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import repeat

from littlestone.reference.log_loss import LogLoss, chances


class Coin:
    """What one feature owns, and what it has seen."""

    __slots__ = ("G", "V", "Z", "peak", "scale")

    def __init__(self) -> None:
        self.scale = self.peak = self.Z = self.G = 0.0
        self.V = 1.0

    def weight(self) -> float:
        c = self.peak * self.scale
        return self.V / (c * (c + self.G)) * self.Z if c > 0 else 0.0


def coin(rounds: Iterable[tuple[Mapping, bool | None]], *, wealth=4, bias=0, weights=None, book=None) -> Iterator[bool]:
    """Predict wealth·Σw_i·x_i/a ≥ 0, w = V·Z/(c(c + G)), c = s·L; then V -= g·x·w, Z -= g·x, G += |g·x|.

    s is the largest |x|, L the largest |g| and at least 1, a the mean of Σ(x/s)². In a round of weight c, g is c times as large. A `book`
    is told at the end the log-loss of all.

    >>> list(coin([({0: 2}, False), ({0: 2}, False), ({1: 2}, True)], wealth=4))
    [True, False, True]
    """
    wealth, rho = float(wealth), float(bias)
    coins: dict = {}
    labelled, lengths = 0, 0.0
    loss = LogLoss()
    for (x, y), weight in zip(rounds, weights or repeat(1.0), strict=False):
        row = [(coins.setdefault(i, Coin()), float(v)) for i, v in x.items() if v != 0]
        if rho > 0:
            row.append((coins.setdefault("the bias", Coin()), rho))
        score, length2 = 0.0, 0.0
        scales = [feature.scale for feature, _ in row]
        for feature, v in row:
            if abs(v) > feature.scale:
                feature.scale = abs(v)
            if feature.Z:  # else its weight is 0
                score += feature.weight() * v
            length2 += (v / feature.scale) * (v / feature.scale)
        if lengths + length2 > 0:
            score = wealth * score / ((lengths + length2) / (labelled + 1))
        if book is not None:
            book.hear(score)
        yield score >= 0
        force = 0.0
        if y is not None and weight != 0:
            right, wrong = chances(score, y)
            loss.add(right, weight)
            labelled, lengths = labelled + 1, lengths + length2
            force = weight * wrong
        if force == 0:  # it leaves no trace
            for (feature, _), scale in zip(row, scales, strict=True):
                feature.scale = scale
            continue
        for feature, v in row:
            if force > feature.peak:
                feature.peak = max(1.0, force)
            p = (force if y else -force) * v
            feature.V += p * feature.weight()
            feature.Z += p
            feature.G += abs(p)
    if book is not None:
        book.facts["loss"] = loss.total()
