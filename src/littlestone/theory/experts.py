"""Experts: a rule that trusts them by their record loses little more than the best of them.

Letters: n experts, T rounds, m the loss of the best, β = e^-η the factor a loss of 1 puts on a weight, L the rule's own loss.
Exponential weights.  W_t = Σ e^(-ηL_i).  The best keeps W_T ≥ e^(-ηm); a mistake of the weighted majority means that half the weight
was wrong, so it multiplies W by at most (1+β)/2; a mixture that puts the share f on wrong experts multiplies it by at most 1-(1-β)f
(exactly that, for votes), or by at most e^(-ηf + η²/8) (Hoeffding).  With W_0 = n, taking logarithms gives every bound here.
Mixtures.  For every distribution q over the experts ln(W_T/n) ≥ -η·(q·L) - KL, KL = Σ q_i·ln(n·q_i) (Jensen: the logarithm of a mean,
Σ q_i·(e^(-ηL_i)/(n·q_i)), is at least the mean of the logarithms); so η·(q·L) + KL may stand for ηm + ln n, and is less where several
experts are good.  The best q is in proportion to e^(-ηL_i).  With rates that fall, η_1 ≥ η_2 ≥ …: F_η(L) = -(1/η)·ln((1/n)·Σ e^(-ηL_i))
falls as η grows (power means), a round's mix loss is F_η(L after) - F_η(L before) at its own rate, so all of them add up to at most
F_{η_T}(L) ≤ q·L + KL/η_T, and what was lost beyond the mix losses is at most Σ η_t/8 (Hoeffding), or Δ for AdaHedge.
Follow the leader.  Expert j leads only while its loss is at most m, so what it costs while leading is at most m+1, and the best costs m.
AdaHedge.  With η_t = ln n/Δ_{t-1}, Δ the sum of the mixability gaps so far, L = M + Δ_T and M ≤ m + ln n/η_T = m + Δ_{T-1}.
Sleepers.  A rule whose weights let a sleeper neither gain nor lose plays, on rounds when all are awake, as if sleepers had lost 0; in that
other game its loss is bounded as ever, and is not negative on the rounds when somebody slept, which cost the rule at most 1 each.  So every
bound in hindsight holds with Z more, Z the number of those rounds (of those mistakes, where mistakes are counted: the weight never grows).
AdaHedge's Δ may then contain gaps among those awake; they are not negative, its rates still fall, and L ≤ m + 2Δ + Z as before.  Exp3's
estimates are right on average for those awake and never negative, which is all that its proof needs of such a round.
Sleepers charged.  Let a sleeper be charged what the rule loses in that round, f = Σ_awake p_i·loss_i/Σ_awake p_i.  Then Σ p_i·charge_i = f
over all experts, and charges lie in [0, 1]: this is AdaHedge's game, whose L ≤ C_i + 2Δ holds for every i, C_i its charges.  Both sides
contain what the rule lost while i slept; without it L_i ≤ m_i + 2Δ, L_i the rule's loss while i was awake.  When all sleep nobody gains.
Bounds on real numbers are rounded up, and include `slip(T)` for the rounding of the run itself.
"""

import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from math import exp
from typing import Any

from littlestone.errors import require
from littlestone.theory.bound import Bound, a_priori, hindsight
from littlestone.theory.numbers import DIGITS, Exact, Real, real, root_up, up
from littlestone.theory.settings import Setting, checked, choice, number, whole

LITTLESTONE_WARMUTH = "Littlestone, Warmuth 1994"
FREUND_SCHAPIRE = "Freund, Schapire 1997"
BOOK = "Cesa-Bianchi, Lugosi 2006"


def slip(T: int) -> Decimal:
    """What the rounding of a run can add to its loss: 10⁻¹¹ a round for the weights, and as much as sums of T losses lose in doubles."""
    return T * (Decimal("1e-11") + T * Decimal("1e-15"))


