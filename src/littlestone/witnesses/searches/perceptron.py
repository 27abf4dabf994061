"""The Perceptron: a vector of small hinge loss, and one that separates all rounds where there is one."""

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np

from littlestone.theory.comparators.vector import Vector
from littlestone.witnesses.floor import WORK, Quadratic, evenly, least_vector, loss_above
from littlestone.witnesses.hinge import losses, slips, split, squared, total, vector_of
from littlestone.witnesses.machines import pa_vector
from littlestone.witnesses.quantised import quantised, value_of
from littlestone.witnesses.rounding import above, below
from littlestone.witnesses.separating import separating_vector
from littlestone.witnesses.taught_rounds import Candidates, Played


def price(played: Played, rho: float, beta: float) -> float:
    """κ, with K = κ|u|²: the mean of c²|x|², and 2β."""
    c = played.weights
    count = float(np.sum(c))
    mean = float(np.sum(c * c * (played.squares + rho * rho))) / count if count else 0.0
    return (mean + 2 * beta) * (1 + (len(c) + 8) * 2.0**-52)


def perceptron_hinge(played: Played, effort: float) -> Candidates:
    settings = played.learner.settings
    rho, beta = float(settings["bias"]), float(settings["margin"])
    kappa = price(played, rho, beta)
    best = np.zeros(played.X.shape[1] + (rho > 0))
    if kappa > 0:
        best = pa_vector(played.X, played.y, played.c, C=1 / kappa, bias=rho, effort=effort)
    witness, u, bias, _ = written(played, played, best, rho, lambda loss, size2: kappa * size2 + 2 * loss)
    yield witness, {**sizes(played, u, bias, kappa, rho), "L": total(played, losses(played, u, rho * bias))}


def perceptron_hinge_all(played: Played, effort: float) -> Candidates:
    """A vector with nearly the least limit when its loss counts over all rounds."""
    settings, everything = played.learner.settings, played.all_rounds
    rho = float(settings["bias"])
    kappa = price(played, rho, float(settings["margin"]))
    form = Quadratic(kappa)
    best = least_vector(evenly(everything.X, everything.y, everything.c, rho, WORK * effort), form, WORK * effort)
    witness, u, bias, exponent = written(played, everything, best, rho, lambda loss, size2: form.limit(loss, sqrt(size2)))
    yield witness, {**sizes(played, u, bias, kappa, rho), "L": loss_above(played, u, settings["bias"], bias, exponent)}


def written(
    played: Played, rounds: Played, vector: np.ndarray, rho: float, limit: Callable[[float, float], float]
) -> tuple[Vector, np.ndarray, float, int]:
    """The vector as a witness, with as few digits as its limit on these rounds needs, a function of loss and |u|²; and as doubles."""

    def limit_of(u: np.ndarray) -> float:
        plain, ever = split(u, rho)  # (to choose how many bits are enough, rounding need not be looked at)
        return limit(float(np.maximum(0.0, 1.0 - rounds.y * (rounds.X @ plain + ever)) @ rounds.weights), float(u @ u))

    whole, exponent = quantised(vector, limit=limit_of)
    return *vector_of(played, whole, exponent, rho > 0), exponent


def sizes(played: Played, u: np.ndarray, bias: float, kappa: float, rho: float) -> dict[str, Any]:
    """K and R²|u|², rounded up."""
    length2, R2 = squared(np.append(u, bias)), float(played.squares.max(initial=0.0)) + rho * rho
    return {"K": above(kappa * length2), "size": above(R2 * length2)}


HOPELESS = 1_000  # mistakes in the second half, beside one round in twenty


def perceptron_separable(played: Played, effort: float) -> Candidates:
    settings = played.learner.settings
    rho, beta = float(settings["bias"]), float(settings["margin"])
    late = int((played.rows[played.wrong] > (played.first + played.last) // 2).sum())
    if late > HOPELESS + (played.last - played.first) // 40:
        return  # one round in twenty is still a mistake in the second half: a margin, if there is one, is too small to be worth the search
    if not len(played.y) or separating_vector(played.X, played.y, bias=rho, effort=effort) is None:
        return  # the updates alone cannot be separated, so neither can all rounds
    X, y, taught = played.every
    vector = separating_vector(X, y, bias=rho, first=taught, effort=effort)
    if vector is None:
        return

    def least(u: np.ndarray) -> float:
        plain, ever = split(u, rho)
        return float((y * (X @ plain + ever) - slips(played, X, plain, ever)).min())

    def limit(u: np.ndarray) -> float:
        g = least(u)
        return float(u @ u) / (g * g) if g > 0 else np.inf

    whole, exponent = quantised(vector, limit=limit)
    g = least(value_of(whole, exponent))
    if g > 0:
        witness, u, bias = vector_of(played, whole, exponent, rho > 0)
        yield witness, {"K": above(price(played, rho, beta) * squared(np.append(u, bias))), "g": below(g)}


SEARCHES = {
    "perceptron-hinge": perceptron_hinge,
    "perceptron-hinge-all": perceptron_hinge_all,
    "perceptron-separable": perceptron_separable,
}
