"""Exp3-IX: with probability 1-δ L ≤ m + 2·ln n/η + ηTn + (1 + 1/η)·ln(2/δ) (theory/experts.py)."""

from littlestone.theory import exp3, experts
from littlestone.theory.bound import Bound
from littlestone.theory.families import RuleFamily, Settings


def theorems(settings: Settings) -> tuple[Bound, ...]:
    experts.refuse_other_rate(settings, exp3.rate_for)
    return (*experts.EXP3_IX, experts.ONE_DRAW)


FAMILY = RuleFamily("exp3_ix", exp3.SETTINGS, theorems, ties=experts.DRAWN, updates_on="always", bandit=True, leads=True, source="Neu 2015")
