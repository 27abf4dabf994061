"""What a bound charges for a vector u: the limit B(u) solves B = L(u) + λ(B)·|u|, L the hinge loss of u.

λ grows with B, and more slowly than B, so B ≤ t exactly when L(u) + λ(t)|u| ≤ t: these sets are convex, and a descent ends at the least B.

How small B can be at all: take 0 ≤ α ≤ c, A = Σα and v = Σ α·y·x.  Then L(u) ≥ Σα(1 - y·u·x) ≥ A - |u||v|, |v| in the dual norm; so if
|v| ≤ λ(A), L(u) + λ(A)|u| ≥ A and B(u) ≥ A for every u.  Where |v| is larger, a smaller multiple of α does it.

With L over the updates alone, α = c gives Σc, which u = 0 attains: the proof of each bound says |v| ≤ λ(Σc) for the v that the learner
collected.  So over the updates no u is better than 0, whose limit is the number of mistakes itself.  Over all rounds B says something.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt


@dataclass(frozen=True)
class Quadratic:
    """B = ((√K + √(K+4L))/2)², K = κ|u|²: the Perceptron (κ = mean|x|² + 2β), the p-norm Perceptron, ALMA.

    >>> Quadratic(1).limit(6, 1), Quadratic(1).rate(9), Quadratic(4).least(10, 10)
    (9.0, 3.0, 4.0)
    """

    kappa: float

    def limit(self, loss: float, size: float) -> float:
        K = self.kappa * size * size
        return ((sqrt(K) + sqrt(K + 4 * loss)) / 2) ** 2

    def rate(self, limit: float) -> float:
        return sqrt(self.kappa * limit)

    def least(self, total: float, pull: float) -> float:
        """No u has a smaller limit, for α with Σα = total and |v| = pull."""
        return total * min(1.0, self.kappa * total / pull**2) if pull > 0 else total

    def balance(self, total: float, pull: float) -> float:
        """(|v|/λ(A))²: 1 where α proves the most, more where the vector should weigh losses more."""
        return pull**2 / (self.kappa * total) if total > 0 else 1.0


@dataclass(frozen=True)
class Fractional:
    """B = (ln 2n + ηL/U)/(η/U - g), that is (aU + L)/(1 - hU) with a = ln(2n)/η and h = g/η: balanced Winnow, U = |u|₁ < 1/h.

    >>> Fractional(2, 0.25).limit(3, 2), Fractional(2, 0.25).rate(4), Fractional(2, 0.25).least(10, 6.5)
    (14.0, 3.0, 5.0)
    """

    a: float
    h: float

    def limit(self, loss: float, size: float) -> float:
        left = 1 - self.h * size
        return (self.a * size + loss) / left if left > 0 else inf

    def rate(self, limit: float) -> float:
        return self.a + self.h * limit

    def least(self, total: float, pull: float) -> float:
        over = pull - self.h * total
        return total * min(1.0, self.a / over) if over > 0 else total
