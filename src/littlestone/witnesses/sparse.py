"""The least Σc·hinge + λ|u|₁: a few features, chosen and weighed by coordinate descent on a hinge with its corner rounded, the more sharply
the nearer it comes.  The slopes are dual variables and prove how near it is.  Where the rounds are few, or differ little on the features
chosen, a linear programme says the last word.  λ may grow with the limit (`Price.rate`).
"""

from typing import Any

import numpy as np
import scipy.sparse as sp

from littlestone.kernels import native
from littlestone.witnesses.rows import TOLERANCE, Price, SignedRows, Work, best_scale, steps

WIDTHS = [0.5**k for k in range(1, 13)]  # of the rounded corner
MOST = 400  # columns looked at together
WORK = 2 * 10**7  # entries of columns looked at, in all; more on streams where that is a few passes
LOOK = 50_000  # entries that a look at the limit is worth: of a few rows sweeps are cheap, and looks are not
DENSE, PROGRAMME = 5_000_000, 200_000  # entries of a table that may be sorted, and of a linear programme


class SparseDescent:
    """The best vector so far, and what is known of the least limit."""

    def __init__(
        self, data: SignedRows, price: Price, best: np.ndarray, limit: float, least: float, tolerance: float, limit_of_work: Work
    ) -> None:
        self.data, self.price, self.tolerance, self.limit_of_work = data, price, tolerance, limit_of_work
        self.best, self.limit, self.least = best, limit, least
        self.columns = sp.csr_matrix((data.values, data.indices.view(np.int32), data.indptr), shape=(data.count, data.width)).tocsc()
        self.u, self.a = np.zeros(data.width), data.weights
        self.work, self.exact = 0, False

    def proved(self) -> bool:
        return self.limit <= (1 + self.tolerance) * self.least

    def done(self) -> bool:
        return self.proved() or self.exact or self.limit_of_work.over()

    def note(self, u: np.ndarray, margins: np.ndarray) -> None:
        """Keep the best multiple of u, if it is better than what there is."""
        scale, value = best_scale(self.price, margins, self.data.weights, float(np.abs(u).sum()))
        if value < self.limit and scale > 0:
            self.limit, self.best = value, scale * u

    def pull(self, a: np.ndarray) -> np.ndarray:
        """Σ a·y·x, and what it proves."""
        pull = self.data.combine(a)[: self.data.width]
        self.least = max(self.least, self.price.least(float(a.sum()), float(np.abs(pull).max(initial=0.0))))
        return pull

    def descend(self, widths: list[float]) -> None:
        """Coordinate descent at one width of the corner after another."""
        data, columns = self.data, self.columns
        arrays = columns.indptr.astype(np.int64), columns.indices.astype(np.int32, copy=False), columns.data
        margins, sizes, a = margins_of(data, self.u), np.diff(columns.indptr), np.empty(data.count)
        most = self.work + max(WORK, 2 * data.work())
        for mu in widths:
            while self.work < most and not self.done():
                lam, before, off = self.price.rate(self.limit), self.limit, 0.0
                native.core.slopes(margins, data.weights, mu, a)
                chosen = _candidates(self.pull(a), self.u, lam)
                for _ in range(10):
                    off = native.core.sweep_lasso(*arrays, data.signs, data.weights, margins, self.u, chosen, lam, mu)
                    self.work += int(sizes[chosen].sum())
                    self.limit_of_work.spend(int(sizes[chosen].sum()))
                    if off < TOLERANCE:
                        break
                self.work += data.work() // 4 + LOOK
                self.limit_of_work.spend(data.work())
                margins = margins_of(data, self.u)
                self.note(self.u, margins)
                if off < TOLERANCE and before - self.limit < self.tolerance / 10 * self.limit:
                    break
        self.a = a

    def programme(self) -> None:
        """Linear programmes on the features that pull, and those that turn out to be missing, as long as they are small."""
        pull, lam = self.pull(self.a), self.price.rate(self.limit)
        chosen = _candidates(pull, self.best, lam)
        for _ in range(10):
            answer = _programme(self.data, self.columns, self.price, chosen)
            if answer is None:
                return
            u, a = answer
            self.note(u, margins_of(self.data, u))
            pull = np.abs(self.pull(a))
            missing = np.setdiff1d(np.flatnonzero(pull > self.price.rate(float(a.sum())) * (1 + 1e-6)), chosen)
            if self.done() or len(missing) == 0:
                self.exact = True
                return
            chosen = np.union1d(chosen, missing[np.argsort(-pull[missing], kind="stable")[:50]])


def _programme(data: SignedRows, columns: Any, price: Any, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """The best u on the chosen features, exactly, and its dual variables, by a linear programme, where that is small.

    (aU + L)/(1 - hU) is a ratio: with ũ = u/(1 - hU) it is min aΣ|ũ| + Σc·ξ, ξ ≥ 0, ξ + y·ũ·x - hΣ|ũ| ≥ 1 (Charnes, Cooper 1962).  Rows
    that agree on these features are one row, their weights added.
    """
    if len(chosen) == 0 or len(chosen) * data.count > DENSE:
        return None
    full = columns[:, chosen].toarray().astype(np.float64) * data.signs[:, None]
    rows, group = np.unique(full, axis=0, return_inverse=True)
    if rows.size + 40 * len(rows) > PROGRAMME:
        return None
    k, weights = len(chosen), np.bincount(group.ravel(), data.weights)
    cost = np.concatenate([np.full(2 * k, price.a), weights])
    parts: Any = [sp.csr_matrix(price.h - rows), sp.csr_matrix(price.h + rows), -sp.identity(len(rows))]
    wants: Any = sp.hstack(parts)
    from scipy.optimize import linprog  # a second to import, and not every search asks it

    answer: Any = linprog(cost, A_ub=wants.tocsr(), b_ub=-np.ones(len(rows)), method="highs", options=steps(1.0))
    if answer.status != 0:
        return None
    both = answer.x[:k] - answer.x[k : 2 * k]
    u = np.zeros(data.width)
    u[chosen] = both / (1 + price.h * float(np.abs(both).sum()))
    shares = np.clip(-answer.ineqlin.marginals / np.maximum(weights, 1e-300), 0, 1)  # of each row's weight
    return u, shares[group.ravel()] * data.weights


def margins_of(data: SignedRows, u: np.ndarray) -> np.ndarray:
    full = data.zeros()
    full[: data.width] = u
    return data.margins(full)


def _candidates(pull: np.ndarray, u: np.ndarray, lam: float) -> np.ndarray:
    """The columns in use, and those that pull harder than λ, or nearly; the strongest where they are many."""
    chosen = np.flatnonzero((np.abs(pull) > 0.95 * lam) | (u != 0))
    return chosen if len(chosen) <= MOST else np.sort(chosen[np.argsort(-np.abs(pull[chosen]), kind="stable")[:MOST]])
