"""Hedge: L ≤ (ηm + ln n)/(1 - e^-η) and L ≤ m + ln n/η + ηT/8; anytime L ≤ m + √(2T·ln n) + √(ln n/8) (theory/experts.py)."""

from decimal import localcontext
from math import log, sqrt

from littlestone.theory import experts
from littlestone.theory.bound import Bound
from littlestone.theory.families import RuleFamily, Settings
from littlestone.theory.numbers import DIGITS, real
from littlestone.theory.potentials import Proof, mixture
from littlestone.theory.settings import number

FIXED = (*experts.HEDGE, *experts.HEDGE_MIXED, experts.ONE_DRAW)
ANYTIME = (*experts.ANYTIME, experts.ANYTIME_MIXED, experts.ONE_DRAW)


def rate_for(n: int, rounds: int) -> float:
    """η that is best for so many rounds."""
    return sqrt(8 * log(max(2, n)) / rounds)


def theorems(settings: Settings) -> tuple[Bound, ...]:
    experts.refuse_other_rate(settings, rate_for)
    return ANYTIME if settings["eta"] is None and settings["rounds"] is None else FIXED


def proof(settings: Settings, witness: bool) -> Proof:
    if settings["eta"] is None:
        return Proof()
    with localcontext(DIGITS):
        return mixture(settings["n"], (-real(settings["eta"])).exp())


FAMILY = RuleFamily(
    "hedge",
    {
        "n": experts.EXPERTS,
        "eta": number("1e-9", 700, optional=True),
        "rounds": experts.ROUNDS,
        "advice": experts.ADVICE,
        "seed": experts.SEED,
    },
    theorems,
    asleep=lambda settings: experts.for_sleepers(theorems(settings)),
    ties=experts.COIN,
    updates_on="always",
    proof=proof,
    source="Freund, Schapire 1997",
)
