"""Normalized: what can be said of it.

The loss of a round is h = max(0, 1 - y·v·z), or h², of the weights before the update.  On a mistake y·v·z ≤ 0, so the loss is at least 1:
M ≤ Λ, Λ the sum of the losses over the labelled rounds, which are those of the updates (elsewhere h = 0).  In a round of weight c both
sides count c times.  Λ is the run's own: it is small where the rule learned.  Λ does not follow from M, since rounds that are no mistakes
lose, too; for any fixed u, Λ = L + (Λ - L), L what u loses over all rounds, and what is between them, the regret, is measured.

The scales move while the rule learns, so the regret bound of a fixed scale (AdaGrad's) does not speak of it; Ross, Mineiro and Langford
bound the regret of a rule with the same scales and another rate.  No bound is stated beforehand.

Rounding (u = 2^-53): a term of Λ is right to a relative 3u given the score that decided, and the sum of k terms to ku.
"""

from fractions import Fraction
from typing import Any

from littlestone.theory.all_rounds import HingeMeter, SquaredHingeMeter
from littlestone.theory.bound import MEASURED_REGRET, Bound, Invariant, Moment, hindsight
from littlestone.theory.families import Family
from littlestone.theory.numbers import Exact
from littlestone.theory.settings import BIAS, FEATURES, MODERATE, choice, number


def rounding(updates: int) -> Fraction:
    """What the rounding of a run in doubles may have taken from Λ, as a share of it."""
    return Fraction(updates + 8, 2**51)


def from_loss(losses: Exact) -> Fraction:
    """M ≤ Λ.

    >>> from_loss(Fraction(7, 2))
    Fraction(7, 2)
    """
    return Fraction(losses)


def measured(L: Exact, losses: Exact) -> Fraction:
    """M ≤ L + (Λ - L), and no less than L.

    >>> measured(5, Fraction(7, 2))
    Fraction(5, 1)
    """
    return max(Fraction(L), Fraction(losses))


def measured_regret(of: str, **more: Any) -> Bound:
    """The bound by the run's own loss, beside what a fixed linear rule loses over all rounds."""
    return hindsight(
        f"{of}{MEASURED_REGRET}",
        "M ≤ L + (Λ - L),  Λ = the run's own loss, L = that of u over all rounds: what is between them is measured",
        measured,
        "on a mistake the loss is at least 1",
        witness="vector",
        every=True,
        loss="L",
        own=("losses",),
        **more,
    )


MEASURED, MEASURED_SQUARES = measured_regret("normalized", meter=HingeMeter), measured_regret("normalized", meter=SquaredHingeMeter)
LOSS = hindsight(
    "normalized-loss",
    "M ≤ Λ,  Λ = the run's own loss, Σ max(0, 1 - y·v·z) or its square",
    from_loss,
    "on a mistake the loss is at least 1",
    witness="run",
)


def _lengths(m: Moment) -> tuple[Fraction, Fraction]:
    """No scaled feature is larger than 1: Σ|z|² is at most the number of updates times the number of features, and the bias."""
    extra, width = m.state["extra"], len(m.state["scale"])
    return extra.get(3, Fraction(0)), extra.get(2, Fraction(0)) * (width + Fraction(m.settings["bias"]) ** 2) * (1 + m.slack)


INVARIANTS = (Invariant("scaled", "Σ|z|² ≤ k·(n + ρ²)", _lengths),)


FAMILY = Family(
    "normalized",
    {"n": FEATURES, "eta": number("1e-12", "1e12", MODERATE), "loss": choice("hinge", "squared"), "bias": BIAS},
    lambda settings: (LOSS, MEASURED_SQUARES if settings["loss"] == "squared" else MEASURED),
    ties="v·z = 0 predicts 1",
    weighted=True,
    updates_on="margin",
    invariants=INVARIANTS,
    featurewise=True,
    source="Ross, Mineiro, Langford 2013 (scales); Karampatziakis, Langford 2011 (steps)",
)
