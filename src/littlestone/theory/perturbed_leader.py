"""The perturbed leader: E[L] ≤ e^η·(m + (H_n - 1)/η) (theory/experts.py)."""

from littlestone.theory import experts
from littlestone.theory.families import RuleFamily, Settings
from littlestone.theory.settings import number


def tossed(settings: Settings) -> bool:
    """What the leader says is a probability."""
    return settings["advice"] == "probability"


FAMILY = RuleFamily(
    "perturbed_leader",
    {"n": experts.EXPERTS, "eta": number("1e-9", 100), "advice": experts.ADVICE, "seed": experts.SEED},
    experts.PERTURBED,
    asleep=experts.for_sleepers(experts.PERTURBED),
    ties=lambda settings: f"{experts.LEADS}, by the coin of the seed" if tossed(settings) else experts.LEADS,
    updates_on="always",
    leads=True,
    tossed=tossed,
    source="Hannan 1957; Kalai, Vempala 2005",
)
