"""The floor: what every run of two classes owes to every fixed linear rule, whatever learned.

θ = Σ c·y·x over the mistakes, c the weight of a round, y = ±1, and a feature of value ρ in every row (1, or the value of the learner's own
bias).  Let u be any vector, the weight of that feature included, and L its hinge loss over all labelled rounds, Σ c·max(0, 1 - y·(u·x)).
Every term of L is at least c·(1 - y·(u·x)) and none is negative.  So the mistakes alone give L ≥ Σ c - u·θ, and by Cauchy-Schwarz

    M ≤ L + u·θ ≤ L + |u|·|θ|,    M = Σ c over the mistakes.

Nothing is used of the rule, so it holds for every learner, for labels that come late, for several passes, and for averages and panels.  It
compares: L is what u loses over all rounds and does not depend on the mistakes, |u|·|θ| is the price of not having known u.  What a
learner's own theorem adds is why |θ| stays small: the Perceptron has |θ|² ≤ Σ |x|² over its mistakes.

|u|·|θ| stands there and not u·θ: where the mistaken rows are independent, some u has L + u·θ = M, which says nothing.
"""

from collections.abc import Iterable
from decimal import Decimal, localcontext
from fractions import Fraction
from operator import mul
from typing import Any

from littlestone.theory.bound import hindsight
from littlestone.theory.comparators.vector import Vector
from littlestone.theory.evidence import Evidence
from littlestone.theory.numbers import DIGITS, Real, real, root_up, up


def floor(L: Real, u2: Real, theta2: Real) -> Decimal:
    """M ≤ L + |u|·|θ|, rounded up.

    >>> floor(3, 4, 25).quantize(Decimal("0.01"))
    Decimal('13.00')
    """
    with localcontext(DIGITS):
        return up(real(L) + root_up(real(u2) * real(theta2)))


FLOOR = hindsight(
    "floor",
    "M ≤ L + |u|·|θ|,  L = hinge loss of u over all rounds, θ = Σ y·x over the mistakes, a feature of value ρ in every row",
    floor,
    "proof in theory/floor.py",
    witness="vector",
    every=True,
    loss="L",
)


def bias_of(family: Any) -> Fraction:
    """ρ: the value of the learner's own bias feature, else 1. (What a setting of a user's own learner means is not known here.)"""
    value = (family.values or {}).get("bias") if family.own is None else None
    known = isinstance(value, int | Fraction) and not isinstance(value, bool) and value > 0
    return Fraction(value) if known else Fraction(1)  # type: ignore[arg-type]


def theta_squared(e: Evidence, rho: Fraction) -> Fraction:
    """|θ|², exactly."""
    theta: dict[str, Any] = {}
    ever: Any = 0
    for row in e.taught:
        if row.mistake:
            c = row.c if row.y else -row.c
            factor: Any = int(c) if c.denominator == 1 else c
            ever += factor
            for name, v in row.x.items():
                theta[name] = theta.get(name, 0) + factor * v
    return Fraction(sum(v * v for v in theta.values())) / (1 << 2 * e.exponent) + (rho * ever) ** 2


class HingeMeter:
    """Σ c·max(0, 1 - y·(u·x)) over the rounds it is shown, exactly. It is told nothing of predictions, so mistakes cannot move it."""

    def __init__(self, u: Vector, rho: Fraction) -> None:
        self.u, self.rho = u, rho
        self.weights = _Weights(u.weights)
        self.exponent = 0
        self.sum: Any = 0  # over 2^exponent·2^(exponent of u)·(denominator of ρ)

    def add(self, keys: Iterable[Any], values: Iterable[float], y: bool, c: float, exponent: int) -> None:
        """A labelled round; its values are whole over 2^exponent, which grows only."""
        self.sum *= 1 << exponent - self.exponent
        self.exponent = exponent
        scale, ever = float(1 << exponent), self.rho.numerator * self.u.bias << exponent
        score = self.rho.denominator * sum(map(mul, map(self.weights.__getitem__, keys), map(int, map(scale.__mul__, values)))) + ever
        loss = self._unit() - score if y else self._unit() + score
        if loss > 0:
            self.sum += loss if c == 1.0 else Fraction(c) * loss

    def _unit(self) -> int:
        return self.rho.denominator << self.exponent + self.u.exponent

    @property
    def total(self) -> Fraction:
        return Fraction(self.sum) / self._unit()


class _Weights(dict):
    """The weight of a feature by its key: a name, or a number that stands for its digits; 0 where none is written."""

    def __missing__(self, key: Any) -> int:
        self[key] = weight = self.get(str(key), 0)
        return weight


def measure(e: Evidence, u: Vector, rho: Fraction, loss: Fraction) -> dict[str, Any]:
    """The facts of the floor; `loss` is what a meter has added up over all rounds."""
    return {"L": loss, "u2": u.squared(), "theta2": theta_squared(e, rho)}
