"""Exp3: E[L] ≤ m + ln n/η + ηTn/2; anytime m + 2√(Tn·ln n) (theory/experts.py)."""

from math import log, sqrt

from littlestone.theory import experts
from littlestone.theory.bound import Bound
from littlestone.theory.families import RuleFamily, Settings
from littlestone.theory.settings import number

BOUNDS = (*experts.EXP3, experts.ONE_DRAW)
SETTINGS = {
    "n": experts.EXPERTS,
    "eta": number("1e-9", 100, optional=True),
    "rounds": experts.ROUNDS,
    "advice": experts.ADVICE,
    "seed": experts.SEED,
}


def rate_for(n: int, rounds: int) -> float:
    """η that is best for so many rounds."""
    return sqrt(2 * log(max(2, n)) / (rounds * n))


def theorems(settings: Settings) -> tuple[Bound, ...]:
    experts.refuse_other_rate(settings, rate_for)
    return BOUNDS


FAMILY = RuleFamily(
    "exp3",
    SETTINGS,
    theorems,
    asleep=experts.for_sleepers(BOUNDS),
    ties=experts.DRAWN,
    updates_on="always",
    bandit=True,
    leads=True,
    source="Auer, Cesa-Bianchi, Freund, Schapire 2002",
)
