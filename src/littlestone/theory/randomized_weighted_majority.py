"""The randomised weighted majority: E[M] ≤ (m·ln(1/(1-ε)) + ln n)/ε (theory/experts.py)."""

from fractions import Fraction

from littlestone.theory import experts
from littlestone.theory.families import RuleFamily
from littlestone.theory.potentials import mixture
from littlestone.theory.settings import number

BOUNDS = (*experts.RANDOMIZED, experts.RANDOMIZED_MIXED, experts.ONE_DRAW)
EPSILON = number("1e-9", experts.BELOW_ONE, (lambda v: 0 < v < 1, "must lie between 0 and 1"), must="must lie between 1e-9 and 1 - 1e-12")
FAMILY = RuleFamily(
    "randomized_weighted_majority",
    {"n": experts.EXPERTS, "epsilon": EPSILON, "advice": experts.ADVICE, "seed": experts.SEED},
    BOUNDS,
    asleep=experts.for_sleepers(BOUNDS),
    ties=experts.COIN,
    updates_on="always",
    proof=lambda settings, witness: mixture(settings["n"], 1 - Fraction(settings["epsilon"])),
    source="Littlestone, Warmuth 1994",
)
