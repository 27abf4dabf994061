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

Weights: in a round of weight c, r/c takes the place of r; q = 1 + cv/r, M = Σc and Σcq over the mistakes, Γ = Σcℓ²/q.

Rounding (u = 2^-53): a term is right to a relative 8u given the ℓ and v that decided, and the sum of k terms to ku.
"""

from decimal import Decimal
from fractions import Fraction

from littlestone.theory.bound import Invariant, Moment, hindsight
from littlestone.theory.families import Family
from littlestone.theory.numbers import Exact, root_up
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
    (SQUARES,),
    ties="μ·x = 0 predicts 1",
    weighted=True,
    updates_on="margin",
    invariants=INVARIANTS,
    source="Crammer, Kulesza, Dredze 2009",
)
