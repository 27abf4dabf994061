"""The weighted majority: M ≤ (m·ln(1/β) + ln n)/ln(2/(1+β)) (theory/experts.py)."""

from collections.abc import Mapping
from decimal import Decimal, localcontext
from fractions import Fraction

from littlestone.theory import experts
from littlestone.theory.bound import Moment
from littlestone.theory.families import RuleFamily, Settings
from littlestone.theory.numbers import DIGITS, real
from littlestone.theory.potentials import Line, Proof, Term
from littlestone.theory.settings import checked, choice

BOUNDS = (*experts.MAJORITY, experts.MAJORITY_MIXED)
BETA = checked(
    (lambda v: 0 <= v < 1, "must lie between 0 and 1 (1 excluded): it is what a mistake leaves of a weight"),
    (lambda v: v == 0 or Fraction(1, 10**12) <= v <= 1 - Fraction(1, 10**12), "must be 0, or lie between 1e-12 and 1 - 1e-12"),
)


def takes(settings: Settings) -> tuple[str, ...]:
    """A probability is never quite wrong, so that β = 0 takes votes alone."""
    return ("vote", "probability") if settings["beta"] else ("vote",)


def _weight_of_all(costs: Mapping[int, Fraction], beta: Fraction) -> Fraction:
    if all(c.denominator == 1 for c in costs.values()):
        return sum((beta ** int(c) for c in costs.values()), Fraction(0))
    with localcontext(DIGITS):
        return Fraction(sum(((real(beta).ln() * real(c)).exp() for c in costs.values()), Decimal(0)))


def proof(settings: Settings, witness: bool) -> Proof:
    beta, n = Fraction(settings["beta"]), settings["n"]

    def terms(m: Moment) -> tuple[Term, ...]:
        costs = m.state["costs"]
        return beta ** int(min(costs.values())), _weight_of_all(costs, beta), n * ((1 + beta) / 2) ** m.settings["mistakes"]

    symbols = (f"({beta})^m" if beta else "[m = 0]", "W", f"{n}·({(1 + beta) / 2})^M")
    counted = "on the rule's mistakes" if settings.get("updates") == "mistakes" else "so far"
    return Proof((Line(symbols, terms, ("W",)),), f"W the weight of all experts, m mistakes of the best {counted}")


FAMILY = RuleFamily(
    "weighted_majority",
    {"n": experts.EXPERTS, "beta": BETA, "updates": choice("mistakes", "always"), "advice": experts.ADVICE},
    BOUNDS,
    asleep=experts.for_sleepers(BOUNDS),
    ties=lambda settings: experts.EXACT_TIES if settings["advice"] == "vote" else experts.TIES,
    updates_on=lambda settings: settings["updates"],
    arithmetic=lambda settings: "filtered" if settings["advice"] == "vote" else "float",
    proof=proof,
    cost="mistakes",
    tossed=False,
    takes=takes,
    source="Littlestone, Warmuth 1994",
)
