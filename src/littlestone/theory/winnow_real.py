"""Winnow over [0,1]: w_i is multiplied by α^x_i on a missed 1 and by α^-x_i on a false 1; θ = d, the number of features.

α^x ≤ 1 + (α-1)x and α^-x ≤ 1 - (1-1/α)x for x in [0,1] (both are convex in x, and equal at 0 and 1).  So a promotion, where w·x < θ,
adds less than (α-1)θ to W = Σw_i, a demotion takes at least (1-1/α)θ from it:  W ≤ d·(1 + (α-1)P - (1-1/α)N).
Let μ ≥ 0, V = Σμ_i, with μ·x ≥ 1 on the 1s and μ·x ≤ 1-δ on the 0s.  Then ln α·(P - (1-δ)N) ≤ Σ μ_i·ln w_i ≤ V·ln W (Jensen: the
weighted mean of ln w_i is at most ln max w_i).  Write P - (1-δ)N = gM + ρz with z = P - N/α: ρ = (2-δ)/(1+1/α), g = 1-ρ, g > 0 iff
(1-δ)α < 1.  So gM ≤ (V/ln α)·(ln d + ln(1+(α-1)z)) - ρz, at most its value where 1+(α-1)z = c = V(α-1)/(ρ·ln α):
M ≤ V·(ln d + ln c - 1 + 1/c)/(g·ln α).
If only Σμ ≤ U is known: a 1 needs μ·x ≥ 1, so V ≥ 1, and from V = 1 on the right side grows with V, as its derivative has the sign of
ln(dc) and c ≥ (α-1/α)/(2 ln α) ≥ 1.  Without a 1 in the stream P = 0, and W > 0 gives N < α/(α-1).

On any stream, for every μ ≥ 0 with V = Σμ and every δ with (1-δ)α < 1: let A = Σ (1 - μ·x)₊ over the missed 1s + Σ (μ·x - (1-δ))₊ over the
false 1s.  Then ln α·(P - (1-δ)N - A) ≤ Σ μ_i·ln w_i ≤ V·ln W, and the rest is as above with A added:
M ≤ (A + (V/ln α)·(ln d + ln c - 1 + 1/c))/g, and at V = 0, where V·ln c goes to 0 and V/c to ρ·ln α/(α-1), M < (A + ρ/(α-1))/g.

Doubles: a score is good to a factor 1±η, so a promotion has w·x < θ(1+η), a demotion w·x ≥ θ(1-η).  With a = 1+η and b = (1-η)/α in
the place of 1 and 1/α the same proof gives the bound that is printed, ρ = (2-δ)/(a+b), g = 1-aρ.  `rounding` bounds η for the run: an
exponent s_i is a sum of M terms (error M²·2^-53 at most; none where all values are whole), exp is good to 2^-49, and a sum of m terms
to m·2^-53.  With complemented features large parts may cancel; the run keeps how large they were, and η grows with that.

Complemented features: 2n of them, (x, 1-x), so that a halfspace with negative weights becomes one without (`complemented`).
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from littlestone.errors import LittlestoneError, require
from littlestone.theory.bound import Invariant, Moment, a_priori, hindsight
from littlestone.theory.comparators.vector import Vector
from littlestone.theory.evidence import Evidence
from littlestone.theory.families import Family
from littlestone.theory.numbers import DIGITS, Exact, Real, real, strictly_below, up
from littlestone.theory.potentials import Line, Proof, dot
from littlestone.theory.settings import FLAG, NEEDED, checked

LITTLESTONE = "Littlestone 1988"


def _constants(delta: Exact, alpha: Fraction, eta: Fraction) -> tuple[Fraction, Fraction]:
    """ρ and g."""
    a, b = 1 + eta, (1 - eta) / alpha
    rho = (2 - Fraction(delta)) / (a + b)
    require(a * rho < 1, f"delta={delta}, alpha={alpha}: the bound needs (1-δ)α < 1")
    return rho, 1 - a * rho


def separable(d: int, U: Exact, delta: Exact, alpha: Exact, eta: Exact = 0) -> Decimal:
    """Mistakes when some μ ≥ 0 over the d features, Σμ ≤ U, has μ·x ≥ 1 on the 1s and μ·x ≤ 1-δ on the 0s; needs (1-δ)α < 1.

    >>> int(separable(100, 4, Fraction(1, 2), Fraction(5, 4))), int(separable(100, Fraction(1, 2), Fraction(1, 2), Fraction(5, 4)))
    (588, 4)
    """
    require(0 < delta <= 1 and U >= 0, f"delta={delta}, U={U}: the bound needs 0 < δ ≤ 1 and U ≥ 0")
    alpha, eta = Fraction(alpha), Fraction(eta)
    rho, g = _constants(delta, alpha, eta)
    nothing = Decimal(strictly_below(alpha / ((alpha - 1) * (1 - eta))))
    if U < 1:
        return nothing
    with localcontext(DIGITS):
        log = real(alpha).ln()
        c = real(U) * real(alpha - 1) / (real(rho) * log)
        return max(nothing, up(real(U) * (real(d).ln() + c.ln() - 1 + 1 / c) / (real(g) * log)))


def agnostic(d: int, V: Exact, A: Real, delta: Exact, alpha: Exact, eta: Exact = 0) -> Decimal:
    """Mistakes on any stream, for every μ ≥ 0 with Σμ = V, and A = Σ (1 - μ·x)₊ over missed 1s + Σ (μ·x - (1-δ))₊ over false 1s.

    >>> int(agnostic(100, 4, 0, Fraction(1, 2), Fraction(5, 4))), int(agnostic(100, 0, 7, 1, 2)), promotions(7, 2, 0)
    (588, 23, 22)
    """
    require(0 < delta <= 1 and V >= 0 and A >= 0, f"delta={delta}, V={V}, A={A}: the bound needs 0 < δ ≤ 1, V ≥ 0 and A ≥ 0")
    alpha, eta = Fraction(alpha), Fraction(eta)
    rho, g = _constants(delta, alpha, eta)
    with localcontext(DIGITS):
        if V == 0:
            return up((real(A) + real(rho / (alpha - 1))) / real(g))
        log = real(alpha).ln()
        c = real(V) * real(alpha - 1) / (real(rho) * log)
        return up((real(A) + real(V) * (real(d).ln() + c.ln() - 1 + 1 / c) / log) / real(g))


def promotions(P: int, alpha: Exact, eta: Exact) -> int:
    """Mistakes on any stream with P missed 1s: M < (α/(α-1) + α(1+η)P)/(1-η) + P, as W > 0."""
    alpha, eta = Fraction(alpha), Fraction(eta)
    return P + strictly_below((alpha / (alpha - 1) + alpha * (1 + eta) * P) / (1 - eta))


def rounding(M: int, widest: int, n: int, alpha: Exact, spread: Exact, whole: bool) -> Fraction:
    """η: how far, in proportion to θ, a score in doubles may be from the true one in a run of M mistakes.

    `spread` is, with complemented features, the largest Σ x_i·w_i + Σ of all complements' weights, over θ; 0 without them.

    >>> float(rounding(1000, 50, 100, 2, 0, False)) < 1e-10 > float(rounding(1000, 50, 100, 2, 0, True))
    True
    """
    steps = (0 if whole else M * M) + 4 * M + 4
    each = Fraction(int(real(Fraction(alpha)).ln() * steps) + 17 + widest + n.bit_length() + 8, 2**53)
    eta = 4 * each * Fraction(spread) if spread else each
    require(eta < Fraction(1, 2), f"{M} mistakes: too many for doubles to vouch for the score")
    return eta


def spread(P: int, alpha: Exact, complement: bool) -> Fraction:
    """The largest that `spread` of `rounding` can be after P missed 1s, as long as η stays below 1/2.

    All weights together are at most W ≤ d·(1 + (α-1)(1+η)P), and x ≤ 1; what doubles make of their sum is off by far less than the rest
    to 2.  If with this spread η comes out below 1/2, it was so on every round: by induction over the mistakes.

    >>> spread(10, 2, True), spread(10, 2, False)
    (Fraction(21, 1), Fraction(0, 1))
    """
    return 1 + 2 * (Fraction(alpha) - 1) * P if complement else Fraction(0)


def complemented(weights: Sequence[Exact], threshold: Exact, gap: Exact) -> tuple[Fraction, Fraction]:
    """U and δ, over the features (x, 1-x), of a halfspace: 1 where a·x ≥ b, 0 where a·x ≤ b - gap, weights of either sign.

    Σ a_i·x_i ≥ b says Σ_{a_i>0} a_i·x_i + Σ_{a_i<0} |a_i|·(1-x_i) ≥ b' = b + Σ_{a_i<0} |a_i|; so μ = |a|/b'.  If b' ≤ 0 every x is a 1.

    >>> complemented([2, -1, 0], 1, Fraction(1, 2))
    (Fraction(3, 2), Fraction(1, 4))
    """
    moved = Fraction(threshold) + sum(-Fraction(a) for a in weights if a < 0)
    require(moved > 0, f"threshold={threshold}: with these weights every instance is a 1")
    return sum((abs(Fraction(a)) for a in weights), Fraction(0)) / moved, Fraction(gap) / moved


class HalfspaceMeter:
    """A over all rounds, exactly: Σ (1 - μ·x)₊ over the 1s, and Σ (μ·x - (1-δ))₊ over the 0s."""

    def __init__(self, u: Vector, rho: Fraction = Fraction(0)) -> None:
        self.weights, self.level, self.total = {name: Fraction(w, 1 << u.exponent) for name, w in u.weights.items()}, u.level, Fraction(0)
        self.ever = Fraction(u.bias, 1 << u.exponent) - sum(w for w in self.weights.values() if w < 0)

    def add(self, keys: Iterable[Any], values: Iterable[float], y: bool, c: float, exponent: int) -> None:
        weighed = ((self.weights.get(str(key)), v) for key, v in zip(keys, values, strict=True))
        dot = self.ever + sum((w * Fraction(v) for w, v in weighed if w), Fraction(0))
        self.total += max(Fraction(0), 1 - dot if y else dot - (1 - self.level))


SEPARABLE = a_priori(
    "winnow-real-separable",
    "separable",
    "M ≤ U·(ln d + ln c - 1 + 1/c)/(g·ln α),  ρ = (2-δ)α/(1+α), g = 1-ρ, c = U(α-1)/(ρ·ln α)",
    separable,
    f"{LITTLESTONE}; derived with constants",
)
AGNOSTIC = hindsight(
    "winnow-real-agnostic",
    "M ≤ (A + V·(ln d + ln c - 1 + 1/c)/ln α)/g,  A = Σ (1 - μ·x)₊ over missed 1s + Σ (μ·x - (1-δ))₊ over false 1s, V = Σμ",
    agnostic,
    f"derived from {LITTLESTONE}",
    witness="vector",
    loss="A",
    meter=HalfspaceMeter,
)
PROMOTIONS = hindsight("winnow-real-promotions", "M < α/(α-1) + (1+α)P,  P = missed 1s", promotions, f"derived from {LITTLESTONE}")

SLACK = Fraction(1, 2**30)  # far above what doubles lose in a run that is checked round by round


def _total_weight(m: Moment) -> Decimal:
    """W from the exponents: features the run never touched weigh 1, and α^c complemented."""
    alpha, s, n = m.settings["alpha"], m.state["s"], m.settings["n"]
    c = m.promotions - m.demotions
    with localcontext(DIGITS):
        log = real(alpha).ln()
        W = real(n - len(s)) + sum(((log * real(v)).exp() for v in s.values()), Decimal(0))
        if m.settings["complement"]:
            W += (n - len(s)) * (log * c).exp() + sum(((log * real(c - v)).exp() for v in s.values()), Decimal(0))
        return W


def _weight_sides(m: Moment) -> tuple[Decimal, Decimal]:
    alpha, d = Fraction(m.settings["alpha"]), m.settings["n"] * (2 if m.settings["complement"] else 1)
    paid = (alpha - 1) * m.promotions * (1 + SLACK) - (1 - 1 / alpha) * m.demotions * (1 - SLACK)
    return _total_weight(m), real(d * (1 + paid + SLACK))


def _alignment(m: Moment) -> tuple[Fraction, Fraction]:
    u, s = m.witness or {}, m.state["s"]
    size = SLACK * (1 + m.updates) * sum((abs(v) for v in u.values()), Fraction(0))
    return m.margins - size, dot(s, u)


INVARIANTS = (
    Invariant("total weight", "W ≤ d·(1 + (α-1)P - (1-1/α)N)", _weight_sides),
    Invariant(
        "demotions", "N < α/(α-1) + αP", lambda m: (m.demotions, promotions(m.promotions, m.settings["alpha"], SLACK) - m.promotions)
    ),
    Invariant("alignment", "μ·s ≥ Σ ±(μ·x) over the updates", _alignment, needs_witness=True),
)


def proof(settings: Mapping[str, Any], witness: bool) -> Proof:
    line = Line(("W", "d(1+(α-1)P-(1-1/α)N)"), _weight_sides, ("W",))
    return Proof((line,), f"W = Σw_i, P missed 1s, N false 1s, d features with complements, α = {settings['alpha']}", True)


def eta_of(M: int, P: int, widest: int, whole: bool, settings: Mapping) -> Fraction | None:
    """η from what a stream and a list of mistakes tell; None where doubles cannot vouch for so long a run."""
    try:
        size = spread(P, settings["alpha"], settings["complement"])
        return rounding(M, widest, settings["n"], settings["alpha"], size, whole)
    except LittlestoneError:
        return None


def size_of(u: Vector, n: int, features: int, complement: bool) -> Fraction:
    """V = Σμ. A constant is the complement of a feature that is never on, or else x_i and its complement, which cost 2."""
    require(complement or (u.bias == 0 and all(w >= 0 for w in u.weights.values())), "μ must not be negative: there are no complements")
    require(u.bias >= 0, "μ must not be negative")
    return Fraction(sum(map(abs, u.weights.values())) + u.bias * (1 if features < n else 2), 1 << u.exponent)


def measure(e: Evidence, u: Vector | None) -> dict:
    """The settings, η, the missed 1s; of a vector V, A and δ, its level. A weight below 0 is one on the complement 1-x."""
    settings, complement = e.settings, e.settings["complement"]
    d = settings["n"] * (2 if complement else 1)
    eta = eta_of(e.mistakes, e.P, e.widest, e.whole, settings)
    facts = {"d": d, "alpha": settings["alpha"], "eta": eta, "P": e.P}
    if u is None:
        return facts
    ever = Fraction(u.bias - sum(w for w in u.weights.values() if w < 0), 1 << u.exponent)
    A, delta, unit, get = Fraction(0), u.level, 1 << u.exponent + e.exponent, u.weights.get
    for row in e.taught:
        dot = ever + Fraction(sum(get(i, 0) * v for i, v in row.x.items()), unit)
        A += max(Fraction(0), 1 - dot if row.y else dot - (1 - delta))
    return facts | {"V": size_of(u, settings["n"], e.features, complement), "A": A, "delta": delta}


FAMILY = Family(
    "winnow_real",
    {
        "n": NEEDED,
        "delta": checked((lambda v: 0 < v <= 1, "must lie above 0 and be at most 1")),
        "complement": FLAG,
        "alpha": checked((lambda v: 1 + Fraction(1, 10**6) <= v <= 1024, "must lie between 1.000001 and 1024")),
    },
    (SEPARABLE, PROMOTIONS, AGNOSTIC),
    measure,
    ties="w·x = θ predicts 1",
    domain="unit",
    invariants=INVARIANTS,
    proof=proof,
    multiplicative=True,
    featurewise=True,
    source="Littlestone 1988; constants derived",
)
