"""Specialists: for every expert i, L_i ≤ m_i + ln n/η + ηT_i/8 over the T_i rounds it was awake (theory/experts.py)."""

from littlestone.theory import experts
from littlestone.theory.bound import Bound
from littlestone.theory.families import RuleFamily, Settings


def theorems(settings: Settings) -> tuple[Bound, ...]:
    return (experts.SPECIALISTS, experts.ONE_DRAW) if experts.randomised(settings) else (experts.SPECIALISTS_MISTAKES,)


FAMILY = RuleFamily(
    "specialists",
    {"n": experts.EXPERTS, **experts.FORMED},
    theorems,
    sleepers="own rounds",
    **experts.form(),
    source="Freund, Schapire, Singer, Warmuth 1997",
)
