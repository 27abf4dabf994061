"""The vector to compare balanced Winnow with: the least (ln 2n + ηL/U)/(η/U - g), U = |u|₁ < η/g, g = ln(cosh ηX + (ν/X)·sinh ηX).

For a limit B this is Σc·hinge + λ|u|₁ with λ = (ln 2n + gB)/η (see `price`): a few features, chosen and weighed by coordinate descent on a
hinge with its corner rounded, the more sharply the nearer it comes.  The slopes are dual variables and prove how near it is.  Where the
rounds are few, or differ little on the features chosen, a linear programme says the last word.

As U → 0 the limit tends to Σc over the rounds.  Where nothing is better than 0 a tiny vector comes back: its limit is finite, and at most
a millionth above that.

>>> import numpy as np
>>> X = np.array([[1, 1, 0], [1, 0, 1], [0, 1, 1], [0, 0, 1]] * 50, float)
>>> l1_vector(X, [1, 1, -1, -1] * 50, n=3, eta=0.1, nu=0, X_max=1).round(1).tolist()
[2.0, 0.0, -1.0]
"""

from __future__ import annotations

from collections.abc import Callable
from math import floor, log, log2
from time import perf_counter
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

from littlestone.errors import require
from littlestone.kernels import dual, lasso
from littlestone.theory.balanced_winnow import growth
from littlestone.theory.numbers import fraction
from littlestone.witnesses.price import Fractional
from littlestone.witnesses.rows import TOLERANCE, Clock, Found, Rounds, best_scale, rounds

WIDTHS = [0.5**k for k in range(1, 13)]  # of the rounded corner
MOST = 400  # columns looked at together
WORK = 2 * 10**7  # entries of columns looked at, in all; more on streams where that is a few passes
DENSE, PROGRAMME = 5_000_000, 200_000  # entries of a table that may be sorted, and of a linear programme


def l1_price(n: int, eta: Any, nu: Any, X_max: Any) -> Fractional:
    """The limit as a function of L and U."""
    rate = fraction(eta, "eta")
    return Fractional(log(2 * n) / float(rate), float(growth(rate, fraction(X_max, "X_max"), fraction(nu, "nu"))) / float(rate))


def l1_vector(X: Any, y: Any, c: Any = None, *, n: int, eta: Any, nu: Any = 0, X_max: Any, seconds: float = 60.0) -> np.ndarray:
    """The u with the least limit over these rounds; never 0, so that the limit is always finite.  η, ν and X are the run's, n its width."""
    return l1_search(X, y, c, n=n, eta=eta, nu=nu, X_max=X_max, seconds=seconds).u


def l1_limit(X: Any, y: Any, c: Any = None, *, n: int, eta: Any, nu: Any = 0, X_max: Any) -> Callable[[np.ndarray], float]:
    """What `l1_vector` makes small, as a function of u, in doubles."""
    data, price = rounds(X, y, c), l1_price(n, eta, nu, X_max)
    return lambda u: price.limit(dual.losses(_margins(data, u), data.weights, 1.0)[0], float(np.abs(u).sum()))


def l1_search(
    X: Any, y: Any, c: Any = None, *, n: int, eta: Any, nu: Any = 0, X_max: Any, seconds: float = 60.0, tolerance: float = TOLERANCE
) -> Found:
    """`l1_vector` with what is known of its quality."""
    require(n >= 1, f"n={n!r} must be a positive number of features")
    data, clock, price = rounds(X, y, c), Clock(seconds), l1_price(n, eta, nu, X_max)
    total = float(data.weights.sum())
    pull = data.combine(data.weights)[: data.width]
    tiny = _tiny(data, pull, price, total)
    limit = price.limit(dual.losses(_margins(data, tiny), data.weights, 1.0)[0], float(np.abs(tiny).sum()))
    least = price.least(total, float(np.abs(pull).max(initial=0.0)))
    best = tiny
    if limit <= (1 + tolerance) * least:
        return Found(best, limit, least, "proved")
    search = Search(data, price, best, limit, least, tolerance, clock)
    for coarse in (True, False):
        search.descend(WIDTHS[:4] if coarse else WIDTHS[4:])
        if not search.done() and coarse:
            search.programme()
        if search.done():
            break
    return Found(search.best, search.limit, search.least, "proved" if search.proved() else "clock" if clock.over() else "budget")


