"""The best convex combination of experts' forecasts in hindsight: the weights ≥ 0, adding up to 1, whose forecast loses least in all.

With g_ti = forecast - truth, the forecast of weights w errs by g_t·w. Squared loss: |Gw|² is least where the hull of the columns of G
comes nearest to 0, and Wolfe's method finds that point, after as many steps as it takes to settle which experts take part. Absolute
and pinball loss: a linear programme, solved from its dual side, where an expert is a row and a round only a bounded variable.

Every answer has its proof with it. `floor` is what no combination can undercut, from the dual: for squared loss with r = Gw, every point v
of the hull has |v| ≥ r·v/|r| ≥ min_i r·g_i/|r|; for the others Σ_t loss(g_t·v) ≥ Σ_t z_t·(g_t·v) ≥ min_i Σ_t z_t·g_ti for every z
between the slopes of the loss.
"""

from math import fsum
from typing import Any, NamedTuple

import numpy as np

from littlestone.errors import LittlestoneError, require
from littlestone.kernels import native

MOST_CELLS = 50_000_000  # rounds × experts: beyond, the search would take hours and gigabytes
CLOSE = 1e-6  # the loss is within this of the least, relatively: else there is no answer
NOTHING = 1e-13  # of the worst expert's loss: so much is left to rounding
SOLVED = 1e-9  # of the worst expert's loss: so much is left to a solver of linear programmes
TIGHT: Any = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}  # the least that HiGHS takes


class Convex(NamedTuple):
    """Weights, what their combination loses, and what no combination can lose less than; or None, and the reason."""

    weights: np.ndarray | None
    loss: float | None
    floor: float | None = None
    reason: str = ""


def best_convex(forecasts: Any, truths: Any, loss: str = "squared", quantile: float | None = None) -> Convex:
    """The convex combination of the columns of `forecasts` with the least total loss; rounds without a truth (NaN) are left out.

    >>> best = best_convex([[0, 4], [2, 2], [0, 8]], [1, 2, 3])
    >>> best.weights.round(6).tolist(), round(best.loss, 6), round(best.floor, 6)
    ([0.65, 0.35], 0.2, 0.2)
    >>> best = best_convex([[0, 4], [2, 2], [1, 8]], [1, 2, 1], "absolute")
    >>> best.weights.tolist(), best.loss, best.floor
    ([1.0, 0.0], 1.0, 1.0)
    """
    x, y = np.asarray(forecasts, np.float64), np.asarray(truths, np.float64)
    require(
        x.ndim == 2 and x.shape[1] > 0 and y.shape == x.shape[:1],
        f"best_convex takes forecasts of rounds × experts and a truth for each round; got {x.shape} and {y.shape}",
    )
    slopes = _slopes(loss, quantile)
    known = ~np.isnan(y)
    if not known.all():
        x, y = x[known], y[known]
    require(
        bool(np.isfinite(x).all() and np.isfinite(y).all()), "best_convex takes finite numbers: an expert that sleeps has no convex share"
    )
    if x.size > MOST_CELLS:
        return Convex(None, None, None, f"{len(y):,} rounds × {x.shape[1]:,} experts are more than {MOST_CELLS:,} cells")
    if len(y) == 0:
        return Convex(np.full(x.shape[1], 1 / x.shape[1]), 0.0, 0.0)
    columns = np.array(x.T, order="C")  # a copy, always: the caller keeps the forecasts
    columns -= y
    size = float(np.abs(columns).max())
    if size == 0.0:
        return Convex(np.full(x.shape[1], 1 / x.shape[1]), 0.0, 0.0)
    columns /= size  # so that no square overflows, and tolerances mean the same everywhere
    residual, reach = np.empty(len(y)), np.empty(x.shape[1])
    if slopes is None:
        weights = _nearest(columns)
        native.core.combined(columns, weights, residual)
        native.core.products_with(columns, residual, reach)
        made, unit = fsum(residual * residual), size * size
        worst = max(float(native.core.product(column, column)) for column in columns)
        least = max(0.0, float(reach.min())) ** 2 / made if made > 0.0 else 0.0
    else:
        low, high = slopes
        weights, z = _programme(columns, low, high)
        native.core.combined(columns, weights, residual)
        native.core.products_with(columns, np.clip(z, low, high), reach)
        made, unit = fsum(np.maximum(low * residual, high * residual)), size
        worst = max(float(np.maximum(low * column, high * column).sum()) for column in columns)
        least = max(0.0, float(reach.min()))
    if made - least > CLOSE * made + (NOTHING if slopes is None else SOLVED) * worst:
        return Convex(
            None, None, None, f"the search ended with {made * unit:.6g}, and proves only that the least is {least * unit:.6g} or more"
        )
    return Convex(weights, made * unit, min(least, made) * unit)


def _slopes(loss: str, quantile: float | None) -> tuple[float, float] | None:
    """The loss of an error d is max(low·d, high·d); None of the squared."""
    if loss == "pinball":
        if quantile is None or not 0 < quantile < 1:
            raise LittlestoneError(f"quantile={quantile!r}: the pinball loss needs a number between 0 and 1")
        return -quantile, 1 - quantile
    require(loss in ("squared", "absolute"), f"loss={loss!r}: expected squared, absolute or pinball")
    return None if loss == "squared" else (-1.0, 1.0)


def _nearest(columns: np.ndarray) -> np.ndarray:
    """Wolfe's point nearest to 0 in the hull of the columns, by their products; these lose digits, so the shares are then mended.

    With r = Gw taken afresh, the change of shares that is best by the products' factor brings as many digits again as it had.
    """
    n = len(columns)
    gram, lower = np.empty((n, n)), np.empty((n, n))
    native.core.products(columns, gram)
    worst = float(gram.diagonal().max())
    chosen, shares = np.empty(n, np.int64), np.empty(n)
    k = native.core.nearest(gram, worst, CLOSE / 8, NOTHING * worst, chosen, shares, lower)
    weights, residual, reach = np.zeros(n), np.empty(columns.shape[1]), np.empty(n)
    taking = chosen[:k]
    weights[taking] = shares[:k] / shares[:k].sum()
    flat, pull = np.empty(n), np.empty(n)
    native.core.solve(lower, k, np.ones(n), flat)
    for _ in range(3 if k > 1 else 0):
        native.core.combined(columns, weights, residual)
        native.core.products_with(columns, residual, reach)
        native.core.solve(lower, k, reach[taking], pull)
        change = pull[:k].sum() / flat[:k].sum() * flat[:k] - pull[:k]
        mended = np.maximum(weights[taking] + change, 0.0)
        if not mended.sum() > 0:
            break
        weights[taking] = mended / mended.sum()
    return weights


def _programme(columns: np.ndarray, low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
    """The greatest v with v ≤ Σ_t z_t·g_ti for every expert i; the price of each of these is the expert's weight."""
    from scipy.optimize import linprog  # a second to import, and seldom needed

    n, rounds = columns.shape
    cost = np.zeros(rounds + 1)
    cost[-1] = -1.0
    wants: Any = np.hstack([-columns, np.ones((n, 1))])
    ranges: Any = np.vstack([np.tile([low, high], (rounds, 1)), [[-np.inf, np.inf]]])
    answer: Any = linprog(cost, A_ub=wants, b_ub=np.zeros(n), bounds=ranges, method="highs", options=TIGHT)
    if answer.x is None:
        return np.full(n, 1 / n), np.zeros(rounds)
    weights = np.maximum(-answer.ineqlin.marginals, 0.0)
    return weights / weights.sum(), answer.x[:-1]
