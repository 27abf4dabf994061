"""The second-order Perceptron: what can be proved of it.

A_k = A_{k-1} + B_k and v_k = v_{k-1} + y·x at mistake k, A_0 = a·I, v_0 = 0.  B_k = xxᵀ among the features that have a place, and of each
of the others the diagonal, x_i², alone: B_k ⪰ 0.  A mistake means y·v_{k-1}·A_k⁻¹x ≤ 0.  (Where all features have a place, (A + xxᵀ)⁻¹x is
A⁻¹x/(1 + xᵀA⁻¹x), so that the sign is that of v·A⁻¹x.)  As A_k ⪰ A_{k-1},

    v_k·A_k⁻¹v_k = v_{k-1}·A_k⁻¹v_{k-1} + 2y·v_{k-1}·A_k⁻¹x + x·A_k⁻¹x ≤ v_{k-1}·A_{k-1}⁻¹v_{k-1} + x·A_k⁻¹x.

Among the places x·A_k⁻¹x = q/(1+q) ≤ ln(1+q), q = x·A_{k-1}⁻¹x, and 1+q is what the determinant grows by; of each of the others
x_i²/A_ii ≤ ln(A_ii/A_ii before).  So at the end v·A⁻¹v ≤ Λ = ln(det A/det A_0) = Σ ln(1 + λ_i/a), λ_i the eigenvalues of ΣB_k.  For every u

    M - L ≤ Σ y·(u·x) = u·v = (A^½u)·(A^-½v) ≤ √(uᵀAu)·√Λ,

L the hinge loss of u on the mistakes, and so all the more over all rounds: M ≤ L + √(K·Λ), K = uᵀAu = a|u|² + uᵀ(ΣB_k)u.  If a unit
vector has y·(u·x) ≥ γ on every round and |x| ≤ R, then K ≤ a + R²·M for it, and γM ≤ √((a + R²M)·Λ): M is at most the larger root of
γ²M² - R²Λ·M - aΛ = 0.  (Cesa-Bianchi, Conconi and Gentile 2005 have full matrices and L over the mistakes.)

Rounding.  A prediction in doubles may take y·v·A_k⁻¹x for 0 or less where it is a little more.  All that is needed of it is v·A⁻¹v ≤ Λ at
the end.  So Λ is the larger of the two, both measured on A and v as the mistakes make them, and a billionth more.
"""

from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from operator import mul
from typing import Any

from littlestone.errors import require
from littlestone.theory.bound import Invariant, Moment, a_priori, hindsight
from littlestone.theory.comparators.vector import Vector
from littlestone.theory.evidence import Evidence, Taught
from littlestone.theory.families import Family
from littlestone.theory.numbers import DIGITS, Exact, Real, real, root_up, up
from littlestone.theory.settings import BIAS, FEATURES, MODERATE, checked, whole

SOURCE = "Cesa-Bianchi, Conconi, Gentile 2005; derived"
SPARE = Fraction(1, 10**9)  # of Λ, so that what a run keeps in doubles suffices where values are of moderate sizes


def margin(R2: Exact, gamma: Exact, lam: Exact, a: Exact) -> Decimal:
    """The larger root of γ²M² - R²Λ·M - aΛ = 0.

    >>> margin(1, Fraction(1, 10), 2, 1).quantize(Decimal("0.01"))
    Decimal('201.00')
    """
    require(gamma > 0, f"gamma={gamma} must be positive: it is a margin")
    with localcontext(DIGITS):
        g2, b, c = real(Fraction(gamma) ** 2), real(R2) * real(lam), real(a) * real(lam)
        return up((b + root_up(b * b + 4 * g2 * c)) / (2 * g2))


def hinge(L: Real, K: Real, lam: Real) -> Decimal:
    """M ≤ L + √(K·Λ), rounded up.

    >>> hinge(3, 8, 2).quantize(Decimal("0.01"))
    Decimal('7.00')
    """
    with localcontext(DIGITS):
        return up(real(L) + root_up(real(K) * real(lam)))


MARGIN = a_priori(
    "second-order-margin",
    "margin",
    "γM ≤ √((a + R²M)·Λ),  Λ = Σ ln(1 + λ_i/a), λ_i the eigenvalues of Σxxᵀ over the mistakes",
    margin,
    SOURCE,
    says="some u with |u| = 1 has y·(u·x) ≥ γ on every round, and |x| ≤ R",
)
HINGE = hindsight(
    "second-order-hinge",
    "M ≤ L + √(K·Λ),  L = hinge loss of u over all rounds, K = uᵀAu, Λ = Σ ln(1 + λ_i/a), λ_i the eigenvalues of Σxxᵀ over the mistakes",
    hinge,
    SOURCE,
    witness="vector",
    every=True,
    loss="L",
)


def _potential(m: Moment) -> tuple[Fraction, Fraction]:
    w, v, place, extra = m.state["w"], m.state["v"], m.state["place"], m.state["extra"]
    total = sum((w.get(i, Fraction(0)) * v.get(i, Fraction(0)) for i in place), Fraction(0))
    total += extra.get(0, Fraction(0)) * extra.get(1, Fraction(0))
    total += sum(
        (x * x / (Fraction(m.settings["a"]) + m.state["d"].get(i, Fraction(0))) for i, x in v.items() if i not in place), Fraction(0)
    )
    return abs(total), m.state["sums"].get(0, Fraction(0)) * (1 + SPARE) + SPARE


