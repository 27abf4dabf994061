"""The floor: what every run of two classes owes to every fixed linear rule, whatever learned.

θ = Σ c·y·x over the mistakes, c the weight of a round, y = ±1, and a feature of value ρ in every row (1, or the value of the learner's own
bias).  Let u be any vector, the weight of that feature included, and L its hinge loss over all labelled rounds, Σ c·max(0, 1 - y·(u·x)).
Every term of L is at least c·(1 - y·(u·x)) and none is negative.  So the mistakes alone give L ≥ Σ c - u·θ, and by Cauchy-Schwarz

    M ≤ L + u·θ ≤ L + |u|·|θ|,    M = Σ c over the mistakes.

Nothing is used of the rule, so it holds for every learner, for labels that come late, for several passes, and for averages and panels.  It
compares: L is what u loses over all rounds and does not depend on the mistakes, |u|·|θ| is the price of not having known u.  What a
learner's own theorem adds is why |θ| stays small: the Perceptron has |θ|² ≤ Σ |x|² over its mistakes.

The same in the geometry of multiplicative rules.  Let U = |u|₁, p_i = |u_i|/U, H = -Σ p·ln p, η > 0 any number (the witness's `level`), and
Z = Σ cosh(ηθ_i) over all features, that of value ρ too.  Gibbs' inequality, ln Σe^a ≥ Σp·a + H with a = ±ηθ_i, gives η·u·θ/U + H ≤ ln 2Z:

    M ≤ L + (U/η)·(ln 2Z - H).

The theorem of balanced Winnow adds why Z stays small at its own η.

In the geometry of the p-norm Perceptron Hölder's inequality takes the place of Cauchy's, 1/p + 1/q = 1: M ≤ L + |u|_q·|θ|_p.

A rule with a margin updates on other rounds, too.  The first line holds for any rounds among which all mistakes are, U of them, with θ over
these: M ≤ U ≤ L + |u|·|θ|.  More rounds make U larger, and may make θ shorter, as the rule pulls back what it has pushed too far: then this
is the smaller limit, and stands in the certificate beside the floor.

One vector after another.  The floor holds for any rounds, so it holds for each of several stretches of the stream with a vector of its own:
the mistakes of stretch j are at most L_j + |u_j|·|θ_j|, L_j the loss of u_j over all rounds of the stretch, θ_j over its mistakes.  Added
up, M ≤ Σ L_j + Σ |u_j|·|θ_j|, for every cut of the stream and all vectors.  That is what a run is compared with where the truth changes.

|u|·|θ| stands there and not u·θ: where the mistaken rows are independent, some u has L + u·θ = M, which says nothing.
"""

from collections import Counter
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from math import inf
from typing import Any

from littlestone.errors import require
from littlestone.theory.all_rounds import SequenceMeter
from littlestone.theory.bound import Bound, hindsight
from littlestone.theory.comparators.vector import Vector
from littlestone.theory.evidence import Evidence
from littlestone.theory.numbers import DIGITS, Real, cosh, real, root_up, up
from littlestone.theory.pnorm import dual_length2, power_up


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


def entropic(L: Real, U: Real, lnZ: Real, H: Real, eta: Real) -> Decimal:
    """M ≤ L + (U/η)·(ln 2Z - H), rounded up; lnZ is ln 2Z.

    >>> entropic(3, 2, 5, 1, 4).quantize(Decimal("0.01"))
    Decimal('5.00')
    """
    require(eta > 0, f"eta={eta} must be positive")
    with localcontext(DIGITS):
        return up(real(L) + real(U) * (real(lnZ) - real(H)) / real(eta))


ENTROPIC = hindsight(
    "floor-entropy",
    "M ≤ L + (U/η)·(ln 2Z - H),  L = hinge loss of u over all rounds, U = |u|₁, H = entropy of |u|/U, Z = Σ cosh(ηθ_i), θ as for the floor",
    entropic,
    "proof in theory/floor.py",
    witness="vector",
    every=True,
    loss="L",
    falling=("H",),
)


UPDATES = replace(
    FLOOR,
    name="floor-updates",
    formula="M ≤ U ≤ L + |u|·|θ|,  L = hinge loss of u over all rounds, θ = Σ y·x over the U updates, as for the floor",
)


def dual(L: Real, uq: Real, thetap: Real) -> Decimal:
    """M ≤ L + |u|_q·|θ|_p, rounded up.

    >>> dual(3, 2, 5).quantize(Decimal("0.01"))
    Decimal('13.00')
    """
    with localcontext(DIGITS):
        return up(real(L) + real(uq) * real(thetap))


DUAL = replace(
    FLOOR,
    name="floor-pnorm",
    formula="M ≤ L + |u|_q·|θ|_p,  1/p + 1/q = 1, L = hinge loss of u over all rounds, θ as for the floor",
    value=dual,
)


def in_turn(L: Real, price: Real) -> Decimal:
    """M ≤ L + Σ|u_j|·|θ_j|, rounded up.

    >>> in_turn(3, 10).quantize(Decimal("0.01"))
    Decimal('13.00')
    """
    with localcontext(DIGITS):
        return up(real(L) + real(price))


