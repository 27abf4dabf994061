"""The second-order Perceptron: of support vector machines over all rounds, at several prices of length, the one with the least limit."""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import numpy as np
from scipy import sparse

from littlestone.theory import second_order as theory
from littlestone.theory.comparators.vector import Vector
from littlestone.theory.evidence import Taught
from littlestone.witnesses.hinge import slips, split, vector_of
from littlestone.witnesses.machines import pa_vector
from littlestone.witnesses.quantised import quantised, value_of
from littlestone.witnesses.rounding import above
from littlestone.witnesses.taught_rounds import Candidates, Played

PRICES = (0.01, 0.1, 1.0, 10.0, 100.0)


def stretched(played: Played, u: np.ndarray) -> float:
    """uᵀAu, rounded up a little."""
    settings, X = played.learner.settings, played.X
    rho = float(settings["bias"])
    plain, ever = split(u, rho)
    there = np.zeros(X.shape[1])
    place = played.run.state.place[: X.shape[1]]
    there[: len(place)] = place > 0
    plain = np.pad(plain[: X.shape[1]], (0, max(0, X.shape[1] - len(plain))))
    inside = X @ (plain * there) + ever
    diagonal = sparse.csr_matrix(X).power(2) @ (plain * (1 - there)) ** 2
    total = float(settings["a"]) * float(u @ u) + float(inside @ inside) + float(diagonal.sum())
    return total * (1 + (len(played.y) + played.run.widest_row + len(u) + 8) * 2.0**-50)


def facts_of_stream(played: Played) -> dict[str, Fraction]:
    """Λ, from the mistakes: what the run keeps in doubles may be less, where squares of values are far larger than `a`."""
    settings, X, place = played.learner.settings, played.X, played.run.state.place
    parts = [value.as_integer_ratio() for value in X.data.tolist()]
    exponent = max((below.bit_length() - 1 for _, below in parts), default=0)
    whole = [above * (1 << exponent) // below for above, below in parts]
    ends, columns = X.indptr.tolist(), X.indices.tolist()
    taught = [
        Taught(int(row), dict(zip(columns[lo:hi], whole[lo:hi], strict=True)), y > 0, y < 0)  # type: ignore[arg-type]
        for row, y, (lo, hi) in zip(played.rows, played.y, pairwise(ends), strict=True)
    ]
    places = {int(column): int(place[column]) for column in np.flatnonzero(place)}
    a, rho = Fraction(settings["a"]), Fraction(settings["bias"])
    return {"lam": Fraction(theory.potential(taught, exponent, places, a, rho)) * (1 + 2 * theory.SPARE)}


def best_of_machines(played: Played, effort: float, limit_of: Callable[[float, np.ndarray], float]) -> tuple[Vector, np.ndarray, float]:
    """Of support vector machines over all rounds, at several prices of length, the one with the least limit: as a witness, as doubles
    with the bias last, and its hinge loss over all rounds, rounded up."""
    rho = float(played.learner.settings["bias"])
    X, y, _ = played.every
    mean = max(float(X.power(2).sum()) / max(1, len(y)) + rho * rho, 1e-300)

    def loss(u: np.ndarray) -> float:
        plain, ever = split(u, rho)
        margins = y * (X @ plain + ever) - slips(played, X, plain, ever)
        return float(np.maximum(0.0, 1.0 - margins).sum()) * (1 + len(y) * 2.0**-52)

    def limit(u: np.ndarray) -> float:
        return limit_of(loss(u), u)

    some = [np.zeros(X.shape[1] + (rho > 0))]
    if len(y):
        some += [pa_vector(X, y, C=price / mean, bias=rho, effort=effort / len(PRICES)) for price in PRICES]
    whole, exponent = quantised(min(some, key=limit), limit=limit)
    u = value_of(whole, exponent)
    return vector_of(played, whole, exponent, rho > 0)[0], u, loss(u)


def best_vector(played: Played, effort: float) -> Candidates:
    lam = float(played.run.known().facts.get("lam", 1))
    witness, u, loss = best_of_machines(played, effort, lambda loss, u: loss + (stretched(played, u) * lam) ** 0.5)
    yield witness, {"L": above(loss), "K": above(stretched(played, u))}


SEARCHES = {"second-order-hinge": best_vector}
