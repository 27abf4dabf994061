"""The shifting Perceptron: w_k = (1-λ_k)·w_{k-1} + y·x at mistake k, λ_k = λ/(λ+k), w_0 = 0.

Against a sequence of vectors.  Let u_k be the vector that is compared with at mistake k, ℓ_k = max(0, 1 - y·(u_k·x)) its loss there, and
u_0 = u_1.  Then y·(u_k·x) = u_k·w_k - (1-λ_k)·u_k·w_{k-1}, which is

    u_k·w_k - u_{k-1}·w_{k-1}  +  (u_{k-1} - u_k)·w_{k-1}  +  λ_k·u_k·w_{k-1}.

The left side is at least 1 - ℓ_k.  Summed over the M mistakes the first difference leaves u_M·w_M, and by Cauchy-Schwarz

    M ≤ Σℓ_k + |u_M||w_M| + S·W + U·Z,    S = Σ|u_k - u_{k-1}|, U = max|u_k|, W = max|w_k|, Z = Σ λ_k|w_{k-1}|.

Losses of other rounds and moves between mistakes only add to the right side, so L, S and U may be taken over all rounds, and U may stand
for |u_M|.  Nothing is used of when w errs.  What the rule adds is that w stays short:

A mistake has y·(w_{k-1}·x) ≤ 0, so |w_k|² ≤ (1-λ_k)²|w_{k-1}|² + |x|² ≤ k·R².  And λ_k ≤ λ/k gives Z ≤ Σ λR·√(k-1)/k ≤ λR·Σ 1/√k ≤ 2λR√M.
If one unit vector has y·(u·x) ≥ γ on every round, take u/γ: L = S = 0, and M ≤ (R√M + 2λR√M)/γ, M ≤ ((1+2λ)R/γ)².  (Cavallanti,
Cesa-Bianchi and Gentile 2007 prove the same with |w_k| ≤ e·√((λ+k+1)/(2λ+1)) against sequences, for instances of length 1.)

Rounding (u = 2^-53).  A step rounds w by at most (features + 8)·u of its parts, whose lengths are at most R√M: after M steps it is off by
(features + 8)·M·u of that, and so are the lengths and a score beside |w||x|.  The factor `rounding` covers them with room.
"""

from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from math import sqrt
from typing import Any

from littlestone.errors import require
from littlestone.theory.bound import Invariant, Moment, a_priori, hindsight
from littlestone.theory.evidence import Evidence, Taught
from littlestone.theory.families import Family
from littlestone.theory.numbers import DIGITS, Exact, Real, real, up
from littlestone.theory.settings import BIAS, FEATURES, checked

SOURCE = "Cavallanti, Cesa-Bianchi, Gentile 2007; derived"


def rounding(mistakes: int, nnz: int) -> Fraction:
    """Factor on lengths that covers the rounding of a run in doubles."""
    return 1 + Fraction((nnz + 8) * (mistakes + 1), 2**45)


def margin(R2: Exact, gamma: Exact, lam: Exact, slack: Exact = 1) -> Fraction:
    """M ≤ ((1+2λ)R/γ)².

    >>> margin(1, Fraction(1, 10), 0), margin(1, Fraction(1, 10), 1)
    (Fraction(100, 1), Fraction(900, 1))
    """
    require(gamma > 0, f"gamma={gamma} must be positive: it is a margin")
    return (1 + 2 * Fraction(lam)) ** 2 * Fraction(R2) * Fraction(slack) ** 2 / Fraction(gamma) ** 2


def sequence(L: Real, S: Real, U: Real, last: Real, W: Real, Z: Real) -> Decimal:
    """M ≤ L + U·|w| + S·W + U·Z, rounded up.

    >>> sequence(3, 1, 2, 4, 5, Fraction(1, 2)).quantize(Decimal("0.01"))
    Decimal('17.00')
    """
    with localcontext(DIGITS):
        return up(real(L) + real(U) * (real(last) + real(Z)) + real(S) * real(W))


MARGIN = a_priori(
    "shifting-margin",
    "margin",
    "M ≤ ((1+2λ)R/γ)²",
    margin,
    SOURCE,
    says="some u with |u| = 1 has y·(u·x) ≥ γ on every round, and |x| ≤ R",
)
SEQUENCE = hindsight(
    "shifting-sequence",
    "M ≤ L + U·|w| + S·W + U·Z,  L = hinge loss of a sequence of vectors over all rounds, S = how far it moves, U = the longest of them, "
    "W = the longest w, Z = Σλ_k|w| over the mistakes",
    sequence,
    SOURCE,
    witness="sequence",
    every=True,
    loss="L",
)


def _length(m: Moment) -> tuple[Fraction, Fraction]:
    rho2 = Fraction(m.settings["bias"]) ** 2
    square = sum((a * a for a in m.state["v"].values()), Fraction(0)) + rho2 * m.state["b"].get(0, Fraction(0)) ** 2
    return square * m.state["z"].get(0, Fraction(1)) ** 2, (m.sum_squares + rho2 * m.updates) * (1 + m.slack)


INVARIANTS = (Invariant("length", "|w|² ≤ Σ|x|² over the mistakes", _length),)


def lengths(taught: Sequence[Taught], exponent: int, lam: float, rho: float) -> dict[str, float]:
    """|w| at the end, the longest |w|, and Z, from the mistakes alone: all of w is theirs."""
    w: dict[str, float] = {}
    g, b, square, longest, Z, unit = 1.0, 0.0, 0.0, 0.0, 0.0, 2.0**-exponent
    for k, row in enumerate(taught, 1):
        keep, sign = k / (lam + k), 1.0 if row.y else -1.0
        x = [(name, v * unit) for name, v in row.x.items()]
        s = g * (sum(w.get(name, 0.0) * v for name, v in x) + rho * rho * b)
        Z += (1.0 - keep) * sqrt(square)
        square = max(0.0, keep * keep * square + 2.0 * keep * sign * s + sum(v * v for _, v in x) + rho * rho)
        longest = max(longest, sqrt(square))
        g *= keep
        if g < 2.0**-100:
            w, b, g = {name: v * g for name, v in w.items()}, b * g, 1.0
        for name, v in x:
            w[name] = w.get(name, 0.0) + sign / g * v
        b += sign / g
    return {"last": sqrt(square), "W": longest, "Z": Z}


def measure(e: Evidence, witness: Any) -> dict:
    """The lengths of w from the mistakes; of a sequence of vectors its loss over all rounds, how far it moves, and its longest."""
    rho = Fraction(e.settings["bias"])
    more = rounding(len(e.taught), e.widest)
    R2 = max((e.square(row) + rho * rho for row in e.taught), default=Fraction(0))
    facts: dict[str, Any] = {"R2": R2, "lam": e.settings["lam"], "slack": more}
    facts |= {key: Fraction(v) * more for key, v in lengths(e.taught, e.exponent, float(e.settings["lam"]), float(rho)).items()}
    if witness is not None and e.every is not None:
        require(rho > 0 or not witness.biased, "the witness has a bias, and this rule has none")
        facts |= {"L": witness.hinge(e, rho), "S": witness.moves(), "U": witness.longest()}
    return facts


FAMILY = Family(
    "shifting",
    {"n": FEATURES, "lam": checked((lambda v: 0 <= v <= 100, "must lie between 0 and 100")), "bias": BIAS},
    (MARGIN, SEQUENCE),
    measure,
    ties="w·x = 0 predicts 1",
    invariants=INVARIANTS,
    featurewise=True,
    source=SOURCE,
)
