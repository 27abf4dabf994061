"""Parquet: the rows of a group are unpacked in turn, groups and pieces side by side."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from littlestone.errors import require
from littlestone.rounds.formats.arrow import Damage, sound
from littlestone.rounds.formats.parquet import batches_of, opened, rows_in
from littlestone.rounds.reading import LOOK_ROWS, Reading
from littlestone.streams.arrays import NumberLists, is_number, types
from littlestone.streams.columns import ColumnBatch
from littlestone.streams.formats.arrow import LEAST_ROWS, PIECE, ArrowPiece, ArrowReader, in_memory, look_with
from littlestone.streams.pages import ListColumn, PlainLists, Unusual
from littlestone.streams.parsed import Parsed
from littlestone.streams.tables import FirstRows, Piece
from littlestone.streams.vote_pages import VoteGroup, votes_of

NUMBERS = {"indices": (pa.int32(), pa.uint32()), "values": (pa.float32(),)}  # lists of these are read by `pages.py`
BESIDE = 2**15  # rows that are read at a time of what stands beside lists
FAILURES = (
    Unusual,
    pa.ArrowException,
    OSError,
    KeyError,
    IndexError,
    TypeError,
    ValueError,
)  # of `pages.py`: pyarrow reads it, and says why


class ParquetReader(ArrowReader):
    """Parquet files."""

    voting = True  # are all columns zeros and ones, for what is known?

    def batches(self, source: Any) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
        file = opened(in_memory(source))
        return file.schema_arrow, map(sound, batches_of(file, LOOK_ROWS, use_threads=False))

    def pieces(self, source: Any) -> Iterator[tuple[Callable[[], Piece], int] | None]:
        path = source.path
        with Damage(path):
            # it is read, not mapped: pages of a mapped file count as memory until somebody else wants it
            stored = pa.OSFile(path) if source.plain else in_memory(source)
            file = pa.parquet.ParquetFile(stored)
            metadata, schema = file.metadata, file.schema_arrow
            self.check(schema, path)
            columns = [name for name in schema.names if name in self.uses]
            listing = not self.threads and self.features.lists == "indices" and not self.reading.named and self.reading.only is None
            lists = [
                name
                for name in columns
                if listing and types.is_list(schema.field(name).type)
                if name in NUMBERS and schema.field(name).type.value_type in NUMBERS[name]
            ]
            size, seen = stored.size(), 0
            counts = rows_in(metadata)
            for k in range(len(counts)) if source.span is None else range(*source.span[:2]):
                rows = counts[k]
                if not rows:
                    continue
                votes = self._votes(stored, metadata, schema, k)
                step = min(
                    self._step(metadata.row_group(k), schema, columns, lists) if votes is None else self._step_of_votes(len(votes)), rows
                )
                group: RowGroup | VoteGroup = (
                    RowGroup(stored, file, k, step, columns, lists, self.threads, self.spare)
                    if votes is None
                    else VoteGroup(list(self.uses), votes, rows, step)
                )
                count = -(-rows // step)
                if lists:  # pieces alike: no short one at the end, for which to wait is as long
                    group.step = step = -(-rows // count)
                for piece in range(count):
                    seen += min(step, rows - piece * step)
                    yield partial(self._piece, group, piece, path), size * seen // max(metadata.num_rows, seen)

    def _step(self, group: Any, schema: pa.Schema, columns: list[str], lists: list[str]) -> int:
        """How many rows make a piece; twice as many of lists of numbers, of which a megabyte takes no longer than to hand it over."""
        if not self.threads:
            return max(LEAST_ROWS, int((self.chunk or (2 * PIECE if lists else PIECE)) * group.num_rows / max(group.total_byte_size, 1)))
        kinds = [schema.field(name).type for name in columns]
        wide = sum(max(8, kind.bit_width) if pa.types.is_primitive(kind) else 64 for kind in kinds)
        return max(LEAST_ROWS, (self.chunk or PIECE) * 8 // max(1, wide) // 64 * 64)

    def _votes(self, stored: Any, metadata: Any, schema: pa.Schema, group: int) -> np.ndarray | None:
        """The bits of the columns asked for, in that order, where all are zeros and ones; None from the first group on that has others."""
        if not self.threads or not self.voting:
            return None
        try:
            fields = [schema.field(name) for name in self.uses]
            if not fields or not all(self.uses[field.name] == "numeric" and is_number(field.type) for field in fields):
                raise Unusual
            places = {metadata.schema.column(k).path: k for k in range(metadata.num_columns)}
            return votes_of(stored, metadata, group, [places[name] for name in self.uses])
        except (Unusual, pa.ArrowException, OSError, KeyError, IndexError, ValueError):
            self.voting = False
            return None

    def _step_of_votes(self, columns: int) -> int:
        return max(LEAST_ROWS, (self.chunk or PIECE) * 8 // columns // 64 * 64)

    def _piece(self, group: RowGroup | VoteGroup, number: int, path: str) -> ArrowPiece:
        with Damage(path):
            return group.piece(number)

    @cached_property
    def spare(self) -> list[np.ndarray]:
        """Memory of lists that have been played, to be used again."""
        return []

    def release(self, parsed: Parsed) -> None:
        if parsed.scratch is not None:
            self.spare.extend(parsed.scratch)
            parsed.scratch = None


class Turns:
    """Pieces in their order, whatever threads ask for them; once one has failed, nobody waits for those after it."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.next = 0
        self.failed = sys.maxsize  # the first that did

    @contextmanager
    def of(self, number: int) -> Iterator[None]:
        with self.changed:
            self.changed.wait_for(lambda: self.next >= number or self.failed <= number)
            require(self.next == number and self.failed > number, "an earlier piece of the file could not be read")
        yield
        with self.changed:
            self.next = number + 1
            self.changed.notify_all()

    def fail(self, number: int) -> None:
        """This piece will not come."""
        with self.changed:
            self.failed = min(self.failed, number)
            self.changed.notify_all()


