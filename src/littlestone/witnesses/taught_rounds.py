"""What a search for witnesses looks at: the rounds that taught the learner something, as one sparse matrix, and the stream's digest."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy import sparse

from littlestone.errors import require
from littlestone.protocol import Block
from littlestone.theory.comparators.feature_set import Features
from littlestone.theory.numbers import float_above
from littlestone.witnesses.contradictions import WholeStream
from littlestone.witnesses.stream_digest import Digest

#: What a search yields: a witness, and what it makes of the rounds.
Candidates = Iterator[tuple[Any, dict[str, Any]]]


@dataclass(frozen=True, eq=False)
class Played:
    """The rounds that taught, and what the whole stream says."""

    learner: Any
    run: Any
    X: sparse.csr_matrix  # the rounds that taught, float64
    y: np.ndarray  # their labels, +1 or -1
    wrong: np.ndarray  # which of them were mistakes
    rows: np.ndarray  # where they stand in the stream, counted from 1
    c: np.ndarray | None  # their weights, None where every round weighs 1
    names: Sequence[str] | None  # of the columns, None where a column is named by its number
    features: int  # distinct, in the whole stream
    digest: str
    first: int
    last: int
    again: Callable[[], Iterable[Block]] | None = None  # the stream once more
    memo: dict[str, Any] = field(default_factory=dict)  # what two searches need and one has found
    met: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))  # columns that some row has

    @cached_property
    def _whole(self) -> tuple[WholeStream, np.ndarray]:
        parts, weights = [], [np.empty(0, np.float32)]
        for block, _ in rows_between(self.again() if self.again else (), self.first - 1, self.last):
            values = np.ones(len(block.indices), np.float32) if block.values is None else block.values.copy()
            parts.append((np.diff(block.indptr), block.indices.copy(), values, block.labels.copy()))
            weights.append(np.ones(len(block), np.float32) if block.weights is None else block.weights.copy())
        return WholeStream.of(parts, self.first, self.name), np.concatenate(weights)

    @property
    def whole(self) -> WholeStream:
        """Every row, with a label or without."""
        return self._whole[0]

    @cached_property
    def labelled(self) -> tuple[sparse.csr_matrix, np.ndarray, np.ndarray | None]:
        """All labelled rounds, whatever the learner hears of them: features, labels +1 or -1, and weights, None where each weighs 1."""
        (labelled,) = np.nonzero(self.whole.labels >= 0)
        X = sparse.csr_matrix(self.whole.X[labelled], dtype=np.float64)
        c = None if self.c is None else self._whole[1][labelled].astype(np.float64)
        return X, np.where(self.whole.labels[labelled] == 1, 1.0, -1.0), c

    @cached_property
    def observed(self) -> int | float:
        """The mistakes; with weights, their sum, the next double above it."""
        if self.c is None:
            return self.run.mistakes
        return float_above(sum(map(Fraction, self.c[self.wrong].tolist()), Fraction(0)))

    @cached_property
    def all_rounds(self) -> Self:
        """The same with all labelled rounds in the place of those that taught: what a search over all rounds looks at."""
        X, y, c = self.labelled
        return replace(self, X=X, y=y, c=c)

    @cached_property
    def every(self) -> tuple[sparse.csr_matrix, np.ndarray, np.ndarray]:
        """All labelled rounds: features, labels +1 or -1, and which of them taught."""
        if self.learner.family.passed_on:  # a learner inside another hears of nothing else
            return self.X, self.y, np.arange(len(self.y))
        X, y, _ = self.labelled
        (rows,) = np.nonzero(self.whole.labels >= 0)
        return X, y, np.flatnonzero(np.isin(rows + self.first, self.rows))

    def name(self, column: int) -> str:
        return str(column) if self.names is None else self.names[column]

    def set_of(self, columns: Iterable[Any], k: int = 1) -> Features:
        """Some columns as a witness, k of which make a 1."""
        return Features(frozenset(self.name(int(i)) for i in columns), k)

    @property
    def mistakes(self) -> list[int]:
        return self.rows[self.wrong].tolist()

    @property
    def also(self) -> list[int]:
        return self.rows[~self.wrong].tolist()

    @cached_property
    def squares(self) -> np.ndarray:
        """|x|² of each round, rounded up a little."""
        X = self.X
        squared = sparse.csr_matrix((X.data * X.data, X.indices, X.indptr), shape=X.shape)
        return (squared @ np.ones(X.shape[1])) * (1 + (self.run.widest_row + 4) * 2.0**-52)

    @cached_property
    def sizes(self) -> sparse.csr_matrix:
        """|x_i| of each round."""
        return abs(self.X)

    @cached_property
    def weights(self) -> np.ndarray:
        return np.ones(len(self.y)) if self.c is None else self.c


def gather(
    run: Any,
    blocks: Iterable[Block],
    names: Iterable[str] | None,
    updates: np.ndarray | None,
    *,
    boolean: bool = False,
    first: int = 0,
    segment: bool = False,
    again: Callable[[], Iterable[Block]] | None = None,
    sealed: bool = True,
) -> Played:
    """Look at the stream once more: its digest (none where nothing is to be sealed), and the rounds on which the learner was wrong or
    updated.

    `first` is the row, counted from 0, with which the run began; rows before it are passed over, as are rows after its last.
    """
    digest = Digest(names, weighted=run.weighted, boolean=boolean, segment=segment) if sealed else None
    parts: list[tuple[np.ndarray, ...]] = []
    seen = np.zeros(1024, np.bool_)
    rows, total, positives, wrongs = 0, len(run.codes), 0, 0
    for block, start in rows_between(blocks, first, first + total):
        at = start - first  # of the run's rows, the block's first
        rows += len(block)
        if digest is not None:
            digest.add(block)
        if len(block.indices):
            top = int(block.indices.max())
            if top >= len(seen):
                seen = np.concatenate([seen, np.zeros(max(2 * len(seen), top + 1) - len(seen), np.bool_)])
            seen[block.indices if block.values is None else block.indices[block.values != 0]] = True
        labelled = block.labels >= 0
        wrong = labelled & (run.codes[at : at + len(block)] != (block.labels == 1))
        taught = wrong if updates is None else wrong | (updates[at : at + len(block)] & labelled)
        positives, wrongs = positives + int((block.labels == 1).sum()), wrongs + int(wrong.sum())
        (which,) = np.nonzero(taught)
        weights = np.ones(len(which)) if block.weights is None else block.weights[which].astype(np.float64)
        parts.append((*rows_of(block, which), wrong[which], which + first + at + 1, weights))
    matches = (rows, positives, wrongs) == (total, run.positives, run.mistakes)
    require(matches, "X and y are not what this run was played on: other rounds, other labels, or another order")
    kinds = (np.int64, np.uint32, np.float64, np.bool_, np.bool_, np.int64, np.float64)
    nothing = tuple(np.empty(0, kind) for kind in kinds)  # of a stream without a mistake
    lengths, indices, values, y, wrong, places, weights = map(np.concatenate, zip(nothing, *parts, strict=True))
    y = np.where(y, 1.0, -1.0)
    return Played(
        run.learner, run, matrix(lengths, indices, values), y, wrong.astype(bool), places, weights if run.weighted else None,
        list(names) if names else None, int(seen.sum()), "" if digest is None else digest.text(), first + 1, first + total, again,
        met=np.flatnonzero(seen),
    )  # fmt: skip


def rows_between(blocks: Iterable[Block], first: int, last: int) -> Iterator[tuple[Block, int]]:
    """The blocks cut to the rows from `first` to before `last`, counted from 0, and the row that each begins with."""
    start = 0
    for block in blocks:
        lo, hi = max(0, first - start), min(len(block), last - start)
        if lo < hi:
            yield block if (lo, hi) == (0, len(block)) else block.cut(lo, hi), start + lo
        start += len(block)


def rows_of(block: Block, which: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Some rows of a block: how long each is, their indices and values, and whether their labels are 1s."""
    lengths = np.diff(block.indptr)[which]
    where = np.repeat(block.indptr[which] - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths) + np.arange(lengths.sum())
    values = np.ones(len(where)) if block.values is None else block.values[where].astype(np.float64)
    return lengths, block.indices[where], values, block.labels[which] == 1


def matrix(lengths: np.ndarray, indices: np.ndarray, values: np.ndarray) -> sparse.csr_matrix:
    width = int(indices.max()) + 1 if len(indices) else 1
    return sparse.csr_matrix((values, indices.astype(np.int32), np.concatenate([[0], np.cumsum(lengths)])), shape=(len(lengths), width))
