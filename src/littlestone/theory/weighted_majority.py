"""The weighted majority: M ≤ (m·ln(1/β) + ln n)/ln(2/(1+β)) (theory/experts.py)."""

from __future__ import annotations

from fractions import Fraction

from littlestone.theory import experts
from littlestone.theory.families import RuleFamily, Settings
from littlestone.theory.settings import checked, choice

BOUNDS = (*experts.MAJORITY, experts.MAJORITY_MIXED)
BETA = checked(
    (lambda v: 0 <= v < 1, "must lie between 0 and 1 (1 excluded): it is what a mistake leaves of a weight"),
    (lambda v: v == 0 or Fraction(1, 10**12) <= v <= 1 - Fraction(1, 10**12), "must be 0, or lie between 1e-12 and 1 - 1e-12"),
)


def takes(settings: Settings) -> tuple[str, ...]:
    """A probability is never quite wrong, so that β = 0 takes votes alone."""
    return ("vote", "probability") if settings["beta"] else ("vote",)


FAMILY = RuleFamily(
    "weighted_majority",
    {"n": experts.EXPERTS, "beta": BETA, "updates": choice("mistakes", "always"), "advice": experts.ADVICE},
    BOUNDS,
    asleep=experts.for_sleepers(BOUNDS),
    ties=lambda settings: experts.EXACT_TIES if settings["advice"] == "vote" else experts.TIES,
    updates_on=lambda settings: settings["updates"],
    arithmetic=lambda settings: "filtered" if settings["advice"] == "vote" else "float",
    cost="mistakes",
    tossed=False,
    takes=takes,
    source="Littlestone, Warmuth 1994",
)