class ListsPiece(ArrowPiece):
    """Some rows whose features are lists of numbers, which are played as they lie; what stands beside them comes from pyarrow."""

    def __init__(
        self, names: list[str], lists: dict[str, NumberLists], beside: pa.RecordBatch | None, line_count: int, scratch: list[np.ndarray]
    ) -> None:
        self.names, self.lists, self.beside, self.line_count, self.scratch = names, lists, beside, line_count, scratch

    def columns(self) -> ColumnBatch:
        beside = {} if self.beside is None else dict(zip(self.beside.schema.names, self.beside.columns, strict=True))
        return ColumnBatch({**beside, **self.lists}, np.arange(self.line_count, dtype=np.int64))

    @cached_property
    def batch(self) -> pa.RecordBatch:
        """For the plain reader."""
        columns = [self.lists[name].array() if name in self.lists else self.beside.column(name) for name in self.names]  # type: ignore[union-attr]
        return sound(pa.RecordBatch.from_arrays(columns, self.names))


class RowGroup:
    """A row group, unpacked piece by piece; columns take turns of their own, so that two threads may work on one group.

    Lists of numbers are read by `pages.py`, in any order where they are written plainly; what turns out to be unusual pyarrow reads.
    """

    def __init__(
        self, stored: Any, file: Any, group: int, step: int, columns: list[str], lists: list[str], threads: bool, spare: list
    ) -> None:
        self.stored, self.metadata, self.group, self.step, self.columns = stored, file.metadata, group, step, columns
        self.threads, self.spare = threads, spare
        self.rows = file.metadata.row_group(group).num_rows
        self.lists = {name: file.schema_arrow.field(name) for name in lists}
        self.turns = {name: Turns() for name in [*lists, ""]}
        self.plain: dict[str, PlainLists | None] = {}
        self.looking = {name: threading.Lock() for name in lists}
        self.pages: dict[str, ListColumn] = {}
        self.usual = dict.fromkeys(lists, True)
        self.arrow: dict[bool, GroupBatches] = {}

    def piece(self, number: int) -> ArrowPiece:
        try:
            return self._piece(number)
        except BaseException:  # wherever it was: whoever waits for its turn to end would wait for ever
            for turns in self.turns.values():
                turns.fail(number)
            raise

    def _piece(self, number: int) -> ArrowPiece:
        rows, lent = min(self.step, self.rows - number * self.step), list[np.ndarray]()
        names = list(self.lists)[:: -1 if number % 2 else 1]  # two threads begin with different ones
        plain = {name: column for name in names if (column := self._plain(name)) is not None}
        lists: dict[str, NumberLists] = {}
        if names and len(plain) == len(names):  # then nobody waits for anybody's lists
            beside = self._beside(number, rows, usual=True)
            for name, column in plain.items():
                lists[name] = self._lent(name, column.take(number * self.step, rows), lent)
            return ListsPiece(self.columns, lists, beside, rows, lent)
        for name in self.lists:
            if (taken := self._in_turn(name, number, rows)) is not None:
                lists[name] = self._lent(name, taken, lent)
        usual = len(lists) == len(self.lists)
        beside = self._beside(number, rows, usual=usual)
        if usual and lists:
            return ListsPiece(self.columns, lists, beside, rows, lent)
        assert beside is not None
        return ArrowPiece(beside, lent)

    def _beside(self, number: int, rows: int, *, usual: bool) -> pa.RecordBatch | None:
        """What pyarrow reads: the columns beside lists, or all where a list is left to it."""
        columns = [name for name in self.columns if not usual or name not in self.lists]
        with self.turns[""].of(number):
            if not columns and self.columns:
                return None
            if usual not in self.arrow:
                self.arrow[usual] = GroupBatches(self, columns, max(self.step, BESIDE) if usual and self.lists else self.step)
            return sound(self.arrow[usual].rows(number * self.step, rows))

    def _lent(self, name: str, taken: tuple[np.ndarray, np.ndarray, np.ndarray | None], lent: list[np.ndarray]) -> NumberLists:
        """Lists of numbers; `lent` is told the memory they lie in, which may be used again after them."""
        starts, numbers, room = taken
        if room is not None:
            lent.append(room)
        return NumberLists(starts, numbers, self.lists[name].type)

    def _plain(self, name: str) -> PlainLists | None:
        """The column with all its rows known beforehand, where it can be."""
        with self.looking[name]:
            if name not in self.plain:
                try:
                    self.plain[name] = PlainLists(*self._column(name), self.spare, self.rows)
                except FAILURES:
                    self.plain[name] = None
            return self.plain[name]

    def _in_turn(self, name: str, number: int, rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray | None] | None:
        """The next rows of a column whose pages are unpacked one after the other; None where it is left to pyarrow."""
        with self.turns[name].of(number):
            if not self.usual[name]:
                return None
            try:
                if name not in self.pages:
                    self.pages[name] = ListColumn(*self._column(name), self.spare)
                column = self.pages[name]
                return *column.take(rows), column.lent
            except FAILURES:
                self.usual[name] = False
                return None

    def _column(self, name: str) -> tuple[Any, Any, Any, bool]:
        """Where it is stored, what the file says of it, and whether there may be a null among its numbers."""
        group, schema = self.metadata.row_group(self.group), self.metadata.schema
        places = [k for k in range(group.num_columns) if group.column(k).path_in_schema.split(".")[0] == name]
        if len(places) != 1:
            raise Unusual
        return self.stored, group.column(places[0]), schema.column(places[0]), self.lists[name].type.value_field.nullable


