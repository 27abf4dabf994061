"""Selective sampling: a Perceptron that asks for the label of a round with probability b/(b + |p|), p = w·x.

Let Z be 1 where a label is asked and M 1 where the prediction is wrong; an update happens where both are, and there y·p = -|p|.  Let u be
any vector, ℓ = max(0, 1 - y·(u·x)), |x| ≤ R on every labelled round, and a = b + R²/2.  An update brings w nearer to a·u or away from it by

    |a·u - w|² - |a·u - w - y·x|² = 2y·(a·u - w)·x - |x|² ≥ 2a·(1 - ℓ) + 2|p| - R² = 2(b + |p|) - 2aℓ.

Summed over the updates, as w begins at 0:  Σ ZM·(b + |p|) ≤ a²|u|²/2 + a·Σ ZMℓ, on every run.  Divided by b, with a/b = 1 + R²/(2b),

    Σ ZM·(1 + |p|/b) ≤ (1 + R²/(2b))·L + |u|²·(2b + R²)²/(8b),

L the hinge loss of u over all labelled rounds.  The coin of a round is tossed when M and p are settled, whatever came before, and Z is 1
with probability 1/(1 + |p|/b).  So the left side is on average the number of mistakes, those nobody noticed among them:

    E[M] ≤ (1 + R²/(2b))·L + |u|²·(2b + R²)²/(8b).

If a unit vector has y·(u·x) ≥ γ on every round, u/γ has L = 0: E[M] ≤ (2b + R²)²/(8bγ²).  The labels asked are on average Σ b/(b + |p|).
(Cesa-Bianchi, Gentile and Zaniboni 2006.)  The stream must not look at the coin.

How many labels are asked, A, beside S = Σ b/(b + |p|): a coin of chance q has E[e^(λZ)] ≤ e^((e^λ - 1)q), so e^(λA - (e^λ - 1)S) begins
at 1 and never grows on average.  By Ville's inequality λA ≤ (e^λ - 1)·S + ln(1/δ) at every round at once, but for a chance of δ; λ is 1/5.

Rounding.  w is a sum of rows, off by M·u of Σ|x| at most (u = 2^-53), and so is p; the factor `rounding` covers both with room.
"""

from decimal import Decimal, localcontext
from fractions import Fraction
from math import expm1, floor, log
from typing import Any

from littlestone.errors import require
from littlestone.theory.bound import Invariant, Moment, a_priori, hindsight
from littlestone.theory.evidence import Evidence
from littlestone.theory.experts import SEED
from littlestone.theory.families import Family
from littlestone.theory.numbers import DIGITS, Exact, Real, real, up
from littlestone.theory.settings import BIAS, FEATURES, MODERATE, checked

SOURCE = "Cesa-Bianchi, Gentile, Zaniboni 2006"
ROUNDING = 1 + Decimal(2) ** -20  # of a run in doubles: scores beside |w||x|


def hinge(L: Real, u2: Real, R2: Real, b: Exact) -> Decimal:
    """E[M] ≤ (1 + R²/(2b))·L + |u|²·(2b + R²)²/(8b), rounded up.

    >>> hinge(10, 4, 2, 1).quantize(Decimal("0.01"))
    Decimal('28.00')
    """
    with localcontext(DIGITS):
        square, price = real(R2), real(b)
        return up((1 + square / (2 * price)) * real(L) + real(u2) * (2 * price + square) ** 2 / (8 * price)) * ROUNDING


def margin(R2: Exact, gamma: Exact, b: Exact) -> Decimal:
    """E[M] ≤ (2b + R²)²/(8bγ²).

    >>> margin(1, Fraction(1, 10), Fraction(1, 2)).quantize(Decimal("0.01"))
    Decimal('100.00')
    """
    require(gamma > 0, f"gamma={gamma} must be positive: it is a margin")
    return hinge(0, 1 / Fraction(gamma) ** 2, R2, b)


def labels_asked(expected: float, delta: float = 0.05) -> int:
    """The most labels that are asked, but for a chance of δ, where so many were to be expected.

    >>> labels_asked(0), labels_asked(100), labels_asked(10_000)
    (14, 125, 11085)
    """
    return floor(5 * (expm1(0.2) * expected + log(1 / delta)) * (1 + 1e-9))


MARGIN = a_priori(
    "selective-margin",
    "margin",
    "E[M] ≤ (2b + R²)²/(8bγ²)",
    margin,
    SOURCE,
    says="some u with |u| = 1 has y·(u·x) ≥ γ on every round, and |x| ≤ R; it holds in expectation over the coin",
    chance="in expectation over the coin",
)
HINGE = hindsight(
    "selective-hinge",
    "E[M] ≤ (1 + R²/(2b))·L + |u|²·(2b + R²)²/(8b),  L = hinge loss of u over all rounds, |x| ≤ R",
    hinge,
    SOURCE,
    witness="vector",
    every=True,
    loss="L",
    chance="in expectation over the coin",
)


def _weighed(m: Moment) -> tuple[Fraction, Fraction]:
    """|w|² ≤ Σ over the updates of |x|² - 2|p|, and M̂ = Σ(1 + |p|/b): so |w|² + 2b·M̂ ≤ (R² + 2b)·(updates)."""
    rho2, z, b = Fraction(m.settings["bias"]) ** 2, m.state["z"], Fraction(m.settings["b"])
    square = sum((v * v for v in m.state["w"].values()), Fraction(0)) + rho2 * m.state["ever"].get(0, Fraction(0)) ** 2
    return square + 2 * b * z.get(4, Fraction(0)), (z.get(3, Fraction(0)) + 2 * b) * z.get(5, Fraction(0)) * (1 + Fraction(1, 2**20))


INVARIANTS = (Invariant("length", "|w|² + 2b·Σ(1 + |p|/b) ≤ (R² + 2b)·(updates)", _weighed),)


def measure(e: Evidence, u: Any) -> dict:
    """R² over all labelled rounds; of a vector its loss over them, and |u|²."""
    rho = Fraction(e.settings["bias"])
    facts: dict[str, Any] = {"b": e.settings["b"]}
    if e.every is None:
        return facts
    facts["R2"] = max((e.square(row) + rho * rho for row in e.every), default=Fraction(0))
    if u is not None:
        require(rho > 0 or u.bias == 0, "the witness has a bias, and this rule has none")
        facts |= {"u2": u.squared(), "L": sum((max(Fraction(0), 1 - m) for m in u.dots(e, rho, e.every)), Fraction(0))}
    return facts


FAMILY = Family(
    "selective",
    {
        "n": FEATURES,
        "b": checked(MODERATE, (lambda v: v >= Fraction(1, 10**6), "must be positive, and at least 1e-6: it buys labels")),
        "bias": BIAS,
        "seed": SEED,
    },
    (MARGIN, HINGE),
    measure,
    ties="w·x = 0 predicts 1",
    updates_on="always",
    invariants=INVARIANTS,
    featurewise=True,
    source=SOURCE,
)