@cache
def ln(x: Real) -> Decimal:
    with localcontext(DIGITS):
        return real(x).ln()


def leader(n: int, m: Exact, slack: Real = 0) -> Real:
    """M ≤ nm + n - 1.

    >>> leader(3, 0), leader(10, 2)      # n experts, the best of which never errs, or errs twice
    (2, 29)
    """
    if slack == 0 and m == int(m):  # as a certificate writes it, whatever it was measured as
        return n * int(m) + n - 1
    with localcontext(DIGITS):
        return n * m + n - 1 if slack == 0 else real(n * m + n - 1) + real(slack)


def majority(n: int, m: Real, beta: Exact) -> Decimal:
    """M ≤ (m·ln(1/β) + ln n)/ln(2/(1+β)); at β = 0 only for m = 0.

    >>> round(majority(10, 3, Fraction(1, 2)), 2), int(majority(1000, 0, 0))
    (Decimal('15.23'), 9)
    """
    require(beta or m == 0, "at beta = 0 an expert is dropped at its first mistake: the bound needs one that makes none (m = 0)")
    return majority_mixed(m, ln(n), beta)


def randomized(n: int, m: Real, epsilon: Exact, T: int) -> Decimal:
    """E[M] ≤ (m·ln(1/(1-ε)) + ln n)/ε, updating on every round.

    >>> round(randomized(2, 0, Fraction(1, 2), 10), 3)
    Decimal('1.386')
    """
    return randomized_mixed(m, ln(n), epsilon, T)


def hedge_ratio(n: int, m: Real, eta: Exact, T: int) -> Decimal:
    """L ≤ (ηm + ln n)/(1 - e^-η)."""
    return hedge_ratio_mixed(m, ln(n), eta, T)


def hedge_regret(n: int, m: Real, eta: Exact, T: int) -> Decimal:
    """L ≤ m + ln n/η + ηT/8."""
    return hedge_regret_mixed(m, ln(n), eta, T)


def anytime(n: int, m: Real, T: int) -> Decimal:
    """L ≤ m + √(2T·ln n) + √(ln n/8), for η_t = √(8·ln n/t)."""
    with localcontext(DIGITS):
        return up(real(m) + root_up(2 * T * ln(n)) + root_up(ln(n) / 8)) + slip(T)


def adahedge(m: Real, gaps: Real, T: int) -> Decimal:
    """L ≤ m + 2Δ: the run's own mixability gaps certify it."""
    with localcontext(DIGITS):
        return up(real(m) + 2 * real(gaps)) + slip(T)


def adahedge_worst(n: int, m: Real, T: int) -> Decimal:
    """L ≤ m + √(T·ln n) + 4/3·ln n + 2, whatever the losses in [0, 1]."""
    with localcontext(DIGITS):
        return up(real(m) + root_up(T * ln(n)) + 4 * ln(n) / 3 + 2) + slip(T)


def sleeping_adahedge(m: Real, gaps: Real, played: int) -> Decimal:
    """L_i ≤ m_i + 2Δ for every expert i, over the rounds it was awake; Δ the gaps of all rounds played."""
    return adahedge(m, gaps, played)


def sleeping_adahedge_worst(n: int, m: Real, played: int) -> Decimal:
    """L_i ≤ m_i + √(T·ln n) + 4/3·ln n + 2, T all rounds played."""
    return adahedge_worst(n, m, played)


