"""The floor of several classes: what every run owes to every fixed matrix of weights, whatever learned.

Let U have a row u_c for each of the k classes, the weight of a feature of value 1 in every row of the stream included.  Its loss in a round
is the hinge loss against the best other class,

    ℓ = max(0, 1 - min_{j≠y} (u_y·x - u_j·x)),   0 where there is no other class,

and L = Σ c·ℓ over all labelled rounds, c the weight of a round.  Leave out the first appearance of each class, which nobody can name.  In
any other mistake ŷ ≠ y was named, and ℓ ≥ 1 - (u_y·x - u_ŷ·x).  With Θ = Σ c·Z over these mistakes, Z having x in row y and -x in row ŷ,
u_y·x - u_ŷ·x = <U, Z>, and no term of L is negative.  So L ≥ Σ c - <U, Θ>, and by Cauchy-Schwarz

    M ≤ k + L + |U|·|Θ|,

M and k counting the weights where rounds have weights.  Nothing is used of the rule.  It compares: L does not depend on the mistakes.
"""

from collections.abc import Iterable
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from littlestone.theory.bound import hindsight
from littlestone.theory.comparators.matrix import Matrix
from littlestone.theory.evidence import Evidence
from littlestone.theory.numbers import DIGITS, Exact, Real, real, root_up, up


def floor(first: Exact, L: Real, u2: Real, theta2: Real) -> Decimal:
    """M ≤ k + L + |U|·|Θ|, rounded up.

    >>> floor(3, 3, 4, 25).quantize(Decimal("0.01"))
    Decimal('16.00')
    """
    with localcontext(DIGITS):
        return up(real(Fraction(first)) + real(L) + root_up(real(u2) * real(theta2)))


CLASS_FLOOR = hindsight(
    "classes-floor",
    "M ≤ k + L + |U|·|Θ|,  L = hinge loss of U over all rounds, Θ = Σ (x in row y, -x in row ŷ) over the mistakes but the k first "
    "appearances, a feature of value 1 in every row",
    floor,
    "proof in theory/class_floor.py",
    witness="matrix",
    every=True,
    loss="L",
)


def pull_of(e: Evidence, biased: bool = True) -> Fraction:
    """|Θ|², with the feature that stands in every row, or without."""
    theta: dict[tuple[int, Any], Any] = {}
    for row in e.taught:
        for c, sign in ((row.y, row.c), (row.yhat, -row.c)):
            factor: Any = int(sign) if sign.denominator == 1 else sign
            for name, v in row.x.items():
                theta[c, name] = theta.get((c, name), 0) + factor * v
            if biased:
                theta[c, None] = theta.get((c, None), 0) + factor * (1 << e.exponent)
    return Fraction(sum((v * v for v in theta.values()), Fraction(0))) / (1 << 2 * e.exponent)


def measure(e: Evidence, U: Matrix | None) -> dict[str, Any]:
    """The facts of the floor, but for the loss over all rounds, which a meter adds up."""
    first = sum(e.first, Fraction(0)) if e.weighted else len(e.first)
    return {"first": first, "theta2": pull_of(e)} | ({} if U is None else {"u2": U.squared()})


class MatrixMeter:
    """Σ c·max(0, 1 - min_j (u_y·x - u_j·x)) over the rounds it is shown, exactly; it is told nothing of predictions."""

    def __init__(self, U: Matrix) -> None:
        self.U, self.exponent = U, 0
        self.biases = [bias for _, bias in U.rows]
        self.sum: Any = 0  # over 2^exponent·2^(exponent of U)

    def add(self, keys: Iterable[Any], values: Iterable[float], y: int, c: float, exponent: int) -> None:
        """A labelled round of class y; its values are whole over 2^exponent, which grows only."""
        self.sum *= 1 << exponent - self.exponent
        self.exponent = exponent
        scores = [bias << exponent for bias in self.biases]
        for key, value in zip(keys, values, strict=True):
            for place, w in self.U.by_feature.get(str(key), ()):
                scores[place] += w * int(value * (1 << exponent))
        rivals = [score for place, score in enumerate(scores) if place != y]
        loss = (1 << exponent + self.U.exponent) - scores[y] + max(rivals) if rivals and y < len(scores) else 0
        if loss > 0:
            self.sum += loss if c == 1.0 else Fraction(c) * loss

    @property
    def total(self) -> Fraction:
        return Fraction(self.sum) / (1 << self.exponent + self.U.exponent)
