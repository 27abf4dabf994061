"""Rules by regret: an expert that differs little from the rule costs the rule little, whatever the number of rounds.

Letters: n experts, r_{t,i} the regret of round t beside expert i, R_i its sum, V_i the sum of its squares; p_t the rule's weights, f its
forecast, the mean of those awake.  r_{t,i} = s·(f - x_i), s the slope of the round's loss at f, and 0 while i sleeps: so Σ p_{t,i}·r_{t,i}
= 0.

**Gradients.**  For a convex loss and every u, loss(f) - loss(u·x) ≤ s·(f - u·x) = Σ u_i·r_i.  Hence L ≤ L(u) + Σ u_i·R_i for every convex
combination u, where nobody sleeps; and L_i ≤ m_i + R_i for every expert over the rounds it was awake, where the others may.  Of votes,
probabilities and losses |f - y| is a line, and both are equalities.  What is left is R_i, the same for all three losses.

**ML-Poly.**  η_{t,i} = 1/(E_t + V_{t,i}), E_t the largest square of a regret up to t, so rates fall; p_t is in proportion to
η_{t-1,i}·(R_{t-1,i})₊.  Let Φ_t = Σ η_{t,i}·(R_{t,i})₊².  From (x + r)₊² ≤ (x₊)² + 2·x₊·r + r² and Σ η_{t-1,i}·(R_{t-1,i})₊·r_{t,i} = 0,
(a) Φ_t ≤ Φ_{t-1} + Σ η_{t-1,i}·r_{t,i}².  From (x + r)₊ ≤ x₊ + r₊ and the triangle inequality, with the rates of after,
(b) √Φ_t ≤ √Φ_{t-1} + √(Σ η_{t,i}·(r_{t,i})₊²).  The run adds up the smaller of the two, Φ.  Then η_i·(R_i)₊² ≤ Φ_T ≤ Φ gives
R_i ≤ √(Φ·(E + V_i)), and by concavity Σ u_i·R_i ≤ √(Φ·(E + u·V)).  While E stays, (a) adds up to at most n·log₂(1 + V/E): r² ≤ E, and
x ≤ log₂(1 + x) up to 1; and (b) adds at most √n, when E grows.

**BOA and ML-Prod.**  Weights are in proportion to η_i·e^(η_i·X_i).  Let Φ_t = Σ e^(η_i·X_i)/n, Φ_0 = 1.  With the rates of before and any
part c of the round, c ≤ 1, for which c·η_i·|r_i| ≤ 1/2: e^(x - x²) ≤ 1 + x for x ≥ -1/2, so that gains of cr - η·(cr)² (BOA), or of
ln(1 + η·cr)/η (ML-Prod), leave Φ as it was at most, Σ η_i·e^(η_i·X_i)·c·r_i being 0.  What Φ is beyond that, because rates fell or a regret
was larger than any before, the run adds up: Δ.  So η_i·X_i ≤ ln(n·Φ_T) ≤ ln(n·(1+Δ)), and with C_i = R_i - X_i, which the run adds up too,
R_i ≤ C_i + ln(n·(1+Δ))/η_i.  This is linear in i, so that combinations have its mean.  A rate that falls by the factor α adds at most
(1/α - 1)/e to e^(η·X)  (x ≤ x^a + (a-1)/e for a ≥ 1), which over all rounds is a logarithm of V_i; C_i is at most Σ η_i·r², about √(V_i·ln
n).

**A rule of rules.**  Members k make forecasts f_k, each the mean of the experts by a rule of its own; AdaHedge over them, by gradients,
makes the forecast.  So L ≤ L_k + 2Δ for every member, Δ the mixability gaps of the run (theory/experts.py: the proof does not ask how large
losses are); and L_k ≤ m_i + P_{k,i} while i is awake, by the member's own theorem, where it has one.  Over all rounds, with A_{k,i} what k
lost while i slept, L ≤ m_i + 2Δ + P_{k,i} + A_{k,i}; and where nobody sleeps L ≤ L(u) + 2Δ + Σ u_i·P_{k,i}.  The price is that of the
member for which this is least.  2Δ is Δ and ln k/η, η = ln k/Δ.  Of just nine η is 2·ln k/(Δ + E), E the largest regret beside a member
so far: it falls too, which is all that the proof asks of it; the price of trusting is then Δ + (Δ + E)/2, and one lucky round makes no
leader.  A gap below 10⁻¹² of the round's largest regret is rounding, and counts as none, which `slip` has room for.
Members that agree to twelve digits with the rule have no regret in that round, and leaders within 10⁻¹² share: else the rounding of an
exponential would choose the leader.  Weights do not matter to the proof, and the largest regret left out in each round is added to the
price.

**Least squares.**  Three members follow the regularised leader: the weights u that make Σ (u·e_t)² + ρ·|u - 1/n|² least, e_t the errors
x_t - y of the experts (of a sleeper the member's own), each round weighing `keep` of the next; ρ is `pull` times the mean square of an
error.  They come nearer to it by a few steps a round, each of which moves weight from the expert with the largest slope to the one with the
least.  No theorem of theirs is used.

**Inverse squares.**  The eighth member and the ninth weigh an expert by 1/q_i, q_i its mean squared error, of all rounds or of about the
last twenty in which it was awake: what is best where errors are independent, and known long before all products of errors are.  Each q_i is
(S_i + m)/(N_i + 1): one more round than there were, with the harmonic mean m of the q_i of before, by rounds.  No theorem is used.

**The median, and the likeliest expert.**  Of twelve members one is the median of those awake, of an even number the mean of the middle two,
which a wild error of a few does not move; and two weigh an expert by q_i^(-N/2), of the same q_i, N the rounds of the one awake most: how
likely its errors are, were they normal.  Each is a mean of the experts' forecasts, and no theorem of theirs is used.

**Half of the bend.**  Under squared loss L - L_k is Σ s·(f - f_k) - (f - f_k)²: gradients say more than was lost.  Twelve members have the
regrets r_k = s·(f - f_k) - (f - f_k)²/2.  So L ≤ L_k + Σ r_k all the same.  By the weights p their mean is -h with h ≥ 0, what AdaHedge
loses in a round in which member k loses -r_k; so Σ h - Σ -r_k ≤ 2Δ, Δ the mixability gaps of these losses, and L ≤ L_k + 2Δ as before, with
η = ln k/Δ.  A member that is better is trusted sooner so, and members whose errors cancel are trusted together still, as with gradients.

Bounds are rounded up, and include `experts.slip` for the rounding of the run itself.
"""

