"""Labels that come late: what is left of a theorem when a prediction lacks the updates of rounds whose labels were still to come.

The rule is the same: a round's update is made when its label comes, with the prediction made when the round came.  A rule with a margin
β > 0 learns from every mistake, and from other rounds where y·(w·x) ≤ β, w the weights when the label comes.  Let D be the most updates
that came between the prediction and the label of a round that was a mistake or an update.  Labels told K rounds later have D ≤ K.

The Perceptron.  A mistake was predicted with weights v, and updates w = v + at most D terms ±x'.  So y·(w·x) = y·(v·x) + y·((w-v)·x)
≤ 0 + D·R²; any other update has y·(w·x) ≤ β.  Hence |w|² grows by |x|² + 2y·(w·x) ≤ |x|² + 2β + 2D·R² at an update, R over the updates.
w·u grows by γ as ever, and every mistake is an update: with U updates, M ≤ U ≤ ((1+2D)R² + 2β)/γ².  For any u, with K, L over the updates:
U - L ≤ u·w ≤ |u||w| ≤ √(U·(K + 2D·R²|u|²)), so K + 2D·R²|u|² takes the place of K; the witness u = w/(R|w|) has R|u| = 1.

That every mistake is an update is needed.  A rule that looks at y·(w·x) alone when the label comes may find that mistake mended by then and
pass over it.  Its updates keep the bound, its mistakes do not: on one row again and again, D + 1 mistakes and one update.

Rounding.  |w| is at most √(1+2D) times what it was, and so is what it is compared with: the factor `perceptron.rounding` covers the scores
and the weights as before.  New is that the D updates between are themselves rounded, each by 2^-53·|w|: together no more than 2·2^-53·U of
the bound, and the factor has more than that to spare.  The distance of w from Σ y·x grows with |w| ≤ √Q + R√(2DU).

No other rule of the catalogue is known to us with a proof for late labels.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from math import isqrt
from typing import Any

from littlestone.theory import perceptron
from littlestone.theory.all_rounds import over_all
from littlestone.theory.bound import Bound, a_priori, hindsight
from littlestone.theory.floor import FLOORS
from littlestone.theory.numbers import DIGITS, Exact, Real

WHY = "its theorem is about updates made before the next prediction, and labels came late"
UNWEIGHTED = "labels came late, and its proof for that is of rounds that all weigh 1"


def margin(R2: Exact, gamma: Exact, D: int, slack: Exact = 1, beta: Exact = 0) -> Exact:
    """M ≤ ((1+2D)R² + 2β)/γ².

    >>> margin(1, Fraction(1, 10), 0), margin(1, Fraction(1, 10), 2)
    (Fraction(100, 1), Fraction(500, 1))
    """
    return perceptron.margin((1 + 2 * D) * Fraction(R2), gamma, slack, beta)


def disjunction(active: Exact, r: int, D: int, rho2: Exact = 1, slack: Exact = 1, beta: Exact = 0) -> Fraction:
    """M ≤ 4((1+2D)(a+ρ²) + 2β)(r + 1/(4ρ²))."""
    size = (1 + 2 * D) * (Fraction(active) + rho2)
    return 4 * (size + 2 * Fraction(beta)) * (r + 1 / (4 * Fraction(rho2))) * slack


def hinge(K: Real, L: Real, D: int, size: Real = 1, slack: Exact = 1) -> Decimal:
    """M ≤ ((√K' + √(K'+4L))/2)² with K' = K + 2D·R²|u|²; `size` is R²|u|², 1 for a witness of length 1/R."""
    with localcontext(DIGITS):
        return perceptron.hinge(K + 2 * D * size, L, slack)  # type: ignore[operator]  # decimals or fractions, all of them


_MARGIN = a_priori(
    "perceptron-margin-late",
    "margin",
    "M ≤ ((1+2D)R²+2β)/γ²,  D = most updates between a prediction and its label",
    margin,
    "theory/delay.py",
    says=perceptron.MARGIN.says,
    euclidean=True,
)
_DISJUNCTION = a_priori(
    "perceptron-disjunction-late",
    "disjunction",
    "M ≤ 4((1+2D)(a+ρ²)+2β)(r + 1/(4ρ²)),  D = most updates between a prediction and its label",
    disjunction,
    "theory/delay.py",
)
_HINGE = hindsight(
    "perceptron-hinge-late",
    "M ≤ ((√K' + √(K'+4L))/2)²,  K' = K + 2D·R²|u|², D = most updates between a prediction and its label",
    hinge,
    "theory/delay.py",
    witness="vector",
    loss="L",
)
LATE = {
    perceptron.MARGIN.name: _MARGIN,
    perceptron.DISJUNCTION.name: _DISJUNCTION,
    perceptron.HINGE.name: _HINGE,
    over_all(perceptron.HINGE).name: over_all(_HINGE),
}
WHENEVER = tuple(FLOORS)  # true whenever labels come


@dataclass(frozen=True)
class Delay:
    """Labels that came late in a run: the most updates between a prediction and its label, and how many updates there were."""

    overlap: int
    updates: int
    weighted: bool = False  # did rounds carry weights?

    def proved(self, bound: Bound) -> tuple[Bound, str]:
        """The theorem as it reads for late labels; or the same theorem, and why it says nothing."""
        late = LATE.get(bound.name)
        if bound.name in WHENEVER:
            return bound, ""
        if late is None:
            return bound, WHY
        return (bound, UNWEIGHTED) if self.weighted else (late, "")

    def facts(self, measured: Mapping[str, Any]) -> dict[str, Any]:
        """The facts of the Perceptron's bounds, where labels came late."""
        facts = dict(measured) | {"D": self.overlap}
        if facts.get("slack", 1) != 1 and "L" in facts and "size" not in facts:  # the witness is the run's own w, which is rounded
            facts["L"] += Fraction(3 * self.updates, 2**53) * (isqrt(2 * self.overlap * self.updates) + 1)
        return {"size": 1} | facts  # unless a witness says otherwise, it is of length 1/R
