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

Against a vector (`comparator`): M ≤ √(Σq·(|u|² + 2CΣhinge(u))) (II: hinge²), the first sum over the mistakes, the last over the updates,
each hinge weighed by c; both inequalities stand above.  Without C there is no such primal value.  There, h being the hinge loss of u, an
update has |w-u|² fall by at least 2τℓ - 2τh - τ²|x|² = (ℓ² - 2ℓh)/|x|², since y·u·x ≥ 1-h and τ = ℓ/|x|².  So S = Σℓ²/|x|² has
S - 2b√S ≤ |u|² with b² = Σh²/|x|², all over the updates with features: √S ≤ b + √(b² + |u|²), and M ≤ √Q·√S, Q = Σc²|x|² over the
mistakes, and the uncovered ones.

Rounding (u = 2^-53): one update moves the identity by at most 2^5·(features + 8)·u·(|w| + τ|x|)², and |w| + τ|x| ≤ 3√(2Στ) by the identity:
together a share ρ of Στ (`rounding`).  Against a vector, w is not quite Στyx, which costs another ρ(Στ + |u|²).  With Y for what the
updates add up to on the left, 2ρΣτ ≤ ρY + ρH, H = Σ min(1/|x|², 2cC) over the updates with features: by Cauchy-Schwarz where τ²|x|² is at
most the term, by τ ≤ cC elsewhere.  So with `drift` ρH beside |u|² and a factor 1 + 2ρ on the root, for ρ ≤ 1/8, all is covered.
"""

from collections.abc import Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from littlestone.errors import require
from littlestone.theory.all_rounds import RowMeter, SquaredHingeMeter
from littlestone.theory.bound import Bound, Invariant, Moment, a_priori, hindsight
from littlestone.theory.comparators.vector import Vector
from littlestone.theory.evidence import Evidence
from littlestone.theory.families import Family
from littlestone.theory.numbers import DIGITS, Exact, Real, real, root_up, up
from littlestone.theory.settings import BIAS, FEATURES, MODERATE, checked, choice

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


def comparator(worth: Real, u2: Real, L: Real, C: Exact, drift: Real, slack: Exact) -> Decimal:
    """M ≤ √(Σq·(|u|² + 2CL)), L = Σ hinge (variant I) or Σ hinge² (variant II) over the updates.

    >>> comparator(8, 1, Fraction(1, 2), 1, 0, 1).quantize(Decimal(1))
    Decimal('4')
    """
    require(slack <= Fraction(5, 4), f"slack={float(slack):.3g}: too many updates for doubles to say anything")
    with localcontext(DIGITS):
        return up(root_up(real(worth) * (real(u2) + 2 * real(C) * real(L) + real(drift))) * real(slack))


def unlimited(worth: Real, u2: Real, b2: Real, uncovered: Real, drift: Real, slack: Exact) -> Decimal:
    """M ≤ √Q·(b + √(b² + |u|²)) + the mistakes on rows without features.

    >>> unlimited(4, 16, 9, 1, 0, 1).quantize(Decimal(1))
    Decimal('17')
    """
    require(slack <= Fraction(5, 4), f"slack={float(slack):.3g}: too many updates for doubles to say anything")
    with localcontext(DIGITS):
        root = root_up(b2) + root_up(real(b2) + real(u2) + real(drift))
        return up(root_up(worth) * root * real(slack) + real(uncovered))


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


def shared_losses(u: Vector, rho: Fraction) -> RowMeter:
    """Σ hinge²/|x|² over all rounds with features: a step without a limit is as long whatever the round weighs."""

    def loss(margin: Fraction, square: Fraction) -> Decimal:
        return real(max(Fraction(0), 1 - margin) ** 2) / real(square) if square else Decimal(0)

    return RowMeter(u, rho, loss, weighed=False)


SAYS = "some u with |u| = 1 has y·(u·x) ≥ γ on every round, and |x| ≤ R"
DERIVED = f"{CRAMMER}; derived with the dual value in place of u"
MARGIN = a_priori("pa-margin", "margin", "M ≤ max(R², 1/C)/γ²", margin, CRAMMER, says=SAYS, euclidean=True)
DUAL = hindsight("pa-dual", "M ≤ √(Σq·(2Στ - |w|²)) ≤ max(R², 1/C)·(|u|² + 2CΣhinge(u)), every u", dual, DERIVED, witness="run")
COMPARATOR = hindsight(
    "pa-comparator",
    "M ≤ √(Σq·(|u|² + 2CL)),  q = max(|x|², 1/C) over the mistakes, L = Σ hinge of u over the updates",
    comparator,
    f"{CRAMMER}; sharpened",
    witness="vector",
    loss="L",
)
UNLIMITED = hindsight(
    "pa-comparator",
    "M ≤ √Q·(b + √(b² + |u|²)),  Q = Σ|x|² over the mistakes, b² = Σ hinge²/|x|² of u over the updates; and the mistakes without a feature",
    unlimited,
    f"{CRAMMER}; derived",
    witness="vector",
    loss="b2",
    meter=shared_losses,
)
SECOND = (
    a_priori("pa-margin", "margin", "M ≤ (R² + 1/(2C))/γ²", margin_squared, CRAMMER, says=SAYS, euclidean=True),
    hindsight("pa-dual", "M ≤ √(Σq·(2Στ - |w|² - Στ²/(2C))) ≤ (R² + 1/(2C))·(|u|² + 2CΣhinge(u)²), every u", dual, DERIVED, witness="run"),
    hindsight(
        "pa-comparator",
        "M ≤ √(Σq·(|u|² + 2CL)),  q = |x|² + 1/(2C) over the mistakes, L = Σ hinge² of u over the updates",
        comparator,
        f"{CRAMMER}; sharpened",
        witness="vector",
        loss="L",
        meter=SquaredHingeMeter,
    ),
)


def _length(m: Moment) -> tuple[Fraction, Fraction]:
    w, b, sums = m.state["w"], m.state["b"].get(0, Fraction(0)), m.state["sums"]
    length2 = sum((v * v for v in w.values()), Fraction(0)) + Fraction(m.settings["bias"]) ** 2 * b * b
    return length2, 2 * sums.get(0, Fraction(0)) * (1 + m.slack)


INVARIANTS = (Invariant("length", "|w|² ≤ 2Στ", _length),)


def theorems(settings: Mapping[str, Any]) -> tuple[Bound, ...]:
    C, variant = settings["C"], settings["variant"]
    require(C is not None or variant == "I", "variant II without C is variant I without C: write variant='I'")
    return SECOND if variant == "II" else (MARGIN, DUAL, UNLIMITED if C is None else COMPARATOR)


def measure(e: Evidence, u: Vector | None) -> dict:
    """Sums over the mistakes and the updates; of a vector its length and its losses."""
    settings, rho2 = e.settings, Fraction(e.settings["bias"]) ** 2
    inverse_C = 1 / Fraction(settings["C"]) if settings["C"] is not None else Fraction(0)
    second = settings["variant"] == "II"
    updates = [(row, e.square(row) + rho2) for row in e.taught if row.c > 0]
    worth = uncovered = longest = Fraction(0)
    heaviest = Fraction(0 if e.weighted else 1)
    for row, square in updates:
        if row.mistake:
            longest, heaviest = max(longest, row.c * (square - rho2)), max(heaviest, row.c)
            q = row.c**2 * square + row.c * inverse_C / 2 if second else max(row.c**2 * square, row.c * inverse_C)
            worth, uncovered = worth + q, uncovered + (row.c if q == 0 else 0)
    rho = rounding(len(updates), e.widest)
    facts: dict[str, Any] = {
        "R2": longest + heaviest * rho2,
        "worth": worth,
        "inverse_C": inverse_C,
        "uncovered": uncovered,
        "slack": 1 + 2 * rho,
    }
    if u is None:
        return facts
    losses = [max(Fraction(0), 1 - m) for m in u.dots(e, Fraction(settings["bias"]), [row for row, _ in updates])]
    with localcontext(DIGITS):
        steps = [
            1 / real(square) if not inverse_C else min(1 / real(square), real(2 * row.c / inverse_C)) for row, square in updates if square
        ]
        facts |= {"u2": u.squared(), "drift": up(real(rho) * sum(steps, Decimal(0)))}
        if inverse_C:
            powers = (loss**2 if second else loss for loss in losses)
            return facts | {
                "C": Fraction(settings["C"]),
                "L": sum((row.c * p for (row, _), p in zip(updates, powers, strict=True)), Fraction(0)),
            }
        shares = [real(loss**2) / real(square) for (_, square), loss in zip(updates, losses, strict=True) if square]
        return facts | {"b2": up(sum(shares, Decimal(0)))}


FAMILY = Family(
    "passive_aggressive",
    {
        "n": FEATURES,
        "C": checked(
            MODERATE, (lambda v: v >= Fraction(1, 10**12), "must be positive, and at least 1e-12, or no weight ever moves"), optional=True
        ),
        "variant": choice("I", "II"),
        "bias": BIAS,
    },
    theorems,
    measure,
    ties="w·x = 0 predicts 1",
    weighted=True,
    updates_on="margin",
    invariants=INVARIANTS,
    featurewise=True,
    source=CRAMMER,
)
