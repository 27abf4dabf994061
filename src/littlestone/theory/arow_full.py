"""AROW with a full covariance among the first features: what can be proved of it.

An update has loss ℓ = 1 - y·μ·x > 0, v = x·Σx ≥ 0 and q = 1 + v/r.  A mistake has ℓ ≥ 1, so by Cauchy-Schwarz over the mistakes

    M² ≤ Σq·Σ1/q ≤ Σq·Γ,   Γ = Σℓ²/q over the updates,

whatever the variances are.  This is what is printed, and it holds for the numbers as they were computed.

What Γ is: with A = Σ⁻¹ the update of the full rule gives A'μ' = (A + xxᵀ/r)(μ + αyΣx) = Aμ + x·(μ·x + yℓ)/r = Aμ + yx/r, since
yℓ = y - μ·x.  So μ is the ridge solution over the updates so far, least in F(u) = Σ(y - u·x)² + r·|u|²_A₀ (A₀ the first confidences), and
the least value grows by exactly (y - μ·x)²/(1 + v/r) = ℓ²/q in a round.  Hence, where every feature has its place among the covariances,

    Γ = min F(u) ≤ Σ(1 - y·u·x)² + r·|u|²_A₀     for every u,

the sum over the updates.  A feature starts with the confidence x², x its first value.  When a larger one comes, A grows by the difference
and μ moves so that Aμ = Σyx/r stays: the ridge solution for a larger A₀, whose least F is not smaller.  So Γ ≤ min F(u) with the last
A₀ = diag(s_i²), s_i the largest |x_i| of the updates (1 for the bias).  For features beyond `dense` (a variance each) there is no such
identity: Γ is then only what the run says.

Compared.  Σq = M + V, V = Σv/r over the mistakes, so M² ≤ (M + V)·Γ, and M ≤ (G + √(G² + 4VG))/2 for every G ≥ Γ.  G = max(Γ, F(u)) with F
over all rounds, where no term is negative, is such a number whatever the places: what was said above is why Γ is no larger than F(u).  The
scales s_i are then the largest |x_i| of all rounds.

Weights: in a round of weight c, r/c takes the place of r; q = 1 + cv/r, M = Σc and Σcq over the mistakes, Γ = Σcℓ²/q.

Rounding (u = 2^-53): a term is right to a relative 8u given the ℓ and v that decided, and the sum of k terms to ku.
"""

from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from littlestone.errors import require
from littlestone.theory.bound import Invariant, Moment, hindsight
from littlestone.theory.comparators.vector import Vector
from littlestone.theory.evidence import Evidence
from littlestone.theory.families import Family
from littlestone.theory.numbers import DIGITS, Exact, real, root_up, up
from littlestone.theory.settings import BIAS, FEATURES, MODERATE, checked, whole


def rounding(updates: int) -> Fraction:
    """What the rounding of a run in doubles may have taken from Γ and Σq, as a share of each."""
    return Fraction(updates + 16, 2**51)


def squares(worth: Exact, gain: Exact) -> Decimal:
    """M ≤ √(Σq·Γ), q = 1 + v/r over the mistakes, Γ = Σℓ²/q over the updates.

    >>> squares(10, Fraction(5, 2)).quantize(Decimal(1))
    Decimal('5')
    """
    return root_up(Fraction(worth) * Fraction(gain))


SQUARES = hindsight(
    "arow_full-squares",
    "M ≤ √(Σq·Γ),  q = 1 + v/r of a mistake, Γ = Σℓ²/q over the updates",
    squares,
    "derived; the rule: Crammer, Kulesza, Dredze 2009",
    witness="run",
)


def ridge(F: Exact, gain: Exact, worth: Exact, M: Exact) -> Decimal:
    """M ≤ (G + √(G² + 4VG))/2, G = max(Γ, F(u)), V = Σq - M.

    >>> ridge(100, 80, 60, 52).quantize(Decimal("0.01"))
    Decimal('107.45')
    """
    G, V = max(Fraction(F), Fraction(gain)), max(Fraction(0), Fraction(worth) - Fraction(M))
    with localcontext(DIGITS):
        return up((real(G) + root_up(G * G + 4 * V * G)) / 2)


RIDGE = hindsight(
    "arow_full-ridge",
    "M ≤ (G + √(G² + 4VG))/2,  G = max(Γ, F), F = Σ(1 - y·u·x)² + r·Σs_i²u_i² over all rounds, V = Σv/r over the mistakes",
    ridge,
    "derived; the rule: Crammer, Kulesza, Dredze 2009",
    witness="vector",
    every=True,
    loss="F",
    own=("gain", "worth"),
)


def measure(e: Evidence, u: Vector | None) -> dict:
    """The mistakes, and of a vector its squared losses over all rounds, and its length where s_i are the units."""
    facts: dict[str, Any] = {"M": sum((row.c for row in e.taught if row.mistake), Fraction(0))}
    if u is None or e.every is None:
        return facts
    rho, largest = Fraction(e.settings["bias"]), dict[str, int]()
    require(rho > 0 or u.bias == 0, "the witness has a bias, and this rule has none")
    F = Fraction(e.settings["r"]) * u.bias**2
    for row in e.every:
        for name, v in row.x.items():
            largest[name] = max(largest.get(name, 0), abs(v))
    F += Fraction(e.settings["r"]) * Fraction(sum((w * largest.get(name, 0)) ** 2 for name, w in u.weights.items()), 1 << 2 * e.exponent)
    F /= 1 << 2 * u.exponent
    return facts | {"F": F + sum((row.c * (1 - m) ** 2 for row, m in zip(e.every, u.dots(e, rho, e.every), strict=True)), Fraction(0))}


def _shrinks(m: Moment) -> tuple[Fraction, Fraction]:
    scale = m.state["scale"]
    return max((s * scale.get(i, Fraction(0)) ** 2 for i, s in m.state["sigma"].items()), default=Fraction(0)), 1 + m.slack


INVARIANTS = (Invariant("confidence grows", "σ_i·x_i² ≤ 1 for every value learned from", _shrinks),)


FAMILY = Family(
    "arow_full",
    {
        "n": FEATURES,
        "r": checked(MODERATE, (lambda v: v >= Fraction(1, 10**12), "must be positive, and at least 1e-12")),
        "dense": whole(1, 1024),
        "bias": BIAS,
    },
    (SQUARES, RIDGE),
    measure,
    ties="μ·x = 0 predicts 1",
    weighted=True,
    updates_on="margin",
    invariants=INVARIANTS,
    source="Crammer, Kulesza, Dredze 2009",
)
