"""Follow the leader: M ≤ nm + n - 1 (theory/experts.py)."""

from __future__ import annotations

from littlestone.theory import experts
from littlestone.theory.families import RuleFamily

FAMILY = RuleFamily(
    "follow_leader",
    {"n": experts.EXPERTS, "advice": experts.ADVICE},
    experts.LEADER,
    asleep=experts.for_sleepers(experts.LEADER),
    ties=experts.LEADS,
    updates_on="always",
    whole=lambda settings: settings["advice"] == "vote",  # one expert's votes are right or wrong
    leads=True,
    tossed=False,
    source="Hannan 1957",
)
