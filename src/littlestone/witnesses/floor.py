"""The vector that the floor compares with: the least L + λ|u| over all labelled rounds, λ = |θ|, nearly.

It is convex, and θ does not depend on u.  The best u is also the best of ½|u|² + C·L at C = |u|/λ, since both slopes are the same there: a
support vector machine, whose C is found on the way.  Passes of dual coordinate descent at one C give a vector; the best multiple of it
is taken, and its length says the next C.  With β = a/C, 0 ≤ β ≤ c, every u has L + λ|u| ≥ Σβ·min(1, λ/|Σβ·y·x|): that says how far the best
can still be.

The work is counted in entries that are looked at, never in seconds, so a stream always gives the same vector.  Of a large stream rows that
are spread evenly stand for all.  Whatever is found is then measured on every round.
"""

from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from math import frexp, fsum, sqrt
from typing import Any

import numpy as np
from scipy import sparse

from littlestone.theory.floor import bias_of
from littlestone.witnesses.hinge import squared, vector_of
from littlestone.witnesses.quantised import quantised
from littlestone.witnesses.rounding import above
from littlestone.witnesses.rows import Descent, Price, SignedRows, best_scale, euclidean, rounds
from littlestone.witnesses.taught_rounds import Candidates, Played

WORK = 150_000_000  # entries of rows that a search may look at
PASSES = (24, 400)  # over all rows that are searched: at least, at most
CLOSE = 2e-3  # a search ends when no vector can have a limit smaller by more than this share
LOOK = 3  # passes between two looks at the limit


@dataclass(frozen=True)
class LengthPrice:
    """L + λ|u|: each unit of length costs the same."""

    pull: float

    def limit(self, loss: float, size: float) -> float:
        return loss + self.pull * size

    def rate(self, limit: float) -> float:
        return self.pull

    def least(self, total: float, pull: float) -> float:
        return total * min(1.0, self.pull / pull) if pull > 0 else total


@dataclass(frozen=True)
class Quadratic:
    """B = ((√K + √(K+4L))/2)², K = κ|u|²: the Perceptron (κ = mean|x|² + 2β), the p-norm Perceptron, ALMA.

    >>> Quadratic(1).limit(6, 1), Quadratic(1).rate(9), Quadratic(4).least(10, 10)
    (9.0, 3.0, 4.0)
    """

    kappa: float

    def limit(self, loss: float, size: float) -> float:
        K = self.kappa * size * size
        return ((sqrt(K) + sqrt(K + 4 * loss)) / 2) ** 2

    def rate(self, limit: float) -> float:
        return sqrt(self.kappa * limit)

    def least(self, total: float, pull: float) -> float:
        """No u has a smaller limit, for α with Σα = total and |v| = pull."""
        return total * min(1.0, self.kappa * total / pull**2) if pull > 0 else total

    def balance(self, total: float, pull: float) -> float:
        """(|v|/λ(A))²: 1 where α proves the most, more where the vector should weigh losses more."""
        return pull**2 / (self.kappa * total) if total > 0 else 1.0


def least_vector(data: SignedRows, price: Price, work: float = WORK) -> np.ndarray:
    """A vector with nearly the least limit over these rows; where there is a bias, its last entry."""
    u = data.combine(data.weights)
    best, length = np.zeros(data.width), euclidean(u)
    scale, value = best_scale(price, data.margins(u), data.weights, length)
    if scale == 0.0 or price.rate(value) == 0.0:
        return best  # every vector loses more than it saves
    best, least = scale * u[: data.width], 0.0
    passes = min(PASSES[1], max(PASSES[0], work / max(1, data.work())))
    descent = Descent(data, scale * length / price.rate(value))
    while descent.visited < passes * data.count and value > (1 + CLOSE) * least:
        far = max(descent.turn() for _ in range(LOOK))
        length = euclidean(descent.u)
        scale, limit = best_scale(price, data.margins(descent.u), data.weights, length)
        if limit < value:
            best, value = scale * descent.u[: data.width], limit
        least = max(least, price.least(float(descent.a.sum()) / descent.C, length / descent.C))
        factor = min(4.0, max(0.25, scale * length / price.rate(limit) / descent.C))
        if abs(factor - 1) > 0.02:
            descent.C *= factor
            descent.a *= factor
            descent.u *= factor
            descent.refresh()
        elif far < 1e-3:
            descent.refresh()
    return best


