"""The whole stream in arrays, and where it contradicts what was declared: the quick twin of `theory.contradictions.Rows`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from littlestone.theory import contradictions as plain
from littlestone.theory.classes import PlainClass
from littlestone.theory.contradictions import TOLERANCE, Contradiction
from littlestone.witnesses.consistent import same_instance


@dataclass(frozen=True, eq=False)
class WholeStream(plain.Looks):
    """Every row of a stream, zeros left out; the first has number `first`, and `name` names a column."""

    X: csr_array  # float32
    labels: np.ndarray  # 1, 0, or -1 for none
    first: int
    name: Callable[[int], str]

    @staticmethod
    def of(parts: list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]], first: int, name: Callable[[int], str]) -> WholeStream:
        """From the lengths of rows, their columns, their values, their labels, block by block."""
        nothing = (np.empty(0, np.int64), np.empty(0, np.uint32), np.empty(0, np.float32), np.empty(0, np.int32))
        lengths, indices, values, labels = map(np.concatenate, zip(nothing, *parts, strict=True))
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        width = int(indices.max()) + 1 if len(indices) else 1
        X = csr_array((values, indices.astype(np.int64 if width >= 2**31 else np.int32), indptr), shape=(len(labels), width))
        X.eliminate_zeros()
        return WholeStream(X, labels, first, name)

    @cached_property
    def met(self) -> int:
        """Features that are on in some labelled row."""
        return int((self.count(self.labels >= 0) > 0).sum())

    @cached_property
    def row_of(self) -> np.ndarray:
        """The row of each entry."""
        return np.repeat(np.arange(len(self.labels)), np.diff(self.X.indptr))

    def count(self, rows: np.ndarray) -> np.ndarray:
        """In how many of these rows each column is on."""
        return np.bincount(self.X.indices[rows[self.row_of]], minlength=self.X.shape[1])

    def _short(self, entries: np.ndarray) -> np.ndarray:
        """How many of these entries each row has."""
        return np.bincount(self.row_of[entries], minlength=len(self.labels))

    def instance(self, t: int) -> dict[str, float]:
        lo, hi = self.X.indptr[t], self.X.indptr[t + 1]
        return {self.name(int(i)): float(v) for i, v in zip(self.X.indices[lo:hi], self.X.data[lo:hi], strict=True)}

    def labelled(self) -> Iterator[tuple[int, bool, dict[str, float]]]:
        for t in np.flatnonzero(self.labels >= 0).tolist():
            yield t + self.first, bool(self.labels[t] == 1), self.instance(t)

    def example(self, row: int) -> tuple[bool, dict[str, float]]:
        return bool(self.labels[row - self.first] == 1), self.instance(row - self.first)

    @cached_property
    def _twins(self) -> Contradiction | None:
        twins = same_instance(self.X, self.labels)
        return None if twins is None else plain.seen_before(twins.second + self.first, twins.first + self.first)

    def same_instance(self) -> Contradiction | None:
        return self._twins

    def uncovered(self) -> Contradiction | None:
        zeros = (self.labels == 0)[self.row_of]
        struck = np.full(self.X.shape[1], -1)
        struck[self.X.indices[zeros][::-1]] = self.row_of[zeros][::-1]  # the first such row is written last
        (against,) = np.nonzero((self.labels == 1) & (self._short(struck[self.X.indices] < 0) == 0))
        if not len(against):
            return None
        t = int(against[0])
        rows = struck[self.X.indices[self.X.indptr[t] : self.X.indptr[t + 1]]] + self.first
        return plain.struck_out(t + self.first, rows.tolist())

    def apart(self, r: int) -> Contradiction | None:
        ones = self.labels == 1
        left = (self.count(self.labels == 0) == 0)[self.X.indices] & ones[self.row_of]
        ends = np.searchsorted(self.row_of[left], np.arange(len(self.labels) + 1))
        columns = self.X.indices[left]
        chosen: list[int] = []
        used = np.zeros(self.X.shape[1], np.bool_)
        for t in np.flatnonzero(ones).tolist():
            mine = columns[ends[t] : ends[t + 1]]
            if not used[mine].any():
                used[mine] = True
                if len(chosen) == r:
                    return plain.spread(t + self.first, chosen)
                chosen.append(t + self.first)
        return None

    def featureless(self) -> Contradiction | None:
        (empty,) = np.nonzero((self.labels >= 0) & (np.diff(self.X.indptr) == 0))
        return plain.nothing_on(int(empty[0]) + self.first) if len(empty) else None

    def satisfied(self) -> Contradiction | None:
        ones = self.labels == 1
        if not ones.any():
            return None
        on = self.count(ones)
        always, never = on == ones.sum(), on == 0
        full = self._short(always[self.X.indices]) == always.sum()
        (against,) = np.nonzero((self.labels == 0) & full & (self._short(never[self.X.indices]) == 0))
        return plain.satisfies_all(int(against[0]) + self.first) if len(against) else None

    def oversized(self, R: Fraction | None, X: Fraction | None, rho2: Fraction) -> Contradiction | None:
        """Rows that doubles call near the limit are looked at exactly; the squares of float32 are exact in doubles, their sum nearly."""
        near = np.zeros(len(self.labels), np.bool_)
        if R is not None:
            squares = np.bincount(self.row_of, self.X.data.astype(np.float64) ** 2, len(self.labels)) + float(rho2)
            near |= squares * (1 + 1e-6) >= float(R**2)
        if X is not None:
            largest = np.zeros(len(self.labels))
            np.maximum.at(largest, self.row_of, np.abs(self.X.data).astype(np.float64))
            near |= largest * (1 + 1e-6) >= float(X)
        for t in np.flatnonzero(near & (self.labels >= 0)).tolist():
            values = [Fraction(float(v)) for v in self.X.data[self.X.indptr[t] : self.X.indptr[t + 1]]]
            if R is not None and sum((v * v for v in values), rho2) > R**2 * TOLERANCE:
                return plain.longer(t + self.first, R)
            if X is not None and max(map(abs, values), default=Fraction(0)) > X * TOLERANCE:
                return plain.beyond(t + self.first, X)
        return None

    def emptied(self, concepts: PlainClass) -> Contradiction | None:
        (labelled,) = np.nonzero(self.labels >= 0)
        indices, indptr = self.X.indices.tolist(), self.X.indptr.tolist()
        rows = ([self.name(i) for i in indices[indptr[t] : indptr[t + 1]]] for t in labelled.tolist())
        rounds = zip(rows, (self.labels[labelled] == 1).tolist(), strict=True)
        for t, alive in zip(labelled.tolist(), concepts.living(rounds), strict=True):
            if not alive:
                return plain.left_none(t + self.first)
        return None