SHIFTING = replace(
    FLOOR,
    name="floor-shifting",
    formula="M ≤ L + Σ|u_j|·|θ_j|,  vectors u_1, u_2, ... one after the other, L = the hinge loss of each over all rounds of its time, "
    "θ_j = Σ y·x over the mistakes of that time, as for the floor",
    value=in_turn,
    witness="sequence",
    meter=SequenceMeter,
)


def floors_of(family: Any) -> tuple[Bound, ...]:
    """What is true of every learner, in the geometry that suits this one; with a margin, over the updates too."""
    own = (ENTROPIC,) if family.multiplicative else (DUAL,) if power_of(family) else ()
    return (FLOOR, SHIFTING, *own, *((UPDATES,) if family.updates_on == "margin" else ()))


def stands_alone(family: Any) -> bool:
    """Has a learner no theorem of its own that compares in hindsight, so that the floor is all it has?"""
    return not any(bound.compares for bound in family.bounds.values() if bound.kind == "hindsight")


def power_of(family: Any) -> int:
    """p of a p-norm Perceptron, else 0."""
    return (family.values or {}).get("p", 0) if family.name == "pnorm" and family.own is None else 0


FLOORS = {bound.name: bound for bound in (FLOOR, SHIFTING, ENTROPIC, DUAL, UPDATES)}


def bias_of(family: Any) -> Fraction:
    """ρ: the value of the learner's own bias feature, else 1. (What a setting of a user's own learner means is not known here.)"""
    value = (family.values or {}).get("bias") if family.own is None else None
    known = isinstance(value, int | Fraction) and not isinstance(value, bool) and value > 0
    return Fraction(value) if known else Fraction(1)  # type: ignore[arg-type]


def theta_of(e: Evidence, rho: Fraction, updates: bool = False, rows: tuple[float, float] = (0, inf)) -> tuple[dict[str, Any], Fraction]:
    """θ, exactly, of the mistakes or of all updates (of these rows): of the features as numbers over 2^exponent of the evidence, and of the
    feature ρ."""
    theta: dict[str, Any] = {}
    ever: Any = 0
    for row in e.taught:
        if (row.mistake or updates) and rows[0] <= row.round < rows[1]:
            c = row.c if row.y else -row.c
            factor: Any = int(c) if c.denominator == 1 else c
            ever += factor
            for name, v in row.x.items():
                theta[name] = theta.get(name, 0) + factor * v
    return theta, rho * Fraction(ever)


MOST_POWER = 100_000


def log_of_sum(e: Evidence, rho: Fraction, eta: Fraction) -> Decimal:
    """ln 2Z."""
    theta, ever = theta_of(e, rho)
    times = Counter(abs(v) for v in theta.values())  # few values stand many times
    largest = max([abs(ever), *(Fraction(v) / (1 << e.exponent) for v in times)])
    require(eta * largest <= MOST_POWER, f"the witness's level is too large: e to the {float(eta * largest):.3g} is no number to add up")
    with localcontext(DIGITS):
        Z = real(e.features - len(theta)) + cosh(real(eta * ever))
        Z += sum((k * cosh(real(eta * Fraction(v) / (1 << e.exponent))) for v, k in times.items()), Decimal(0))
        return (2 * Z).ln()


def entropy(u: Vector) -> Decimal:
    """H of |u|/|u|₁."""
    sizes = Counter(abs(w) for w in (*u.weights.values(), u.bias) if w)
    with localcontext(DIGITS):
        U = real(sum(w * k for w, k in sizes.items()))
        H = U.ln() - sum((k * w * real(w).ln() for w, k in sizes.items()), Decimal(0)) / U if sizes else Decimal(0)
        return max(H, Decimal(0))  # of one size alone it is 0, but for the last digit


def measure(bound: Bound, e: Evidence, u: Any, rho: Fraction) -> dict[str, Any]:
    """The facts of a floor, but for the loss over all rounds, which a meter adds up."""
    if bound.name == SHIFTING.name:
        ends = [*(row for row, _ in u.pieces[1:]), inf]
        with localcontext(DIGITS):
            prices = [
                root_up(real(piece.squared() * length2(e, *theta_of(e, rho, rows=(row, end)))))
                for (row, piece), end in zip(u.pieces, ends, strict=True)
            ]
            return {"price": sum(prices, Decimal(0))}
    if bound.name == ENTROPIC.name:
        require(len(str(u.level)) < 40, "the witness's level is absurd")
        return {"U": u.absolute(), "eta": u.level, "H": entropy(u), "lnZ": log_of_sum(e, rho, u.level)}
    if bound.name == DUAL.name:
        p = e.settings["p"]
        theta, ever = theta_of(e, rho)
        with localcontext(DIGITS):
            power = sum((k * real(v) ** p for v, k in Counter(map(abs, theta.values())).items()), Decimal(0)) / (1 << p * e.exponent)
            return {"uq": root_up(dual_length2(u, p)), "thetap": power_up(power + real(abs(ever)) ** p, Fraction(1, p))}
    return {"u2": u.squared(), "theta2": length2(e, *theta_of(e, rho, bound.name == UPDATES.name))}


def length2(e: Evidence, theta: dict[str, Any], ever: Fraction) -> Fraction:
    """|θ|²."""
    return Fraction(sum(v * v for v in theta.values())) / (1 << 2 * e.exponent) + ever**2
