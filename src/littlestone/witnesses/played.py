"""What a search for witnesses looks at: the rounds that taught the learner something, as one sparse matrix, and the stream's digest."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from scipy import sparse

from littlestone.errors import require
from littlestone.kernels import digest as kernel
from littlestone.protocol import Block
from littlestone.theory.numbers import float_above
from littlestone.witnesses.against import Whole

HEADER = b"littlestone stream 1\n"
MANY = 2**20  # columns whose names are kept at hand; the digits of higher ones are made when they come


class Digest:
    """SHA-256 over rounds, however they are cut into blocks; verifier/rounds.py says what is hashed.

    `names` are the names of the columns, in their order (a mapping, a list or a Vocabulary); there may be more of them with every block.
    """

    def __init__(self, names: Any, *, weighted: bool, boolean: bool, segment: bool) -> None:
        self.sha = hashlib.sha256(HEADER + b"boolean\n" * boolean + b"segment\n" * segment)
        self.weighted = weighted
        self.given = names
        self.keys, self.words, self.lengths = np.empty(0, np.uint64), np.empty(0, np.uint64), np.empty(0, np.uint8)
        self.starts, self.names = np.zeros(1, np.int64), np.empty(0, np.uint8)
        self.out = np.empty(0, np.uint8)

    def _number(self, columns: int) -> None:
        """Columns are named by their digits."""
        self.words, self.lengths = np.empty(min(2 * columns, MANY), np.uint64), np.empty(min(2 * columns, MANY), np.uint8)
        kernel.numbered(0, self.words, self.lengths)

    def _take_names(self, names: Any) -> None:
        """The new names as bytes: the first eight as one number, what decides their order as another, and all of them."""
        first = len(self.words)
        name = getattr(names, "name", None)  # a vocabulary gives the last ones without going through all
        new = map(name, range(first, len(names))) if name else islice(names, first, None)
        raw = [one.encode("utf-8", "surrogatepass") for one in new]
        sizes = np.fromiter(map(len, raw), np.int64, len(raw))
        ends = np.cumsum(sizes)
        added = np.frombuffer(b"".join(raw), np.uint8)
        places = (ends - sizes)[:, None] + np.arange(8)
        firsts = np.where(np.arange(8) < sizes[:, None], np.append(added, np.uint8(0))[np.minimum(places, len(added))], np.uint8(0))
        keys = np.minimum(sizes, 255).astype(np.uint64) << np.uint64(56) | firsts.view(">u8").ravel().astype(np.uint64) >> np.uint64(8)
        self.keys = np.concatenate([self.keys, keys])
        self.words = np.concatenate([self.words, firsts.view("<u8").ravel().astype(np.uint64)])
        self.lengths = np.concatenate([self.lengths, np.where(sizes <= 8, sizes, kernel.LONG).astype(np.uint8)])
        self.starts = np.concatenate([self.starts, self.starts[-1] + ends])
        self.names = np.concatenate([self.names, added])

    def add(self, block: Block) -> None:
        columns = int(block.indices.max()) + 1 if len(block.indices) else 0
        sizes = 10 * len(block.indices)
        if self.given and columns:
            if columns > len(self.words):
                self._take_names(self.given)
            sizes = int((self.starts[1:][block.indices] - self.starts[block.indices]).sum())
        elif columns > len(self.words) < MANY:
            self._number(columns)
        room = sizes + 5 * len(block.indices) + 6 * len(block) + kernel.SPARE
        if len(self.out) < room:
            self.out = np.empty(2 * room, np.uint8)
        bits = None if block.values is None else block.values.view(np.int32)
        weights = None
        if self.weighted:
            given = np.ones(len(block), np.float32) if block.weights is None else block.weights
            weights = given.view(np.int32)
        size = kernel.encode(
            block.indptr, block.indices, bits, block.labels, weights, self.keys, self.words, self.lengths, self.starts, self.names, self.out
        )
        self.sha.update(self.out[:size])  # type: ignore[arg-type]

    def text(self) -> str:
        return "sha256:" + self.sha.hexdigest()


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
    met: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))  # columns that some row has

    @cached_property
    def whole(self) -> Whole:
        """Every row, with a label or without."""
        parts, start = [], 0
        for given in self.again() if self.again else ():
            lo, hi = max(0, self.first - 1 - start), min(len(given), self.last - start)
            start += len(given)
            if lo < hi:
                block = given.cut(lo, hi)
                values = np.ones(len(block.indices), np.float32) if block.values is None else block.values.copy()
                parts.append((np.diff(block.indptr), block.indices.copy(), values, block.labels.copy()))
        return Whole.of(parts, self.first, self.name)

    @cached_property
    def observed(self) -> int | float:
        """The mistakes; with weights, their sum, the next double above it."""
        if self.c is None:
            return self.run.mistakes
        return float_above(sum(map(Fraction, self.c[self.wrong].tolist()), Fraction(0)))

    @cached_property
    def every(self) -> tuple[sparse.csr_matrix, np.ndarray, np.ndarray]:
        """All labelled rounds: features, labels +1 or -1, and which of them taught."""
        parts: list[tuple[np.ndarray, ...]] = []
        start = 0
        for given in self.again() if self.again else ():
            lo, hi = max(0, self.first - 1 - start), min(len(given), self.last - start)
            which = np.flatnonzero(given.labels[lo:hi] >= 0) + lo if lo < hi else np.empty(0, np.int64)
            parts.append((*rows_of(given, which), which + start + 1))
            start += len(given)
        lengths, indices, values, y, rows = map(np.concatenate, zip((*NOTHING, np.empty(0, np.int64)), *parts, strict=True))
        return matrix(lengths, indices, values, self.X.shape[1]), np.where(y, 1.0, -1.0), np.flatnonzero(np.isin(rows, self.rows))

    def name(self, column: int) -> str:
        return str(column) if self.names is None else self.names[column]

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
) -> Played:
    """Look at the stream once more: its digest, and the rounds on which the learner was wrong or updated.

    `first` is the row, counted from 0, with which the run began; rows before it are passed over, as are rows after its last.
    """
    digest = Digest(names, weighted=run.weighted, boolean=boolean, segment=segment)
    parts: list[tuple[np.ndarray, ...]] = []
    seen = np.zeros(1024, np.bool_)
    start, total, positives, wrongs = 0, len(run.predictions), 0, 0
    for given in blocks:
        lo, hi = max(0, first - start), min(len(given), first + total - start)
        start += len(given)
        if lo >= hi:
            continue
        block = given if (lo, hi) == (0, len(given)) else given.cut(lo, hi)
        at = start - len(given) + lo - first  # of the run's rows, the block's first
        digest.add(block)
        if len(block.indices):
            top = int(block.indices.max())
            if top >= len(seen):
                seen = np.concatenate([seen, np.zeros(max(2 * len(seen), top + 1) - len(seen), np.bool_)])
            seen[block.indices if block.values is None else block.indices[block.values != 0]] = True
        told = block.labels >= 0
        wrong = told & (run.predictions[at : at + len(block)] != (block.labels == 1))
        taught = wrong if updates is None else wrong | (updates[at : at + len(block)] & told)
        positives, wrongs = positives + int((block.labels == 1).sum()), wrongs + int(wrong.sum())
        (which,) = np.nonzero(taught)
        weights = np.ones(len(which)) if block.weights is None else block.weights[which].astype(np.float64)
        parts.append((*rows_of(block, which), wrong[which], which + first + at + 1, weights))
    matches = start >= first + total and (positives, wrongs) == (run.positives, run.mistakes)
    require(matches, "X and y are not what this run was played on: other rounds, other labels, or another order")
    nothing = (*NOTHING, np.empty(0, np.bool_), np.empty(0, np.int64), np.empty(0))
    lengths, indices, values, y, wrong, rows, weights = map(np.concatenate, zip(nothing, *parts, strict=True))
    y = np.where(y, 1.0, -1.0)
    return Played(
        run.learner, run, matrix(lengths, indices, values), y, wrong.astype(bool), rows, weights if run.weighted else None,
        list(names) if names else None, int(seen.sum()), digest.text(), first + 1, first + total, again, np.flatnonzero(seen),
    )  # fmt: skip


NOTHING = (np.empty(0, np.int64), np.empty(0, np.uint32), np.empty(0), np.empty(0, np.bool_))


def rows_of(block: Block, which: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Some rows of a block: how long each is, their indices and values, and whether their labels are 1s."""
    lengths = np.diff(block.indptr)[which]
    where = np.repeat(block.indptr[which] - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths) + np.arange(lengths.sum())
    values = np.ones(len(where)) if block.values is None else block.values[where].astype(np.float64)
    return lengths, block.indices[where], values, block.labels[which] == 1


def matrix(lengths: np.ndarray, indices: np.ndarray, values: np.ndarray, width: int = 1) -> sparse.csr_matrix:
    width = max(int(indices.max()) + 1 if len(indices) else 1, width)
    return sparse.csr_matrix((values, indices.astype(np.int32), np.concatenate([[0], np.cumsum(lengths)])), shape=(len(lengths), width))
