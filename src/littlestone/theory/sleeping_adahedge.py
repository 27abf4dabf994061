"""Sleeping AdaHedge: L_i ≤ m_i + 2Δ for every expert i, over the rounds it was awake (theory/experts.py)."""

from littlestone.theory import experts
from littlestone.theory.families import RuleFamily

FAMILY = RuleFamily(
    "sleeping_adahedge",
    {"n": experts.EXPERTS, "advice": experts.ADVICE, "seed": experts.SEED},
    (*experts.SLEEPING_ADAHEDGE, experts.ONE_DRAW),
    ties=experts.COIN,
    updates_on="always",
    sleepers="alike",
    source="de Rooij, van Erven, Grünwald, Koolen 2014; Freund, Schapire, Singer, Warmuth 1997",
)
