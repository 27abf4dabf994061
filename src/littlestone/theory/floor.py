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

from decimal import Decimal, localcontext
from fractions import Fraction
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


def measure(e: Evidence, u: Vector, rho: Fraction) -> dict[str, Any]:
    """The facts of the floor, but for the loss over all rounds, which a meter adds up."""
    return {"u2": u.squared(), "theta2": theta_squared(e, rho)}
