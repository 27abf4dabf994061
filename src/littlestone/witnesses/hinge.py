"""What a vector makes of the rounds that taught: its losses there, rounded up, and the vector as a witness."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from littlestone.theory.comparators.vector import Vector
from littlestone.witnesses.quantised import value_of
from littlestone.witnesses.rounding import above
from littlestone.witnesses.taught_rounds import Played


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
    sizes = played.sizes if X is played.X else abs(X)
    return (sizes @ np.abs(u) + abs(ever)) * ((played.run.widest_row + 4) * 2.0**-52)


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


def squared(u: np.ndarray) -> float:
    """|u|², rounded up a little."""
    return float(u @ u) * (1 + (len(u) + 2) * 2.0**-52)
