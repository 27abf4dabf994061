"""The Banditron (Kakade, Shalev-Shwartz, Tewari 2008): several classes, and the learner is told only whether it was right.

Let k classes be known, ŷ = argmax_c W_c·x, e the chance to explore (`explore`).  The class named is ỹ = ŷ with probability 1 - e, else one
of the k drawn evenly, so that P(c) = e/k + (1 - e)·[c = ŷ].  Then W changes by Z̃: x/P(ỹ) in row ỹ if it was right, and -x in row ŷ.
A class that appears for the first time is only registered: k rounds, each a mistake, and left out below; T rounds are left.

**The step is right on average.** Over the coin of a round, E[Z̃] has Σ_c P(c)·[c = y]/P(c)·x = x in row y and -x in row ŷ: the Perceptron's
Z if ŷ ≠ y, and 0 if ŷ = y.

**Its length.** Let p = e/k and q = 1 - e + e/k.  If ŷ ≠ y the label is named with probability p, and then |Z̃|² = |x|²(1/p² + 1), else |x|²:
together E|Z̃|² = |x|²(1/p + 1).  If ŷ = y, it is (1/q - 1)²|x|² with probability q and else |x|²: together |x|²(1 - q)/q.  With R ≥ |x|
write a = k/e + 1 and g = (1 - q)/q = e(k-1)/(k - e(k-1)).  Both grow with k, so that the last k serves all rounds; and g ≤ k/e - 1 < a.

**The proof.** N = rounds with ŷ ≠ y, n = E[N].  W does not depend on the coin of the next round, and <W, Z> ≤ 0 as ŷ was preferred, so
E|W|² ≤ R²(a·n + g·(T - n)).  For any U, with ℓ the hinge loss against the best other class, <U, Z> ≥ 1 - ℓ where ŷ ≠ y: E<U, W> ≥ n - L, L
over all rounds.  E<U, W> ≤ |U|·√E|W|².  With D = |U|²R² and b = a - g:

    n - L ≤ √(D·(b·n + g·T)),   so   n ≤ B = L + (D·b + √(D²b² + 4D·(b·L + g·T)))/2.

A round errs with probability 1 - e/k if ŷ ≠ y, and e - e/k if not: [ŷ ≠ y]·(1 - e) + e(1 - 1/k).  Hence

    E[M] ≤ k + (1 - e)·B + e·(1 - 1/k)·T.

Where U loses so much that this is less than L (to guess is right now and then, too), L is stated: less would compare with nobody.

It is a theorem about the coin, for rows chosen without knowing how it falls; one run may fare worse.  R, T, k, L and U are facts of the
stream alone, so it holds for the best U, too.  What is true of this one run is the floor of several classes (theory/class_floor.py).

Rounding.  Scores of a row are off by at most 2^-52·nnz·|W||x|, so <W, Z> ≤ 2^-51·nnz·|W||x| in place of 0; with E|W| ≤ R√(aT), rows of up
to 2^20 features and T·k/e ≤ 2^40 that adds less than 2^-9 of R² to |W|² over all rounds: far below `ROUNDING` of the limit.
"""

from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from littlestone.errors import require
from littlestone.theory.bound import a_priori, hindsight
from littlestone.theory.comparators.matrix import Matrix
from littlestone.theory.evidence import Evidence
from littlestone.theory.experts import SEED
from littlestone.theory.families import Family
from littlestone.theory.numbers import DIGITS, Exact, Real, real, up
from littlestone.theory.settings import FEATURES, number

SOURCE = "Kakade, Shalev-Shwartz, Tewari 2008; proof and constants in theory/banditron.py"
ROUNDING = 1 + Decimal(2) ** -20


def hinge(first: int, T: int, L: Real, u2: Real, R2: Real, explore: Exact) -> Decimal:
    """E[M] ≤ k + (1 - e)·B + e·(1 - 1/k)·T, rounded up; `first` is k, `explore` is e.

    >>> hinge(3, 1000, 0, 1, 1, Fraction(1, 10)).quantize(Decimal("0.01"))
    Decimal('99.45')
    >>> hinge(3, 1000, 1003, 0, 1, Fraction(1, 10)).quantize(Decimal("0.01"))       # whoever knows nothing loses 1 in every round
    Decimal('1003.00')
    """
    e, k = Fraction(explore), max(1, first)
    g = e * (k - 1) / (k - e * (k - 1))
    with localcontext(DIGITS):
        D, b = real(u2) * real(R2), real(k / e + 1 - g)
        root = (D * D * b * b + 4 * D * (b * real(L) + real(g) * T)).sqrt()
        wrong = real(L) + (D * b + root) / 2
        return up(max(real(L), first + real(1 - e) * wrong + real(e * (1 - Fraction(1, k)) * T)) * ROUNDING)


def margin(first: int, T: int, R2: Exact, gamma: Exact, explore: Exact) -> Decimal:
    """The same for a matrix of norm 1 with margin γ, which loses nothing at length 1/γ."""
    require(gamma > 0, f"gamma={gamma} must be positive: it is a margin")
    return hinge(first, T, 0, 1 / Fraction(gamma) ** 2, R2, explore)


CHANCE = "in expectation over the coin"
MARGIN = a_priori(
    "banditron-margin",
    "margin",
    "E[M] ≤ k + (1-e)·B + e(1-1/k)T,  B = (Db + √(D²b² + 4DgT))/2, D = R²/γ², b = k/e + 1 - g, g = e(k-1)/(k - e(k-1))",
    margin,
    SOURCE,
    says="some U with |U| = 1 has u_y·x ≥ u_j·x + γ for every other class j on every round, and |x| ≤ R; it holds " + CHANCE,
    chance=CHANCE,
)
HINGE = hindsight(
    "banditron-hinge",
    "E[M] ≤ k + (1-e)·B + e(1-1/k)T,  B = L + (Db + √(D²b² + 4D(bL + gT)))/2, L = hinge loss of U over all rounds, D = |U|²R², "
    "b = k/e + 1 - g, g = e(k-1)/(k - e(k-1))",
    hinge,
    SOURCE,
    witness="matrix",
    every=True,
    loss="L",
    chance=CHANCE,
)


def measure(e: Evidence, U: Matrix | None) -> dict[str, Any]:
    """Facts of the stream, and |U|²; the loss over all rounds a meter adds up."""
    require(U is None or not U.biased, "the witness has a bias, and this rule has none")
    facts = {"first": len(e.first), "T": e.rounds - len(e.first), "R2": e.longest, "explore": e.settings["explore"]}
    return facts if U is None else facts | {"u2": U.squared()}


class BanditFamily(Family):
    """Of a learner that is told only whether the class it named was right."""

    bandit = True


FAMILY = BanditFamily(
    "banditron",
    {
        "n": FEATURES,
        "explore": number("1e-6", 1, must="must lie between 1e-6 and 1: who never tries another class never learns"),
        "seed": SEED,
    },
    (MARGIN, HINGE),
    measure,
    ties="of the classes with the largest score, the one that appeared first",
    updates_on="always",
    source="Kakade, Shalev-Shwartz, Tewari 2008",
)
