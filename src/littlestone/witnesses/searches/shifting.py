"""The shifting Perceptron: support vector machines over so many equal parts of the stream, one after the other."""

from itertools import pairwise

import numpy as np

from littlestone.theory.comparators.sequence import Vectors
from littlestone.witnesses.hinge import slips, vector_of
from littlestone.witnesses.machines import pa_vector
from littlestone.witnesses.quantised import quantised, value_of
from littlestone.witnesses.rounding import above
from littlestone.witnesses.taught_rounds import Candidates, Played

PARTS = (1, 2, 4, 8, 16)
PRICES = (0.01, 0.1, 1.0, 10.0)
BITS = 12  # of the largest weight


def sequence(played: Played, effort: float) -> Candidates:
    """Of every number of parts and every price of length, the sequence with the least limit."""
    rho = float(played.learner.settings["bias"])
    X, y, _ = played.every
    if not len(y):
        return
    (labelled,) = np.nonzero(played.whole.labels >= 0)
    mean = max(float(X.power(2).sum()) / len(y) + rho * rho, 1e-300)
    facts = {name: float(value) for name, value in played.run.known().facts.items() if name in ("last", "W", "Z")}
    tried = len(PARTS) * len(PRICES)
    for parts in PARTS if len(y) >= 4 * PARTS[-1] else PARTS[:1]:
        ends = np.linspace(0, len(y), parts + 1).astype(int)
        best, least = None, np.inf
        for price in PRICES:
            pieces, loss, vectors = [], 0.0, []
            for lo, hi in pairwise(ends.tolist()):
                u = pa_vector(X[lo:hi], y[lo:hi], C=price / mean, bias=rho, effort=effort / (tried * parts))
                whole, exponent = quantised(u, BITS)
                witness, plain, bias = vector_of(played, whole, exponent, rho > 0)
                margins = y[lo:hi] * (X[lo:hi, : len(plain)] @ plain + rho * bias) - slips(
                    played, X[lo:hi, : len(plain)], plain, rho * bias
                )
                loss += float(np.maximum(0.0, 1.0 - margins).sum()) * (1 + (hi - lo) * 2.0**-52)
                pieces.append((1 if lo == 0 else int(labelled[lo]) + played.first, witness))
                vectors.append(value_of(whole, exponent))
            longest = max(float(np.sqrt(u @ u)) for u in vectors)
            moved = sum(float(np.sqrt((u - v) @ (u - v))) for u, v in pairwise(vectors))
            limit = loss + longest * (facts["last"] + facts["Z"]) + moved * facts["W"]
            if limit < least:
                best, least = (Vectors(pieces), {"L": above(loss), "S": above(moved), "U": above(longest)}), limit
        if best is not None:
            yield best


SEARCHES = {"shifting-sequence": sequence}
