"""AdaHedge: L ≤ m + 2Δ, and 2Δ ≤ √(T·ln n) + 4/3·ln n + 2 (theory/experts.py)."""

from littlestone.theory import experts
from littlestone.theory.families import RuleFamily

BOUNDS = (*experts.ADAHEDGE, experts.ADAHEDGE_MIXED, experts.ONE_DRAW)
FAMILY = RuleFamily(
    "adahedge",
    {"n": experts.EXPERTS, "advice": experts.ADVICE, "seed": experts.SEED},
    BOUNDS,
    asleep=experts.for_sleepers(BOUNDS[2:]),  # gaps among those awake are not what the worst case bounds
    ties=experts.COIN,
    updates_on="always",
    weighable=True,
    source="de Rooij, van Erven, Grünwald, Koolen 2014",
)
