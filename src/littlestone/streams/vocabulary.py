"""Names of features and their columns: a vocabulary in the order in which they first appear in the stream, or a hash of each."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from secrets import randbits
from typing import Any, NamedTuple

import numpy as np

from littlestone.errors import require
from littlestone.kernels.native import core

LARGEST_COLUMN = 2**31 - 1
SLACK = 80  # bytes that a text has behind what is spoken of: parsers look at many at a time
SEED = 0x9E3779B97F4A7C15  # of the hash that says where --bits puts a name, as `rounds.features.hash64` has it
TABLE_SEED = randbits(64)  # of tables of names in this process: whoever writes a file cannot know which would fall together in it
UNKNOWN = np.uint32(2**32 - 1)  # the column of a name that waits for one
COMPARED = 24  # features of a row that are compared with each other; rows with more use stamps
SMALL = 2**16  # tables up to this many names grow to less than a quarter full: they still fit the cache, and most searches are one look


class Snapshot(NamedTuple):
    """What a parser on another thread may look up: names with columns below `known`, whatever is added meanwhile.

    Arrays are replaced when they grow, never resized, so these stay good.
    """

    slots: np.ndarray
    hashes: np.ndarray
    starts: np.ndarray
    names: np.ndarray
    known: int


NOTHING = Snapshot(np.zeros(1, np.uint64), np.zeros(1, np.uint64), np.zeros(1, np.int64), np.zeros(8, np.uint8), 0)


def name_columns(snapshot: Snapshot | None, bits: int, prints: np.ndarray, waiting: np.ndarray) -> Any:
    """Where a parser puts the columns of names: from the table, where `waiting` takes those that are new; or, with bits, from their hashes,
    of which `prints` take the other half."""
    return core.NameColumns(*(snapshot or NOTHING), bits, prints, waiting, SEED if bits else TABLE_SEED)


class Settled(NamedTuple):
    """What is known of rows once their features have columns."""

    bad: np.ndarray  # rows in which a feature stands twice, if that is refused
    repeats: int  # features that stand in their row already
    top: int
    bottom: int
    widest: int


class RowStamps:
    """A number for each column, in which rows leave their own: has this row had that column?"""

    def __init__(self) -> None:
        self.stamp, self.where, self.tick = np.zeros(0, np.uint32), np.zeros(0, np.uint32), 1

    def take(self, columns: int, rows: int) -> tuple[np.ndarray, int]:
        """Stamps for that many columns, and the first of as many numbers that no stamp shows."""
        if self.tick + rows >= 2**32 - 1:
            self.stamp, self.tick = np.zeros(len(self.stamp), np.uint32), 1
        if len(self.stamp) < columns:
            self.stamp = np.zeros(max(columns, 2 * len(self.stamp)), np.uint32)
        tick = self.tick
        self.tick += rows
        return self.stamp, tick

    def repeats(self, indptr: np.ndarray, indices: np.ndarray, columns: int) -> np.ndarray:
        """The rows in which a column stands twice."""
        stamp, tick = self.take(columns, len(indptr) - 1)
        bad = np.empty(len(indptr) - 1, np.int64)
        return bad[: core.find_repeats(indptr, indices, stamp, tick, bad)]

    def add_up(self, indptr: np.ndarray, indices: np.ndarray, values: np.ndarray, columns: int) -> tuple[int, np.ndarray]:
        """Sum what stands twice, in place: how many features remain, and the rows with a sum beyond float32."""
        stamp, tick = self.take(columns, len(indptr) - 1)
        if len(self.where) < len(stamp):
            self.where = np.empty(len(stamp), np.uint32)
        bad, sums = np.empty(len(indptr) - 1, np.int64), np.empty(int(np.diff(indptr).max(initial=0)))
        remain, bads = core.add_up(indptr, indices, values, stamp, self.where, tick, bad, sums)
        return remain, bad[:bads]


class Vocabulary:
    """Names to columns, append-only.

    >>> names = Vocabulary()
    >>> names.columns_of(["free", "offer", "free"]).tolist(), len(names), names.name(1)
    ([0, 1, 0], 2, 'offer')
    """

    bits: int | None = None

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._count = self._bytes = 0
        self._slots = np.zeros(2**10, np.uint64)
        self._hashes, self._starts = np.empty(2**8, np.uint64), np.zeros(2**8 + 1, np.int64)
        self._names = np.zeros(2**12, np.uint8)
        self.stamps = RowStamps()
        self._held = False
        self._publish()
        known = list(names)
        if known:
            self.columns_of(known)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def columns_of(self, names: Sequence[str]) -> np.ndarray:
        """The column of each name; a new name gets the next."""
        return self.add([name.encode() for name in names])

    def add(self, names: Sequence[bytes]) -> np.ndarray:
        """The same for names that are UTF-8 already."""
        starts, text = spans_of(names)
        return self.add_spans(text, starts)

    def add_spans(self, text: np.ndarray, starts: np.ndarray) -> np.ndarray:
        """The same for the names text[starts[i]:starts[i+1]], UTF-8 with at least SLACK bytes behind."""
        waiting = self.waiting_of(text, starts)
        indices = np.empty(len(waiting), np.uint32)
        indptr = np.arange(len(indices) + 1, dtype=np.int64)  # each by itself: so far nobody asks whether one stands twice
        self.settle(indptr, indices, waiting, len(waiting), text, 0, refuse=False)
        return indices

    @staticmethod
    def waiting_of(text: np.ndarray, starts: np.ndarray) -> np.ndarray:
        """Names as `settle` takes them: feature, hash, place and length; no prefix."""
        waiting = np.zeros((len(starts) - 1, 4), np.uint64)
        waiting[:, 0] = np.arange(len(waiting))
        waiting[:, 1] = hashes_of(text, starts, TABLE_SEED)
        waiting[:, 2] = starts[:-1].astype(np.uint64) | np.diff(starts).astype(np.uint64) << np.uint64(32)
        return waiting

    def name(self, column: int) -> str:
        if not 0 <= column < self._count:
            raise IndexError(column)
        return self._names[self._starts[column] : self._starts[column + 1]].tobytes().decode()

    def names(self) -> list[str]:
        """All names, by column."""
        text, starts = self._names[: self._bytes].tobytes(), self._starts[: self._count + 1].tolist()
        return [text[a:b].decode() for a, b in pairwise(starts)]

    def snapshot(self) -> Snapshot:
        """For a parser on another thread; it may also be asked for there."""
        return self._snapshot

    def settle(
        self, indptr: np.ndarray, indices: np.ndarray, waiting: np.ndarray, waits: int, text: np.ndarray, joint: int, *, refuse: bool
    ) -> Settled:
        """Give columns to the names that wait, in order; say which rows have a feature twice.

        Those rows, where they are refused, leave no name behind.
        """
        rows = len(indptr) - 1
        bad = np.empty(rows if refuse else 0, np.int64)
        state = core.Settling()
        state.names, state.bytes = self._count, self._bytes
        stamp, state.tick = self.stamps.take(len(self._starts) - 1, rows)
        while True:
            arrays = (self._slots, self._hashes, self._starts, self._names, stamp)
            core.settle_names(state, indptr, indices, waiting, waits, text, joint, *arrays, bad, refuse)
            self._count, self._bytes = state.names, state.bytes
            if state.row == rows:
                break
            self._grow(state.need_names, state.need_bytes)
            stamp, _ = self.stamps.take(len(self._starts) - 1, 0)
        self._publish()
        return Settled(bad[: state.bad], state.repeats, state.top, state.bottom, state.widest)

    @contextmanager
    def held(self) -> Iterator[int]:
        """Keep names that are new from other threads meanwhile; gives how many were known before."""
        self._held = True
        try:
            yield self._count
        finally:
            self._held = False
            self._publish()

    def renumber(self, known: int, indptr: np.ndarray, indices: np.ndarray, values: np.ndarray | None) -> np.ndarray:
        """Number the names anew that these rows, all of which are held, have added to the `known` ones: by the row in which they first
        appear, and within it in the order of their bytes. A name that has the value 0 wherever it stands is taken back. Returns the rows'
        indices."""
        count = self._count - known
        fresh = indices >= known if values is None else (indices >= known) & (values != 0)
        (places,) = np.nonzero(fresh)
        first = np.full(count, -1, np.int64)
        first[indices[places[::-1]] - known] = places[::-1]
        met = np.flatnonzero(first >= 0)
        order = met[self._by_name(known + met, np.searchsorted(indptr, first[met], side="right"))]
        if np.array_equal(order, np.arange(count)):
            return indices
        begin, end = self._starts[known], self._starts[self._count]
        hashes, text = self._hashes[known : self._count].copy(), self._names[begin : end + SLACK].copy()
        places = self._starts[known : self._count + 1] - begin
        core.renumber_names(self._slots, self._hashes, self._starts, self._names, known, hashes, places, text, order)
        self._count = known + len(order)
        self._bytes = int(self._starts[self._count])
        columns = np.arange(known + count, known + 2 * count, dtype=np.uint32)  # of those that were taken back: they are dropped next
        columns[order] = np.arange(known, self._count)
        (moved,) = np.nonzero(indices >= known)
        indices = indices.copy()
        indices[moved] = columns[indices[moved] - known]
        return indices

    def _by_name(self, columns: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """The order of these columns by rows, and within a row by the bytes of their names."""
        starts, sizes = self._starts[columns], self._starts[columns + 1] - self._starts[columns]
        places = np.arange(16)
        text = np.where(places < sizes[:, None], self._names[starts[:, None] + places], 0).astype(np.uint8)
        words = text.view(">u8").astype(np.uint64)
        order = np.lexsort((words[:, 1], words[:, 0], rows))
        alike = (np.diff(rows[order]) == 0) & (np.diff(words[order], axis=0) == 0).all(axis=1)
        if alike.any():  # the first sixteen bytes do not tell all of them apart
            group = np.concatenate(([0], np.cumsum(~alike)))
            names = [self._names[a : a + n].tobytes() for a, n in zip(starts[order].tolist(), sizes[order].tolist(), strict=True)]
            order = order[sorted(range(len(order)), key=lambda k: (group[k], names[k]))]
        return order

    def _publish(self) -> None:
        """Let other threads see what has been added, all at once: arrays and count belong together."""
        if self._held:
            return
        self._snapshot = Snapshot(self._slots, self._hashes, self._starts, self._names, self._count)

    def _grow(self, count: int, size: int) -> None:
        """Room for that many names and bytes, in new arrays: other threads may hold the old ones."""
        require(count <= LARGEST_COLUMN, f"more than {LARGEST_COLUMN} names of features; --bits B (bits=) hashes them")
        if count >= len(self._starts):
            room = max(2 * len(self._hashes), count + count // 2)
            self._hashes = longer(self._hashes, room, self._count)
            self._starts = longer(self._starts, room + 1, self._count + 1)
        if size + SLACK > len(self._names):
            self._names = longer(self._names, 2 * size + SLACK, self._bytes)
        if 2 * count > len(self._slots):
            slots = np.zeros(1 << (4 * count if count <= SMALL else 2 * count).bit_length(), np.uint64)
            core.refill_names(slots, self._hashes, self._starts, self._count)
            self._slots = slots


def longer(array: np.ndarray, size: int, kept: int) -> np.ndarray:
    bigger = np.zeros(size, array.dtype)
    bigger[:kept] = array[:kept]
    return bigger


def spans_of(names: Sequence[bytes]) -> tuple[np.ndarray, np.ndarray]:
    """Names one after the other: where each begins and the last ends, and their bytes with SLACK behind."""
    starts = np.zeros(len(names) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, names), np.int64, len(names)), out=starts[1:])
    return starts, np.frombuffer(bytearray(b"".join([*names, bytes(SLACK)])), np.uint8)


def hashes_of(text: np.ndarray, starts: np.ndarray, seed: int) -> np.ndarray:
    """The hash of each of the names text[starts[i]:starts[i+1]], with SLACK bytes behind."""
    hashes = np.empty(len(starts) - 1, np.uint64)
    core.hash_names(seed, text, starts, hashes)
    return hashes


class Hashed:
    """Names to columns by the lowest bits of their hash, and what is known of names that share one.

    >>> names = Hashed(4)
    >>> names.columns_of(["free", "offer", "free"]).tolist(), len(names), names.name(8)
    ([11, 15, 11], 16, '8')
    >>> names.report()
    {'bits': 4, 'buckets': 16, 'used': 2, 'shared': 0, 'names_at_least': 2, 'occurrences': 3, 'in_shared': 0}
    """

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self._table = np.zeros(1 << bits, np.uint64)  # occurrences, a fingerprint of the first name, and whether another came
        self.stamps = RowStamps()

    def __len__(self) -> int:
        return len(self._table)

    def __iter__(self) -> Iterator[str]:
        return map(str, range(len(self)))

    def columns_of(self, names: Sequence[str]) -> np.ndarray:
        """The column of each name."""
        starts, text = spans_of([name.encode() for name in names])
        return self.add_spans(text, starts)

    def add_spans(self, text: np.ndarray, starts: np.ndarray) -> np.ndarray:
        """The same for the names text[starts[i]:starts[i+1]], UTF-8 with at least SLACK bytes behind."""
        return self._noted(hashes_of(text, starts, SEED))

    def columns_in_rows(self, names: Sequence[str], codes: np.ndarray, indptr: np.ndarray) -> np.ndarray:
        """The column of each feature of some rows, which are places in a list of different names; every occurrence is noted."""
        starts, text = spans_of([name.encode() for name in names])
        hashes = hashes_of(text, starts, SEED)
        indices = (hashes & np.uint64(len(self) - 1)).astype(np.uint32)[codes]
        self.settle(indptr, indices, (hashes >> np.uint64(32)).astype(np.uint32)[codes])
        return indices

    def columns_of_numbers(self, numbers: np.ndarray) -> np.ndarray:
        """The column of each feature that is a number: its name is its decimal digits."""
        hashes = np.empty(len(numbers), np.uint64)
        core.hash_decimals(numbers, hashes)
        return self._noted(hashes)

    def _noted(self, hashes: np.ndarray) -> np.ndarray:
        indices = (hashes & np.uint64(len(self) - 1)).astype(np.uint32)
        indptr = np.arange(len(hashes) + 1, dtype=np.int64)
        self.settle(indptr, indices, (hashes >> np.uint64(32)).astype(np.uint32))
        return indices

    def name(self, column: int) -> str:
        if not 0 <= column < len(self):
            raise IndexError(column)
        return str(column)

    def names(self) -> list[str]:
        """All names, by column."""
        return list(self)

    def snapshot(self) -> None:
        """A parser on another thread needs nothing."""

    def settle(self, indptr: np.ndarray, indices: np.ndarray, prints: np.ndarray) -> Settled:
        """Note what features were seen; `prints` are the upper halves of their hashes."""
        widest = int(np.diff(indptr).max(initial=0))
        stamp, tick = self.stamps.take(len(self) if widest > COMPARED else 0, len(indptr) - 1)
        met = core.note_buckets(indptr, indices, prints, self._table, stamp, tick, COMPARED)
        return Settled(np.empty(0, np.int64), met.repeats, met.top, met.bottom, widest)

    def noted(self) -> tuple[np.ndarray, np.ndarray]:
        """The buckets that are used, and what is known of them, for `note`."""
        used = np.flatnonzero(self._table)
        return used, self._table[used]

    def note(self, used: np.ndarray, known: np.ndarray) -> None:
        """What others have met after what was met here: occurrences add up, and two first names in one bucket share it."""
        low, shared = np.uint64(2**32 - 1), np.uint64(1)
        before = self._table[used]
        both = (before != 0) & ((before | known) & shared == 0) & ((before ^ known) & low != 0)
        prints = np.where(before == 0, known, before | (known & shared)) & low
        counts = np.minimum((before >> np.uint64(32)) + (known >> np.uint64(32)), low)
        self._table[used] = (counts << np.uint64(32)) | prints | both.astype(np.uint64)

    def report(self) -> dict[str, Any]:
        """How full the buckets are, and how many share: two names whose fingerprints of 31 bits agree as well pass for one."""
        used, shared = self._table != 0, self._table & np.uint64(1) != 0
        seen = self._table >> np.uint64(32)
        counts = {"used": used.sum(), "shared": shared.sum(), "names_at_least": used.sum() + shared.sum()}
        counts |= {"occurrences": seen.sum(), "in_shared": seen[shared].sum()}
        return {"bits": self.bits, "buckets": len(self), **{name: int(value) for name, value in counts.items()}}
