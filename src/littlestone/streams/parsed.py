"""What a reader makes of a piece of a stream, before anybody knows which label is which."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.protocol.block import Block
from littlestone.protocol.owners import Owners
from littlestone.rounds.faults import Fault
from littlestone.rounds.features import LARGEST

if TYPE_CHECKING:
    from littlestone.rounds.reading import Reading
    from littlestone.streams.vocabulary import RowStamps, Vocabulary


class Parsed:
    """Some rows as arrays. They may lie in memory that is used again: good until the stream is asked for the next piece.

    A reader parses on any thread, so features that have no column yet wait for `settle`, which the stream calls in the order of the pieces.
    """

    path: str = ""
    unit = "line"  # what `lines` counts; "row", of a table that is not text
    label_column: int | str = 1  # where in a line labels stand, or the name of their column
    labels: np.ndarray  # float64, NaN where there is none; positions in `words` where that is not None
    words: list[str] | None = None  # the different labels of this piece, where they are text (numbers among them too)
    truths = False  # are they truth values, of a column that holds such?
    weights: np.ndarray | None = None  # float32
    ids: list[str | None] | None = None
    keys: Owners | None = None  # whose round each is, where each key has a learner of its own
    indptr: np.ndarray  # int64
    indices: np.ndarray  # uint32
    values: np.ndarray | None  # float32; None: all are 1
    lines: np.ndarray  # int64: the line of each row, counted from 0 at the beginning of the piece
    line_count: int = 0
    faults: list[tuple[int, Fault]]  # by line, counted likewise; rows that have one are not among the rows
    examined: tuple | None = None  # what `examine` of the native core found, where it has been called
    scratch: Any = None  # memory to be used again, once the rows have been played

    def settle(self, names: Vocabulary) -> None:
        """Give every feature its column."""

    def settle_in_order(self, names: Vocabulary | None) -> None:
        """Give every feature its column as `settle` does, names that are new in a row in the order of their bytes; and drop zeros, and sort
        the features of each row by column."""
        if names is None or names.bits is not None:
            self.settle(names)  # type: ignore[arg-type]
        else:
            with names.held() as known:
                self.settle(names)
                if len(names) > known:
                    self.indices = names.renumber(known, self.indptr, self.indices, self.values)
        self.order()

    def order(self) -> None:
        """Drop zeros, and sort the features of each row by column."""
        block = Block(self.indptr, self.indices, self.values, np.zeros(len(self.labels), np.int32)).ordered()
        self.indptr, self.indices, self.values, self.examined = block.indptr, block.indices, block.values, block.examined

    def add_up(self, stamps: RowStamps, columns: int) -> None:
        """Sum features that stand twice in a row, at their first place."""
        if self.values is None:
            self.values = np.ones(len(self.indices), np.float32)
        remain, beyond = stamps.add_up(self.indptr, self.indices, self.values, columns)
        self.indices, self.values, self.examined = self.indices[:remain], self.values[:remain], None
        if len(beyond):
            self.refuse(beyond, lambda _: Fault(None, "features that add up to infinity", f"sums of size at most {LARGEST:.6g}"))

    def refuse(self, rows: np.ndarray, fault_of: Callable[[int], Fault]) -> None:
        """Rows that turned out to be none are left out; each is a fault."""
        self.faults += [(int(self.lines[row]), fault_of(row)) for row in rows.tolist()]
        bad = np.zeros(len(self.labels), np.bool_)
        bad[rows] = True
        self.leave_out(bad)

    def leave_out(self, bad: np.ndarray) -> None:
        """Drop the rows that `bad` marks."""
        good, sizes = ~bad, np.diff(self.indptr)
        keep = np.repeat(good, sizes)
        self.indices, self.values = self.indices[keep], None if self.values is None else self.values[keep]
        self.labels, self.lines = self.labels[good], self.lines[good]
        self.weights = None if self.weights is None else self.weights[good]
        self.ids = None if self.ids is None else [id for id, kept in zip(self.ids, good.tolist(), strict=True) if kept]
        self.keys = None if self.keys is None else self.keys.rows(np.flatnonzero(good))
        self.indptr = np.concatenate(([0], np.cumsum(sizes[good]))).astype(np.int64)
        self.examined = None


class CodedRows(Parsed):
    """Rows whose features are places in `names`, in the order in which they first appear, until `settle` gives these their columns."""

    names: list[str] | None = None  # None: `indices` are there already
    codes: np.ndarray  # int32

    def __init__(self, path: str, reading: Reading, unit: str) -> None:
        self.path, self.reading, self.unit = path, reading, unit
        self.faults: list[tuple[int, Fault]] = []

    def settle(self, names: Any) -> None:
        if self.names is None:
            return
        if names is None or not self.reading.by_name:
            self.indices = np.array(self.names, np.uint32)[self.codes] if self.names else np.empty(0, np.uint32)
            return
        self.examined = None
        if self.reading.bits is None:
            self.indices = names.columns_of(self.names)[self.codes]
            return
        self.indices = names.columns_in_rows(self.names, self.codes, self.indptr)
        if len(names.stamps.repeats(self.indptr, self.indices, len(names))):  # names that share a bucket
            self.indptr, self.values = self.indptr.copy(), None if self.values is None else self.values.copy()  # they may be Arrow's
            self.add_up(names.stamps, len(names))
