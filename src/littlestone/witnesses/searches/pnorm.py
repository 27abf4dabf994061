"""The p-norm Perceptron: a vector of small hinge loss, its length measured in the dual norm."""

import numpy as np

from littlestone.witnesses.hinge import losses, total, vector_of
from littlestone.witnesses.machines import pnorm_machine
from littlestone.witnesses.quantised import quantised
from littlestone.witnesses.rounding import above
from littlestone.witnesses.taught_rounds import Candidates, Played


def pnorm_hinge(played: Played, effort: float) -> Candidates:
    p, c = played.learner.settings["p"], played.weights
    rows = abs(played.X)
    largest = float(rows.data.max(initial=0.0))
    if largest:
        rows.data /= largest
    longest = float((c * np.asarray(rows.power(p).sum(axis=1)).ravel() ** (2 / p)).max(initial=0.0)) * largest * largest
    kappa = (p - 1) * longest
    vector = np.zeros(played.X.shape[1])
    if kappa > 0:
        vector = pnorm_machine(played.X, played.y, played.c, p=p, C=1 / kappa, effort=effort)

    def length2(u: np.ndarray) -> float:
        """|u|_q², rounded up: powers by the machine's own pow, good to far more than 2^-34."""
        top = float(np.abs(u).max(initial=0.0))
        return top * top * float(np.sum((np.abs(u) / top) ** (p / (p - 1)))) ** (2 - 2 / p) * (1 + 2.0**-34) if top else 0.0

    def limit(u: np.ndarray) -> float:
        return kappa * length2(u) + 2 * float(np.sum(losses(played, u) * played.weights))

    whole, exponent = quantised(vector, limit=limit)
    witness, u, _ = vector_of(played, whole, exponent)
    yield witness, {"K": above(kappa * (1 + 2.0**-34) * length2(u)), "L": total(played, losses(played, u))}


SEARCHES = {"pnorm-hinge": pnorm_hinge}
