"""The matrix that a run of several classes is compared with: a small hinge loss over all rounds, at a small price of its length.

With Kesler's construction a matrix is one long vector, and a round with class y beside a rival j a row of it: x in the place of y, -x in
that of j.  Which rival is the strongest depends on the matrix, so it is chosen anew a few times: the vector with the least limit over the
pairs so far says the next rival of each round.  It begins with one machine for each class against the others.  Multiples of a matrix have
multiples of its margins, so the best of them is soon found, whatever the bound charges.

The work is counted in entries, never in seconds, and whatever is found is measured on every round.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import fsum, sqrt
from typing import Any, Self

import numpy as np
from scipy import sparse

from littlestone.protocol import Block
from littlestone.theory.bound import Bound
from littlestone.theory.class_floor import CLASS_FLOOR
from littlestone.theory.comparators.matrix import Matrix
from littlestone.witnesses.floor import LengthPrice, Quadratic, least_vector, spread, unit_of
from littlestone.witnesses.quantised import quantised, value_of
from littlestone.witnesses.rounding import above
from littlestone.witnesses.rows import Price, best_scale, euclidean, rounds
from littlestone.witnesses.taught_rounds import Candidates

MOST = 20_000_000  # entries of a matrix
WORK = 30_000_000  # entries of rows that a search may look at
CHOICES = 4  # how often the strongest rivals are chosen


@dataclass(frozen=True)
class ClassRows:
    """All labelled rounds."""

    X: sparse.csr_matrix
    codes: np.ndarray  # their classes
    weights: np.ndarray
    classes: int
    name: Callable[[int], str]

    @classmethod
    def of(cls, blocks: Iterable[Block], codes: np.ndarray, classes: int, name: Callable[[int], str]) -> Self:
        """Of blocks whose rounds have these classes, -1 for none."""
        ends, indices, values, weights = [np.zeros(1, np.int64)], [np.empty(0, np.int32)], [np.empty(0)], [np.empty(0)]
        for block in blocks:
            ends.append(np.diff(block.indptr))
            indices.append(block.indices.astype(np.int32))
            values.append(np.ones(len(block.indices)) if block.values is None else block.values.astype(np.float64))
            weights.append(np.ones(len(block)) if block.weights is None else block.weights.astype(np.float64))
        columns, labelled = np.concatenate(indices), codes >= 0
        X = sparse.csr_matrix(
            (np.concatenate(values), columns, np.cumsum(np.concatenate(ends))), shape=(len(codes), int(columns.max(initial=0)) + 1)
        )
        return cls(X[labelled], codes[labelled].astype(np.int64), np.concatenate(weights)[labelled], classes, name)

    @property
    def longest(self) -> Fraction:
        """The largest |x|², a little above."""
        square = float(self.X.power(2).sum(axis=1).max()) if self.X.nnz else 0.0
        return Fraction(square) * (1 + Fraction(self.X.shape[1] + 4, 2**52))

    def scores(self, U: np.ndarray, biased: bool) -> np.ndarray:
        """u_c·x of each round and class; U has a column for each class, and a last row for the bias."""
        return self.X @ U[:-1] + U[-1] if biased else self.X @ U

    def margins(self, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """u_y·x minus the largest score of another class, and which one that is; without another class, a margin of 1."""
        every = np.arange(len(self.codes))
        others = scores.copy()
        others[every, self.codes] = -np.inf
        rivals = others.argmax(axis=1) if self.classes > 1 else self.codes
        return (scores[every, self.codes] - others[every, rivals] if self.classes > 1 else np.ones(len(every))), rivals


@dataclass(frozen=True)
class BanditPrice:
    """B = L + |U|R·√(b·B + g·T), the rounds in which the best guess of the Banditron is wrong."""

    R2: float
    b: float
    gT: float

    def limit(self, loss: float, size: float) -> float:
        D = size * size * self.R2
        return loss + (D * self.b + sqrt(D * D * self.b**2 + 4 * D * (self.b * loss + self.gT))) / 2

    def rate(self, limit: float) -> float:
        return sqrt(self.R2 * (self.b * limit + self.gT))

    def least(self, total: float, pull: float) -> float:
        return 0.0


def price_of(bound: Bound, facts: Mapping[str, Any]) -> Price:
    """What the bound charges for length, given the facts that no matrix changes."""
    if bound is CLASS_FLOOR:
        return LengthPrice(sqrt(float(facts["theta2"])) or 1.0)
    if "explore" in facts:
        e, k = float(facts["explore"]), max(1, int(facts["first"]))
        g = e * (k - 1) / (k - e * (k - 1))
        return BanditPrice(float(facts["R2"]), k / e + 1 - g, g * float(facts["T"]))
    return Quadratic(float(facts["kappa"]))


def matrix_candidates(bound: Bound, data: ClassRows, measured: Callable[[Bound, Any], Mapping[str, Any]], effort: float) -> Candidates:
    """A matrix with a small limit, and its facts."""
    biased, k = bound is CLASS_FLOOR, data.classes
    unit = Matrix([({}, 0)] * (k - 1) + [({"": 1}, 0)]) if k else Matrix([])  # of length 1
    facts = dict(measured(bound, unit))
    price = price_of(bound, facts | {"kappa": facts.get("K", 0)})
    U = best_matrix(data, price, biased, effort)

    def limit(flat: np.ndarray) -> float:
        margins = data.margins(data.scores(flat.reshape(U.shape), biased))[0]
        return price.limit(float(np.maximum(0.0, 1.0 - margins) @ data.weights), euclidean(flat))

    whole, exponent = quantised(U.ravel(), limit=limit) if U.any() else (np.zeros(U.size, np.int64), 0)
    matrix = as_witness(whole.reshape(U.shape), exponent, data, biased)
    yield matrix, {**facts, **measured(bound, matrix), "L": loss_above(data, value_of(whole, exponent).reshape(U.shape), exponent, biased)}


def as_witness(whole: np.ndarray, exponent: int, data: ClassRows, biased: bool) -> Matrix:
    """Whole numbers over 2^exponent, a column for each class, as they are written down."""
    up = max(0, -exponent)
    rows = []
    for c in range(data.classes):
        column = whole[:-1, c] if biased else whole[:, c]
        weights = {data.name(int(i)): int(column[i]) << up for i in np.flatnonzero(column)}
        rows.append((weights, int(whole[-1, c]) << up if biased else 0))
    return Matrix(rows, exponent + up)


def loss_above(data: ClassRows, U: np.ndarray, exponent: int, biased: bool) -> Decimal:
    """The hinge loss over all rounds, rounded up; U is whole over 2^exponent, and where sums of products are whole numbers below 2^53
    over one power of two, doubles add without an error."""
    if data.classes < 2 or not len(data.codes):
        return Decimal(0)
    size = np.abs(U).max(axis=1)
    sizes = abs(data.X) @ (size[:-1] if biased else size) + (size[-1] if biased else 0.0)
    unit = unit_of(data.X, exponent)
    exact = float(sizes.max(initial=0.0) + 1.0) * 2 * unit < 2.0**53
    slips = 0.0 if exact else sizes * ((int(np.diff(data.X.indptr).max(initial=0)) + 4) * 2.0**-51)
    total = fsum((np.maximum(0.0, 1.0 - data.margins(data.scores(U, biased))[0] + slips) * data.weights).tolist())
    return Decimal(total) if exact and bool((data.weights == 1).all()) and total * unit < 2.0**53 else above(total)


def best_matrix(data: ClassRows, price: Price, biased: bool, effort: float) -> np.ndarray:
    """A matrix with a small limit, a column for each class; 0 where there is nothing to gain, or too much to look at."""
    (count, width), k = data.X.shape, data.classes
    best = np.zeros((width + biased, k))
    if k < 2 or not data.X.nnz or best.size > MOST:
        return best
    value, work = price.limit(float(data.weights.sum()), 0.0), WORK * effort / (2 * k + 2 * CHOICES)
    start = np.zeros_like(best)
    for c in range(k):
        X, signs, weights = spread(data.X, np.where(data.codes == c, 1.0, -1.0), data.weights, work)
        start[:, c] = least_vector(rounds(X, signs, weights, float(biased)), price, work)[: width + biased] / 2
    U, pairs = start, np.empty(0, np.int64)
    for _ in range(CHOICES):
        margins, rivals = data.margins(data.scores(U, biased))
        scale, limit = best_scale(price, margins, data.weights, euclidean(U.ravel()))
        if limit < value:
            best, value = scale * U, limit
        pairs = np.union1d(pairs, np.arange(count) * k + rivals)
        t, j = pairs // k, pairs % k
        shares = data.weights[t] / np.bincount(t, minlength=count)[t]
        long = kesler(data.X, t, data.codes[t], j, k, biased)
        U = least_vector(rounds(*spread(long, np.ones(len(t)), shares, work)), price, work).reshape(k, width + biased).T
    return best


def kesler(X: sparse.csr_matrix, t: np.ndarray, y: np.ndarray, j: np.ndarray, k: int, biased: bool) -> sparse.csr_matrix:
    """For each round t of class y beside a rival j: x in the place of y and -x in the place of j, of vectors that lie one after another."""
    if biased:
        X = sparse.csr_matrix(sparse.hstack([X, sparse.csr_matrix(np.ones((X.shape[0], 1)))]))
    width, part = X.shape[1], X[t]
    lengths = np.diff(part.indptr)
    at = np.repeat(y * width, lengths) + part.indices, np.repeat(j * width, lengths) + part.indices
    rows = np.repeat(np.arange(len(t)), lengths)
    entries = np.concatenate([part.data, -part.data])
    return sparse.csr_matrix((entries, (np.concatenate([rows, rows]), np.concatenate(at))), shape=(len(t), k * width))