import inspect
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from math import log, sqrt
from typing import Any

from littlestone.theory import experts
from littlestone.theory.bound import Bound, hindsight
from littlestone.theory.families import RuleFamily, Settings
from littlestone.theory.numbers import DIGITS, Real, real, root_up, up
from littlestone.theory.settings import Setting, checked

GAILLARD = "Gaillard, Stoltz, van Erven 2014; constants derived in theory/regrets.py"
WINTENBERGER = "Wintenberger 2017; constants derived in theory/regrets.py"
#: What a rule may be told the gradients of; the first is none of them.
LOSSES = ("", "squared", "absolute", "pinball")
EVERY = "for every expert i, over the rounds it was awake"
COMBINED = "for every convex combination u"
#: The members of the rule of rules; the first few have a theorem of their own.
MEMBERS = (
    "ml_poly",
    "boa",
    "ml_prod",
    "boa that forgets",
    "least squares",
    "least squares of about 100 rounds",
    "least squares of about 20 rounds",
    "inverse squares",
    "inverse squares of about 20 rounds",
    "the median",
    "the likeliest expert",
    "the likeliest expert of about 20 rounds",
)
SEVEN = 7  # the members at first: certificates and models that do not say how many there are
NINE = 9  # and those with inverse squares
PRICED = (0, 1, 2)
KEEP = 0.99  # of what the forgetful one has learned, after each round
#: Of least squares: what is kept after each round and the pull to the plain average; how many steps a round; the most experts it is for.
LEAST = ((1.0, 10.0), (0.99, 0.1), (0.95, 0.1))
STEPS, MOST_EXPERTS = 6, 100
INVERSE = (1.0, 0.95)  # of inverse squares: what is kept after each round
LEVEL = 1e-9  # of the largest slope: slopes that differ by less are alike
DUST = 1e-12  # what is smaller beside what it is made of is rounding
#: What only the run can tell, one number or one for each expert, and in units of the loss where a number is given.
UNITS = {"potential": 0, "widest": 2, "squares": 2, "excess": 0, "corrections": 1, "slowness": 1, "price": 1}


