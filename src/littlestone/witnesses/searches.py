"""For each bound in hindsight: where its witness is looked for, and what the witness makes of the rounds, rounded outward.

A search gives candidates; each is written down exactly (whole numbers over a power of two), and its facts are measured on what was written
down: upper ends of sums in doubles, a relative 10⁻¹¹ above the truth at most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import ROUND_CEILING, Context, Decimal
from typing import Any

import numpy as np

from littlestone.theory.evidence import Features, Vector
from littlestone.witnesses.played import Played

Candidates = Iterator[tuple[Any, dict[str, Any]]]
TWELVE = Context(prec=12, rounding=ROUND_CEILING, Emin=-999_999, Emax=999_999)
OUTWARD = 1 + 2.0**-40


def above(x: float) -> Decimal:
    """A decimal of twelve digits that is x or a little more, and more than x itself may have lost in doubles.

    >>> above(0.1), above(0.0)
    (Decimal('0.100000000001'), Decimal('0'))
    """
    return TWELVE.create_decimal(Decimal(x * OUTWARD)) if x else Decimal(0)


def vector_of(played: Played, whole: np.ndarray, exponent: int, biased: bool) -> tuple[Vector, np.ndarray, float]:
    """A vector of whole numbers over 2^exponent as a witness, as doubles, and the doubles' last entry where it is a bias."""
    bias = int(whole[-1]) if biased else 0
    features = whole[:-1] if biased else whole
    (where,) = np.nonzero(features)
    weights = {played.name(int(i)): int(features[i]) for i in where}
    u = np.ldexp(features.astype(np.float64), -exponent)
    return Vector(weights, exponent, bias), u, float(np.ldexp(float(bias), -exponent))


def losses(played: Played, u: np.ndarray, ever: float, level: float = 1.0) -> np.ndarray:
    """max(0, level - y·(u·x)) of each round, rounded up; `ever` is what a bias feature adds to u·x."""
    X = played.X
    dots = X @ u + ever
    slip = (abs(X) @ np.abs(u) + abs(ever)) * ((played.run.widest_row + 4) * 2.0**-52)
    return np.maximum(0.0, level - played.y * dots + slip)


def total(played: Played, amounts: np.ndarray) -> Decimal:
    """Σ c·amount over the rounds, rounded up."""
    return above(float(np.sum(amounts * played.weights)) * (1 + len(amounts) * 2.0**-53))


def perceptron_hinge(played: Played, seconds: float) -> Candidates:
    from littlestone.witnesses.quantised import quantised
    from littlestone.witnesses.vectors import hinge_vector

    settings = played.learner.settings
    rho, beta = float(settings["bias"]), float(settings["margin"])
    found = hinge_vector(played.X, played.y, played.c, bias=rho, extra=2 * beta, seconds=seconds)
    witness, u, bias = vector_of(played, *quantised(found), rho > 0)
    c = played.weights
    mean = float(np.sum(c * c * (played.squares + rho * rho))) / float(np.sum(c)) if len(c) else 0.0
    K = above((mean + 2 * beta) * (1 + (len(c) + 8) * 2.0**-52) * (float(u @ u) + bias * bias) * (1 + len(u) * 2.0**-52))
    yield witness, {"K": K, "L": total(played, losses(played, u, rho * bias))}


def winnow_set(played: Played, seconds: float) -> Candidates:
    from littlestone.theory.winnow import promotions_of_one_weight
    from littlestone.witnesses.sets import disjunction_set

    settings = played.learner.settings
    cost = promotions_of_one_weight(settings["alpha"], settings["theta"])
    found = disjunction_set(played.X, played.y > 0, cost=cost, seconds=seconds)
    yield _set(played, found.set, 1), {"r": len(found.set), "A": found.errors}


def winnow_k_of_r(played: Played, seconds: float) -> Candidates:
    from littlestone.theory.winnow import promotions_of_one_weight
    from littlestone.witnesses.sets import k_of_r_set

    settings = played.learner.settings
    k, cost = settings["k"] or 1, promotions_of_one_weight(settings["alpha"], settings["theta"])
    if k > 1:
        found = k_of_r_set(played.X, played.y > 0, k=k, cost=cost, seconds=seconds)
        yield _set(played, found.set, k), {"r": len(found.set), "A": found.errors, "k": k}


def _set(played: Played, columns: np.ndarray, k: int) -> Features:
    return Features(frozenset(played.name(int(i)) for i in columns), k)


#: By the bound's name.
SEARCHES: dict[str, Callable[[Played, float], Candidates]] = {
    "perceptron-hinge": perceptron_hinge,
    "winnow-disjunction-agnostic": winnow_set,
    "winnow-k-of-r-agnostic": winnow_k_of_r,
}
