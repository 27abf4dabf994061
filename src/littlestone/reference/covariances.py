"""Covariances among the features that came first, with the bias at place 0: what two learners of second order keep."""

from collections.abc import Iterable
from typing import Any


class Covariances:
    """A symmetric matrix P; `place` says where a feature stands in it, `owner` which feature stands there."""

    def __init__(self, of_bias: float) -> None:
        self.P, self.owner, self.place = [[of_bias]], [None], dict[Any, int]()

    def admit(self, i: Any, variance: float) -> None:
        """The next place is that of feature i, which goes with no other so far."""
        self.place[i] = len(self.owner)
        self.owner.append(i)
        for line in self.P:
            line.append(0.0)
        self.P.append([0.0] * len(self.owner))
        self.P[-1][-1] = variance

    def times(self, row: Iterable[tuple[Any, float]], rho: float) -> list[float]:
        """P·x, rho the value of the bias."""
        px = [p * rho for p in self.P[0]] if rho > 0 else [0.0] * len(self.owner)
        for i, v in row:
            if v != 0 and i in self.place:
                px = [total + p * v for total, p in zip(px, self.P[self.place[i]])]  # noqa: B905 (strict costs a tenth)
        return px

    def move(self, w: dict, step: float, px: list[float]) -> float:
        """Add step·P·x to the weights; what the bias gets of it."""
        for j in range(1, len(self.owner)):
            w[self.owner[j]] += step * px[j]
        return step * px[0]

    def shrink(self, px: list[float], q: float) -> None:
        """P -= P·x (P·x)ᵀ/q."""
        for j, line in enumerate(self.P):
            if px[j] != 0:
                share = px[j] / q
                self.P[j] = [p - share * other for p, other in zip(line, px)]  # noqa: B905
