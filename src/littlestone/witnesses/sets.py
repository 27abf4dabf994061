"""Sets of variables: the S that makes cost·|S| + A_S small, A_S its attribute errors, for Winnow's bounds in hindsight.

A round labelled 1 costs (k - active)₊, any other (active - k + 1)₊, active the variables of S that are on in it; k = 1 for disjunctions.
Greedy, then local search (`native/search/cover.h`), then exactly by HiGHS: a linear program, whose value no set can beat; variables that
its reduced costs rule out are dropped, and branch and bound settles the rest.

Over the mistake rounds of a run of Winnow, cost = L, the best set for k = 1 is always the empty one: the theorem's own proof says
P ≤ L·|S| + A_S for every S, and P is what the empty set costs.  Over all rounds the best S says something about the stream.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array, eye_array, hstack

from littlestone.errors import require
from littlestone.kernels import native
from littlestone.theory.numbers import Exact
from littlestone.theory.winnow import promotions_of_one_weight
from littlestone.witnesses.rows import steps

LARGE = 400_000  # entries beyond which nobody asks HiGHS unless told to
DOMINATED = 3_000  # columns beyond which pairs are not compared
BUDGET = 12_000_000  # entries that local search may read
NODES = 500  # of branch and bound
DUST = 1e-6  # what HiGHS may be off by, in proportion
GREEDY = 2_000_000  # entries from which on a set over all rounds is looked for greedily alone


class SetWitness(NamedTuple):
    """A set of columns. `gap` is how far its total may be from the least one, proven by HiGHS; None where nobody asked."""

    set: np.ndarray
    errors: int
    total: int  # cost·|S| + errors
    how: str  # "exact", "greedy" or "work limit"
    gap: int | None


class Eliminated(NamedTuple):
    """A set for Winnow with elimination. `gap` is how far its bound may be from the least one of any set."""

    set: np.ndarray
    errors: int  # B: 1s without a living active member
    living: int
    how: str
    gap: Fraction | None


def disjunction_set(X: Any, positive: Any, *, cost: int, effort: float = 1.0, exact: bool | None = None, weights: Any = None) -> SetWitness:
    """The set S of columns with the least cost·|S| + A_S, A_S = missed 1s without an active member + active members on the 0s.

    X is a sparse matrix or array of rounds, what counts is which entries are not 0; `positive` has their labels. `exact` forces or forbids
    the search for the best set, which else depends on size. `weights` are whole numbers, how often each round counts.

    >>> disjunction_set([[1, 0, 1], [1, 1, 0], [1, 0, 0], [0, 1, 1]], [1, 1, 1, 0], cost=2)
    SetWitness(set=array([0]), errors=0, total=2, how='exact', gap=0)
    """
    return k_of_r_set(X, positive, k=1, cost=cost, effort=effort, exact=exact, weights=weights)


def k_of_r_set(
    X: Any, positive: Any, *, k: int, cost: int, effort: float = 1.0, exact: bool | None = None, weights: Any = None
) -> SetWitness:
    """The same for "at least k of S": A_S = Σ (k - active)₊ over the 1s + Σ (active - k + 1)₊ over the 0s.

    >>> k_of_r_set([[1, 1, 1], [1, 1, 0], [1, 0, 0], [0, 1, 1]] * 3, [1, 1, 0, 0] * 3, k=2, cost=2)
    SetWitness(set=array([0, 1]), errors=0, total=4, how='exact', gap=0)
    """
    require(int(cost) == cost >= 0, f"cost={cost!r} must be a whole number, 0 or more: what one variable costs")
    require(int(k) == k >= 1, f"k={k!r} must be a whole number, 1 or more")
    full = presence(X)
    label = np.asarray(positive).astype(bool)
    require(len(label) == full.shape[0], f"{len(label)} labels for {full.shape[0]} rounds")
    counts = np.ones(len(label), np.int64) if weights is None else np.asarray(weights, np.int64)
    return cheapest_set(full, label, int(k), np.full(full.shape[1], int(cost)), counts, effort, exact)


def elimination_set(X: Any, positive: Any, *, theta: Exact, effort: float = 1.0, exact: bool | None = None) -> Eliminated:
    """The set for which Winnow with elimination has the least bound (`theory.winnow_elimination.agnostic`); rounds in their order.

    A variable serves the 1s that come before the first 0 it is on in, and lives if there is no such 0. So with later entries struck out
    the 0s can go, and a set costs 2·B + Σ (2L - 2^L/θ if it lives, else 2L): in units of 1/(numerator of θ) all whole numbers.

    >>> elimination_set([[1, 1], [0, 1], [1, 0], [1, 0], [0, 1]], [1, 0, 1, 1, 1], theta=2)
    Eliminated(set=array([0]), errors=1, living=1, how='exact', gap=Fraction(0, 1))
    """
    full, label = presence(X), np.asarray(positive).astype(bool)
    require(len(label) == full.shape[0], f"{len(label)} labels for {full.shape[0]} rounds")
    theta = Fraction(theta)
    L, unit = promotions_of_one_weight(2, theta), theta.numerator
    dead = np.full(full.shape[1], len(label))
    row = np.repeat(np.arange(len(label)), np.diff(full.indptr))
    np.minimum.at(dead, full.indices[~label[row]], row[~label[row]])
    kept = label[row] & (row < dead[full.indices])
    ends = np.concatenate([[0], np.cumsum(kept)])[full.indptr]
    served = csr_array((full.data[kept], full.indices[kept], ends), shape=full.shape)[label]
    prices = np.where(dead == len(label), max(0, 2 * L * unit - 2**L * theta.denominator), 2 * L * unit)
    counts = np.full(served.shape[0], 2 * unit)
    cover = cheapest_set(served, np.ones(len(counts), bool), 1, prices, counts, effort, exact)
    lives = dead == len(label)
    chosen = np.union1d(cover.set, np.flatnonzero(lives)) if L == 0 else cover.set  # at L = 0 a living variable is free
    living = int(lives[chosen].sum())
    return Eliminated(chosen, cover.errors // (2 * unit), living, cover.how, None if cover.gap is None else Fraction(cover.gap, unit))


def labelled_presence(played: Any) -> tuple[csr_array, np.ndarray]:
    """Which features are on in each labelled round of a stream, and which of these rounds are 1s."""
    labelled = played.whole.labels >= 0
    return presence(played.whole.X if labelled.all() else played.whole.X[labelled]), played.whole.labels[labelled] == 1


def cover_of(rows: csr_array, positive: np.ndarray, chosen: np.ndarray) -> dict[str, int]:
    """The facts of a set over these rounds (`theory.all_rounds.CoverMeter`)."""
    row = np.repeat(np.arange(len(positive)), np.diff(rows.indptr))
    dead = np.full(rows.shape[1], len(positive))
    np.minimum.at(dead, rows.indices[~positive[row]], row[~positive[row]])
    member, met = np.zeros(rows.shape[1], np.bool_), np.zeros(rows.shape[1], np.bool_)
    member[chosen], met[rows.indices] = True, True
    covered = np.zeros(len(positive), np.bool_)
    covered[row[member[rows.indices] & (row < dead[rows.indices])]] = True
    living, drops = int((member & met & (dead == len(positive))).sum()), len(np.unique(dead[member & (dead < len(positive))]))
    return {"errors": int((positive & ~covered).sum()) + drops, "drops": drops, "living": living, "met": int(met.sum())}


def cheapest_set(
    X: csr_array, positive: np.ndarray, k: int, prices: np.ndarray, weights: np.ndarray, effort: float, exact: bool | None
) -> SetWitness:
    """The columns with the least sum of prices and errors, a round counting `weights` times."""
    task = Task.of(X, positive, weights, k, prices)
    picked, least = solve(task, effort, exact)
    chosen = np.sort(task.columns[picked])
    errors = attribute_errors(X, positive, chosen, k, weights)
    total = int(prices[chosen].sum()) + errors
    how = "exact" if least is not None and least >= total else "greedy" if least is None else "work limit"
    return SetWitness(chosen, errors, total, how, None if least is None else max(0, total - least))


def presence(X: Any) -> csr_array:
    """Which features are on in which round, as compressed sparse rows without stored zeros."""
    rows = csr_array(X)
    if rows.nnz and not rows.data.all():
        rows = rows.copy()
        rows.eliminate_zeros()
    indptr, indices = rows.indptr.astype(np.int64, copy=False), rows.indices.astype(np.int32, copy=False)
    return csr_array((np.ones(len(indices), np.int8), indices, indptr), shape=rows.shape)


def attribute_errors(X: csr_array, positive: np.ndarray, chosen: np.ndarray, k: int = 1, weights: np.ndarray | None = None) -> int:
    """A_S on these rounds."""
    member = np.zeros(X.shape[1], np.int64)
    member[chosen] = 1
    active = X @ member
    errors = np.maximum(0, np.where(positive, k - active, active - k + 1))
    return int(errors.sum() if weights is None else errors @ weights)


class Task(NamedTuple):
    """What is left to decide: rows that some column can serve, and columns that may be worth their price."""

    rows: csr_array
    positive: np.ndarray
    weights: np.ndarray
    prices: np.ndarray
    columns: np.ndarray  # their numbers in the whole matrix
    k: int
    settled: int  # what the rows left out cost, whatever is chosen

    @classmethod
    def of(cls, X: csr_array, positive: np.ndarray, weights: np.ndarray, k: int, prices: np.ndarray) -> Task:
        """Drop columns that can never pay: none is worth more than while nothing is chosen. With k = 1 the 0s are part of the price."""
        if k == 1:
            prices = prices + X.T @ np.where(positive, 0, weights)
            X, weights, positive = X[positive], weights[positive], positive[positive]
        savings = X.T @ np.where(positive, weights, 0)
        columns = np.flatnonzero(savings > prices)
        rows = X[:, columns] if len(columns) < X.shape[1] else X
        served = np.diff(rows.indptr) > 0
        settled = k * int(weights[~served & positive].sum())
        if not served.all():
            rows, positive, weights = rows[served], positive[served], weights[served]
        return cls(rows, positive, weights, prices[columns], columns, k, settled)

    def narrowed(self) -> Task:
        """The same with equal rows as one, and with k = 1 without columns that another, no dearer, serves as well."""
        task = self._merged()
        if self.k == 1 and 1 < len(task.columns) <= DOMINATED:
            both = (task.rows.T.astype(np.int64) @ task.rows.astype(np.int64)).tocoo()
            first, other = both.coords
            size, price = np.bincount(task.rows.indices, minlength=len(task.columns)), task.prices
            within = (first != other) & (both.data == size[first]) & (price[first] >= price[other])
            twins = (size[first] == size[other]) & (price[first] == price[other])
            needless = first[within & (~twins | (first > other))]
            if len(needless):
                kept = np.setdiff1d(np.arange(len(task.columns)), needless)
                task = task._replace(rows=task.rows[:, kept], prices=price[kept], columns=task.columns[kept])._merged()
        return task

    def _merged(self) -> Task:
        rows = self.rows.copy()
        rows.sort_indices()
        place: dict[tuple[bytes, bool], int] = {}
        indptr, indices = rows.indptr, rows.indices
        first: list[int] = []
        group = np.empty(len(self.positive), np.int64)
        for i, label in enumerate(self.positive.tolist()):
            key = (indices[indptr[i] : indptr[i + 1]].tobytes(), label)
            group[i] = place.setdefault(key, len(place))
            if group[i] == len(first):
                first.append(i)
        total = np.zeros(len(first), np.int64)
        np.add.at(total, group, self.weights)
        return self._replace(rows=rows[first], positive=self.positive[first], weights=total)

    def cost_of(self, picked: np.ndarray) -> int:
        """What these columns cost, and the rows they leave wanting."""
        return int(self.prices[picked].sum()) + self.settled + attribute_errors(self.rows, self.positive, picked, self.k, self.weights)


def solve(task: Task, effort: float, exact: bool | None) -> tuple[np.ndarray, int | None]:
    """The columns of the task to choose, and what no choice can undercut (None where nobody asked)."""
    if not len(task.columns):
        return np.empty(0, np.int64), task.settled
    picked = heuristic(task)
    if exact is False or (exact is None and task.rows.nnz > LARGE):
        return picked, None
    narrow = task.narrowed()
    where = np.searchsorted(task.columns, narrow.columns)
    again = heuristic(narrow)
    best = min(narrow.cost_of(again), task.cost_of(picked))
    if narrow.cost_of(again) == best:
        picked = where[again]
    columns, least = by_highs(narrow, best, effort)
    if columns is not None and narrow.cost_of(columns) < best:
        picked = where[columns]
    return picked, min(least, task.cost_of(picked))


def heuristic(task: Task) -> np.ndarray:
    """Greedy, then local search."""
    rows, columns = task.rows, task.rows.tocsc()
    arrays = (
        rows.indptr.astype(np.int64), rows.indices.astype(np.int32), columns.indptr.astype(np.int64), columns.indices.astype(np.int32),
        task.positive, task.weights, task.k, -task.prices, np.zeros(rows.shape[1], np.bool_), np.zeros(rows.shape[0], np.int64),
    )  # fmt: skip
    cover = native.core.Cover(*arrays)
    cover.appraise()
    cover.greedy()
    cover.improve(BUDGET)
    return np.flatnonzero(arrays[8])


def by_highs(task: Task, best: int, effort: float) -> tuple[np.ndarray | None, int]:
    """Columns that cost less than `best`, if there are any and the work allows; and a number that no choice undercuts."""
    from scipy.optimize import Bounds, LinearConstraint, linprog, milp  # a second to import, and not every run searches

    (m, n), k = task.rows.shape, task.k
    sign = np.where(task.positive, -1, 1)  # lacking ≥ k - held on the 1s, excess ≥ held - k + 1 on the rest
    A = hstack([task.rows.astype(float) * sign[:, None], -eye_array(m)], format="csr")
    b = np.where(task.positive, -k, k - 1).astype(float)
    c = np.concatenate([task.prices, task.weights]).astype(float)
    low, high = np.zeros(n + m), np.concatenate([np.ones(n), np.full(m, np.inf)])
    ranges: Any = np.stack([low, high], axis=1)
    relaxed: Any = linprog(c, A_ub=A, b_ub=b, bounds=ranges, method="highs", options=steps(effort))
    if relaxed.status != 0:
        return None, task.settled
    least = task.settled + whole_above(relaxed.fun)
    if least >= best:
        return None, min(least, best)
    room = best - 1 - task.settled - relaxed.fun + DUST * max(1, best)  # a better choice lies no further above the relaxed one
    high[:n][relaxed.lower.marginals[:n] > room] = 0
    low[:n][relaxed.upper.marginals[:n] < -room] = 1
    whole = np.concatenate([np.ones(n), np.zeros(m)])
    options: Any = {"node_limit": int(NODES * effort), "mip_rel_gap": 0.99 / max(1, best)}  # totals are whole numbers
    settled: Any = milp(c, integrality=whole, bounds=Bounds(low, high), constraints=LinearConstraint(A, -np.inf, b), options=options)
    if settled.status == 2:  # none is left that costs less than `best`
        return None, best
    if settled.mip_dual_bound is not None:
        least = max(least, min(best, task.settled + whole_above(settled.mip_dual_bound)))
    columns = None if settled.x is None else np.flatnonzero(settled.x[:n] > 0.5)
    if columns is not None and settled.status == 0:
        least = min(best, task.cost_of(columns))
    return columns, least


def whole_above(x: float) -> int:
    """The least whole number that a sum of whole numbers with this lower bound can be."""
    return int(np.ceil(x - DUST * max(1.0, abs(x))))
