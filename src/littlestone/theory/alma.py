"""ALMA for p = 2: projected gradient steps on the rounds whose margin is too small.

x̂ = x/|x| (0 for a row without features).  Correction k = 1, 2, ... happens where y·w·x̂ ≤ (1-α)γ_k and makes w ← w + η_k y x̂, brought
back into the unit ball when it leaves it; γ_k = B/√k with B = √8/α, η_k = √2/√k.  Projection brings w nearer to every u with |u| ≤ 1, so

    y(u - w_k)·x̂ ≤ (|w_k - u|² - |w_{k+1} - u|²)/(2η_k) + η_k/2.

Summed over m corrections, with D² ≥ every |w_k - u|², Σ1/√k ≤ 2√m and y·w_k·x̂ ≤ (1-α)γ_k:

    Σ y·u·x̂ ≤ √m·A,   A = 4√2·(1/α - 1) + D²/√8 + √2.

D² = 4 always.  If y·u·x̂ ≥ γ > 0 on every correction then u·w_k ≥ 0, D² = 2, and the left side is at least γm: m ≤ A²/γ² with D² = 2.
For any u, |u| ≤ 1, and any level g > 0 the left side is at least gm - L, L = Σ max(0, g - y·u·x̂) over the corrections: with D² = 4,
m ≤ ((A + √(A² + 4gL))/(2g))².  Each mistake is a correction.  (Gentile 2001 states smaller constants; these are the ones proved here.)

Rounding (u = 2^-53): lengths are about 1, so each inequality is off by at most 2^5·(features + 8)·u/η_k, together
a share (features + 8)·m·2^-44 of √m·A.
"""

from decimal import Decimal, localcontext
from fractions import Fraction

from littlestone.errors import require
from littlestone.theory.all_rounds import RowMeter
from littlestone.theory.bound import Invariant, Moment, a_priori, hindsight
from littlestone.theory.comparators.vector import Vector
from littlestone.theory.evidence import Evidence
from littlestone.theory.families import Family
from littlestone.theory.numbers import DIGITS, Exact, Real, real, root_up, up
from littlestone.theory.settings import BIAS, FEATURES, checked

SOURCE = "Gentile 2001 (the algorithm); bound derived with its constants"


def rounding(corrections: int, nnz: int) -> Fraction:
    """Factor on A that covers the rounding of a run in doubles."""
    return 1 + Fraction((nnz + 8) * (corrections + 1), 2**44)


def constant(alpha: Exact, D2: int) -> Decimal:
    """A = 4√2·(1/α - 1) + D²/√8 + √2, rounded up.

    >>> round(constant(1, 2), 4), round(constant(Fraction(9, 10), 4), 4)
    (Decimal('2.1213'), Decimal('3.4570'))
    """
    with localcontext(DIGITS):
        return up(root_up(2) * (real(4 * (1 / Fraction(alpha) - 1)) + real(Fraction(D2, 4)) + 1))


def margin(R2: Exact, gamma: Exact, alpha: Exact, slack: Exact = 1) -> Decimal:
    """Corrections, hence mistakes: m ≤ (A·R/γ)².

    >>> margin(1, Fraction(1, 10), 1).quantize(Decimal(1))
    Decimal('450')
    """
    require(gamma > 0, f"gamma={gamma} must be positive: it is a margin")
    with localcontext(DIGITS):
        return up((constant(alpha, 2) * real(slack)) ** 2 * real(R2) / real(gamma) ** 2)


def hinge(alpha: Exact, level: Exact, L: Real, slack: Exact = 1) -> Decimal:
    """Corrections, hence mistakes: m ≤ ((A + √(A² + 4gL))/(2g))².

    >>> hinge(1, 1, 0).quantize(Decimal(1))
    Decimal('8')
    """
    with localcontext(DIGITS):
        A = constant(alpha, 4) * real(slack)
        return up(((A + root_up(A * A + 4 * real(level) * real(L))) / (2 * real(level))) ** 2)


def unit_losses(u: Vector, rho: Fraction) -> RowMeter:
    """Σ max(0, g - y·u·x/|x|) over all rounds."""
    g = real(u.level)

    def loss(margin: Fraction, square: Fraction) -> Decimal:
        return max(Decimal(0), g - real(margin) / real(square).sqrt()) if square else g

    return RowMeter(u, rho, loss)


MARGIN = a_priori(
    "alma-margin",
    "margin",
    "M ≤ (A·R/γ)²,  A = 4√2(1/α - 1) + 3/√2",
    margin,
    SOURCE,
    says="some u with |u| = 1 has y·(u·x) ≥ γ on every round, and |x| ≤ R",
)
HINGE = hindsight(
    "alma-hinge",
    "M ≤ ((A + √(A² + 4gL))/(2g))²,  A = 4√2(1/α - 1) + 2√2, L = Σ max(0, g - y·u·x/|x|) over the corrections",
    hinge,
    SOURCE,
    witness="vector",
    falling=("level",),
    loss="L",
    unit="level",
    meter=unit_losses,
)


def _ball(m: Moment) -> tuple[Fraction, Fraction]:
    v, b, z = m.state["v"], m.state["b"].get(0, Fraction(0)), m.state["z"]
    length2 = sum((a * a for a in v.values()), Fraction(0)) + Fraction(m.settings["bias"]) ** 2 * b * b
    return length2 * z.get(0, Fraction(1)) ** 2, 1 + m.slack


INVARIANTS = (Invariant("ball", "|w| ≤ 1", _ball),)


def measure(e: Evidence, u: Vector | None) -> dict:
    """R² over the corrections; of a vector in the unit ball the loss at its level, roots rounded so that it is never too small."""
    rho = Fraction(e.settings["bias"])
    squares = [e.square(row) + rho * rho for row in e.taught]
    facts = {
        "R2": max(squares, default=Fraction(0)),
        "alpha": e.settings["alpha"],
        "slack": rounding(len(e.taught), e.widest),
    }
    if u is None:
        return facts
    require(rho > 0 or u.bias == 0, "the witness has a bias, and this rule has none")
    require(u.squared() <= 1, f"the witness has length {float(u.squared()) ** 0.5:.6g}; it must lie in the unit ball")
    with localcontext(DIGITS):
        g, total = real(u.level), Decimal(0)
        for square, dot in zip(squares, u.dots(e, rho), strict=True):
            total += max(Decimal(0), g - real(dot) / real(square).sqrt()) if square else g
        return facts | {"level": u.level, "L": up(total)}


FAMILY = Family(
    "alma",
    {"n": FEATURES, "alpha": checked((lambda v: Fraction(1, 1000) <= v <= 1, "must be at most 1, and at least 1/1000")), "bias": BIAS},
    (MARGIN, HINGE),
    measure,
    ties="w·x = 0 predicts 1",
    updates_on="margin",
    invariants=INVARIANTS,
    featurewise=True,
    source=SOURCE,
)
