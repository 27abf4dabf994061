"""The Perceptron over several classes: Novikoff's argument for the matrix W of weights, a row for each class.

Leave out the first appearance of each class (k rounds, each a mistake, none of them taught).  On a mistake W changes by c·Z, where
Z has x in row y and -x in row ŷ, |Z|² = 2|x|², and c is the round's weight, 1 unless given.  ŷ was preferred, so <W, Z> =
W_y·x - W_ŷ·x ≤ 0, and |W|² grows by at most 2c²|x|².  (At a first appearance that fails: W_y = 0 was never compared, and W_ŷ·x may
be negative.  That is why a new class is only registered.)  For any matrix U, <U, W> grows by c(u_y·x - u_ŷ·x) ≥ c(1 - ℓ), where
ℓ = (1 - (u_y·x - u_ŷ·x))₊ is at most the hinge loss against the best other class.  With C = Σc over these mistakes, L = Σcℓ and
K = 2|U|²Σc²|x|²/C ≤ 2|U|²max c|x|²:  C - L ≤ <U, W> ≤ |U||W| ≤ √(KC), so C ≤ ((√K + √(K+4L))/2)².
The weights of the first appearances, k without weights, come on top.

Rounding is that of the binary Perceptron with Z for x: a computed difference of two scores of the same row is off by at most
γ_nnz(|W_y| + |W_ŷ|)|x| ≤ γ_nnz|W||Z|, and c·x_i is exact, as both are float32.
"""

from decimal import Decimal, localcontext
from fractions import Fraction

from littlestone.errors import require
from littlestone.theory import perceptron
from littlestone.theory.bound import a_priori, hindsight
from littlestone.theory.class_floor import pull_of
from littlestone.theory.comparators.matrix import Matrix
from littlestone.theory.evidence import Evidence
from littlestone.theory.families import Family
from littlestone.theory.numbers import DIGITS, Exact, Real, real, up
from littlestone.theory.settings import FEATURES

SOURCE = "Crammer, Singer 2003, Ultraconservative online algorithms; proof in theory/multiclass_perceptron.py"


def margin(first: Exact, R2: Exact, gamma: Exact, slack: Exact = 1) -> Exact:
    """M ≤ k + 2R²/γ² for a matrix of norm 1 and margin γ; `first` is k, the number of classes that appeared.

    >>> margin(3, 1, Fraction(1, 10))
    Fraction(203, 1)
    """
    require(gamma > 0, f"gamma={gamma} must be positive: it is a margin")
    return Fraction(first) + 2 * Fraction(R2) * slack / Fraction(gamma) ** 2


def hinge(first: Exact, K: Real, L: Real, slack: Exact = 1) -> Decimal:
    """M ≤ k + ((√K + √(K+4L))/2)², rounded up.

    >>> hinge(3, 9, 0).quantize(Decimal(1))
    Decimal('12')
    """
    with localcontext(DIGITS):
        return up(real(Fraction(first)) + perceptron.hinge(K, L, slack))


MARGIN = a_priori(
    "multiclass-perceptron-margin",
    "margin",
    "M ≤ k + 2R²/γ²,  k = classes that appeared",
    margin,
    SOURCE,
    says="some U with |U| = 1 has u_y·x ≥ u_j·x + γ for every other class j on every round, and |x| ≤ R",
)
HINGE = hindsight(
    "multiclass-perceptron-hinge",
    "M ≤ k + ((√K + √(K+4L))/2)²,  K = 2|U|²·mean|x|², L = hinge loss of U, both over the mistakes but the k first appearances",
    hinge,
    SOURCE,
    loss="L",
)


def exact_on(e: Evidence) -> bool:
    """Whole numbers, small enough that no sum of the run can pass 2^53."""
    return e.whole and not e.weighted and (len(e.taught) + len(e.first) + 1) * e.widest * e.largest**2 < 2**53


def measure(e: Evidence, U: Matrix | None) -> dict:
    """Without a matrix the witness is U = W/(√2·R|W|), W = ΣcZ over the mistakes: no margin of it passes 1, so its losses add up to
    C - |W|/(√2·R). Of a matrix the loss over all rounds is added up by a meter."""
    require(U is None or not U.biased, "the witness has a bias, and this rule has none")
    squares = [e.square(row) for row in e.taught]
    C, R2 = sum((row.c for row in e.taught), Fraction(0)), max(squares, default=Fraction(0))
    facts = {
        "first": sum(e.first, Fraction(0)) if e.weighted else len(e.first),
        "R2": max((row.c * s for row, s in zip(e.taught, squares, strict=True)), default=Fraction(0)),
        "slack": 1 if exact_on(e) else perceptron.rounding(len(e.taught), e.widest),
    }
    Q = sum((row.c**2 * s for row, s in zip(e.taught, squares, strict=True)), Fraction(0))
    if U is not None:
        return facts | {"K": 2 * U.squared() * Q / C if C else Fraction(0)}
    with localcontext(DIGITS):
        pull = real(pull_of(e, biased=False) / (2 * R2)).sqrt() if R2 else Decimal(0)
        return facts | {"K": Q / (R2 * C) if R2 and C else Fraction(0), "L": up(max(Decimal(0), real(C) - pull))}


FAMILY = Family(
    "multiclass_perceptron",
    {"n": FEATURES},
    (MARGIN, HINGE),
    measure,
    ties="of the classes with the largest score, the one that appeared first",
    weighted=True,
    exact_on=exact_on,
    source="Duda, Hart 1973 (Kesler's construction); Crammer, Singer 2003",
)
