"""Fixed share: little more than every sequence of experts that changes S times (theory/experts.py)."""

from littlestone.theory import experts
from littlestone.theory.bound import Bound
from littlestone.theory.families import RuleFamily, Settings
from littlestone.theory.settings import number

RANDOM = (*experts.FIXED_SHARE, experts.ONE_DRAW)
ALPHA = number("1e-12", experts.BELOW_ONE, (lambda v: 0 < v < 1, "must lie between 0 and 1"), must="must lie between 1e-12 and 1 - 1e-12")


def theorems(settings: Settings) -> tuple[Bound, ...]:
    return RANDOM if experts.randomised(settings) else experts.FIXED_SHARE_MISTAKES


def asleep(settings: Settings) -> tuple[Bound, ...]:
    return experts.for_sleepers(RANDOM) if experts.randomised(settings) else (experts.FIXED_SHARE_MISTAKES_ASLEEP,)


FAMILY = RuleFamily(
    "fixed_share",
    {"n": experts.EXPERTS, "alpha": ALPHA, **experts.FORMED},
    theorems,
    asleep=asleep,
    **experts.form(),
    source="Herbster, Warmuth 1998",
)
