"""The vector that the floor compares with: the least L + λ|u| over all labelled rounds, λ = |θ|, nearly.

It is convex, and θ does not depend on u.  The best u is also the best of ½|u|² + C·L at C = |u|/λ, since both slopes are the same there: a
support vector machine, whose C is found on the way.  Passes of dual coordinate descent at one C give a vector; the best multiple of it
is taken, and its length says the next C.  With β = a/C, 0 ≤ β ≤ c, every u has L + λ|u| ≥ Σβ·min(1, λ/|Σβ·y·x|): that says how far the best
can still be.

The work is counted in entries that are looked at, never in seconds, so a stream always gives the same vector.  Of a large stream rows that
are spread evenly stand for all.  Whatever is found is then measured on every round.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import combinations, pairwise
from math import exp, frexp, fsum, log, sqrt
from typing import Any

import numpy as np
from scipy import sparse

from littlestone.theory.comparators.sequence import Vectors
from littlestone.theory.floor import DUAL, ENTROPIC, FLOOR, MOST_POWER, SHIFTING, UPDATES, bias_of, power_of
from littlestone.witnesses.hinge import squared, vector_of
from littlestone.witnesses.machines import FlatPrice, dual_length, pnorm_vector
from littlestone.witnesses.quantised import quantised
from littlestone.witnesses.rounding import above, below
from littlestone.witnesses.rows import TOLERANCE, Descent, Price, SignedRows, Work, best_scale, euclidean, rounds
from littlestone.witnesses.sparse import WIDTHS, SparseDescent
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
    """The rows, or as many of them as the work allows."""
    return rounds(*spread(X, y, c, work), rho)


def spread(X: sparse.csr_matrix, y: np.ndarray, c: np.ndarray | None, work: float) -> tuple[Any, np.ndarray, np.ndarray | None]:
    """As many rows as the work allows, spread evenly, each standing for its neighbours."""
    share = work / (PASSES[0] * max(1, X.nnz + 8 * X.shape[0]))
    if share >= 1:
        return X, y, c
    chosen = np.unique(np.linspace(0, len(y) - 1, max(1, int(share * len(y)))).astype(np.int64))
    return X[chosen], y[chosen], (np.ones(len(y)) if c is None else c)[chosen] * (len(y) / len(chosen))


def theta_of(played: Played, rho: float, updates: bool = False) -> np.ndarray:
    """θ of the mistakes, or of all updates, features without a pull left out; that of the bias is the last entry."""
    wrong = np.arange(len(played.wrong)) if updates else np.flatnonzero(played.wrong)
    signs = played.y[wrong] * played.weights[wrong]  # (products of two float32 are exact in doubles)
    rows = sparse.csr_matrix(sparse.diags_array(signs) @ played.X[wrong]).tocsc() if len(wrong) else sparse.csc_matrix((0, 1))
    ends, data = rows.indptr.tolist(), rows.data.tolist()
    return np.array([*(fsum(data[lo:hi]) for lo, hi in pairwise(ends) if lo < hi), rho * fsum(signs.tolist())])


def floor_candidates(played: Played, effort: float = 1.0, *, updates: bool = False) -> Candidates:
    """The floor's witness and its facts, of the mistakes or of all updates; `effort` scales the work."""
    value = bias_of(played.learner.family)
    rho = float(value)
    X, y, c = played.labelled
    theta2, work = squared(theta_of(played, rho, updates)) * (1 + 2.0**-48), WORK * effort
    pull2 = max(theta2, float(played.squares.mean()) + rho * rho if played.wrong.any() else 1.0)  # without a pull, that of a row
    best = least_vector(evenly(X, y, c, rho, work), LengthPrice(sqrt(pull2)), work)
    weights = played.all_rounds.weights

    def limit(u: np.ndarray) -> float:
        return float(np.maximum(0.0, 1.0 - y * (X @ u[:-1] + rho * u[-1])) @ weights) + sqrt(theta2 * float(u @ u))

    whole, exponent = quantised(best, limit=limit) if len(y) else (np.zeros(len(best), np.int64), 0)
    witness, u, bias = vector_of(played, whole, exponent, True)
    yield witness, {"L": loss_above(played, u, value, bias, exponent), "u2": above(squared(np.append(u, bias))), "theta2": above(theta2)}


PARTS = 6  # equal parts of the stream, at whose ends vectors may take turns
CHANGES = 3
LEAST = 1000  # labelled rounds, fewer of which say little of a change
BETTER = 0.9  # of the limit without a change: what is not smaller is not worth stating
WORTH = 0.95  # a change more must save a twentieth


