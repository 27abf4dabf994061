"""Balanced Winnow (EG± with threshold 0): the potential ln(mean cosh ηc_i), from the relative-entropy analysis.

c_i = Σ y·x_i over the updates, |x_i| ≤ X, margin ν ≥ 0 of the rule (0: update on mistakes only).  An update has
y·score ≤ ν·(1 + Σ(cosh ηc_i - 1)) over its own features, ≤ ν·Z with Z = Σ cosh ηc_i over all n; so by convexity of exp it multiplies Z
by at most cosh ηX + (ν/X)·sinh ηX; and Z ≥ ½·exp(η·max|c_i|), where
max|c_i| ≥ u·c/U ≥ (M - hinge)/U for every u with |u|₁ ≤ U.  Taking logarithms, with Z = n at the start:
M·(η/U - ln(cosh ηX + (ν/X)·sinh ηX)) ≤ ln 2n + (η/U)·hinge.

No feature and no value enters but those of the updates: of a run in hindsight, n counts the features met in updates, and X is over them.
"""

from collections.abc import Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from littlestone.errors import require
from littlestone.theory.bound import Invariant, Moment, a_priori, hindsight
from littlestone.theory.comparators.vector import Vector
from littlestone.theory.evidence import Evidence
from littlestone.theory.families import Family
from littlestone.theory.numbers import DIGITS, Exact, Real, cosh, real, up
from littlestone.theory.potentials import Line, Proof, Term, dot
from littlestone.theory.settings import FEATURES, checked

SOURCE = "Kivinen, Warmuth 1997; Littlestone 1989 (balanced); derived with constants"


def growth(eta: Real, X: Real, nu: Real) -> Decimal:
    """ln(cosh ηX + (ν/X)·sinh ηX): how much ln Z can grow in one update."""
    with localcontext(DIGITS):
        a = real(eta) * real(X)
        tail = (-2 * a).exp()  # cosh a = e^a·(1 + tail)/2: no overflow however large a is
        return a + ((1 + tail) / 2 + real(nu) / real(X) * (1 - tail) / 2).ln()


def hinge(n: int, eta: Exact, X: Real, U: Real, L: Real, nu: Exact = 0) -> Decimal:
    """Updates, hence mistakes, for every u with |u|₁ ≤ U and hinge loss L on the updates.

    >>> from fractions import Fraction
    >>> int(hinge(100, 1, 1, 1, 0)), int(2 * Decimal(200).ln())     # η = 1/(UX²): at most 2U²X²·ln 2n + 2L
    (9, 10)
    """
    with localcontext(DIGITS):
        if U == 0:
            return real(L)  # what the formula tends to as U falls: no update has a loss below 1 then
        pull = real(eta) / real(U)
        gain = pull - growth(eta, X, nu)
        require(gain > 0, f"eta={eta} is too large: with U/γ = {float(U):.3g} the bound needs ηγ/U > ln(cosh ηX + (ν/X)·sinh ηX)")
        return up((real(2 * n).ln() + pull * real(L)) / gain)


def margin(n: int, eta: Exact, X: Real, gamma: Exact, U: Exact = 1, nu: Exact = 0) -> Decimal:
    """Updates, hence mistakes, when some u with |u|₁ ≤ U has y·(u·x) ≥ γ on every round."""
    require(gamma > 0 and U > 0, f"gamma={gamma}, U={U}: both must be positive")
    with localcontext(DIGITS):
        return hinge(n, eta, X, real(U) / real(gamma), 0, nu)


MARGIN = a_priori(
    "balanced-winnow-margin",
    "margin",
    "M ≤ ln(2n)/(ηγ/U - ln(cosh ηX + (ν/X)·sinh ηX))",
    margin,
    SOURCE,
    least=("n",),
    says="some u with |u|₁ ≤ U has y·(u·x) ≥ γ on every round, and |x_i| ≤ X",
)
HINGE = hindsight(
    "balanced-winnow-hinge",
    "M ≤ (ln 2n + ηL/U)/(η/U - ln(cosh ηX + (ν/X)·sinh ηX)),  L = hinge loss of u on the updates, U = |u|₁",
    hinge,
    SOURCE,
    witness="vector",
    loss="L",
)