class GroupBatches:
    """Some columns of a row group, read by pyarrow, any number of rows at a time."""

    def __init__(self, group: RowGroup, columns: list[str], step: int) -> None:
        file = opened(group.stored, metadata=group.metadata)
        self.batches = batches_of(file, step, [group.group], columns, use_threads=group.threads)
        self.rest: list[pa.RecordBatch] = []
        self.taken = 0

    def rows(self, start: int, count: int) -> pa.RecordBatch:
        """So many rows from `start` on; those before that were not asked for are left out."""
        if start > self.taken:
            self._next(start - self.taken)
        return self._next(count)

    def _next(self, count: int) -> pa.RecordBatch:
        while sum(map(len, self.rest)) < count:
            batch = next(self.batches, None)
            if batch is None:
                raise pa.ArrowInvalid("it has fewer rows than it says")
            self.rest.append(batch)
        whole = self.rest[0] if len(self.rest) == 1 else pa.concat_batches(self.rest)
        self.rest = [whole.slice(count)] if len(whole) > count else []
        self.taken += count
        return whole.slice(0, count)


def sizes_of(source: Any) -> list[int]:
    """The bytes of each row group."""
    with Damage(source.path):
        metadata = pa.parquet.ParquetFile(in_memory(source)).metadata
        return [metadata.row_group(k).total_byte_size for k in range(metadata.num_row_groups)]


def look(reading: Reading, source: Any) -> FirstRows:
    """The columns, their types and the first rows of a file."""
    return look_with(ParquetReader, reading, source)


def never_null(source: Any, columns: Sequence[str]) -> bool:
    """Does the file say beforehand that these columns have no empty cell?"""
    with Damage(source.path):
        file = pa.parquet.ParquetFile(pa.OSFile(source.path) if source.plain else in_memory(source))
        schema = file.schema_arrow  # made anew each time it is asked for
        kinds = [schema.field(name).type for name in columns]
        if not all(pa.types.is_integer(kind) or pa.types.is_boolean(kind) for kind in kinds):
            return False  # a float may be NaN
        names = set(columns)
        for k in range(file.metadata.num_row_groups):
            group = file.metadata.row_group(k)
            for j in range(group.num_columns):
                column = group.column(j)
                counted = column.statistics is not None and column.statistics.has_null_count
                if column.path_in_schema in names and (not counted or column.statistics.null_count):
                    return False
        return True


TABLE = ParquetReader


def writer() -> type:
    from littlestone.streams.write.batches import ParquetWriter

    return ParquetWriter
