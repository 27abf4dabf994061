"""The p-norm Perceptron: the potential ½|θ|_p², whose gradient is w (Grove, Littlestone, Schuurmans 1997; Gentile 2003).

1/p + 1/q = 1.  w = ∇½|θ|_p² has w_i = sign(θ_i)|θ_i|^(p-1)/|θ|_p^(p-2); the common factor changes no sign.  For p ≥ 2 the potential is
(p-1)-smooth in the p-norm: ½|θ + z|_p² ≤ ½|θ|_p² + w·z + ((p-1)/2)|z|_p².  A mistake adds z = y·x with y·w·x ≤ 0, so |θ|_p² ≤
(p-1)Σ|x|_p² over the mistakes.  For every u, M - L ≤ u·θ ≤ |u|_q|θ|_p, L the hinge loss of u on the mistakes: M - L ≤ √(KM) with K =
(p-1)·max|x|_p²·|u|_q², and M ≤ ((√K + √(K+4L))/2)², as for the Perceptron, which is p = 2.

|x|_p ≤ a^(1/p)·X for a row of a features, each at most X in size, and |x|_p ≤ |x|_2; |u|_q ≤ |u|_1.  With p = 2·ln n, a^(2/p) ≤ n^(2/p) =
e: few relevant features among many cost a logarithm, as for Winnow, and there is no rate to tune.

Weights: a mistake of weight c adds z = c·y·x, so |θ|_p² ≤ (p-1)Σc²|x|_p² ≤ (p-1)·max(c|x|_p²)·Σc: the same with M = Σc over the mistakes,
L = Σc·hinge and c|x|_p² for |x|_p².

Rounding: as for the Perceptron, with p more roundings in each product.  A weight so small beside the largest that a double cannot hold it
counts as 0: that is a θ_i below 2^-(1000/(p-1)) of the scale, and adds at most M·2^(3-1000/(p-1)) of K.
"""

from collections import Counter
from collections.abc import Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from math import ceil
from typing import Any

from littlestone.errors import require
from littlestone.theory import perceptron
from littlestone.theory.bound import Invariant, Moment, a_priori, hindsight
from littlestone.theory.comparators.vector import Vector
from littlestone.theory.evidence import Evidence
from littlestone.theory.families import Family
from littlestone.theory.numbers import DIGITS, Exact, Real, real, up
from littlestone.theory.potentials import Line, Proof, Term, dot
from littlestone.theory.settings import FEATURES, whole

SOURCE = "Grove, Littlestone, Schuurmans 1997; Gentile 2003"


def best_p(n: int) -> int:
    """2·ln n rounded up to a whole number, at least 2.

    >>> best_p(1), best_p(100), best_p(47_000)
    (2, 10, 22)
    """
    with localcontext(DIGITS):
        return max(2, ceil(2 * Decimal(n).ln()))