class Search:
    """The best vector so far, and what is known of the least limit."""

    def __init__(
        self, data: Rounds, price: Fractional, best: np.ndarray, limit: float, least: float, tolerance: float, clock: Clock
    ) -> None:
        self.data, self.price, self.tolerance, self.clock = data, price, tolerance, clock
        self.best, self.limit, self.least = best, limit, least
        self.columns = sp.csr_matrix((data.values, data.indices.view(np.int32), data.indptr), shape=(data.count, data.width)).tocsc()
        self.u, self.a = np.zeros(data.width), data.weights
        self.work, self.exact = 0, False

    def proved(self) -> bool:
        return self.limit <= (1 + self.tolerance) * self.least

    def done(self) -> bool:
        return self.proved() or self.exact or self.clock.over()

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
        margins, sizes, a = _margins(data, self.u), np.diff(columns.indptr), np.empty(data.count)
        most = self.work + max(WORK, 2 * data.work())
        for mu in widths:
            while self.work < most and not self.done():
                lam, before, off = self.price.rate(self.limit), self.limit, 0.0
                lasso.slopes(margins, data.weights, mu, a)
                chosen = _candidates(self.pull(a), self.u, lam)
                for _ in range(10):
                    off = lasso.sweep(
                        columns.indptr, columns.indices, columns.data, data.signs, data.weights, margins, self.u, chosen, lam, mu
                    )
                    self.work += int(sizes[chosen].sum())
                    if off < TOLERANCE:
                        break
                self.work += data.work() // 4
                margins = _margins(data, self.u)
                self.note(self.u, margins)
                if off < TOLERANCE and before - self.limit < self.tolerance / 10 * self.limit:
                    break
        self.a = a

    def programme(self) -> None:
        """Linear programmes on the features that pull, and those that turn out to be missing, as long as they are small."""
        pull, lam = self.pull(self.a), self.price.rate(self.limit)
        chosen = _candidates(pull, self.best, lam)
        for _ in range(10):
            answer = _programme(self.data, self.columns, self.price, chosen, self.clock)
            if answer is None:
                return
            u, a = answer
            self.note(u, _margins(self.data, u))
            pull = np.abs(self.pull(a))
            missing = np.setdiff1d(np.flatnonzero(pull > self.price.rate(float(a.sum())) * (1 + 1e-6)), chosen)
            if self.done() or len(missing) == 0:
                self.exact = True
                return
            chosen = np.union1d(chosen, missing[np.argsort(-pull[missing], kind="stable")[:50]])


def _programme(data: Rounds, columns: Any, price: Fractional, chosen: np.ndarray, clock: Clock) -> tuple[np.ndarray, np.ndarray] | None:
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
    answer: Any = linprog(
        cost, A_ub=wants.tocsr(), b_ub=-np.ones(len(rows)), method="highs", options={"time_limit": max(0.01, clock.end - perf_counter())}
    )
    if answer.status != 0:
        return None
    both = answer.x[:k] - answer.x[k : 2 * k]
    u = np.zeros(data.width)
    u[chosen] = both / (1 + price.h * float(np.abs(both).sum()))
    shares = np.clip(-answer.ineqlin.marginals / np.maximum(weights, 1e-300), 0, 1)  # of each row's weight
    return u, shares[group.ravel()] * data.weights


def _margins(data: Rounds, u: np.ndarray) -> np.ndarray:
    full = data.zeros()
    full[: data.width] = u
    return data.margins(full)


def _candidates(pull: np.ndarray, u: np.ndarray, lam: float) -> np.ndarray:
    """The columns in use, and those that pull harder than λ, or nearly; the strongest where they are many."""
    chosen = np.flatnonzero((np.abs(pull) > 0.95 * lam) | (u != 0))
    return chosen if len(chosen) <= MOST else np.sort(chosen[np.argsort(-np.abs(pull[chosen]), kind="stable")[:MOST]])


def _tiny(data: Rounds, pull: np.ndarray, price: Fractional, total: float) -> np.ndarray:
    """A power of two on the feature that pulls hardest: every margin is at most 1, and the limit a millionth above Σc at most."""
    u = np.zeros(data.width)
    if data.width:
        cost = price.rate(total) / max(total, 1.0)  # how fast the limit grows with U, as a share of Σc
        largest = float(np.abs(data.values).max(initial=0.0))
        k = int(np.abs(pull).argmax())
        u[k] = 2.0 ** floor(log2(min(2.0**-20 / max(cost, 2.0**-100), 2.0**-20 / max(largest, price.h, 2.0**-100)))) * (
            -1 if pull[k] < 0 else 1
        )
    return u