def mixed(weights: Sequence[int], losses: Sequence[Exact]) -> tuple[Fraction, Decimal]:
    """q·L and KL(q‖uniform), rounded up, for the mixture that trusts experts in proportion to these whole numbers.

    >>> m, kl = mixed([1, 1, 2, 0], [0, 3, 1, 9])
    >>> m, round(kl, 6)                                     # ln 4 - 3/2·ln 2
    (Fraction(5, 4), Decimal('0.346574'))
    """
    require(all(k >= 0 for k in weights) and sum(weights) > 0, "a mixture needs weights that are not negative, and not all 0")
    whole = sum(weights)
    groups = Counter((k, loss) for k, loss in zip(weights, losses, strict=True) if k)
    m = sum((Fraction(loss) * (k * times) for (k, loss), times in groups.items()), Fraction(0)) / whole
    with localcontext(DIGITS):
        alike = Counter(k for k in weights if k)
        entropy = ln(whole) - sum((k * times * ln(k) for k, times in alike.items()), Decimal(0)) / whole
        return m, max(Decimal(0), up(ln(len(weights)) - entropy))


def majority_mixed(m: Real, kl: Real, beta: Exact) -> Decimal:
    """M ≤ (q·L·ln(1/β) + KL)/ln(2/(1+β)); at β = 0 only for q·L = 0.

    >>> round(majority_mixed(0, ln(2), Fraction(1, 2)), 2), round(majority(10, 0, Fraction(1, 2)), 2)      # five perfect experts of ten
    (Decimal('2.41'), Decimal('8.00'))
    """
    with localcontext(DIGITS):
        fall = ln(Fraction(2) / (1 + Fraction(beta)))
        if beta == 0:
            require(m == 0, "at beta = 0 an expert is dropped at its first mistake: the bound needs some that make none (q·L = 0)")
            return up(real(kl) / fall)
        return up((real(m) * -ln(beta) + real(kl)) / fall)


def randomized_mixed(m: Real, kl: Real, epsilon: Exact, T: int) -> Decimal:
    """E[M] ≤ (q·L·ln(1/(1-ε)) + KL)/ε."""
    with localcontext(DIGITS):
        return up((real(m) * -ln(1 - Fraction(epsilon)) + real(kl)) / real(epsilon)) + slip(T)


def hedge_ratio_mixed(m: Real, kl: Real, eta: Exact, T: int) -> Decimal:
    """L ≤ (η·q·L + KL)/(1 - e^-η)."""
    with localcontext(DIGITS):
        return up((real(eta) * real(m) + real(kl)) / (1 - (-real(eta)).exp())) + slip(T)


def hedge_regret_mixed(m: Real, kl: Real, eta: Exact, T: int) -> Decimal:
    """L ≤ q·L + KL/η + ηT/8."""
    with localcontext(DIGITS):
        return up(real(m) + real(kl) / real(eta) + real(eta) * T / 8) + slip(T)


def anytime_mixed(n: int, m: Real, kl: Real, T: int) -> Decimal:
    """L ≤ q·L + KL·√(T/(8·ln n)) + √(8·ln n)·(2√T - 1)/8, for η_t = √(8·ln n/t), as Σ 1/√t ≤ 2√T - 1.

    At KL = ln n it is 3/4·√(2T·ln n), less than `anytime` allows.
    """
    with localcontext(DIGITS):
        if n == 1:
            return up(real(m)) + slip(T)
        scale, T = 8 * ln(n), max(1, T)
        return up(real(m) + real(kl) * root_up(T / scale) + root_up(scale) * (2 * root_up(T) - 1) / 8) + slip(T)


def adahedge_mixed(n: int, m: Real, kl: Real, gaps: Real, T: int) -> Decimal:
    """L ≤ q·L + (1 + KL/ln n)·Δ: the last rate was ln n/Δ or more."""
    with localcontext(DIGITS):
        part = real(kl) / ln(n) if n > 1 else Decimal(0)
        return up(real(m) + (1 + part) * real(gaps)) + slip(T)


def perturbed(n: int, m: Real, eta: Exact, T: int) -> Decimal:
    """E[L] ≤ e^η·(m + (H_n - 1)/η), H_n = 1 + 1/2 + … + 1/n."""
    with localcontext(DIGITS):
        harmonic = sum((Decimal(1) / k for k in range(1, n + 1)), Decimal(0))
        return up(real(eta).exp() * (real(m) + (harmonic - 1) / real(eta) + slip(T)))


