"""The Passive-Aggressive rules: the vector of a support vector machine at the learner's own C."""

import numpy as np

from littlestone.theory import passive_aggressive as theory
from littlestone.witnesses.hinge import losses, split, squared, vector_of
from littlestone.witnesses.machines import pa_vector
from littlestone.witnesses.quantised import quantised
from littlestone.witnesses.rounding import above
from littlestone.witnesses.taught_rounds import Candidates, Played


def pa_comparator(played: Played, seconds: float) -> Candidates:
    settings = played.learner.settings
    rho, second = float(settings["bias"]), settings["variant"] == "II"
    C = None if settings["C"] is None else float(settings["C"])
    c, lengths = played.weights, played.squares + rho * rho
    short = lengths * (1 - (played.run.widest_row + 8) * 2.0**-51)  # |x|², rounded down a little
    moved = np.flatnonzero(c > 0)
    vector = pa_vector(
        played.X[moved], played.y[moved], c[moved] if C is not None else None, C=C, variant=settings["variant"], bias=rho, seconds=seconds
    )
    full = (c > 0) & (lengths > 0)

    def loss(plain: np.ndarray, ever: float) -> np.ndarray:
        """What each update adds to L, or without C to b²."""
        gaps = losses(played, plain, ever)
        if C is not None:
            return c * (gaps**2 if second else gaps)
        return np.divide(gaps**2, short, out=np.zeros(len(c)), where=full)

    def limit(u: np.ndarray) -> float:
        lost, size = float(np.sum(loss(*split(u, rho)))), float(u @ u)
        return size + 2 * C * lost if C is not None else np.sqrt(lost) + np.sqrt(lost + size)

    whole, exponent = quantised(vector, limit=limit)
    witness, u, bias = vector_of(played, whole, exponent, rho > 0)
    grown = 1 + (len(c) + 8) * 2.0**-52
    lost = above(float(np.sum(loss(u, rho * bias))) * grown)
    steps = np.divide(1.0, short, out=np.zeros(len(c)), where=full)
    if C is not None:
        steps = np.minimum(steps, 2 * c * C)
    drift = above(float(theory.rounding(len(moved), played.run.widest_row)) * float(np.sum(steps)) * grown)
    facts = {"u2": above(squared(np.append(u, bias))), "drift": drift}
    yield witness, facts | ({"b2": lost} if C is None else {"L": lost, "C": settings["C"]})


SEARCHES = {"pa-comparator": pa_comparator}
