"""Labels that come late: what is left of a theorem when a prediction lacks the updates of rounds whose labels were still to come.

The rule is the same: a round's update is made when its label comes, with the prediction made when the round came.  Let D be the most
updates that came between a prediction and its label.  Labels that are told K rounds later have D ≤ K.

The Perceptron.  A mistake was predicted with weights v, and updates w = v + at most D terms ±x'.  So y·(w·x) = y·(v·x) + y·((w-v)·x)
≤ 0 + D·R², and |w|² grows by at most |x|² + 2y·(w·x) ≤ (1+2D)·R² (with a margin β of the rule: 2β more).  w·u grows by γ as ever.  Hence
M ≤ (1+2D)·(R/γ)².  For any u: M - L ≤ u·w ≤ |u||w|, so K + 2D·R²|u|² takes the place of K; the witness u = w/(R|w|) has R|u| = 1.

Rounding.  |w| is at most √(1+2D) times what it was, and so is what it is compared with: the factor `perceptron.rounding` covers the scores
and the weights as before.  New is that the D updates between are themselves rounded, each by 2^-53·|w|: together no more than 2·2^-53·M of
the bound, and the factor has more than that to spare.  The distance of w from Σ y·x grows with |w| ≤ √Q + R√(2DM).

No other rule of the catalogue is known to us with a proof for late labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from math import isqrt
from typing import Any

from littlestone.theory import perceptron
from littlestone.theory.bound import Bound
from littlestone.theory.numbers import Exact, Real

WHY = "its theorem is about updates made before the next prediction, and labels came late"


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


def hinge(K: Real, L: Real, D: int, slack: Exact = 1) -> Decimal:
    """M ≤ ((√K' + √(K'+4L))/2)² with K' = K + 2D, for a witness of length 1/R."""
    return perceptron.hinge(K + 2 * D, L, slack)


_MARGIN = Bound(
    name="perceptron-margin-late",
    assumes="margin",
    kind="a priori",
    formula="M ≤ ((1+2D)R²+2β)/γ²,  D = most updates between a prediction and its label",
    value=margin,
    source="theory/delay.py",
    says=perceptron.MARGIN.says,
)
_DISJUNCTION = Bound(
    name="perceptron-disjunction-late",
    assumes="disjunction",
    kind="a priori",
    formula="M ≤ 4((1+2D)(a+ρ²)+2β)(r + 1/(4ρ²)),  D = most updates between a prediction and its label",
    value=disjunction,
    source="theory/delay.py",
)
_HINGE = Bound(
    name="perceptron-hinge-late",
    assumes="none",
    kind="hindsight",
    formula="M ≤ ((√K' + √(K'+4L))/2)²,  K' = K + 2D, D = most updates between a prediction and its label",
    value=hinge,
    witness="none",
    source="theory/delay.py",
)
LATE = {perceptron.MARGIN.name: _MARGIN, perceptron.DISJUNCTION.name: _DISJUNCTION, perceptron.HINGE.name: _HINGE}


def late_facts(measured: Mapping[str, Any], overlap: int, updates: int) -> dict[str, Any]:
    """The facts of the Perceptron's bounds, where labels came late."""
    facts = dict(measured) | {"D": overlap}
    if facts.get("slack", 1) != 1 and "L" in facts:
        facts["L"] += Fraction(3 * updates, 2**53) * (isqrt(2 * overlap * updates) + 1)
    return facts