def shifting_candidates(played: Played, effort: float = 1.0) -> Candidates:
    """Vectors that take turns: every stretch between two ends of equal parts has its vector, and the cheapest way through is taken."""
    X, y, c = played.labelled
    if len(y) < LEAST or played.run.order is not None or played.run.passes > 1:
        return
    value = bias_of(played.learner.family)
    rho, work = float(value), WORK * effort / 64
    (labelled,) = np.nonzero(played.whole.labels >= 0)
    errors = np.searchsorted(labelled + played.first, played.rows[played.wrong])
    signs, weights = played.y[played.wrong] * played.weights[played.wrong], played.all_rounds.weights

    def pull(lo: int, hi: int) -> float:
        """|θ| of a stretch, rounded up."""
        here = (errors >= lo) & (errors < hi)
        theta = np.append(X[errors[here]].T @ signs[here], rho * signs[here].sum())
        return sqrt(squared(theta)) * (1 + 2.0**-40 + len(here) * 2.0**-50)

    def fitted(lo: int, hi: int, work: float) -> tuple[np.ndarray, float]:
        """A vector for a stretch, and its limit there."""
        length = pull(lo, hi)
        price = LengthPrice(length or 1.0)
        u = least_vector(evenly(X[lo:hi], y[lo:hi], None if c is None else c[lo:hi], rho, work), price, work)
        return u, limit(lo, hi, length, u)

    def limit(lo: int, hi: int, length: float, u: np.ndarray) -> float:
        lost = np.maximum(0.0, 1.0 - y[lo:hi] * (X[lo:hi] @ u[:-1] + rho * u[-1])) @ weights[lo:hi]
        return float(lost) + length * sqrt(float(u @ u))

    ends = np.linspace(0, len(y), PARTS + 1).astype(int).tolist()
    costs = {(i, j): fitted(ends[i], ends[j], work)[1] for i in range(PARTS) for j in range(i + 1, PARTS + 1)}
    ways: list[tuple[float, tuple[int, ...]]] = [(costs[0, PARTS], (0, PARTS))]
    for changes in range(1, CHANGES + 1):
        for cut in combinations(range(1, PARTS), changes):
            way = (0, *cut, PARTS)
            ways.append((sum(costs[pair] for pair in pairwise(way)), way))
    least, way = min(ways, key=lambda way: way[0] / WORTH ** len(way[1]))
    if len(way) == 2 or least > BETTER * costs[0, PARTS]:
        return
    pieces, loss, price = [], 0.0, 0.0
    for lo, hi in pairwise(ends[k] for k in way):
        u, length = fitted(lo, hi, 8 * work)[0], pull(lo, hi)
        whole, exponent = quantised(u, limit=partial(limit, lo, hi, length))
        witness, plain, bias = vector_of(played, whole, exponent, True)
        sizes = abs(X[lo:hi]) @ np.abs(plain) + abs(rho * bias)
        margins = y[lo:hi] * (X[lo:hi] @ plain + rho * bias) - sizes * ((played.run.widest_row + 4) * 2.0**-52)
        loss += float(np.maximum(0.0, 1.0 - margins) @ weights[lo:hi]) * (1 + (hi - lo) * 2.0**-52)
        price += length * sqrt(squared(np.append(plain, bias))) * (1 + 2.0**-40)
        pieces.append((1 if lo == 0 else int(labelled[lo]) + played.first, witness))
    yield Vectors(pieces), {"L": above(loss), "price": above(price)}


def unit_of(X: Any, exponent: int) -> float:
    """Over which power of two all products with a vector that is whole over 2^exponent are whole numbers: that power."""
    smallest = float(np.abs(X.data[X.data != 0]).min(initial=1.0))
    return 2.0 ** (max(0, 24 - frexp(smallest)[1]) + max(0, exponent))


def loss_above(played: Played, u: np.ndarray, rho: Any, bias: float, exponent: int) -> Decimal:
    """Σ c·max(0, 1 - y·(u·x)) over all labelled rounds, rounded up; u is whole over 2^exponent, and so is the weight of the bias.

    Where all products, and all sums of them, are whole numbers below 2^53 over one power of two, doubles add u·x without an error.
    """
    (X, y, c), ever = played.labelled, float(rho) * bias
    sizes, unit = abs(X) @ np.abs(u) + abs(ever), unit_of(X, exponent) if u.any() else 1.0
    exact = float(rho) == rho and (ever * unit).is_integer() and float((sizes + 1.0).max(initial=0.0)) * unit < 2.0**53
    slips = 0.0 if exact else sizes * ((int(np.diff(X.indptr).max(initial=0)) + 4) * 2.0**-53)
    total = fsum((np.maximum(0.0, 1.0 - y * (X @ u + ever) + slips) * played.all_rounds.weights).tolist())
    return Decimal(total) if exact and c is None and total * unit < 2.0**53 else above(total)


