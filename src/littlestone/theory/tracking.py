"""Tracking: fixed share at several rates, and AdaHedge, under one AdaHedge (theory/experts.py has the parts).

Rule 0 is AdaHedge over the n experts, rules k = 1, ..., 6 are fixed share with a share α_k and a rate η_k.  Each has its own weights on
the experts, and so a share f of wrong weight in each round.  What rule k loses, L_k, is the sum of these.  An AdaHedge over the seven
rules weighs them by what they lost, and what is followed is the mean by these weights: L = Σ f.

    L ≤ L_k + 2Δ + 1/8 for every k, Δ the mixability gaps of the AdaHedge above, whose rate is ln 7/(1/8 + Δ): as if it had begun with
    gaps of 1/8, so that no tie of rules that lost the same hangs on rounding.  (L = M + Δ_T, M ≤ L_k + ln 7/η_T = L_k + 1/8 + Δ_{T-1}.)
    L_0 ≤ m + 2Δ_0 against every expert, as ever.
    L_k = M_k + Δ_k for k ≥ 1: the mix losses -(1/η)·ln Σ w_i·e^(-η·loss_i) added up, and the gaps beside them.  A path of experts that
    changes S times has the prior weight (1/n)·(α/n)^S·(1-α)^(T-1-S) or more, and e^(-ηM_k) is the sum over all paths of prior times
    e^(-η·loss), so M_k ≤ m + ((S+1)·ln n + S·ln(1/α_k) + (T-S-1)·ln(1/(1-α_k)))/η_k, m what the path loses.

All gaps are measured by the run, and a gap of a round with losses in [0, 1] is at most η/8: so everything may be bounded beforehand, too.
The best k is whichever makes the limit least; nobody need know it, nor S.

Sleepers.  On a round when somebody sleeps the weights on the experts learn as ever, sleepers as if they had lost 0; the rule above learns
nothing, and no gap is counted.  Mix losses are not negative there, so on the other rounds everything holds as it stands, and the Z rounds
with sleepers cost at most 1 each: Z more.
"""

from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from littlestone.theory import experts
from littlestone.theory.bound import a_priori, hindsight
from littlestone.theory.experts import SWITCHES, ln, slip
from littlestone.theory.families import RuleFamily
from littlestone.theory.numbers import DIGITS, Real, real, root_up, up

START = 1 / 8  # what the gaps of the rule above begin with
#: α and η of the rules that share, in their order.
RATES = tuple((Fraction(1, share), rate) for share in (100, 1000, 100_000) for rate in (Fraction(1, 5), Fraction(1)))
GAPS = tuple(f"gaps_{k}" for k in range(len(RATES) + 1))  # 2Δ_0 and Δ_k, each with 2Δ + 1/8


def code(k: int, n: int, T: int, S: int) -> Decimal:
    """What not knowing a path of S changes costs the mix losses of rule k ≥ 1."""
    alpha, eta = RATES[k - 1]
    with localcontext(DIGITS):
        return ((S + 1) * ln(n) - S * ln(alpha) - max(0, T - S - 1) * ln(1 - alpha)) / real(eta)


def measured(
    n: int, m: Real, T: int, gaps_0: Real, gaps_1: Real, gaps_2: Real, gaps_3: Real, gaps_4: Real, gaps_5: Real, gaps_6: Real, S: int = 0
) -> Real:
    """L ≤ m + min_k(code_k(S) + Δ_k) + 2Δ + 1/8; at S = 0 also m + 2Δ_0 + 2Δ + 1/8.

    >>> int(measured(10, 100, 6000, 9, *[8] * 6, S=0)), int(measured(10, 100, 6000, 9, *[8] * 6, S=2))
    (109, 134)
    """
    gaps = (gaps_1, gaps_2, gaps_3, gaps_4, gaps_5, gaps_6)
    with localcontext(DIGITS):
        prices = [code(k, n, T, S) + real(gap) for k, gap in enumerate(gaps, 1)]
        return up(real(m) + min([*prices, *([real(gaps_0)] if S == 0 else [])])) + slip(T)


def worst(n: int, m: Real, T: int, S: int = 0) -> Real:
    """L ≤ m + min_k(code_k(S) + η_k·T/8) + √(T·ln 7) + 4/3·ln 7 + 3: beginning with gaps of 1/8 costs 1/8 more than AdaHedge's 2."""
    with localcontext(DIGITS):
        prices = [code(k, n, T, S) + real(eta) * T / 8 for k, (_, eta) in enumerate(RATES, 1)]
        above = ln(len(GAPS))
        return up(real(m) + min(prices) + root_up(T * above) + 4 * above / 3 + 3) + slip(T)


SOURCE = "Herbster, Warmuth 1998; de Rooij et al. 2014; derived in theory/tracking.py"
BOUNDS = (
    a_priori(
        "tracking", "expert", "L ≤ m + min_k(code_k(S) + η_k·T/8) + √(T·ln 7) + 4/3·ln 7 + 3", worst, SOURCE, counts="loss", says=SWITCHES
    ),
    hindsight(
        "tracking-hindsight",
        "L ≤ m + min_k(code_k(S) + Δ_k) + 2Δ + 1/8, code_k(S) = ((S+1)·ln n + S·ln(1/α_k) + (T-S-1)·ln(1/(1-α_k)))/η_k, Δ = the run's gaps",
        measured,
        SOURCE,
        counts="loss",
        witness="path",
    ),
    experts.ONE_DRAW,
)


def changes(settings: Any) -> list[dict[str, Fraction]]:
    """Shares and rates, each of which has its best path."""
    return [{"alpha": alpha, "eta": eta} for alpha, eta in RATES]


FAMILY = RuleFamily(
    "tracking",
    {"n": experts.EXPERTS, "advice": experts.ADVICE, "seed": experts.SEED},
    BOUNDS,
    asleep=experts.for_sleepers(BOUNDS),
    ties=experts.COIN,
    updates_on="always",
    changes=changes,
    run_facts=GAPS,
    source="Herbster, Warmuth 1998; de Rooij, van Erven, Grünwald, Koolen 2014",
)
