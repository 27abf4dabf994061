"""Passive-Aggressive: each update is a step up the dual of the support vector machine (Crammer et al. 2006).

An update has loss ℓ = 1 - y·w·x > 0 and adds τ·y·x, so |w|² grows by -2τ(ℓ-1) + τ²|x|²; summed over the updates from w = 0,

    Σ τ(2ℓ - τ|x|²) = 2Στ - |w|².                                                                        (the identity)

Variant I, τ = min(C, ℓ/|x|²): a term is at least τℓ ≥ ℓ·min(C, 1/|x|²), since τ|x|² ≤ ℓ; a mistake has ℓ ≥ 1.  So
M·min(C, 1/R²) ≤ 2Στ - |w|².  For every u, 2Στ - |w|² ≤ |u|² + 2CΣhinge(u): it is (twice) the dual value at τ of the primal problem
on the right, by |w-u|² ≥ 0 and 0 ≤ τ ≤ C.  Variant II, τ = ℓ/(|x|² + 1/(2C)): τ(2ℓ - τ|x|²) - τ²/(2C) = ℓ²/(|x|² + 1/(2C)), so
M/(R² + 1/(2C)) ≤ 2Στ - |w|² - Στ²/(2C) ≤ |u|² + 2CΣhinge(u)², the last by (τ/√(2C) - √(2C)·hinge)² ≥ 0.  So no u
could give less.  R is over the mistake rounds.

Sharper: with q = max(|x|², 1/C) (II: |x|² + 1/(2C)) a mistake adds at least 1/q, and by Cauchy-Schwarz M² ≤ Σq·Σ1/q, both over the
mistakes.  So M ≤ √(Σq·dual), never more than the largest q times the dual value.  This is what is printed.

Weights: c·C takes the place of C in a round of weight c.  A mistake then adds at least min(cC, 1/|x|²) = c·min(C, 1/(c|x|²)), or
1/(|x|² + 1/(2cC)) = c/(c|x|² + 1/(2C)): the same bounds for M = Σc over the mistakes and R² = max c|x|², the losses weighted by c,
and M ≤ √(Σc²q·dual) with q = max(|x|², 1/(cC)) (II: |x|² + 1/(2cC)).

A row without features changes nothing; with C finite it has its τ = cC all the same (its hinge loss is 1 for every u).  Without C no bound
can cover it, and the mistakes on such rows are added.

Rounding (u = 2^-53): one update moves the identity by at most 2^5·(features + 8)·u·(|w| + τ|x|)², and |w| + τ|x| ≤ 3√(2Στ) by the identity.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

from littlestone.errors import require
from littlestone.theory.bound import Bound, Invariant, Moment
from littlestone.theory.numbers import DIGITS, Exact, real, root_up, up

CRAMMER = "Crammer, Dekel, Keshet, Shalev-Shwartz, Singer 2006"


def rounding(updates: int, nnz: int) -> Fraction:
    """What the rounding of a run in doubles may add to 2Στ - |w|², as a share of Στ."""
    return Fraction((nnz + 8) * (updates + 1), 2**43)


def dual(worth: Exact, dual_value: Exact, uncovered: Exact = 0) -> Decimal:
    """M ≤ √(Σq·dual), the sum over the mistakes, q = max(|x|², 1/C) or |x|² + 1/(2C).

    >>> dual(8, 2).quantize(Decimal(1)), dual(8, 2, 3).quantize(Decimal(1))
    (Decimal('4'), Decimal('7'))
    """
    with localcontext(DIGITS):
        return up(root_up(Fraction(worth) * max(dual_value, 0)) + real(uncovered))


def primal(u2: Exact, L: Exact, C: Exact) -> Fraction:
    """|u|² + 2CL, L = Σ hinge (variant I) or Σ hinge² (variant II) over the updates: never below the dual value.

    >>> primal(2, Fraction(1, 2), 1)
    Fraction(3, 1)
    """
    return Fraction(u2) + 2 * Fraction(C) * L


def margin(R2: Exact, gamma: Exact, inverse_C: Exact, slack: Exact = 1) -> Fraction:
    """M ≤ max(R², 1/C)/γ²: u/γ has no loss.

    >>> margin(4, Fraction(1, 2), 1), margin(Fraction(1, 2), 1, 0)
    (Fraction(16, 1), Fraction(1, 2))
    """
    require(gamma > 0, f"gamma={gamma} must be positive: it is a margin")
    return Fraction(max(R2, inverse_C)) / Fraction(gamma) ** 2 * slack


def margin_squared(R2: Exact, gamma: Exact, inverse_C: Exact, slack: Exact = 1) -> Fraction:
    """M ≤ (R² + 1/(2C))/γ²."""
    require(gamma > 0, f"gamma={gamma} must be positive: it is a margin")
    return (Fraction(R2) + Fraction(inverse_C) / 2) / Fraction(gamma) ** 2 * slack


SAYS = "some u with |u| = 1 has y·(u·x) ≥ γ on every round, and |x| ≤ R"
DERIVED = f"{CRAMMER}; derived with the dual value in place of u"
BOUNDS = {
    "I": (
        Bound("pa-margin", "margin", "a priori", "M ≤ max(R², 1/C)/γ²", margin, CRAMMER, says=SAYS),
        Bound("pa-dual", "none", "hindsight", "M ≤ √(Σq·(2Στ - |w|²)) ≤ max(R², 1/C)·(|u|² + 2CΣhinge(u)), every u", dual, DERIVED),
    ),
    "II": (
        Bound("pa-margin", "margin", "a priori", "M ≤ (R² + 1/(2C))/γ²", margin_squared, CRAMMER, says=SAYS),
        Bound(
            "pa-dual",
            "none",
            "hindsight",
            "M ≤ √(Σq·(2Στ - |w|² - Στ²/(2C))) ≤ (R² + 1/(2C))·(|u|² + 2CΣhinge(u)²), every u",
            dual,
            DERIVED,
        ),
    ),
}


def _length(m: Moment) -> tuple[Fraction, Fraction]:
    w, b, sums = m.state["w"], m.state["b"].get(0, Fraction(0)), m.state["sums"]
    length2 = sum((v * v for v in w.values()), Fraction(0)) + Fraction(m.settings["bias"]) ** 2 * b * b
    return length2, 2 * sums.get(0, Fraction(0)) * (1 + m.slack)


INVARIANTS = (Invariant("length", "|w|² ≤ 2Στ", _length),)
