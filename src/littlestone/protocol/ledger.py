"""The ledger: the rounds on which a learner updated. With the learner it is the model, bit for bit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from littlestone.errors import require
from littlestone.protocol.block import Block, or_ones
from littlestone.protocol.together import together


class Entry(NamedTuple):
    """One round of a ledger."""

    round: int
    label: bool | int  # True or False; of several classes, the code of the class
    predicted: bool | int
    weight: float
    indices: np.ndarray
    values: np.ndarray | None


KINDS = {"rounds": np.int64, "labels": np.int8, "predictions": np.bool_, "weights": np.float32, "lengths": np.int64}
CODES = {**KINDS, "labels": np.int32, "predictions": np.int32}  # of several classes: -1 where nothing was predicted yet


class LedgerStart(NamedTuple):
    """Where a ledger begins that was cut: the state after so many rounds, and what they counted."""

    round: int
    mistakes: int
    unlabelled: int
    classes: int  # known by then; 0 of two classes
    state: Any
    met: np.ndarray  # the features that had taught by then


LIMIT = 2**24  # features of all its rows together that a ledger keeps unless told otherwise: some 150 megabytes


class Ledger:
    """Rounds with what was predicted, their label, weight and row, in order; and which rounds had no label.

    Rounds are numbered from 1, those without a label included. A mistake is in it even where the rule did not update. Of `several`
    classes, labels and predictions are codes of classes.

    A ledger that holds more features than its `limit` is cut by whoever fills it: it begins anew after a snapshot of the state, and what
    came before can no longer be replayed, rolled back to or forgotten.

    >>> ledger = Ledger()
    >>> ledger.append(3, False, True, 1.0, np.array([0, 7], np.uint32), None)
    >>> ledger, [entry.indices.tolist() for entry in ledger], ledger.block().labels.tolist()
    (<ledger of 1 rounds, 2 features>, [[0, 7]], [0])
    """

    def __init__(self, *, several: bool = False, limit: float = LIMIT) -> None:
        self.several, self.limit = several, limit
        self.snapshot: LedgerStart | None = None  # where it begins, where that is not the first round
        self._appended = 0  # features of rows that are not yet in the arrays
        self._columns = {name: _Column(kind) for name, kind in self.kinds.items()}
        self._indices = _Column(np.uint32)
        self._values: _Column | None = None  # none while every row is a row of ones
        self._unlabelled = _Column(np.int64)
        self._events: list[tuple] = []  # appended one by one, not yet in the arrays
        self._silent: list[int] = []
        self.page: LedgerPage | None = None  # where native code enters events, where there is one

    def __len__(self) -> int:
        return len(self.rounds)

    def __repr__(self) -> str:
        return f"<ledger of {len(self):,} rounds, {len(self.indices):,} features>"

    def __getattr__(self, name: str) -> np.ndarray:
        if name not in KINDS:
            raise AttributeError(f"a ledger has no {name!r}")
        self._settle()
        return self._columns[name].array

    @property
    def kinds(self) -> dict[str, Any]:
        """The types of the columns, by their names."""
        return CODES if self.several else KINDS

    @property
    def indices(self) -> np.ndarray:
        self._settle()
        return self._indices.array

    @property
    def values(self) -> np.ndarray | None:
        self._settle()
        return None if self._values is None else self._values.array

    @property
    def unlabelled(self) -> np.ndarray:
        """The rounds without a label: with them, how many were labelled up to any round is known."""
        self._settle()
        return self._unlabelled.array

    @property
    def mistakes(self) -> np.ndarray:
        """Which entries are mistakes."""
        return self.predictions != self.labels

    def add(self, block: Block, which: np.ndarray, predictions: np.ndarray, first_round: int | None = None) -> None:
        """The rounds of a block that `which` marks, and the numbers of those without a label; `first_round` came before it."""
        first = block.first_round if first_round is None else first_round
        silent = np.flatnonzero(block.labels < 0)
        if len(silent):
            self._settle()
            self._unlabelled.extend(silent + first + 1)
        chosen = np.flatnonzero(which & (block.labels >= 0))
        if not len(chosen):
            return
        lengths = block.indptr[chosen + 1] - block.indptr[chosen]
        starts = np.repeat(block.indptr[chosen] - np.cumsum(lengths) + lengths, lengths)
        places = starts + np.arange(int(lengths.sum()))
        weights = or_ones(block.weights, len(block))[chosen]
        self.extend(
            (chosen + first + 1, block.labels[chosen], predictions[chosen], weights, lengths),
            block.indices[places],
            _Tail(self).unless_ones(None if block.values is None else block.values[places]),
        )

    def extend(self, columns: tuple, indices: np.ndarray, values: np.ndarray | None) -> None:
        """Entries as arrays: rounds, labels, predictions, weights, lengths of the rows; and the rows one after the other."""
        self._settle()
        self._extend(columns, indices, values)

    def _extend(self, columns: tuple, indices: np.ndarray, values: np.ndarray | None) -> None:
        vars(self).update(_Tail(self).extended(columns, indices, values))
        self._limit_page()

    def append(self, round: int, label: Any, predicted: Any, weight: float, indices: np.ndarray, values: np.ndarray | None) -> None:
        """One entry."""
        self.note(round, label, predicted, weight, (indices, values, 0, len(indices)))

    def note(self, round: int, label: Any, predicted: Any, weight: float, row: tuple) -> bool:
        """Enter a row (indices, values, lo, hi), which is copied. Return whether the ledger is full."""
        append, entry = self.entering(round, label, predicted, weight, row)
        append(entry)
        return self.entered(row[3] - row[2])

    def entering(self, round: int, label: Any, predicted: Any, weight: float, row: tuple, updated: list | None = None) -> tuple:
        """Return the call that enters a row; `entered` is to be called after it.

        With `updated`, a list that has by then the result of the update, a round that is no mistake is entered only if that is true.
        """
        if self.page:
            self._settle()
        indices, values, lo, hi = row
        if len(indices) != hi - lo or (values is not None and len(values) != hi - lo):
            indices, values = indices[lo:hi], None if values is None else values[lo:hi]
        features = (hi - lo, indices.tobytes(), None if values is None else values.tobytes())  # bytes are copied quicker than arrays
        return self._events.append, (round, label, predicted, weight, *features, None if label != predicted else updated)

    def entered(self, features: int) -> bool:
        """Note how many features the last entry has. Return whether the ledger is full."""
        self._appended += features
        self._limit_page()
        return self.full

    def leave_out(self) -> None:
        """Drop the last entry, whose round has updated nothing."""
        self._events.pop()

    def open_page(self, *, valued: bool) -> LedgerPage:
        """Return the page that native code enters events into, with the values of their features or without."""
        if self.page is None:
            self.page = LedgerPage(valued)
            self._limit_page()
        return self.page

    def _limit_page(self) -> None:
        """What comes after the limit is not for the page: whoever fills the ledger cuts it then."""
        if self.page is not None:
            self.page.limit(self.limit - self._indices.size - self._appended)

    def __getstate__(self) -> dict[str, Any]:
        """A copy has no page: what is entered into that belongs to this ledger."""
        self._settle()
        return {**vars(self), "page": None}

    @property
    def full(self) -> bool:
        return self._indices.size + self._appended > self.limit

    @property
    def taught(self) -> np.ndarray:
        """The features that have taught since the first round."""
        before = np.empty(0, np.uint32) if self.snapshot is None else self.snapshot.met
        return np.union1d(before, self.indices).astype(np.uint32)

    def cut(self, round: int, mistakes: int, unlabelled: int, state: Any, classes: int = 0) -> None:
        """Begin anew after so many rounds, from the state that they have made."""
        snapshot = LedgerStart(round, mistakes, unlabelled, classes, state, self.taught)
        columns = {name: _Column(kind) for name, kind in self.kinds.items()}
        empty = {"_columns": columns, "_indices": _Column(np.uint32), "_unlabelled": _Column(np.int64), "_values": None}
        vars(self).update({"snapshot": snapshot, **empty})
        self._limit_page()

    def skip(self, round: int) -> None:
        """Note that a round had no label."""
        self._silent.append(round)

    def skipping(self, round: int) -> tuple:
        """Return the call that notes that a round had no label."""
        return self._silent.append, round

    def _settle(self) -> None:
        """Put what was appended one by one into the arrays, all of it or nothing."""
        if not (self._silent or self._events or self.page):
            return
        tail, cleared = _Tail(self), []
        if self._silent:
            tail.unlabelled.extend(np.array(self._silent, np.int64))
        events = [entry[:-1] for entry in self._events if entry[-1] is None or entry[-1][0]]
        if events:
            *columns, rows, values = zip(*events, strict=True)
            ones = np.ones(max(columns[-1]), np.float32).tobytes()
            some = any(v is not None for v in values)
            filled = None if not some else b"".join(ones[: len(row)] if v is None else v for row, v in zip(rows, values, strict=True))
            numbers = tail.unless_ones(None if filled is None else np.frombuffer(filled, np.float32))
            tail.extended(tuple(columns), np.frombuffer(b"".join(rows), np.uint32), numbers)
        if self.page:  # filled since
            (rounds, labels, predictions, lengths), indices, numbers = self.page.held()
            tail.extended((rounds, labels, predictions, np.ones(len(rounds), np.float32), lengths), indices, tail.unless_ones(numbers))
            cleared.append(self.page.clearing())
        together([], [(vars(self).update, {**tail.parts(), "_events": [], "_silent": [], "_appended": 0}), *cleared])
        self._limit_page()

    def block(self) -> Block:
        """All of it as rounds to play."""
        indptr = np.concatenate(([0], np.cumsum(self.lengths)))
        labels, values, weights = self.labels.astype(np.int32), self.values, self.weights
        return Block(indptr, self.indices, values, labels, weights if (weights != 1).any() else None)

    def __iter__(self) -> Iterator[Entry]:
        block, numbers, predictions, weights = self.block(), self.rounds.tolist(), self.predictions.tolist(), self.weights.tolist()
        for t, (indices, values, y) in enumerate(block.rounds()):
            yield Entry(numbers[t], y if self.several else y == 1, predictions[t], weights[t], indices, values)

    def find(self, round: int) -> int:
        """The place of a round, -1 where it is not in the ledger."""
        place = int(np.searchsorted(self.rounds, round))
        return place if place < len(self) and self.rounds[place] == round else -1

    def silence(self, round: int) -> None:
        """Count a round as one without a label."""
        where = int(np.searchsorted(self.unlabelled, round))
        if where == self._unlabelled.size or self.unlabelled[where] != round:
            later = self.unlabelled[where:].copy()
            self._unlabelled.size = where
            self._unlabelled.extend([round, *later])

    def part(self, which: np.ndarray, upto: int | None = None) -> Ledger:
        """The entries that `which` marks, with the rounds without a label (up to one)."""
        other = Ledger(several=self.several, limit=self.limit)
        other.snapshot = self.snapshot
        kept = np.repeat(which, self.lengths)
        values = self.values
        columns = tuple(getattr(self, name)[which] for name in KINDS)
        other.extend(columns, self.indices[kept], None if values is None else values[kept])
        silent = self.unlabelled
        other._unlabelled.extend(silent if upto is None else silent[silent <= upto])
        return other

    def mark(self) -> tuple[int, int, int]:
        """Where it stands, for `cut_back`."""
        return len(self), len(self.indices), len(self.unlabelled)

    def cut_back(self, mark: tuple[int, int, int]) -> None:
        """Drop what was entered since that mark."""
        self._settle()
        entries, features, silent = mark
        for column in self._columns.values():
            column.size = entries
        self._indices.size, self._unlabelled.size = features, silent
        if self._values is not None:
            self._values.size = features

    def copy(self) -> Ledger:
        return self.part(np.ones(len(self), np.bool_))

    def same(self, other: Any) -> bool:
        """Equal bit for bit."""
        begins = [None if ledger.snapshot is None else ledger.snapshot[:4] for ledger in (self, other)]
        if self.several != other.several or begins[0] != begins[1]:
            return False
        mine, theirs = ([*(getattr(x, name) for name in KINDS), x.indices, x.unlabelled] for x in (self, other))
        mine.append(or_ones(self.values, len(self.indices)))
        theirs.append(or_ones(other.values, len(other.indices)))
        return all(np.array_equal(a, b) for a, b in zip(mine, theirs, strict=True))


PAGE_FEATURES, PAGE_ENTRIES = 2**14, 2**10  # for which there is room on a page
ENTRIES, FEATURES, MOST_ENTRIES, MOST_FEATURES = range(4)  # places in the head of a page: how many it holds, and how many it may


class LedgerPage:
    """Entries of a ledger as the native core writes them (`native/events/fast_path.h`): round, label, prediction and length of each, and
    their rows one after the other."""

    def __init__(self, valued: bool) -> None:
        self.valued, self.entries = valued, np.empty((PAGE_ENTRIES, 4), np.int64)
        self.indices, self.values = np.empty(PAGE_FEATURES, np.uint32), np.empty(PAGE_FEATURES, np.float32)
        self.head = np.array([0, 0, len(self.entries), 0])

    def __bool__(self) -> bool:
        """Return whether it has entries."""
        return bool(self.head[ENTRIES])

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        """The arrays that the native core writes: head, entries, indices and values."""
        return self.head, self.entries.reshape(-1), self.indices, self.values

    def limit(self, features: float) -> None:
        """Let it hold so many features, or as many as there is room for."""
        self.head[MOST_FEATURES] = max(0, min(features, len(self.indices)))

    def clearing(self) -> tuple:
        """Return the call that empties it."""
        return self.head.__setitem__, slice(ENTRIES, FEATURES + 1), 0

    def held(self) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Return what it holds: entries, indices and values."""
        entries, features = self.head[[ENTRIES, FEATURES]].tolist()
        return self.entries[:entries].T, self.indices[:features], self.values[:features] if self.valued else None