def by_excess(m: Real, potential: Real, widest: Real, squares: Real, played: int) -> Decimal:
    """L ≤ m + √(Φ·(E + V)).

    >>> by_excess(7, 3, Fraction(1, 4), Fraction(11, 4), 1).quantize(Decimal("0.001"))
    Decimal('10.000')
    """
    with localcontext(DIGITS):
        return up(real(m) + root_up(real(potential) * (real(widest) + real(squares)))) + experts.slip(played)


def by_gain(n: int, m: Real, excess: Real, corrections: Real, slowness: Real, played: int) -> Decimal:
    """L ≤ m + C + ln(n·(1+Δ))/η.

    >>> by_gain(2, 7, 0, Fraction(1, 2), 2, 1).quantize(Decimal("0.001"))
    Decimal('8.886')
    """
    with localcontext(DIGITS):
        grown = (real(n) * (1 + real(excess))).ln()
        return up(real(m) + real(corrections) + grown * real(slowness)) + experts.slip(played)


def both(name: str, price: str, combined: str, value: Any, source: str) -> tuple[Bound, Bound]:
    """A theorem beside every expert, and of forecasts beside every convex combination of them."""
    own = hindsight(name, f"L_i ≤ m_i + {price} {EVERY}", value, source, counts="loss", witness="expert")
    every = hindsight(f"{name}-combination", f"L ≤ L(u) + {combined} {COMBINED}", value, source, counts="loss", witness="combination")
    return own, every


def in_single_precision(bound: Bound) -> Bound:
    """The bound for forecasts, whose losses are told in single precision: m may be less than it is by a 2²⁴-th."""

    def value(m: Real, **facts: Any) -> Real:
        with localcontext(DIGITS):
            return bound.value(m=real(m) * (1 + real(Fraction(1, 2**23))), **facts)

    value.__signature__ = inspect.signature(bound.value)  # type: ignore[attr-defined]
    return replace(bound, value=value)


def family(
    name: str, bounds: tuple[Bound, Bound], run_facts: tuple[str, ...], source: str, overall: bool = False, **more: Setting
) -> RuleFamily:
    """A rule by regret with these theorems, and more settings; those of a rule of rules speak of all rounds, of losses and of forecasts."""

    def theorems(settings: Settings) -> tuple[Bound, ...]:
        if settings["loss"] is not None:
            return tuple(map(in_single_precision, bounds))
        return (bounds[0],) if overall else (bounds[0], experts.ONE_DRAW)

    return RuleFamily(
        name,
        {
            "n": experts.EXPERTS,
            "advice": experts.ADVICE,
            "loss": Setting("text", ((lambda v: v in LOSSES[1:], "must be squared, absolute or pinball"),), optional=True),
            "quantile": checked((lambda v: 0 < v < 1, "must lie between 0 and 1"), optional=True),
            "seed": experts.SEED,
            **more,
        },
        theorems,
        ties=experts.COIN,
        updates_on="always",
        sleepers="all rounds" if overall else "own rounds",
        tossed=not overall,
        takes=("loss",) if overall else ("vote", "probability", "loss"),
        run_facts=run_facts,
        source=source,
    )


def mean(value: Any, shares: Any) -> Any:
    """A fact of the run for a combination: one number as it is; of one for each expert the mean; of several such the least."""
    if isinstance(value, int | float | Fraction):
        return value
    if not isinstance(value[0], int | float | Fraction):
        return min(mean(each, shares) for each in value)
    return sum((Fraction(x) * share for x, share in zip(value, shares, strict=True) if share), Fraction(0))


def about(n: int, facts: Any) -> list[float]:
    """The price of each expert, about: to find out which is nearest to its limit.

    >>> about(2, {"potential": 4.0, "widest": 0.0, "squares": [1.0, 9.0]})
    [2.0, 6.0]
    """
    if "price" in facts:
        return [min(each) for each in zip(*facts["price"], strict=True)]
    if "potential" in facts:
        return [sqrt(facts["potential"] * (facts["widest"] + V)) for V in facts["squares"]]
    grown = log(n * (1 + facts["excess"]))
    return [C + grown * slow for C, slow in zip(facts["corrections"], facts["slowness"], strict=True)]