def shifting(n: int, m: Real, eta: Exact, alpha: Exact, T: int, S: int = 0) -> Decimal:
    """L ≤ m + ((S+1)·ln n + S·ln(1/α) + (T-S-1)·ln(1/(1-α)))/η + ηT/8 against every sequence of experts that changes S times."""
    with localcontext(DIGITS):
        code = (S + 1) * ln(n) - S * ln(alpha) - max(0, T - S - 1) * ln(1 - Fraction(alpha))
        return up(real(m) + code / real(eta) + real(eta) * T / 8) + slip(T)


def shifting_mistakes(n: int, m: Real, beta: Exact, alpha: Exact, S: int = 0) -> Decimal:
    """M ≤ (m·ln(1/β) + ln n + S·(ln(n/α) + ln(1-α)))/(ln(2/(1+β)) + ln(1-α)), sharing only at mistakes."""
    with localcontext(DIGITS):
        gain = ln(Fraction(2) / (1 + Fraction(beta))) + ln(1 - Fraction(alpha))
        require(gain > 0, f"alpha={alpha} is too large: the bound needs alpha < (1-β)/2")
        return up((-real(m) * ln(beta) + ln(n) + S * (ln(Fraction(n) / Fraction(alpha)) + ln(1 - Fraction(alpha)))) / gain)


def shifting_mistakes_asleep(n: int, m: Real, beta: Exact, alpha: Exact, Z: int, S: int = 0) -> Decimal:
    """The same and Z·(1 + ln(1/(1-α))/(ln(2/(1+β)) + ln(1-α))), Z the mistakes while somebody slept: each of them shares."""
    with localcontext(DIGITS):
        shared = -ln(1 - Fraction(alpha))
        return shifting_mistakes(n, m, beta, alpha, S) + up(Z * (1 + shared / (ln(Fraction(2) / (1 + Fraction(beta))) - shared)))


def exp3(n: int, m: Real, T: int, eta: Exact) -> Decimal:
    """E[L] ≤ m + ln n/η + ηTn/2, which is √(2Tn·ln n) at the best η; with η_t = √(ln n/(tn)): m + 2√(Tn·ln n)."""
    with localcontext(DIGITS):
        if eta == 0:  # anytime
            return up(real(m) + 2 * root_up(T * n * ln(n))) + slip(T)
        return up(real(m) + ln(n) / real(eta) + real(eta) * T * n / 2) + slip(T)


def exp3_ix(n: int, m: Real, T: int, eta: Exact, delta: Exact) -> Decimal:
    """With probability 1-δ, γ = η/2: L ≤ m + 2·ln n/η + ηTn + (1 + 1/η)·ln(2/δ); with η_t = √(ln n/(tn)):
    m + 4√(Tn·ln n) + (1 + √(Tn/ln n))·ln(2/δ).

    What the rule lost is Σp·l̃ + γΣl̃ (l̃ the estimates); exponential weights bound Σp·l̃ by l̃_j + ln n/η + (η/2)Σl̃; and, each with
    probability 1-δ/2, ηΣl̃ exceeds ηΣl by at most ln(2/δ) and the l̃_j exceed the l_j by at most ln(2n/δ)/η (Neu 2015, Lemma 1).
    """
    with localcontext(DIGITS):
        if n == 1:
            return up(real(m)) + slip(T)
        risk = ln(2 / Fraction(delta))
        if eta == 0:  # anytime
            return up(real(m) + 4 * root_up(T * n * ln(n)) + (1 + root_up(T * n / ln(n))) * risk)
        rate = real(eta)
        return up(real(m) + 2 * ln(n) / rate + rate * T * n + (1 + 1 / rate) * risk)


