"""Vectors for the bounds in hindsight: where each is looked for, and what it makes of the rounds, rounded outward.

Sums are over the updates, and there u = 0 has the limit "as many as there were", which no vector beats.  So a vector is chosen by a weaker
form that does not collapse: the Perceptron's K + 2L (at u = 0 it is 2M), ALMA's with rows of length 1, the p-norm Perceptron's likewise;
balanced Winnow's 2L + 2(U/η)·ln 2n with |u|₁ ≤ U = η/(2g).  Then the bound itself is stated for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from littlestone.theory.evidence import Vector
from littlestone.witnesses.played import Played
from littlestone.witnesses.quantised import quantised, value_of
from littlestone.witnesses.separating import separating_vector
from littlestone.witnesses.vectors import pa_vector

Candidates = Iterator[tuple[Any, dict[str, Any]]]
TWELVE = Context(prec=12, rounding=ROUND_CEILING, Emin=-999_999, Emax=999_999)
TWELVE_DOWN = Context(prec=12, rounding=ROUND_FLOOR, Emin=-999_999, Emax=999_999)
OUTWARD = 1 + 2.0**-40


def above(x: float) -> Decimal:
    """A decimal of twelve digits that is x or a little more, and more than x itself may have lost in doubles.

    >>> above(0.1), above(0.0)
    (Decimal('0.100000000001'), Decimal('0'))
    """
    return TWELVE.create_decimal(Decimal(x * OUTWARD)) if x else Decimal(0)


def below(x: float) -> Decimal:
    """The same, x or a little less, of a positive x.

    >>> below(0.1)
    Decimal('0.0999999999999')
    """
    return TWELVE_DOWN.create_decimal(Decimal(x / OUTWARD))


def vector_of(
    played: Played, whole: np.ndarray, exponent: int, biased: bool = False, level: Fraction = Fraction(1)
) -> tuple[Vector, np.ndarray, float]:
    """A vector of whole numbers over 2^exponent as a witness, as doubles, and the doubles' last entry where it is a bias."""
    up = max(0, -exponent)
    bias = int(whole[-1]) << up if biased else 0
    features = whole[:-1] if biased else whole
    (where,) = np.nonzero(features)
    weights = {played.name(int(i)): int(features[i]) << up for i in where}
    u = value_of(features, exponent)
    return Vector(weights, exponent + up, bias, level), u, float(value_of(whole[-1:], exponent)[0]) if biased else 0.0


def slips(played: Played, X: Any, u: np.ndarray, ever: float) -> np.ndarray:
    """What rounding may have done to u·x in each row."""
    return (abs(X) @ np.abs(u) + abs(ever)) * ((played.run.widest_row + 4) * 2.0**-52)


def losses(played: Played, u: np.ndarray, ever: float = 0.0, X: Any = None, level: float = 1.0) -> np.ndarray:
    """max(0, level - y·(u·x)) of each round, rounded up; `ever` is what a bias feature adds to u·x."""
    X = played.X if X is None else X
    return np.maximum(0.0, level - played.y * (X @ u + ever) + slips(played, X, u, ever))


def total(played: Played, amounts: np.ndarray) -> Decimal:
    """Σ c·amount over the rounds, rounded up."""
    return above(float(np.sum(amounts * played.weights)) * (1 + len(amounts) * 2.0**-53))


def split(u: np.ndarray, rho: float) -> tuple[np.ndarray, float]:
    """A vector and what its last entry, the bias, adds to every u·x."""
    return (u[:-1], rho * float(u[-1])) if rho > 0 else (u, 0.0)


# ---- the Perceptron ----


def price(played: Played, rho: float, beta: float) -> float:
    """κ, with K = κ|u|²: the mean of c²|x|², and 2β."""
    c = played.weights
    count = float(np.sum(c))
    mean = float(np.sum(c * c * (played.squares + rho * rho))) / count if count else 0.0
    return (mean + 2 * beta) * (1 + (len(c) + 8) * 2.0**-52)


def squared(u: np.ndarray) -> float:
    """|u|², rounded up a little."""
    return float(u @ u) * (1 + (len(u) + 2) * 2.0**-52)


def perceptron_hinge(played: Played, seconds: float) -> Candidates:
    settings = played.learner.settings
    rho, beta = float(settings["bias"]), float(settings["margin"])
    kappa = price(played, rho, beta)
    found = np.zeros(played.X.shape[1] + (rho > 0))
    if kappa > 0:
        found = pa_vector(played.X, played.y, played.c, C=1 / kappa, bias=rho, seconds=seconds)

    def limit(u: np.ndarray) -> float:
        return kappa * float(u @ u) + 2 * float(np.sum(losses(played, *split(u, rho)) * played.weights))

    whole, exponent = quantised(found, limit=limit)
    witness, u, bias = vector_of(played, whole, exponent, rho > 0)
    K = above(kappa * squared(np.append(u, bias)))
    yield witness, {"K": K, "L": total(played, losses(played, u, rho * bias))}


def perceptron_separable(played: Played, seconds: float) -> Candidates:
    settings = played.learner.settings
    rho, beta = float(settings["bias"]), float(settings["margin"])
    if not len(played.y) or separating_vector(played.X, played.y, bias=rho, seconds=seconds) is None:
        return  # the updates alone cannot be separated, so neither can all rounds
    X, y, taught = played.every
    found = separating_vector(X, y, bias=rho, first=taught, seconds=seconds)
    if found is None:
        return

    def least(u: np.ndarray) -> float:
        plain, ever = split(u, rho)
        return float((y * (X @ plain + ever) - slips(played, X, plain, ever)).min())

    def limit(u: np.ndarray) -> float:
        g = least(u)
        return float(u @ u) / (g * g) if g > 0 else np.inf

    whole, exponent = quantised(found, limit=limit)
    g = least(value_of(whole, exponent))
    if g > 0:
        witness, u, bias = vector_of(played, whole, exponent, rho > 0)
        yield witness, {"K": above(price(played, rho, beta) * squared(np.append(u, bias))), "g": below(g)}


#: By the bound's name.
VECTORS: dict[str, Callable[[Played, float], Candidates]] = {
    "perceptron-hinge": perceptron_hinge,
    "perceptron-separable": perceptron_separable,
}