def entropic_candidates(played: Played, effort: float = 1.0) -> Candidates:
    """A vector of few features with a small L + (U/η)·(ln 2Z - H), and its η: the learner's own, or one of a grid."""
    value = bias_of(played.learner.family)
    rho, own = float(value), played.learner.settings.get("eta")
    theta = theta_of(played, rho)
    idle = max(0, played.features + 1 - len(theta))  # features that no mistake has
    grid = [*(Fraction(2) ** k for k in range(-10, 4)), *([Fraction(own)] if isinstance(own, int | Fraction) and own > 0 else [])]

    def log_of_sum(eta: float) -> float:
        """ln 2Z."""
        powers = eta * np.abs(theta)
        top = float(powers.max(initial=0.0))
        return top + log(float((np.exp(powers - top) + np.exp(-powers - top)).sum()) + 2 * idle * exp(-top))

    top = float(np.abs(theta).max(initial=0.0))
    costs = {eta: log_of_sum(float(eta)) for eta in grid if float(eta) * top < MOST_POWER / 2}
    if not costs:
        return

    def rate(H: float) -> tuple[float, Fraction]:
        """What a unit of |u|₁ costs at the best η, given the entropy."""
        return min(((lnZ - H) / float(eta), eta) for eta, lnZ in costs.items())

    X, y, c = spread(*played.labelled, WORK * effort / 4)
    X = sparse.csr_matrix(sparse.hstack([X, sparse.csr_matrix(np.full((len(y), 1), rho))]))
    u = np.zeros(X.shape[1])
    for _ in range(2 if len(y) else 0):
        part, price = rounds(X, y, c), FlatPrice(max(rate(entropy_of(u))[0], 2.0**-20))
        search = SparseDescent(part, price, np.zeros(part.width), float(part.weights.sum()), 0.0, TOLERANCE, Work(effort))
        search.descend(WIDTHS[:6])
        u = search.best
    everything = played.all_rounds

    def limit(u: np.ndarray) -> float:
        gaps = np.maximum(0.0, 1.0 - everything.y * (everything.X @ u[:-1] + rho * u[-1]))
        return float(gaps @ everything.weights) + rate(entropy_of(u))[0] * float(np.abs(u).sum())

    whole, exponent = quantised(u, limit=limit) if len(y) else (u.astype(np.int64), 0)
    H = entropy_of(whole.astype(np.float64))
    eta = rate(H)[1]
    witness, plain, bias = vector_of(played, whole, exponent, True, eta)
    facts = {
        "U": witness.absolute(),
        "eta": eta,
        "H": below(H * (1 - 1e-9)) if H > 0 else Decimal(0),
        "lnZ": above(costs[eta] * (1 + 1e-9)),
    }
    yield witness, {**facts, "L": loss_above(played, plain, value, bias, exponent)}


def entropy_of(u: np.ndarray) -> float:
    """H of |u|/|u|₁."""
    p = np.abs(u[u != 0])
    p = p / p.sum() if len(p) else p
    return max(0.0, -float(p @ np.log(p))) if len(p) else 0.0


def dual_candidates(played: Played, effort: float = 1.0) -> Candidates:
    """A vector with a small L + |u|_q·|θ|_p."""
    value, p = bias_of(played.learner.family), power_of(played.learner.family)
    rho, (X, y, c) = float(value), spread(*played.labelled, WORK * effort / 8)
    theta = np.abs(theta_of(played, rho))
    top = float(theta.max(initial=0.0))
    pull = top * float(((theta / top) ** p).sum()) ** (1 / p) * (1 + 2.0**-34) if top else 0.0
    price = LengthPrice(pull or 1.0)
    best = pnorm_vector(sparse.csr_matrix(sparse.hstack([X, sparse.csr_matrix(np.full((len(y), 1), rho))])), y, c, p, price, effort)
    everything = played.all_rounds

    def limit(u: np.ndarray) -> float:
        gaps = np.maximum(0.0, 1.0 - everything.y * (everything.X @ u[:-1] + rho * u[-1]))
        return price.limit(float(gaps @ everything.weights), dual_length(u, p))

    whole, exponent = quantised(best, limit=limit) if len(y) else (best.astype(np.int64), 0)
    witness, u, bias = vector_of(played, whole, exponent, True)
    facts = {"uq": above(dual_length(np.append(u, bias), p)), "thetap": above(pull)}
    yield witness, {**facts, "L": loss_above(played, u, value, bias, exponent)}


#: By the bound's name.
FLOORS: dict[str, Callable[..., Candidates]] = {
    FLOOR.name: floor_candidates,
    SHIFTING.name: shifting_candidates,
    ENTROPIC.name: entropic_candidates,
    DUAL.name: dual_candidates,
    UPDATES.name: partial(floor_candidates, updates=True),
}
