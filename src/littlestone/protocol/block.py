"""A Block: a few thousand rounds, the unit in which everything flows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from littlestone.errors import LittlestoneError, require
from littlestone.kernels.native import core
from littlestone.protocol.owners import Owners

ROWS = 4096  # a block of this many rows of text stays in the second-level cache or near it


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
    first_round: int = 0  # where in its stream the block begins, and in which lines of which file its rows stand: for messages
    origin: str = ""
    lines: np.ndarray | None = None
    ids: list[str | None] | None = None  # what its rows are called, where they have such
    keys: Owners | None = None  # whose rounds they are, where each key has a learner of its own
    examined: tuple | None = None  # what `examine` found, where somebody has looked already
    part: Any = None  # who has its features, where a worker has read them: here it has none
    far = None  # where the rounds lie, if workers hold them (`far.FarBlock`)

    def __post_init__(self) -> None:
        rows, features = np.size(self.labels), np.size(self.indices)
        if not (
            _is(self.indptr, np.int64, rows + 1)
            and _is(self.indices, np.uint32, features)
            and _is(self.labels, np.int32, rows)
            and (self.values is None or _is(self.values, np.float32, features))
            and (self.weights is None or _is(self.weights, np.float32, rows))
        ):
            arrays = (self.indptr, self.indices, self.values, self.labels, self.weights)
            shown = ("None" if array is None else f"{np.asarray(array).dtype}{list(np.shape(array))}" for array in arrays)
            raise LittlestoneError(
                "a Block takes arrays of one dimension: indptr int64 (one entry more than labels), indices uint32, values float32 (as many "
                f"as indices) or None, labels int32, weights float32 (as many as labels) or None; got {', '.join(shown)}"
            )

    def __len__(self) -> int:
        return len(self.labels)

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(owned(state))

    def __sizeof__(self) -> int:
        """About how many bytes it takes: whoever thinks of moving it asks."""
        arrays = (self.indptr, self.indices, self.values, self.labels, self.weights, self.lines)
        own = 0 if self.keys is None else self.keys.nbytes
        return sum(array.nbytes for array in arrays if array is not None) + 64 * len(self.ids or ()) + own

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

    def copy(self) -> Block:
        """The same rounds in memory of their own."""
        arrays: dict[str, Any] = {name: value.copy() for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        return replace(self, **arrays)

    def place(self, k: int) -> str:
        """Where position k of the indices is, for messages: its round, or line, and the feature."""
        t = int(np.searchsorted(self.indptr, k, side="right")) - 1
        return f"{self.round(t)}: feature {self.indices[k]}"

    def round(self, t: int) -> str:
        """Row t, for messages: its line in its file, or the number of its round, both counted from 1."""
        return f"round {self.first_round + t + 1}" if self.lines is None else f"{self.origin}, line {self.lines[t]}"

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
            self.origin,
            None if self.lines is None else self.lines[start:stop],
            None if self.ids is None else self.ids[start:stop],
            None if self.keys is None else self.keys.cut(start, stop),
        )

    def here(self) -> Block:
        """The same rounds with their features, wherever they were."""
        return self

    def relabelled(self, labels: np.ndarray) -> Block:
        """The same rounds with these labels."""
        return replace(self, labels=labels)

    def labelled(self, y: int) -> Block:
        """The same rounds with this label."""
        return replace(self, labels=np.full(len(self), y, np.int32))

    @property
    def any_empty(self) -> bool:
        """Has a round no feature?"""
        return bool((np.diff(self.indptr) == 0).any())

    def rows(self, numbers: np.ndarray) -> Block:
        """These rounds of it, in this order."""
        self._require_growth()
        ends = np.concatenate(([0], np.cumsum(np.diff(self.indptr)[numbers]))).astype(np.int64)
        indices, values = np.empty(ends[-1], np.uint32), None if self.values is None else np.empty(ends[-1], np.float32)
        core.pick_rows(self.indptr, self.indices, self.values, numbers, ends, indices, values)
        weights = None if self.weights is None else self.weights[numbers]
        return Block(ends, indices, values, self.labels[numbers], weights)

    def pieces(self, size: int = ROWS) -> Iterator[Block]:
        """The same in blocks of that many rounds, sharing memory."""
        for start in range(0, len(self), size):
            yield self.cut(start, min(start + size, len(self)))

    @classmethod
    def joined(cls, blocks: Sequence[Block]) -> Block:
        """One block of all of them."""
        valued = any(block.values is not None for block in blocks)
        weighed = any(block.weights is not None for block in blocks)
        ends = np.cumsum([0, *(len(block.indices) for block in blocks)])
        return cls(
            np.concatenate([np.zeros(1, np.int64), *(block.indptr[1:] + start for block, start in zip(blocks, ends, strict=False))]),
            np.concatenate([np.empty(0, np.uint32), *(block.indices for block in blocks)]),
            np.concatenate([or_ones(block.values, len(block.indices)) for block in blocks]) if valued else None,
            np.concatenate([np.empty(0, np.int32), *(block.labels for block in blocks)]),
            np.concatenate([or_ones(block.weights, len(block)) for block in blocks]) if weighed else None,
        )

    @classmethod
    def ranges(cls, blocks: Iterable[Block], size: int) -> Iterator[Block]:
        """The same rounds in fewer blocks, each of at least so many features and rows together, and of one file."""
        held: list[Block] = []
        for block in blocks:
            if held and (held[0].origin != block.origin or sum(len(part.indices) + len(part) for part in held) >= size):
                yield cls._range(held)
                held = []
            held.append(block.copy())
        if held:
            yield cls._range(held)

    @classmethod
    def _range(cls, blocks: list[Block]) -> Block:
        first = blocks[0]
        lines = None if first.lines is None else np.concatenate([block.lines for block in blocks])
        ids = None if first.ids is None else [name for block in blocks for name in block.ids or ()]
        return replace(cls.joined(blocks), first_round=first.first_round, origin=first.origin, lines=lines, ids=ids)

    def ordered(self) -> Block:
        """Return the same rounds as learners take them: no feature with value 0, and those of a row sorted by their index.

        A row in which a feature stands twice keeps its zeros: it is refused when the block is checked.

        >>> block = Block.of([{2: 3.0, 0: 1.0, 1: 0.0}], [1]).ordered()
        >>> block.indices.tolist(), block.values.tolist()
        ([0, 2], [1.0, 3.0])
        """
        values = self.values
        bits = None if values is None else values.view(np.int32)
        if self.examined is None:
            self._require_growth()
        sizes = core.examine(self.indptr, self.indices, bits) if self.examined is None else self.examined
        _, _, unsorted, _, least, _ = sizes
        zeros = values is not None and least <= 0 and bool((values == 0).any())
        if not (unsorted or zeros):
            return self if self.examined is not None else replace(self, examined=sizes)
        indptr, indices, values = self.indptr, self.indices.copy(), None if values is None else values.copy()
        if unsorted:
            core.sort_rows(indptr, indices, values)
            sizes = core.examine(indptr, indices, None if values is None else values.view(np.int32))
        if zeros and not sizes[2]:
            indptr = indptr.copy()
            remain = core.drop_zeros(indptr, indices, values)
            indices, values = indices[:remain], values[:remain]  # type: ignore[index]
            sizes = core.examine(indptr, indices, values.view(np.int32))
        return replace(self, indptr=indptr, indices=indices, values=values, examined=sizes)

    def _require_growth(self) -> None:
        """Refuse row pointers that native code would follow out of the arrays; a checked block has none."""
        require(core.longest_row(self.indptr, len(self.indices)) >= 0, f"block.indptr must grow from 0 to at most {len(self.indices)}")

    def silent(self) -> Block:
        """The same rounds without labels and weights: to predict them, and learn nothing."""
        return replace(self, labels=np.full(len(self), -1, np.int32), weights=None)

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
            raise LittlestoneError(
                f"{self.place(k)} has value {self.values[k]:g}, and this learner "
                "takes boolean features (0 or 1); use --boolean (boolean=True in Python) to take presence only",
                feature=int(self.indices[k]),
            )
        if np.isnan(self.values).any():
            return self  # refused by name when the block is checked
        kept = np.concatenate(([0], np.cumsum(~zeros)))
        return replace(self, indptr=kept[self.indptr].astype(np.int64), indices=self.indices[~zeros], values=None, examined=None)


@dataclass(frozen=True, eq=False)
class LentBlock:
    """Rounds where they lie, in a matrix of the user's: whoever plays them copies each row first, and checks the copy.

    `indptr`, of 32 bits or 64, has grown and stayed within `indices` and `values`, no row longer than `widest`; others may write to it
    since, so whoever plays asks again. `labels` are a copy, in one byte each.
    """

    indptr: np.ndarray
    indices: np.ndarray
    values: np.ndarray | None
    labels: np.ndarray
    widest: int
    copied_from: Callable[[int], Block]  # the rounds from one of them on, as a block in memory of its own
    ids: None = None

    def __len__(self) -> int:
        return len(self.labels)


def owned(state: dict[str, Any]) -> dict[str, Any]:
    """What came from another process, in arrays that may be written to: a user's function would be compiled anew for others."""
    fixed = (name for name, value in state.items() if isinstance(value, np.ndarray) and not value.flags.writeable)
    return state | {name: state[name].copy() for name in fixed}


def _is(array: Any, kind: type[np.generic], size: int) -> bool:
    return isinstance(array, np.ndarray) and array.dtype == kind and array.shape == (size,)


def or_ones(numbers: np.ndarray | None, count: int) -> np.ndarray:
    """Values, or weights, where there are some; else so many ones."""
    return np.ones(count, np.float32) if numbers is None else numbers
