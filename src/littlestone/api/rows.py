"""The stream as it was played: so many passes over it, a segment of it, or in the order in which labels came."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from littlestone.errors import require
from littlestone.protocol import Block
from littlestone.rounds.reading import ROW_VERSION

MOST = 50_000_000  # entries of rows that are kept in memory, so that a stream need not be read again

OTHER = "X and y are not what this run was played on: other rounds, other labels, or another order"


@dataclass
class PlayedRows:
    """Blocks of the rounds that a run played, as often as they are asked for, and what a certificate says of their stream."""

    source: Callable[[], Iterator[Block]]  # one pass
    first: int = 0  # the row with which the run began, counted from 0
    total: int = 0
    segment: bool = False
    passes: int = 1
    delay: int | None = None
    order: list[int] | None = None  # for each label in the order of the stream, the row it belongs to, from 1; 0 where it belongs to none
    columns: int | None = None
    names: Any = None
    boolean: bool = False
    weighted: bool = False
    labels: Callable[[], Any] = lambda: None
    reading: Callable[[], dict[str, Any] | None] = lambda: None
    label_weights: Callable[[], list[float] | None] = lambda: None  # what the user says that rounds weigh, by their label
    kept: list[Block] | None = field(default=None, repr=False)
    arrivals: np.ndarray | None = None  # the rows in the order in which their labels came, counted from 0
    arrived: Callable[[], Iterator[Block]] | None = None  # where labels came by name: one pass over the rows as they came

    def blocks(self) -> Iterator[Block]:
        """All passes, from the first row of the stream on; read once where they fit into memory."""
        for _ in range(self.passes):
            yield from self.once()

    def once(self) -> Iterator[Block]:
        if self.kept is not None:
            yield from self.kept
            return
        tape, size = [], 0
        for block in self.source():
            size += len(block.indices) + len(block)
            if size <= MOST:
                tape.append(block.copy())
            else:
                tape.clear()
            yield block
        self.kept = tape if size <= MOST else None

    def cut(self) -> Iterator[Block]:
        """The rounds of the run alone, where it played a segment."""
        start = 0
        for block in self.blocks():
            lo, hi = max(0, self.first - start), min(len(block), self.first + self.total - start)
            start += len(block)
            if lo < hi:
                yield block.cut(lo, hi)

    def served(self, per_row: np.ndarray) -> np.ndarray:
        """Something of each row of the run, in the order in which this gives the rows."""
        return per_row if self.arrivals is None else per_row[self.arrivals]

    def stated(self, digest: str) -> dict[str, Any]:
        """What a certificate says of the stream."""
        stated: dict[str, Any] = {
            "digest": digest,
            "rows": [self.first + 1, self.first + self.total],
            "segment": self.segment,
            "boolean": self.boolean,
            "weighted": self.weighted,
            "labels": self.labels(),
            "experts": None,
            "row_version": ROW_VERSION,
        }
        more = {
            "reading": self.reading(),
            "label_weights": self.label_weights(),
            "passes": None if self.passes == 1 else self.passes,
            "delay": self.delay or None,
            "order": self.order,
        }
        return stated | {key: value for key, value in more.items() if value is not None}


def in_order_told(rows: PlayedRows, run: Any) -> PlayedRows:
    """The rounds in the order in which their labels came by name, each with its label; rounds whose label never came are left out."""
    require(rows.passes == 1, "labels that come by name belong to one pass over the stream")
    blocks = [block.copy() for block in rows.once()]
    whole = Block.joined(blocks)
    names = [name for block in blocks for name in (block.ids or [None] * len(block))]
    order, labelled, labels = told_by_name(whole.labels, names, np.diff(whole.indptr) == 0)
    require(labelled == run.order.tolist(), OTHER)
    numbers = np.array(labelled, np.int64)
    made = replace(whole.rows(numbers), labels=np.array(labels, np.int32))
    return replace(
        rows, source=lambda: made.pieces(), kept=None, first=0, total=len(labelled), order=order, arrivals=numbers, arrived=rows.source
    )


def told_by_name(codes: np.ndarray, names: Sequence[str | None], bare: np.ndarray) -> tuple[list[int], list[int], list[int]]:
    """To which row each label belongs, counted from 1, and 0 where to none; the rows in the order of their labels, from 0; these labels.

    A label in a row that is `bare` and has a name belongs to the last row of that name without one.
    """
    waiting: dict[str, int] = {}
    order, labelled, labels = [], [], []
    for t, (y, name) in enumerate(zip(codes.tolist(), names, strict=True)):
        brought = y >= 0 and name is not None and bare[t]
        if y < 0:
            if name is not None:
                waiting[name] = t
            continue
        row = waiting.pop(name, None) if brought else t  # type: ignore[arg-type]
        order.append(0 if row is None else row + 1)
        if row is not None:
            labelled.append(row)
            labels.append(y)
    return order, labelled, labels
