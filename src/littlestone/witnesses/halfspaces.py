"""A halfspace with a gap for Winnow over [0,1]: μ ≥ 0 and δ for which its bound in hindsight is small (`theory.winnow_real.agnostic`).

For one δ the bound is (A(μ) + h(V))/g, V = Σμ, h(V) = (V/ln α)·(ln(dκV) - 1) + ρ/(α-1), κ = (α-1)/(ρ·ln α).  Both are convex, and h' =
ln(dκV)/ln α.  So A(μ) + λV is minimised by a linear program (HiGHS), for λ = h'(V) at the last V, a few times.  Columns that can never
save λ by 1s are left out before.  A handful of δ is tried; of all that was met the best is kept, μ = 0 among it.
"""

from collections.abc import Iterator
from fractions import Fraction
from math import log
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array, eye_array, hstack

from littlestone.errors import require
from littlestone.theory.numbers import Exact
from littlestone.witnesses.rows import steps
from littlestone.witnesses.sets import disjunction_set

GRAIN = 2**20  # μ is a multiple of 1/GRAIN, so that sums of it are exact
LARGE = 400_000  # entries beyond which no linear program is set up
STEPS = 4  # linear programs for one δ


class HalfspaceWitness(NamedTuple):
    """μ over the columns of X (with complements: x, then 1-x), δ, V = Σμ, and A and the bound as doubles add them up."""

    mu: np.ndarray
    delta: Fraction
    V: Fraction
    A: float
    bound: float
    how: str  # "programs", "greedy" (too large for them) or "work limit"


def separator(
    X: Any, positive: Any, *, alpha: Exact, delta: Exact, complement: bool = False, n: int | None = None, effort: float = 1.0
) -> HalfspaceWitness:
    """μ and δ' with a small bound on these rounds: the mistake rounds of a run with this α, made for a gap of `delta`.

    `n` is the number of features where X has fewer columns.

    >>> best = separator([[1.0, 0.5, 0], [0, 1, 1]] * 60, [1, 0] * 60, alpha=Fraction(5, 4), delta=Fraction(1, 2))
    >>> best.mu.tolist(), best.A
    ([1.0, 0.0, 0.0], 0.0)
    """
    rows, label = csr_array(X).astype(np.float64), np.asarray(positive).astype(bool)
    require(len(label) == rows.shape[0], f"{len(label)} labels for {rows.shape[0]} rounds")
    n = rows.shape[1] if n is None else n
    d, factor = n * (2 if complement else 1), Fraction(alpha)
    best = _judged(rows, label, np.zeros(rows.shape[1] * (2 if complement else 1)), Fraction(1), d, factor, complement, "programs")
    if rows.nnz > LARGE:
        start = disjunction_set(rows, label, cost=max(1, round(log(d) / log(factor))), exact=False)
        mu = np.zeros(len(best.mu))
        mu[start.set] = 1.0
        candidate = _judged(rows, label, mu, Fraction(1), d, factor, complement, "greedy")
        return min(best._replace(how="greedy"), candidate, key=lambda h: h.bound)
    for gap in _gaps(Fraction(delta), factor):
        for solution in _programs(rows, label, gap, d, factor, complement, effort):
            if solution is None:
                return best._replace(how="work limit")
            best = min(best, _judged(rows, label, solution, gap, d, factor, complement, "programs"), key=lambda h: h.bound)
    return best


def _gaps(delta: Fraction, alpha: Fraction) -> list[Fraction]:
    """The learner's own δ, 1, and some between the least that the bound allows and 1."""
    least = 1 - 1 / alpha
    between = [least + (1 - least) * Fraction(part, 8) for part in (2, 4, 6)]
    return [gap for gap in dict.fromkeys([delta, Fraction(1), *between]) if least < gap <= 1]


def _constants(delta: Fraction, alpha: Fraction) -> tuple[float, float, float]:
    """g, ρ and κ without rounding errors of a run."""
    rho = (2 - delta) / (1 + 1 / alpha)
    return float(1 - rho), float(rho), float((alpha - 1) / rho) / log(alpha)


def _judged(
    rows: csr_array, label: np.ndarray, mu: np.ndarray, delta: Fraction, d: int, alpha: Fraction, complement: bool, how: str
) -> HalfspaceWitness:
    dots, (g, rho, kappa) = _dots(rows, mu, complement), _constants(delta, alpha)
    A = float(np.maximum(0, np.where(label, 1 - dots, dots - float(1 - delta))).sum())
    V = sum((Fraction(float(v)) for v in mu[mu != 0]), Fraction(0))
    size = float(V)
    price = size / log(alpha) * (log(d * kappa * size) - 1) if size else 0.0
    return HalfspaceWitness(mu, delta, V, A, (A + price + rho / float(alpha - 1)) / g, how)


def _dots(rows: csr_array, mu: np.ndarray, complement: bool) -> np.ndarray:
    width = rows.shape[1]
    return rows @ mu if not complement else rows @ (mu[:width] - mu[width:]) + mu[width:].sum()


def _programs(
    rows: csr_array, label: np.ndarray, delta: Fraction, d: int, alpha: Fraction, complement: bool, effort: float
) -> Iterator[np.ndarray | None]:
    """Solutions of the linear programs for this δ, each at the price that the last one's V has; None when it takes too much work."""
    m, width = rows.shape
    _, _, kappa = _constants(delta, alpha)
    sign = np.where(label, -1.0, 1.0)
    limit = np.where(label, -1.0, float(1 - delta))
    saves = rows.T @ label.astype(float)  # what μ_j = 1 can save at most
    V, met = 1.0, set()
    for _ in range(STEPS):
        price = log(max(1.0 + 1e-9, d * kappa * V)) / log(alpha)
        if round(price, 6) in met:
            return
        met.add(round(price, 6))
        straight = np.flatnonzero(saves > price)
        turned = np.flatnonzero(label.sum() - saves > price) if complement else np.empty(0, np.int64)
        part = rows.multiply(sign[:, None]).tocsr()
        # μ of the x, μ of the 1-x, the sum of the latter (which every round has), and the errors
        A = hstack([part[:, straight], -part[:, turned], csr_array(sign[:, None] * complement), -eye_array(m)], format="csr")
        sums = np.concatenate([np.zeros(len(straight)), np.ones(len(turned)), [-1.0], np.zeros(m)])
        c = np.concatenate([np.full(len(straight) + len(turned), price), [0.0], np.ones(m)])
        from scipy.optimize import linprog  # a second to import, and not every search asks it

        solved: Any = linprog(c, A_ub=A, b_ub=limit, A_eq=sums[None], b_eq=[0.0], method="highs", options=steps(effort))
        if solved.status != 0:
            yield None
            return
        mu = np.zeros(width * (2 if complement else 1))
        mu[straight] = np.round(solved.x[: len(straight)] * GRAIN) / GRAIN
        mu[width + turned] = np.round(solved.x[len(straight) : len(straight) + len(turned)] * GRAIN) / GRAIN
        yield mu
        if not mu.any():
            return
        V = float(mu.sum())