def rounding(M: int, nnz: int, p: int) -> Fraction:
    """Factor on K that covers the rounding of a run in doubles, as long as it is below 1.01; beyond that nothing is claimed."""
    return perceptron.rounding(M, nnz + p) + M * Fraction(8, 2 ** (1000 // (p - 1)))


def row_length2(p: int, active: int, X: Real) -> Decimal:
    """a^(2/p)·X², rounded up: at least |x|_p² for a row of a features, each at most X in size."""
    with localcontext(DIGITS):
        return up((real(max(1, active)).ln() * 2 / p).exp() * real(X) ** 2)


def margin(p: int, active: int, X: Real, gamma: Exact, U: Exact = 1, c: Exact = 1, slack: Exact = 1) -> Decimal:
    """M ≤ (p-1)·a^(2/p)·(XU/γ)² when some u with |u|₁ ≤ U has y·(u·x) ≥ γ on every round; c is the largest weight of a mistake.

    >>> margin(2, 4, 1, 1).quantize(Decimal(1)), margin(10, 100, 1, Fraction(1, 2)).quantize(Decimal(1))
    (Decimal('4'), Decimal('90'))
    """
    require(gamma > 0 and U > 0, f"gamma={gamma}, U={U}: both must be positive")
    with localcontext(DIGITS):
        return up((p - 1) * row_length2(p, active, X) * real(c * slack) * (real(U) / real(gamma)) ** 2)


MARGIN = a_priori(
    "pnorm-margin",
    "margin",
    "M ≤ (p-1)·a^(2/p)·(XU/γ)²,  a = most features in a row",
    margin,
    SOURCE,
    says="some u with |u|₁ ≤ U has y·(u·x) ≥ γ on every round, and |x_i| ≤ X",
)
HINGE = hindsight(
    "pnorm-hinge",
    "M ≤ ((√K + √(K+4L))/2)²,  K = (p-1)·max|x|_p²·|u|_q², L = hinge loss of u on the mistakes",
    perceptron.hinge,
    SOURCE,
    witness="vector",
    loss="L",
)


def _potential(m: Moment) -> tuple[Fraction, Fraction]:
    """(|θ|_p²)^p ≤ ((p-1)Σc²|x|_2²)^p: |x|_p is at most |x|_2, and these are rational."""
    p = int(m.settings["p"])
    left = sum((abs(v) ** p for v in m.state["theta"].values()), Fraction(0)) ** 2
    return left, ((p - 1) * m.sum_squares * (1 + m.slack)) ** p


def _alignment(m: Moment) -> tuple[Fraction, Fraction]:
    u, theta = m.witness or {}, m.state["theta"]
    size = sum((abs(v) for v in theta.values()), Fraction(0)) * max((abs(v) for v in u.values()), default=Fraction(0))
    return m.margins - m.slack * size, dot(theta, u)


INVARIANTS = (
    Invariant("potential", "|θ|_p² ≤ (p-1)·Σ|x|² over the mistakes", _potential),
    Invariant("alignment", "u·θ ≥ Σ y·(u·x) over the mistakes", _alignment, needs_witness=True),
)


def _chain(m: Moment) -> tuple[Term, ...]:
    p, u = int(m.settings["p"]), m.witness or {}
    with localcontext(DIGITS):
        q = real(Fraction(p, p - 1))
        size = (sum(((real(abs(v)).ln() * q).exp() for v in u.values() if v), Decimal(0)).ln() / q).exp()
        theta = sum((real(abs(v)) ** p for v in m.state["theta"].values()), Decimal(0))
        length = (theta.ln() / p).exp() if theta else Decimal(0)
        ends = real(m.settings["gamma"] * m.updates) / size, real(dot(m.state["theta"], u)) / size
        return *ends, length, (real((p - 1) * m.settings["R2"] * m.updates)).sqrt()


def proof(settings: Mapping[str, Any], witness: bool) -> Proof:
    line = Line(("γM", "θ·w*", "|θ|_p", "R√((p-1)M)"), _chain, ("θ·w*", "|θ|_p"))
    letters = "θ the sum of the mistakes, w* the witness with |w*|_q = 1, γ its margin, R the longest instance"
    return Proof((line,) if witness else (), letters)


def largest_row(e: Evidence, p: int) -> Decimal:
    """max c|x|_p² over the mistakes, rounded up: the 2/p-th power of a whole number."""
    powers = {v: v**p for v in {abs(v) for row in e.taught for v in row.x.values()}}
    sums = ((row.c, sum([powers[abs(v)] for v in row.x.values()])) for row in e.taught)
    with localcontext(DIGITS):
        if not e.weighted:
            return power_up(max((total for _, total in sums), default=0), Fraction(2, p)) / 4**e.exponent
        return max((real(c) * power_up(total, Fraction(2, p)) for c, total in sums), default=Decimal(0)) / 4**e.exponent


def power_up(x: Real, exponent: Fraction) -> Decimal:
    """x^exponent, rounded up.

    >>> power_up(8, Fraction(2, 3)).quantize(Decimal("0.001"))
    Decimal('4.000')
    """
    with localcontext(DIGITS):
        return up((real(x).ln() * exponent.numerator / exponent.denominator).exp()) if x else Decimal(0)


def dual_length2(u: Vector, p: int) -> Decimal:
    """|u|_q², 1/p + 1/q = 1, rounded up."""
    q, counted = Fraction(p, p - 1), Counter(map(abs, [*u.weights.values(), u.bias]))
    with localcontext(DIGITS):
        total = sum((times * power_up(w, q) for w, times in counted.items()), Decimal(0))
        return power_up(total, 2 / q) / 4**u.exponent


def measure(e: Evidence, u: Vector | None) -> dict:
    """The longest row and of a vector its length and its hinge loss over the mistakes; without one, the sizes of the whole stream."""
    p = e.settings["p"]
    facts = {"p": p, "slack": rounding(len(e.taught), e.widest, p)}
    if u is None:
        c = max((row.c for row in e.taught), default=Fraction(0)) if e.weighted else Fraction(1)
        return facts | {"active": e.widest, "X": e.largest or Fraction(1), "c": c}
    require(u.bias == 0, "the witness has a bias, and this rule has none")
    with localcontext(DIGITS):
        return facts | {"K": up((p - 1) * largest_row(e, p) * dual_length2(u, p)), "L": u.hinge(e)}


FAMILY = Family(
    "pnorm",
    {"n": FEATURES, "p": whole(2, 256)},
    (MARGIN, HINGE),
    measure,
    ties="the score 0 predicts 1",
    weighted=True,
    invariants=INVARIANTS,
    proof=proof,
    featurewise=True,
    source=SOURCE,
)