def one_draw(F: Real, played: int, delta: Exact) -> Decimal:
    """One draw of the coin, given the sum F of its chances: at most F + min(√(T·ln(2/δ)/2), (e-2)F + ln(2/δ)).

    Two supermartingales at half the risk each: Hoeffding's, and E[e^X] ≤ e^((e-1)p) for a mistake of chance p.
    """
    with localcontext(DIGITS):
        risk = ln(2 / Fraction(delta))
        return up(real(F) + min(root_up(played * risk / 2), (Decimal(1).exp() - 2) * real(F) + risk)) + slip(played)


def every_round(played: int) -> Decimal:
    """L ≤ T: a round costs at most 1. What is left where experts sleep and the rule's theorems are about experts who do not."""
    return played + slip(played)


def asleep(bound: Bound) -> Bound:
    """The bound for advice in which experts sleep: Z more, Z the rounds on which somebody did."""

    def value(Z: int, **facts: Any) -> Real:
        with localcontext(DIGITS):
            return bound.value(**facts) + Z

    known = inspect.signature(bound.value).parameters.values()
    extra = inspect.Parameter("Z", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    value.__signature__ = inspect.Signature([extra, *known])  # type: ignore[attr-defined]
    what = "mistakes" if bound.counts == "mistakes" else "rounds"
    formula = f"{bound.formula}; and Z more, the {what} while somebody slept"
    return replace(bound, name=f"{bound.name}-asleep", formula=formula, value=value, source=f"{bound.source}; derived")


def both(
    name: str, formula: str, value, source: str, counts: str = "loss", says: str = "", chance: str = "", witness: str = "expert"
) -> tuple[Bound, Bound]:
    """A theorem about the best expert, twice: for the m declared beforehand, and for the m this run measured."""
    declared = says or "some expert loses at most m"
    return (
        a_priori(name, "expert", formula, value, source, counts=counts, says=declared, chance=chance),
        hindsight(f"{name}-hindsight", formula, value, source, counts=counts, chance=chance, witness=witness),
    )


LEADER = both("follow-leader", "M ≤ nm + n - 1", leader, "Vempala, Lecture 2, section 2.1; derived")
MAJORITY = both("weighted-majority", "M ≤ (m·ln(1/β) + ln n)/ln(2/(1+β))", majority, LITTLESTONE_WARMUTH, "mistakes")
RANDOMIZED = both("randomized-weighted-majority", "E[M] ≤ (m·ln(1/(1-ε)) + ln n)/ε", randomized, LITTLESTONE_WARMUTH)
HEDGE = (
    *both("hedge", "L ≤ (ηm + ln n)/(1-e^-η)", hedge_ratio, FREUND_SCHAPIRE),
    *both("hedge-regret", "L ≤ m + ln n/η + ηT/8", hedge_regret, f"{BOOK}, Theorem 2.2"),
)
ANYTIME = both("hedge-anytime", "L ≤ m + √(2T·ln n) + √(ln n/8)", anytime, f"{BOOK}, Theorem 2.3")
ADAHEDGE = (
    *both("adahedge-worst-case", "L ≤ m + √(T·ln n) + 4/3·ln n + 2", adahedge_worst, "de Rooij, van Erven, Grünwald, Koolen 2014"),
    hindsight("adahedge", "L ≤ m + 2Δ, Δ = the run's mixability gaps", adahedge, "de Rooij et al. 2014", counts="loss", witness="expert"),
)


def of_mixture(name: str, formula: str, value, source: str, counts: str = "loss") -> Bound:
    """A theorem about every mixture q of the experts: m is what it loses, kl its divergence from trusting all alike (`mixed`)."""
    return hindsight(
        f"{name}-mixture", f"{formula}, m = q·L, KL = Σ q·ln(nq)", value, f"{source}; derived", counts=counts, witness="distribution"
    )


EVERY_ROUND = hindsight("every-round", "L ≤ T: a round costs at most 1", every_round, "by definition", counts="loss")
MAJORITY_MIXED = of_mixture("weighted-majority", "M ≤ (m·ln(1/β) + KL)/ln(2/(1+β))", majority_mixed, LITTLESTONE_WARMUTH, "mistakes")
RANDOMIZED_MIXED = of_mixture("randomized-weighted-majority", "E[M] ≤ (m·ln(1/(1-ε)) + KL)/ε", randomized_mixed, LITTLESTONE_WARMUTH)
HEDGE_MIXED = (
    of_mixture("hedge", "L ≤ (ηm + KL)/(1-e^-η)", hedge_ratio_mixed, FREUND_SCHAPIRE),
    of_mixture("hedge-regret", "L ≤ m + KL/η + ηT/8", hedge_regret_mixed, f"{BOOK}, Theorem 2.2"),
)
ANYTIME_MIXED = of_mixture(
    "hedge-anytime", "L ≤ m + KL·√(T/(8·ln n)) + √(8·ln n)·(2√T - 1)/8", anytime_mixed, "de Rooij et al. 2014, Lemma 2"
)
ADAHEDGE_MIXED = of_mixture("adahedge", "L ≤ m + (1 + KL/ln n)·Δ", adahedge_mixed, "de Rooij et al. 2014, Lemma 2")
PERTURBED = both("perturbed-leader", "E[L] ≤ e^η·(m + (H_n - 1)/η)", perturbed, "Hutter, Poland 2005; derived")
SWITCHES = "some sequence of experts that changes S times loses at most m"
FIXED_SHARE = both(
    "fixed-share",
    "L ≤ m + ((S+1)·ln n + S·ln(1/α) + (T-S-1)·ln(1/(1-α)))/η + ηT/8",
    shifting,
    f"{BOOK}, Theorem 5.2",
    says=SWITCHES,
    witness="path",
)
FIXED_SHARE_MISTAKES = both(
    "fixed-share-mistakes",
    "M ≤ (m·ln(1/β) + ln n + S·(ln(n/α) + ln(1-α)))/(ln(2/(1+β)) + ln(1-α))",
    shifting_mistakes,
    "Herbster, Warmuth 1998; derived",
    "mistakes",
    SWITCHES,
    witness="path",
)
FIXED_SHARE_MISTAKES_ASLEEP = replace(
    FIXED_SHARE_MISTAKES[1],
    name="fixed-share-mistakes-hindsight-asleep",
    formula=f"{FIXED_SHARE_MISTAKES[1].formula} + Z·(1 + ln(1/(1-α))/(ln(2/(1+β)) + ln(1-α))), Z the mistakes while somebody slept",
    value=shifting_mistakes_asleep,
)
SPECIALISTS = hindsight(
    "specialists",
    "L_i ≤ m_i + ln n/η + ηT_i/8 for every expert i, over the T_i rounds it was awake",
    hedge_regret,
    "Freund, Schapire, Singer, Warmuth 1997",
    counts="loss",
    witness="expert",
)
SPECIALISTS_MISTAKES = hindsight(
    "specialists-mistakes",
    "M_i ≤ (m_i·ln(1/β) + ln n)/ln(2/(1+β)) for every expert i, over the rounds it was awake",
    majority,
    "Freund, Schapire, Singer, Warmuth 1997; derived",
    counts="mistakes",
    witness="expert",
)
SLEEPING_ADAHEDGE = (
    hindsight(
        "sleeping-adahedge",
        "L_i ≤ m_i + 2Δ for every expert i, over the rounds it was awake, Δ = the run's gaps",
        sleeping_adahedge,
        "de Rooij et al. 2014; derived",
        counts="loss",
        witness="expert",
    ),
    hindsight(
        "sleeping-adahedge-worst-case",
        "L_i ≤ m_i + √(T·ln n) + 4/3·ln n + 2 for every expert i, while awake",
        sleeping_adahedge_worst,
        "de Rooij et al. 2014; derived",
        counts="loss",
        witness="expert",
    ),
)
EXP3 = both(
    "exp3",
    "E[L] ≤ m + ln n/η + ηTn/2; anytime m + 2√(Tn·ln n)",
    exp3,
    "Auer et al. 2002; Lattimore, Szepesvári 2020, chapter 11",
    chance="in expectation over the coin",
)
EXP3_IX = both(
    "exp3-ix",
    "L ≤ m + 2·ln n/η + ηTn + (1+1/η)·ln(2/δ); anytime m + 4√(Tn·ln n) + (1+√(Tn/ln n))·ln(2/δ)",
    exp3_ix,
    "Neu 2015; constants derived",
    counts="one draw",
    chance="with probability at least 1-δ",
)
ONE_DRAW = hindsight(
    "one-draw",
    "one draw ≤ F + min(√(T·ln(2/δ)/2), (e-2)F + ln(2/δ)), F = the sum of its chances",
    one_draw,
    "Hoeffding 1963; Ville 1939",
    counts="one draw",
    chance="with probability at least 1-δ",
    witness="run",
)


# ---- what rules have in common: their settings, and how they decide ----

EXPERTS = whole(1, 10_000_000, "must be a positive number of experts, at most 10000000")
ADVICE = choice("vote", "probability", "loss")
SEED = whole(-(2**63), 2**63 - 1)
ROUNDS = Setting("whole", ((lambda v: 1 <= v <= 10**15, "must lie between 1 and 1e15"),), optional=True)
BELOW_ONE = 1 - Fraction(1, 10**12)

TIES = "1 where the weighted mean is at least 1/2; where it rounds to within 10⁻⁹ of that, as the run had it"
EXACT_TIES = "1 where at least half the weight says 1"
COIN = "1 where the coin of the seed falls below the share of a 1"
LEADS = "the first of the least losses leads; 1 where it says 1/2 or more"
DRAWN = "the expert at whose weight the coin of the seed falls; 1 where a second coin falls below what it says"


def for_sleepers(bounds: Iterable[Bound]) -> tuple[Bound, ...]:
    """The bounds in hindsight that compare with experts, for advice in which experts sleep."""
    return tuple(asleep(bound) for bound in bounds if bound.kind == "hindsight" and bound.witness not in ("", "run"))


def near(a: Any, b: float) -> bool:
    return a is not None and abs(float(a) - b) <= 1e-12 * abs(b)


def refuse_other_rate(settings: Mapping[str, Any], best: Callable[[int, int], float]) -> None:
    """With `rounds`, η must be the best for so many."""
    n, eta, rounds = settings["n"], settings["eta"], settings["rounds"]
    require(n is None or rounds is None or near(eta, best(n, rounds)), f"eta={eta} is not the rate for {rounds} rounds")


#: Rules with a randomised and a deterministic form.
FORMED = {
    "eta": number("1e-9", 100),
    "beta": checked((lambda v: 0 < v < 1, "must lie between 0 and 1")),
    "form": choice("randomized", "deterministic"),
    "advice": ADVICE,
    "seed": SEED,
}


def randomised(settings: Mapping[str, Any]) -> bool:
    require(near(settings["beta"], exp(-float(settings["eta"]))), f"beta={settings['beta']} must be e^-eta")
    return settings["form"] == "randomized"


def form() -> dict[str, Any]:
    """What depends on the form: the randomised one learns always and loses, the deterministic one learns from mistakes and makes them."""

    def either(random: Any, sure: Any) -> Callable[[Mapping[str, Any]], Any]:
        return lambda settings: random if settings["form"] == "randomized" else sure

    return {
        "cost": either("loss", "mistakes"),
        "updates_on": either("always", "mistakes"),
        "ties": either(COIN, TIES),
        "tossed": either(True, False),
        "takes": either(("vote", "probability", "loss"), ("vote", "probability")),
    }
