"""Apple tasting: what can be promised where the label is seen only if 1 was predicted (after Helmbold, Littlestone, Long 2000).

The base rule is the Perceptron.  Where it likes a row (w·x ≥ 0) 1 is predicted; where not, 1 is predicted with probability p, a taste.  A
round with a label is one of six: *lost*, liked and bad; liked and good; *gained*, not liked, tasted and good; *idle*, tasted and bad;
*missed*, not liked, not tasted, good; left and bad.  The rule learns from the lost and the gained, S of them.  Its mistakes are the lost,
the idle and the missed:

    M = S - gained + idle + missed.

**Seen mistakes.** Lost and gained rounds are mistakes of w·x from which the Perceptron learns, so all that is true of its mistakes is true
of S: with a vector of length 1 and margin γ, S ≤ R²/γ², R the longest row among them; and in hindsight, for any u, S ≤ ((√K + √(K+4L))/2)²
with K = |u|²·mean|x|² and L the hinge loss of u, both over these rounds (theory/perceptron.py).  For u = w/(R|w|) every y·(u·x) ≤ 1, so
that L = S - |w|/R.

**In expectation.** Whether a round is liked does not depend on its coin.  A good row that is not liked is gained with probability p and
missed with 1-p, so E[missed] = ((1-p)/p)·E[gained]; a bad one is idle with probability p, so E[idle] ≤ pT.  Hence

    E[M] = E[lost] + E[idle] + ((1-p)/p)·E[gained] ≤ E[S]/p + pT ≤ R²/(γ²p) + pT,

at most 2(R/γ)√T for p = (R/γ)/√T.  It is a theorem about the coin, and the adversary must choose the rows without seeing its next fall.  A
single run may fare worse, so no bound below promises it: idle and missed are counted, not bounded.  (`tests/test_apple_tasting.py` holds
the expectation against many coins.)

Rounding is that of the Perceptron.  Weights of rounds are not honoured: a taste costs one round.
"""

from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

from littlestone.theory import perceptron
from littlestone.theory.bound import Invariant, Moment, a_priori, hindsight
from littlestone.theory.evidence import Evidence
from littlestone.theory.experts import SEED
from littlestone.theory.families import Family
from littlestone.theory.numbers import DIGITS, Exact, Real, float_above, root_up, up
from littlestone.theory.settings import BIAS, FEATURES, number


def margin(R2: Exact, gamma: Exact, gained: int, idle: int, missed: int, slack: Exact = 1) -> Exact:
    """M ≤ R²/γ² - gained + idle + missed.

    >>> margin(1, Fraction(1, 10), 5, 20, 7)
    Fraction(122, 1)
    """
    return perceptron.margin(R2, gamma, slack) - gained + idle + missed


def hinge(K: Real, L: Real, gained: int, idle: int, missed: int, slack: Exact = 1) -> Decimal:
    """M ≤ ((√K + √(K+4L))/2)² - gained + idle + missed, rounded up."""
    with localcontext(DIGITS):
        return up(perceptron.hinge(K, L, slack) - gained + idle + missed)


MARGIN = a_priori(
    "apple-tasting-margin",
    "margin",
    "M ≤ R²/γ² - gained + idle + missed,  R = the longest row it learned from",
    margin,
    "Novikoff 1962, of the mistakes that were seen",
    says="some u with |u| = 1 has y·(u·x) ≥ γ on every round, and |x| ≤ R",
    witness="run",
    falling=("gained",),
)
HINGE = hindsight(
    "apple-tasting-hinge",
    "M ≤ ((√K + √(K+4L))/2)² - gained + idle + missed,  K = |u|²·mean|x|², L = hinge loss of u, both over the rounds it learned from",
    hinge,
    "proof in theory/apple_tasting.py",
    witness="run",
    falling=("gained",),
)


def facts_of(sums: Sequence[float], square: Fraction) -> dict:
    """The facts of both bounds, from the counts of a run and from |w|², rounded down."""
    gained, lost, idle, missed = map(int, sums[:4])
    updates, rounded = gained + lost, 1 + Fraction(int(sums[6]) + 2**12, 2**52)
    Q, R2 = (Fraction(value) * rounded for value in sums[4:6])
    facts = {"R2": R2, "gained": gained, "idle": idle, "missed": missed, "slack": perceptron.rounding(updates, int(sums[6]))}
    if not updates:
        return {**facts, "K": Fraction(0), "L": Fraction(0)}
    R = Fraction(root_up(R2)) if R2 else Fraction(1)
    length = Fraction(root_up(square)) * (1 - Fraction(1, 2**48))
    drift = Fraction(3 * updates, 2**53) * Fraction(root_up(Q)) / R  # how far w may be from Σ y·x
    K, L = Q / updates / R**2, max(Fraction(0), updates - length / R + drift)
    return {**facts, "K": Fraction(float_above(K)), "L": Fraction(float_above(L))}


def measure(e: Evidence, _: object) -> dict:
    """Only a replay tells which rounds were tasted: every fact is the run's own."""
    return {}


def _length(m: Moment) -> tuple[Fraction, Fraction]:
    """|w|² grows by at most |x|² at each update, since y·(w·x) ≤ 0 there."""
    rho2 = Fraction(m.settings["bias"]) ** 2
    square = sum((v * v for v in m.state["w"].values()), Fraction(0)) + rho2 * m.state["b"].get(0, Fraction(0)) ** 2
    return square, m.state["sums"].get(4, Fraction(0)) * (1 + m.slack)


INVARIANTS = (Invariant("length", "|w|² ≤ Σ|x|²", _length),)

CHANCE = number("1e-12", 1, must="must lie between 1e-12 and 1: who never tastes never learns what was left")

FAMILY = Family(
    "apple_tasting",
    {"n": FEATURES, "taste": CHANCE, "bias": BIAS, "seed": SEED},
    (MARGIN, HINGE),
    measure,
    ties="w·x = 0 predicts 1",
    updates_on="always",
    invariants=INVARIANTS,
    featurewise=True,
    source="Helmbold, Littlestone, Long 2000",
)
