"""The p-norm Perceptron: a vector of small hinge loss, its length measured in the dual norm."""

from functools import partial

import numpy as np

from littlestone.witnesses.floor import WORK, Quadratic, spread
from littlestone.witnesses.hinge import losses, total, vector_of
from littlestone.witnesses.machines import dual_length, pnorm_machine, pnorm_vector
from littlestone.witnesses.quantised import quantised
from littlestone.witnesses.rounding import above
from littlestone.witnesses.taught_rounds import Candidates, Played


def price(played: Played, p: int) -> float:
    """κ, with K = κ|u|_q²: (p-1)·max c|x|_p² over the mistakes."""
    rows = abs(played.X)
    largest = float(rows.data.max(initial=0.0))
    if largest:
        rows.data /= largest
    lengths = np.asarray(rows.power(p).sum(axis=1)).ravel() ** (2 / p)
    return (p - 1) * float((played.weights * lengths).max(initial=0.0)) * largest * largest


def pnorm_hinge(played: Played, effort: float, *, every: bool = False) -> Candidates:
    """A vector with a small limit, its loss over the mistakes, or over all rounds (`every`)."""
    p, rounds, kappa = played.learner.settings["p"], played.all_rounds if every else played, price(played, played.learner.settings["p"])
    form, vector = Quadratic(kappa), np.zeros(played.X.shape[1])
    if every:
        vector = pnorm_vector(*spread(rounds.X, rounds.y, rounds.c, WORK * effort / 8), p, form, effort)
    elif kappa > 0:
        vector = pnorm_machine(played.X, played.y, played.c, p=p, C=1 / kappa, effort=effort)

    def limit(u: np.ndarray) -> float:
        if every:
            return form.limit(float(np.maximum(0.0, 1.0 - rounds.y * (rounds.X @ u)) @ rounds.weights), dual_length(u, p))
        return kappa * dual_length(u, p) ** 2 + 2 * float(np.sum(losses(played, u) * played.weights))

    whole, exponent = quantised(vector, limit=limit)
    witness, u, _ = vector_of(played, whole, exponent)
    yield witness, {"K": above(kappa * (1 + 2.0**-34) * dual_length(u, p) ** 2), "L": total(rounds, losses(rounds, u))}


SEARCHES = {"pnorm-hinge": pnorm_hinge, "pnorm-hinge-all": partial(pnorm_hinge, every=True)}