def ledger_for(learner: Any, kept: bool | int) -> Ledger | None:
    """A ledger for a learner, with a limit of its own where a number is given; None where none is kept."""
    if kept is False or learner.updates_on == "always":
        return None
    limit = LIMIT if kept is True else kept
    require(type(limit) is int and limit >= 1, f"ledger={kept!r}: expected True or False, or how many features its rows hold at most")
    return Ledger(several=learner.kind == "several classes", limit=limit)


class _Tail:
    """The columns of a ledger with more at their ends, which the ledger has not taken over yet."""

    def __init__(self, ledger: Ledger) -> None:
        self.columns = {name: column.beside() for name, column in ledger._columns.items()}
        self.indices, self.unlabelled = ledger._indices.beside(), ledger._unlabelled.beside()
        self.values = None if ledger._values is None else ledger._values.beside()

    def unless_ones(self, values: np.ndarray | None) -> np.ndarray | None:
        """Return None while every row is a row of ones, whether or not rounds beside them, which are no entries, had other values."""
        return None if values is None or (self.values is None and (values == 1).all()) else values

    def extended(self, columns: tuple, indices: np.ndarray, values: np.ndarray | None) -> dict[str, Any]:
        """Add entries, as `Ledger.extend` takes them. Return what the ledger is to take over."""
        for column, more in zip(self.columns.values(), columns, strict=True):
            column.extend(more)
        if values is not None and self.values is None:
            self.values = _Column(np.float32)
            self.values.extend(np.ones(self.indices.size, np.float32))
        self.indices.extend(indices)
        if self.values is not None:
            self.values.extend(or_ones(values, len(indices)))
        return self.parts()

    def parts(self) -> dict[str, Any]:
        """Return the columns by the names of the attributes of a ledger that hold them."""
        return {"_columns": self.columns, "_indices": self.indices, "_values": self.values, "_unlabelled": self.unlabelled}


class _Column:
    """An array that grows at its end, by doubling."""

    def __init__(self, kind: Any) -> None:
        self._room, self.size = np.empty(16, kind), 0

    def beside(self) -> _Column:
        """Return a column of the same entries. What is added to it is not added to this one; while there is room they share memory."""
        other = _Column.__new__(_Column)
        other._room, other.size = self._room, self.size
        return other

    @property
    def array(self) -> np.ndarray:
        return self._room[: self.size]

    def extend(self, more: Any) -> None:
        size = self.size + len(more)
        if size > len(self._room):
            larger = np.empty(max(size, 2 * len(self._room)), self._room.dtype)
            larger[: self.size] = self.array
            self._room = larger
        self._room[self.size : size] = more
        self.size = size
