"""AROW with a diagonal: what can be proved of it.

μ the weights, A = diag(1/σ_i) their confidences, A = I at first.  An update has loss ℓ = 1 - y·μ·x > 0, v = Σσ_i x_i², α = ℓ/(v + r); it
adds α·y·σ_i x_i to μ_i, and then x_i²/r to A_i.  Before A moves, |μ|²_A = ΣA_i μ_i² grows by 2α·y·μ·x + α²v = 2α - (2αℓ - α²v); when it
moves, by Σx_i²μ_i²/r with the new μ.  Summed over the updates from μ = 0, with E = ΣΣx_i²μ_i²/r:

    Σ (2αℓ - α²v) = 2Σα + E - |μ|²_A.

A term is ℓ²(v + 2r)/(v + r)² ≥ ℓ²/(v + r), and a mistake has ℓ ≥ 1.  With q = v + r, by Cauchy-Schwarz M² ≤ Σq·Σ1/q, both over the
mistakes, so M ≤ √(Σq·(2Σα + E - |μ|²_A)) on every stream; since σ_i ≤ 1 makes v ≤ |x|², that is at most (R² + r) times the bracket.

The full-matrix rule has a bound in terms of a comparator u (Crammer, Kulesza, Dredze 2009); for the diagonal rule none is known to us: E
stands where a determinant would, and can grow with the stream.  So there is no a priori bound.

Weights: in a round of weight c, r/c takes the place of r.  M = Σc over the mistakes is then at most √(Σc²q·(...)) with q = v + r/c.

Rounding (u = 2^-53): one update moves the identity by at most 2^5·(features + 8)·u·(|μ|_A + α√v)² ≤ 2^10·(features + 8)·u·(2Σα + E).
"""

from decimal import Decimal
from fractions import Fraction

from littlestone.theory.bound import Invariant, Moment, hindsight
from littlestone.theory.families import Family
from littlestone.theory.numbers import Exact, root_up
from littlestone.theory.settings import BIAS, FEATURES, MODERATE, checked


def rounding(updates: int, nnz: int) -> Fraction:
    """What the rounding of a run in doubles may add to the identity, as a share of 2Σα + E."""
    return Fraction((nnz + 8) * (updates + 1), 2**43)


def identity(worth: Exact, gain: Exact) -> Decimal:
    """M ≤ √(Σq·(2Σα + E - |μ|²_A)), q = v + r over the mistakes.

    >>> identity(10, Fraction(5, 2)).quantize(Decimal(1))
    Decimal('5')
    """
    return root_up(Fraction(worth) * max(gain, 0))


IDENTITY = hindsight(
    "arow-identity",
    "M ≤ √(Σ(v + r)·(2Σα + E - |μ|²_A)),  v = Σσ_i x_i² of a mistake, E = ΣΣx_i²μ_i²/r over the updates",
    identity,
    "derived; the full-matrix rule: Crammer, Kulesza, Dredze 2009",
    witness="run",
)


def _length(m: Moment) -> tuple[Fraction, Fraction]:
    mu, sigma, extra = m.state["mu"], m.state["sigma"], m.state["extra"]
    bias = extra.get(0, Fraction(0)) ** 2 / extra.get(1, Fraction(1))
    length2 = sum((v * v / sigma.get(i, Fraction(1)) for i, v in mu.items()), bias)
    sums = m.state["sums"]
    return length2, (2 * sums.get(0, Fraction(0)) + sums.get(1, Fraction(0))) * (1 + m.slack)


INVARIANTS = (
    Invariant("length", "|μ|²_A ≤ 2Σα + E", _length),
    Invariant("confidence grows", "σ_i ≤ 1", lambda m: (max(m.state["sigma"].values(), default=Fraction(1)), Fraction(1))),
)


FAMILY = Family(
    "arow",
    {"n": FEATURES, "r": checked(MODERATE, (lambda v: v >= Fraction(1, 10**12), "must be positive, and at least 1e-12")), "bias": BIAS},
    (IDENTITY,),
    ties="μ·x = 0 predicts 1",
    weighted=True,
    updates_on="margin",
    invariants=INVARIANTS,
    featurewise=True,
    source="Crammer, Kulesza, Dredze 2009",
)
