"""Rules whose own loss bounds their mistakes: a fixed linear rule with a small loss of the same kind over all rounds, to set beside it."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import log
from typing import Any

import numpy as np
from scipy import sparse

from littlestone.theory.arow_full import RIDGE
from littlestone.witnesses.floor import WORK, spread
from littlestone.witnesses.hinge import slips, split, vector_of
from littlestone.witnesses.machines import pa_vector
from littlestone.witnesses.quantised import quantised, value_of
from littlestone.witnesses.rounding import above
from littlestone.witnesses.taught_rounds import Candidates, Played

STEPS = 60  # of a descent
SHORT = 1e-3  # what length costs where a bound charges nothing for it: else separable rounds have no best rule


def found_over_all(
    played: Played, vector: np.ndarray, losses: Callable[[np.ndarray], np.ndarray], fact: str, more: Any = None
) -> Candidates:
    """The vector as a witness, with what it loses over all rounds, losses(y·(u·x)) falling, and what `more` says of its length."""
    rho, everything = float(played.learner.settings.get("bias") or 0), played.all_rounds
    grown = 1 + (len(everything.y) + 64) * 2.0**-50

    def lost(u: np.ndarray, careful: bool = True) -> float:
        plain, ever = split(u, rho)
        slip = slips(played, everything.X, plain, ever) if careful else 0.0
        margins = everything.y * (everything.X @ plain + ever)
        return float(losses(margins - slip) @ everything.weights) * grown + (more(u) if more else 0.0)

    whole, exponent = quantised(vector, limit=partial(lost, careful=False)) if len(everything.y) else (np.zeros(len(vector), np.int64), 0)
    witness, _, _ = vector_of(played, whole, exponent, rho > 0)
    yield witness, {fact: above(lost(value_of(whole, exponent)))}


def rows_with_bias(played: Played, work: float) -> tuple[Any, np.ndarray, np.ndarray]:
    """As many labelled rounds as the work allows, a column for the bias where there is one."""
    X, y, c = spread(*played.labelled, work)
    rho = float(played.learner.settings.get("bias") or 0)
    if rho > 0:
        X = sparse.csr_matrix(sparse.hstack([X, sparse.csr_matrix(np.full((len(y), 1), rho))]))
    return X, y, np.ones(len(y)) if c is None else c


def log_loss(played: Played, effort: float) -> Candidates:
    X, y, c = rows_with_bias(played, WORK * effort / 2)

    def loss(u: np.ndarray) -> tuple[float, np.ndarray]:
        margins = y * (X @ u)
        slopes = -y * c / (1 + np.exp(np.minimum(margins, 500.0)))
        return float(np.logaddexp(0, -margins) @ c) + SHORT * float(u @ u), X.T @ slopes + 2 * SHORT * u

    best = np.zeros(X.shape[1])
    if len(y):
        from scipy.optimize import minimize  # a second to import, and not every run searches

        best = minimize(loss, best, jac=True, method="L-BFGS-B", options={"maxiter": max(1, int(STEPS * min(1.0, effort)))}).x
    yield from found_over_all(played, best, lambda margins: np.logaddexp(0, -margins) / log(2) * (1 + 2.0**-48), "bits")


def hinge_loss(played: Played, effort: float) -> Candidates:
    """The rule's own loss is max(0, 1 - y·v·z), or its square."""
    second = played.learner.settings.get("loss") == "squared"
    X, y, c = spread(*played.labelled, WORK * effort / 2)
    rho = float(played.learner.settings.get("bias") or 0)
    mean = max(float(X.power(2).sum()) / max(1, len(y)) + rho * rho, 1e-300)
    vector = np.zeros(X.shape[1] + (rho > 0))
    if len(y):
        vector = pa_vector(X, y, c, C=10 / mean, variant="II" if second else "I", bias=rho, effort=effort / 4)
    yield from found_over_all(played, vector, lambda margins: np.maximum(0.0, 1.0 - margins) ** (2 if second else 1), "L")


def ridge(played: Played, effort: float) -> Candidates:
    """The least Σ(1 - y·u·x)² + r·Σs_i²u_i², nearly."""
    settings, everything = played.learner.settings, played.all_rounds
    r, rho = float(settings["r"]), float(settings["bias"])
    X, y, c = rows_with_bias(played, WORK * effort / 2)
    sizes = np.asarray(abs(everything.X).max(axis=0).todense()).ravel() if len(everything.y) else np.zeros(everything.X.shape[1])
    scale = np.append(sizes, [1.0] if rho > 0 else [])
    roots = np.sqrt(np.append(c, np.full(len(scale), r)))
    rows = sparse.vstack([X, sparse.diags_array(scale)]).multiply(roots[:, None]).tocsr()
    from scipy.sparse.linalg import lsqr  # a tenth of a second to import, and not every run searches

    best = lsqr(rows, np.append(y, np.zeros(len(scale))) * roots, atol=1e-9, btol=1e-9, iter_lim=400)[0] if len(y) else np.zeros(len(scale))
    best[scale == 0] = 0.0

    def length(u: np.ndarray) -> float:
        return r * float((u * scale) @ (u * scale)) * (1 + (len(u) + 8) * 2.0**-50)

    plain, ever = split(best, rho)
    reach = float(np.max(abs(everything.X) @ np.abs(plain) + abs(ever), initial=0.0)) * 2.0**-40 + 2.0**-40  # far above what sums lose

    def squares(margins: np.ndarray) -> np.ndarray:
        return (np.abs(1.0 - margins) + reach) ** 2

    for witness, facts in found_over_all(played, best, squares, "F", length):
        yield witness, {**facts, "M": Fraction(played.observed)}


SEARCHES = {
    **{f"{name}-regret-measured": log_loss for name in ("adaptive", "coin", "naive-bayes")},
    **{f"{name}-regret-measured": hinge_loss for name in ("normalized", "pairs")},
    RIDGE.name: ridge,
}
