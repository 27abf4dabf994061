"""ALMA: a vector of small hinge loss on rows of length 1."""

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from littlestone.theory.alma import constant
from littlestone.witnesses.floor import WORK, Quadratic, evenly, least_vector
from littlestone.witnesses.hinge import losses, total, vector_of
from littlestone.witnesses.machines import pa_vector
from littlestone.witnesses.quantised import quantised, value_of
from littlestone.witnesses.taught_rounds import Candidates, Played

FAR = 2.0**20  # the level for u = 0: the higher the better


def alma_hinge(played: Played, effort: float, *, every: bool = False) -> Candidates:
    """With u = g·u' it is the Perceptron's bound for u' on rows of length 1, κ = A², and best at g = 1/|u'|."""
    played = played.all_rounds if every else played
    settings = played.learner.settings
    rho = float(settings["bias"])
    A = float(constant(settings["alpha"], 4))
    X: Any = played.X
    if rho > 0:
        X = sparse.hstack([X, sparse.csr_matrix(np.full((len(played.y), 1), rho))]).tocsr()
    lengths = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    unit = sparse.diags(np.divide(1.0, lengths, out=np.zeros(len(lengths)), where=lengths > 0)) @ X
    if every:
        machine = least_vector(evenly(unit, played.y, None, 0.0, WORK * effort), Quadratic(A * A), WORK * effort)
    else:
        machine = pa_vector(unit, played.y, C=1 / (A * A), effort=effort)
    size = float(np.sqrt(machine @ machine))
    u, g = (machine / size * (1 - 2.0**-12), 1 / size) if size else (machine, FAR)

    def limit(u: np.ndarray) -> float:
        lost = float(np.sum(losses(played, u, X=unit, level=g))) / g
        return Quadratic(A * A).limit(lost, 1 / g) if every else A * A / (g * g) + 2 * lost

    whole, exponent = quantised(u, limit=limit)
    while float(value_of(whole, exponent) @ value_of(whole, exponent)) > 1 - 2.0**-40:  # rounding has taken it out of the ball
        whole = np.trunc(whole * (1 - 2.0**-6)).astype(np.int64)
    level = Fraction(max(1, int(g * 2**24)), 2**24) if g < FAR else Fraction(FAR)
    witness, _, _ = vector_of(played, whole, exponent, rho > 0, level)
    u = value_of(whole, exponent)
    slip = (abs(unit) @ np.abs(u)) * ((played.run.widest_row + 16) * 2.0**-50)  # a quotient and a root more than elsewhere
    yield witness, {"level": level, "L": total(played, np.maximum(0.0, float(level) - played.y * (unit @ u) + slip))}


SEARCHES = {"alma-hinge": alma_hinge, "alma-hinge-all": partial(alma_hinge, every=True)}