def _potential(m: Moment) -> tuple[Decimal, Decimal]:
    n, eta, X = m.settings["n_seen"], m.settings["eta"], m.settings["X"]
    c = m.state["c"]
    with localcontext(DIGITS):
        Z = real(n - len(c)) + sum((cosh(real(eta * v)) for v in c.values()), Decimal(0))
        return Z.ln(), (real(n).ln() + m.updates * growth(eta, X, m.settings["margin"])) * (1 + real(m.slack))


def _pull(m: Moment) -> tuple[Decimal, Decimal]:
    u, c = m.witness or {}, m.state["c"]
    eta, n = m.settings["eta"], m.settings["n_seen"]
    U = sum(abs(v) for v in u.values()) or 1
    with localcontext(DIGITS):
        Z = real(n - len(c)) + sum((cosh(real(eta * v)) for v in c.values()), Decimal(0))
        return real(eta * m.margins / U), (Z.ln() + real(2).ln()) * (1 + real(m.slack)) + real(m.slack)


def _alignment(m: Moment) -> tuple[Fraction, Fraction]:
    u, c = m.witness or {}, m.state["c"]
    size = sum((abs(v) for v in c.values()), Fraction(1)) * max((abs(v) for v in u.values()), default=Fraction(0))
    return m.margins - m.slack * size, dot(c, u)


INVARIANTS = (
    Invariant("alignment", "u·c ≥ Σ y·(u·x) over the updates", _alignment, needs_witness=True),
    Invariant("potential", "ln Σcosh ηc_i ≤ ln n + M·ln(cosh ηX + (ν/X)·sinh ηX)", _potential),
    Invariant("pull of the witness", "η·u·c/|u|₁ ≤ ln Σcosh ηc_i + ln 2", _pull, needs_witness=True),
)


def _chain(m: Moment) -> tuple[Term, ...]:
    u, eta = m.witness or {}, Fraction(m.settings["eta"])
    size = sum((abs(v) for v in u.values()), Fraction(0))
    lnZ, grown = _potential(m)
    with localcontext(DIGITS):
        two = real(2).ln()
        ends = real(eta * m.settings["gamma"] * m.updates / size), real(eta * dot(m.state["c"], u) / size)
        return *ends, lnZ + two, grown + two


def proof(settings: Mapping[str, Any], witness: bool) -> Proof:
    Z = "Z = Σcosh(ηc_i), D its growth in a mistake"
    if not witness:
        return Proof((Line(("ln Z", "ln n + M·D"), _potential, ("ln Z",)),), Z)
    line = Line(("ηγM", "η·c·w*", "ln 2Z", "ln 2n + M·D"), _chain, ("η·c·w*", "ln 2Z"))
    return Proof((line,), f"c the sum of the mistakes, w* the witness with |w*|₁ = 1, γ its margin, {Z}")


def measure(e: Evidence, u: Vector | None) -> dict:
    """Of a vector |u|₁ and its hinge loss, with n and X over the updates; without one, n and X of the whole stream."""
    facts = {"eta": e.settings["eta"], "nu": e.settings["margin"]}
    if u is None:
        return facts | {"n": max(1, e.features), "X": e.largest or Fraction(1)}
    require(u.bias == 0, "the witness has a bias, and this rule has none")
    met = {name for row in e.taught for name, v in row.x.items() if v}
    largest = max((abs(v) for row in e.taught for v in row.x.values()), default=0)
    return facts | {"n": max(1, len(met)), "X": e.value(largest) or Fraction(1), "U": u.absolute(), "L": u.hinge(e)}


FAMILY = Family(
    "balanced_winnow",
    {
        "n": FEATURES,
        "eta": checked((lambda v: v >= Fraction(1, 10**12), "must be positive, and at least 1e-12, or no weight ever moves")),
        "margin": checked((lambda v: v >= 0, "must not be negative")),
    },
    (MARGIN, HINGE),
    measure,
    ties="the score 0 predicts 1",
    updates_on=lambda settings: "margin" if settings["margin"] else "mistakes",
    invariants=INVARIANTS,
    proof=proof,
    multiplicative=True,
    featurewise=True,
    source="Littlestone 1989; Kivinen, Warmuth 1997",
)
