"""The rule of rules: L ≤ m_i + P_i, the price of the best way to expert i by one of its members (theory/regrets.py)."""

from decimal import Decimal, localcontext

from littlestone.theory import experts, regrets
from littlestone.theory.bound import hindsight
from littlestone.theory.numbers import DIGITS, Real, real, up
from littlestone.theory.settings import Setting


def chained(m: Real, price: Real, played: int) -> Decimal:
    """L ≤ m + P.

    >>> chained(7, 2, 0).quantize(Decimal("0.001"))
    Decimal('9.000')
    """
    with localcontext(DIGITS):
        return up(real(m) + real(price)) + experts.slip(played)


WAY = "P = what trusting one of its rules costs, and what that rule may lose beyond"
RULES = (
    hindsight(
        "rule-of-rules",
        f"L ≤ m_i + P for every expert i; {WAY} i, and what it lost while i slept",
        chained,
        regrets.GAILLARD,
        counts="loss",
        witness="expert",
    ),
    hindsight(
        "rule-of-rules-combination",
        f"L ≤ L(u) + P for every convex combination u; {WAY} u",
        chained,
        regrets.GAILLARD,
        counts="loss",
        witness="combination",
    ),
)
COUNTS = regrets.SEVEN, regrets.NINE, len(regrets.MEMBERS)
SEATS = Setting("whole", ((lambda v: v in COUNTS, f"must be {COUNTS[0]}, {COUNTS[1]} or {COUNTS[2]}"),), spare=True)
FAMILY = regrets.family("rule_of_rules", RULES, ("price",), "derived", overall=True, members=SEATS)