def evenly(X: sparse.csr_matrix, y: np.ndarray, c: np.ndarray | None, rho: float, work: float) -> SignedRows:
    """The rows, or as many of them as the work allows, spread evenly, each standing for its neighbours."""
    entries = X.nnz + 8 * X.shape[0]
    share = work / (PASSES[0] * max(1, entries))
    if share >= 1:
        return rounds(X, y, c, rho)
    chosen = np.unique(np.linspace(0, len(y) - 1, max(1, int(share * len(y)))).astype(np.int64))
    weights = (np.ones(len(y)) if c is None else c)[chosen] * (len(y) / len(chosen))
    return rounds(X[chosen], y[chosen], weights, rho)


def pull_of(played: Played, rho: float) -> tuple[float, float]:
    """|θ|² of the mistakes, rounded up, and a length to search with where there is nothing to pull: that of a row."""
    wrong = np.flatnonzero(played.wrong)
    signs = played.y[wrong] * played.weights[wrong]  # (products of two float32 are exact in doubles)
    rows = sparse.csr_matrix(sparse.diags_array(signs) @ played.X[wrong]).tocsc() if len(wrong) else sparse.csc_matrix((0, 1))
    ends, data = rows.indptr.tolist(), rows.data.tolist()
    theta = np.array([fsum(data[lo:hi]) for lo, hi in pairwise(ends) if lo < hi] or [0.0])
    square = squared(theta) + (rho * fsum(signs.tolist())) ** 2
    row = float(played.squares.mean()) + rho * rho if len(wrong) else 1.0
    return square * (1 + 2.0**-48), max(square, row)


def floor_candidates(played: Played, effort: float = 1.0) -> Candidates:
    """The floor's witness and its facts; `effort` scales the work."""
    value = bias_of(played.learner.family)
    rho = float(value)
    X, y, c = played.labelled
    theta2, pull2 = pull_of(played, rho)
    work = WORK * effort
    best = least_vector(evenly(X, y, c, rho, work), LengthPrice(sqrt(pull2)), work)
    weights = played.all_rounds.weights

    def limit(u: np.ndarray) -> float:
        return float(np.maximum(0.0, 1.0 - y * (X @ u[:-1] + rho * u[-1])) @ weights) + sqrt(theta2 * float(u @ u))

    whole, exponent = quantised(best, limit=limit) if len(y) else (np.zeros(len(best), np.int64), 0)
    witness, u, bias = vector_of(played, whole, exponent, True)
    yield witness, {"L": loss_above(played, u, value, bias, exponent), "u2": above(squared(np.append(u, bias))), "theta2": above(theta2)}


def adds_exactly(X: Any, u: np.ndarray, ever: float, exponent: int) -> bool:
    """Are all products, and all sums of them, whole numbers below 2^53 over one power of two? Then doubles add u·x without an error."""
    smallest = float(np.abs(X.data[X.data != 0]).min(initial=1.0))
    unit = 2.0 ** (max(0, 24 - frexp(smallest)[1]) + max(0, exponent))
    return bool((ever * unit).is_integer() and (abs(X) @ np.abs(u) + abs(ever) + 1.0).max(initial=0.0) * unit < 2.0**53)


def loss_above(played: Played, u: np.ndarray, rho: Any, bias: float, exponent: int) -> Decimal:
    """Σ c·max(0, 1 - y·(u·x)) over all labelled rounds, rounded up; u is whole over 2^exponent, and so is the weight of the bias."""
    (X, y, _), ever = played.labelled, float(rho) * bias
    exact = float(rho) == rho and adds_exactly(X, u, ever, exponent)
    slips = 0.0 if exact else (abs(X) @ np.abs(u) + abs(ever)) * ((int(np.diff(X.indptr).max(initial=0)) + 4) * 2.0**-53)
    return above(fsum((np.maximum(0.0, 1.0 - y * (X @ u + ever) + slips) * played.all_rounds.weights).tolist()))
