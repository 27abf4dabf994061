"""The rounds a search looks at, in the form its loops take; and what all searches share."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from littlestone.errors import require
from littlestone.kernels import native

IN_CACHE = 100_000  # entries of rows that are near at hand in any order
LARGEST = 1e60  # squares and sums of squares stay far from what a double cannot hold
MOST_WORK = 2e9  # entries of rows that a search may look at
SIMPLEX_STEPS = 30_000
TOLERANCE = 1e-3  # a search ends when no vector can have a limit smaller by more than this share


class Price(Protocol):
    """What a bound charges for a vector, on top of its loss."""

    def limit(self, loss: float, size: float) -> float:
        """The bound for a vector of this hinge loss and this norm."""

    def rate(self, limit: float) -> float:
        """What one unit of the norm costs at this limit."""

    def least(self, total: float, pull: float) -> float:
        """No vector has a smaller limit, by dual variables α with Σα = total and |Σα·y·x| = pull."""


@dataclass(frozen=True)
class SignedRows:
    """Rows of features with their signs y = ±1 and weights c; a bias feature of value rho > 0 stands last."""

    indptr: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    signs: np.ndarray
    weights: np.ndarray
    rho: float
    width: int  # entries of a vector, the bias included

    @property
    def count(self) -> int:
        return len(self.signs)

    def zeros(self) -> np.ndarray:
        """A vector to work with; without a bias its last entry stays 0."""
        return np.zeros(self.width if self.rho > 0 else self.width + 1)

    def margins(self, u: np.ndarray) -> np.ndarray:
        """y·(u·x) for every row; u as `zeros` makes it."""
        out = np.empty(self.count)
        native.core.margins(self.indptr, self.indices, self.values, self.signs, self.rho, u, out)
        return out

    def lengths(self) -> np.ndarray:
        out = np.empty(self.count)
        native.core.squared_lengths(self.indptr, self.indices, self.values, self.rho, out)
        return out

    def combine(self, a: np.ndarray) -> np.ndarray:
        """Σ a·y·x."""
        u = self.zeros()
        native.core.combine(self.indptr, self.indices, self.values, self.signs, self.rho, a, u)
        return u

    def work(self) -> int:
        """What one pass over all rows costs."""
        return len(self.indices) + 8 * self.count

    def take(self, chosen: np.ndarray) -> SignedRows:
        """Some of the rows."""
        X = sp.csr_matrix((self.values, self.indices, self.indptr), shape=(self.count, self.width))[chosen]
        return SignedRows(
            X.indptr.astype(np.int64), X.indices.view(np.uint32), X.data, self.signs[chosen], self.weights[chosen], self.rho, self.width
        )


def rounds(X: Any, y: Any, c: Any = None, bias: float = 0.0) -> SignedRows:
    """The rounds as arrays, checked."""
    matrix: Any = X if sp.issparse(X) else np.atleast_2d(np.asarray(X))
    X = sp.csr_matrix(matrix)
    if not X.has_canonical_format:  # the loops read four features before they write one: none may stand twice
        X = X.copy()
        X.sum_duplicates()
    signs = np.ascontiguousarray(y, np.float64)
    weights = np.ones(len(signs)) if c is None else np.ascontiguousarray(c, np.float64)
    require(signs.shape == weights.shape == (X.shape[0],), f"X has {X.shape[0]} rows, y {signs.shape} signs and c {weights.shape} weights")
    require(bool((np.abs(signs) == 1).all()), "y must hold signs, +1 or -1")
    largest = max(float(np.abs(X.data).max(initial=0.0)), float(np.abs(weights).max(initial=0.0)))
    require(largest < LARGEST, f"X and c must be finite, and below {LARGEST:g}: the largest here is {largest:g}")
    require(bool((weights >= 0).all()), "c must not be negative: a round counts c times")
    require(bias >= 0 and np.isfinite(bias), f"bias={bias!r} must be a number, not negative")
    values = X.data if X.data.dtype == np.float32 else np.ascontiguousarray(X.data, np.float64)
    indices = np.ascontiguousarray(X.indices, np.int32).view(np.uint32)
    return SignedRows(X.indptr.astype(np.int64), indices, values, signs, weights, float(bias), X.shape[1] + (bias > 0))


def best_scale(price: Price, margins: np.ndarray, weights: np.ndarray, size: float) -> tuple[float, float]:
    """The multiple of u, |u| = size, with the smallest limit, and that limit, given y·(u·x): bisection on the sign of the slope."""
    if size == 0.0:
        return 0.0, price.limit(float(weights.sum()), 0.0)

    def past(scale: float) -> bool:
        loss, pull = native.core.hinge_losses(margins, weights, scale)
        limit = price.limit(loss, scale * size)
        return not np.isfinite(limit) or price.rate(limit) * size > pull

    low, high = 0.0, 1.0
    while not past(high) and high < 2.0**60:
        low, high = high, 2 * high
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if past(middle) else (middle, high)
    return low, price.limit(native.core.hinge_losses(margins, weights, low)[0], low * size)


class Work:
    """A far limit, counted in entries of rows that are looked at and never in seconds: a stream always gives the same vector.

    For streams larger than anyone thought of; the budget of passes ends a search long before.
    """

    def __init__(self, effort: float = 1.0) -> None:
        self.left = MOST_WORK * effort

    def spend(self, entries: float) -> None:
        self.left -= entries

    def over(self) -> bool:
        return self.left <= 0


def steps(effort: float) -> Any:
    """How far a linear programme may go, as an option of HiGHS."""
    return {"maxiter": max(1, int(SIMPLEX_STEPS * effort))}


def visits(data: SignedRows, total: float = 4e8, least: int = 40, most: int = 600) -> int:
    """How many rows a search may visit: `most` passes over few rows, `least` over many; a matter of sizes alone."""
    return int(data.count * min(most, max(least, total / max(1, data.work()))))


class Descent:
    """Dual coordinate descent from where it stands, shrinking the list of rows it visits."""

    def __init__(
        self, data: SignedRows, C: float, weights: np.ndarray | None = None, ridge: np.ndarray | None = None, work: Work | None = None
    ) -> None:
        self.data, self.C, self.work = data, C, work or Work()
        self.weights = data.weights if weights is None else weights
        self.ridge = np.zeros(data.count) if ridge is None else ridge
        self.lengths = data.lengths()
        self.a, self.u = np.zeros(data.count), data.zeros()
        self.block = 1 if data.work() < IN_CACHE else 32
        self.seed = 1
        self.turns = self.visited = 0
        self.refresh()

    def refresh(self) -> None:
        """Visit every row again."""
        self.active = np.arange(self.data.count)
        self.high, self.low = inf, -inf

    def turn(self) -> float:
        """One pass over the active rows; how far the worst of them was from its best."""
        data = self.data
        self.turns += 1
        visited = max(len(self.active), data.count // 8)  # a pass has a cost of its own
        self.visited += visited
        self.work.spend(data.work() * visited / max(1, data.count))
        blocks = np.arange(-(-len(self.active) // self.block))
        self.seed = native.core.shuffle(blocks, self.seed)
        top, bottom = native.core.descend(
            data.indptr, data.indices, data.values, data.signs, data.rho, self.lengths, self.C, self.weights, self.ridge,
            self.a, self.u, self.active, blocks, self.block, self.high, self.low,
        )  # fmt: skip
        self.active = self.active[self.active >= 0]
        self.high, self.low = top if top > 0 else inf, bottom if bottom < 0 else -inf
        if self.turns % 32 == 0:
            self.u = data.combine(self.a)  # without what rounding has added up
        return top - bottom


def euclidean(u: np.ndarray) -> float:
    return sqrt(float(u @ u))
