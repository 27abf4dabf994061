"""A Block: a few thousand rounds, the unit in which everything flows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from littlestone.errors import LittlestoneError, require
from littlestone.kernels import rows

ROWS = 2048  # a block of this many rows of text stays in the second-level cache
INFINITY_BITS = 0x7F800000


@dataclass(frozen=True, eq=False)
class Block:
    """Rounds as compressed sparse rows.

    `labels` are codes: 1, 0, or -1 for a round without a label, which is predicted and not counted. `values` is None when
    every listed feature simply has value 1.

    >>> block = Block.of([[0, 2], [], [1]], [1, 0, -1])
    >>> len(block), block.indices.tolist(), block.values is None
    (3, [0, 2, 1], True)
    """

    indptr: np.ndarray
    indices: np.ndarray
    values: np.ndarray | None
    labels: np.ndarray
    weights: np.ndarray | None = None
    first_round: int = 0  # where in its stream the block begins: for messages

    def __post_init__(self) -> None:
        for name, dtype in (("indptr", np.int64), ("indices", np.uint32), ("labels", np.int32)):
            array = getattr(self, name)
            require(array.dtype == dtype and array.ndim == 1, f"block.{name} must be a flat array of {dtype.__name__}")
        require(len(self.indptr) == len(self.labels) + 1, "block.indptr must have one entry more than block.labels")
        require(
            self.indptr[0] == 0 and self.indptr[-1] == len(self.indices),
            f"block.indptr must run from 0 to {len(self.indices)}, the number of indices",
        )
        if self.values is not None:
            require(
                self.values.dtype == np.float32 and len(self.values) == len(self.indices),
                "block.values must be float32, one for each index",
            )

    def __len__(self) -> int:
        return len(self.labels)

    @classmethod
    def of(cls, rows, labels) -> Block:
        """A block from lists of active features, or of {feature: value}; for examples and tests."""
        indptr = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        indices = np.array([i for row in rows for i in row], dtype=np.uint32)
        values = None
        if any(isinstance(row, dict) for row in rows):
            values = np.array([v for row in rows for v in row.values()], dtype=np.float32)
        return cls(indptr, indices, values, np.asarray(labels, dtype=np.int32))

    def rounds(self) -> Iterator[tuple[np.ndarray, np.ndarray | None, int]]:
        """Each round as (indices, values, label)."""
        for t in range(len(self)):
            row = slice(self.indptr[t], self.indptr[t + 1])
            yield self.indices[row], None if self.values is None else self.values[row], int(self.labels[t])

    def cut(self, start: int, stop: int) -> Block:
        """The rounds from start to stop, sharing memory."""
        lo, hi = self.indptr[start], self.indptr[stop]
        values = None if self.values is None else self.values[lo:hi]
        weights = None if self.weights is None else self.weights[start:stop]
        return Block(
            self.indptr[start : stop + 1] - lo,
            self.indices[lo:hi],
            values,
            self.labels[start:stop],
            weights,
            self.first_round + start,
        )

    def largest_value(self) -> float:
        """max|x_i|; refuses infinity and NaN by name."""
        if self.values is None:
            return 1.0 if len(self.indices) else 0.0
        if not len(self.values):
            return 0.0
        positive, negative = rows.largest_bits(self.values.view(np.int32), self.values.view(np.uint32))
        below = int(negative) - 2**31 if negative >= 2**31 else 0
        if max(int(positive), below) >= INFINITY_BITS:
            k = int(np.flatnonzero(~np.isfinite(self.values))[0])
            t = int(np.searchsorted(self.indptr, k, side="right")) - 1
            raise LittlestoneError(
                f"round {self.first_round + t + 1}: the value of feature {self.indices[k]} is {self.values[k]}; "
                "expected a finite number"
            )
        return float(np.int32(max(int(positive), below, 0)).view(np.float32))

    def presence(self, *, any_value: bool) -> Block:
        """The same rounds with presence only: zeros dropped, and every other value taken for 1 (or refused, unless any_value)."""
        if self.values is None:
            return self
        ones = self.values == 1
        if ones.all():
            return replace(self, values=None)
        zeros = self.values == 0
        if not any_value and not (ones | zeros).all():
            k = int(np.flatnonzero(~(ones | zeros))[0])
            t = int(np.searchsorted(self.indptr, k, side="right")) - 1
            raise LittlestoneError(
                f"round {self.first_round + t + 1}: feature {self.indices[k]} has value {self.values[k]:g}, and this learner "
                "takes boolean features (0 or 1); use --boolean (boolean=True in Python) to take presence only"
            )
        kept = np.concatenate(([0], np.cumsum(~zeros)))
        return replace(self, indptr=kept[self.indptr].astype(np.int64), indices=self.indices[~zeros], values=None)