INVARIANTS = (Invariant("potential", "|v·A⁻¹v| ≤ Σ ln(1 + λ_i/a)", _potential),)


def placed(taught: Sequence[Taught], dense: int) -> dict[str, int]:
    """The features that have a place among the first `dense` that a mistake brings, place 0 being that of the bias."""
    places: dict[str, int] = {}
    for row in taught:
        for name, value in row.x.items():
            if value and len(places) < dense:
                places.setdefault(name, len(places) + 1)
    return places


def potential(taught: Sequence[Taught], exponent: int, places: dict[Any, int], a: Fraction, rho: Fraction) -> Decimal:
    """The larger of Λ and v·A⁻¹v, from the mistakes alone: A and v are exact, and A = L·D·Lᵀ is found to a hundred digits.

    (In doubles a step from one A⁻¹ to the next loses as many digits as squares of values and `a` lie apart.)
    """
    n, unit = len(places) + 1, rho.denominator << exponent
    A, v = [[0] * (j + 1) for j in range(n)], [0] * n  # times unit², and unit; of A the lower half
    beyond: dict[Any, list[int]] = {}  # of features without a place: Σ y·x, and Σ x²
    for row in taught:
        sign, on = 1 if row.y else -1, [(0, rho.numerator << exponent)] if rho else []
        for name, whole_number in row.x.items():
            x = whole_number * rho.denominator
            if name in places:
                on.append((places[name], x))
            else:
                sums = beyond.setdefault(name, [0, 0])
                sums[0] += sign * x
                sums[1] += x * x
        on.sort()
        for k, (i, x) in enumerate(on):
            v[i] += sign * x
            for j, other in on[: k + 1]:
                A[i][j] += x * other
    total = reached = Decimal(0)
    with localcontext(DIGITS):
        start = real(a)
        for pull, square in beyond.values():
            length = start + real(Fraction(square, unit * unit))
            total += (length / start).ln()
            reached += real(Fraction(pull * pull, unit * unit)) / length
        L: list[list[Decimal]] = []
        D: list[Decimal] = []
        z: list[Decimal] = []  # L⁻¹v
        for i, exact in enumerate(A):
            line = [real(Fraction(value, unit * unit)) for value in exact]
            for j in range(i):  # line[j] is L_ij·D_j
                line[j] -= sum(map(mul, line[:j], L[j]), Decimal(0))
            scaled = [value / d for value, d in zip(line, D, strict=False)]
            D.append(line[i] + start - sum(map(mul, line[:i], scaled), Decimal(0)))
            z.append(real(Fraction(v[i], unit)) - sum(map(mul, scaled, z), Decimal(0)))
            L.append(scaled)
        total += sum(((d / start).ln() for d in D), Decimal(0))
        reached += sum((pull * pull / d for pull, d in zip(z, D, strict=True)), Decimal(0))
        return max(total, reached)


def stretched(e: Evidence, u: Vector, places: dict[str, int], a: Fraction, rho: Fraction) -> Fraction:
    """uᵀAu, exactly."""
    unit, squares = 1 << e.exponent + u.exponent, 0
    bias = rho * u.bias
    K = a * u.squared()
    for row in e.taught:
        inside = sum(u.weights.get(name, 0) * v for name, v in row.x.items() if name in places)
        squares += sum((u.weights.get(name, 0) * v) ** 2 for name, v in row.x.items() if name not in places)
        K += (Fraction(inside, unit) + Fraction(bias) / (1 << u.exponent)) ** 2
    return K + Fraction(squares, unit * unit)


def measure(e: Evidence, u: Any) -> dict:
    """R² and Λ from the mistakes; of a vector its loss over all rounds, and K."""
    a, rho = Fraction(e.settings["a"]), Fraction(e.settings["bias"])
    places = placed(e.taught, e.settings["dense"])
    lam = Fraction(potential(e.taught, e.exponent, places, a, rho)) * (1 + SPARE)
    facts: dict[str, Any] = {
        "R2": max((e.square(row) + rho * rho for row in e.taught), default=Fraction(0)),
        "lam": lam,
        "a": e.settings["a"],
    }
    if u is not None and e.every is not None:
        require(rho > 0 or u.bias == 0, "the witness has a bias, and this rule has none")
        loss = sum((max(Fraction(0), 1 - m) for m in u.dots(e, rho, e.every)), Fraction(0))
        facts |= {"L": loss, "K": stretched(e, u, places, a, rho)}
    return facts


FAMILY = Family(
    "second_order",
    {
        "n": FEATURES,
        "a": checked(MODERATE, (lambda v: v >= Fraction(1, 10**12), "must be positive, and at least 1e-12")),
        "dense": whole(1, 256),
        "bias": BIAS,
    },
    (MARGIN, HINGE),
    measure,
    ties="v·A⁻¹x = 0 predicts 1",
    invariants=INVARIANTS,
    source=SOURCE,
)
