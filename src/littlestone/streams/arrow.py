"""Readers of tables that are Arrow's: Parquet, Arrow IPC (files and streams), and frames in memory.

A piece is a few thousand rows. Lists of numbers go into rows as they lie in memory where their types allow.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

from littlestone.errors import LittlestoneError, require
from littlestone.rounds.reading import LOOK_ROWS, Reading
from littlestone.streams.arrays import is_list, is_number, is_text, types
from littlestone.streams.columns import Columns, Table
from littlestone.streams.files import Input, shown
from littlestone.streams.guess import settled
from littlestone.streams.pages import ListColumn, Unusual
from littlestone.streams.parsed import Parsed
from littlestone.streams.readers import Job
from littlestone.streams.table import ParsedTable

PIECE = 2**21  # bytes of a piece, about
LEAST_ROWS = 64
MAGIC = b"ARROW1"
PANDAS_INDEX = "__index_level_"


def looked(reading: Reading, source: Any, *, labelled: bool = True) -> Reading:
    """The reading settled on the schema and the first rows of an Input or a Frame."""
    path = shown(source.path)
    with Damage(path) as faulty:
        if isinstance(source, Input):
            faulty.instead = no_table(source, reading.format)
        schema, first = (Parquet if reading.format == "parquet" else Arrow)(reading).beginning(source)
        faulty.instead = ""
        kinds: dict[str, str] = {}
        columns = [name for name in schema.names if not name.startswith(PANDAS_INDEX)]
        for name in columns:
            given = schema.field(schema.names.index(name)).type
            kind = kind_of(given)
            if kind is None and name not in (*reading.ignore, reading.id, reading.label):
                raise LittlestoneError(
                    f"{path and path + ': '}column {name!r} of type {given} gives no features; --ignore {name} leaves it out", path=path
                )
            kinds[name] = kind or ""
        values = {
            name: first.column(first.schema.names.index(name)).to_pylist()
            for name, kind in kinds.items()
            if kind == "" or (kind == "numeric" and reading.bins is not None)
        }
    return settled(reading, columns, values, path, kinds=kinds, labelled=labelled)


def kind_of(kind: pa.DataType) -> str | None:
    """The kind of a column by its type: "" where the cells decide, None where nothing can be made of it."""
    if types.is_dictionary(kind):
        return "" if is_text(kind.value_type) else "categorical"  # a pandas category of numbers is a category
    if is_number(kind):
        return "numeric"
    if is_text(kind):
        return ""
    if types.is_date(kind) or types.is_time(kind) or types.is_timestamp(kind):
        return "categorical"
    if is_list(kind):
        inner = kind.value_type.value_type if types.is_dictionary(kind.value_type) else kind.value_type
        return "vector" if is_number(inner) else "items" if is_text(inner) else None
    return "map" if types.is_map(kind) or types.is_struct(kind) else None


class Damage:
    """What Arrow says of a file that is damaged, as an error a person can act on. `instead` is what to say where that is known better."""

    def __init__(self, path: str) -> None:
        self.path, self.instead = path, ""

    def __enter__(self) -> Damage:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, LittlestoneError):
            return
        if isinstance(error, pa.ArrowException | OSError | EOFError | UnicodeDecodeError | MemoryError | OverflowError):
            why = str(error).split("\n")[0].split(". Detail")[0]
            raise LittlestoneError(f"{shown(self.path)}: {self.instead or f'is damaged or cut off ({why})'}", path=self.path) from None


class Forward:
    """An Input as Arrow reads a file that has no end to begin from."""

    closed = False

    def __init__(self, source: Input) -> None:
        self.source = source

    def read(self, size: int = -1) -> bytes:
        return self.source.read(size)

    def close(self) -> None:
        pass


class Frame:
    """Anything with `__arrow_c_stream__`, read as an Input is. What can be read only once is kept while it is looked at."""

    path, plain = "the table", False

    def __init__(self, frame: Any) -> None:
        self.once = isinstance(frame, pa.RecordBatchReader)
        self._frame, self._kept, self._keeping = frame, list[pa.RecordBatch](), False

    def batches(self) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
        reader = self._frame if self.once else pa.RecordBatchReader.from_stream(self._frame)
        return reader.schema, self._each(reader)

    def _each(self, reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
        before, self._kept = self._kept, []
        for batch in chain(before, reader):
            if self._keeping and self.once:
                self._kept.append(batch)
            yield batch

    def remember(self) -> None:
        self._keeping = True

    def go_back(self) -> None:
        self._keeping = False

    def close(self) -> None:
        """It is the user's."""


def batches_of(source: Any) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    """The schema and the batches of a frame, or of an Input that is Arrow IPC."""
    if isinstance(source, Frame):
        return source.batches()
    is_file = source.head(1).startswith(MAGIC)
    stored = in_memory(source) if is_file or source.plain else pa.PythonFile(Forward(source), "r")
    if is_file:
        file = pa.ipc.open_file(stored)
        return file.schema, (sound(file.get_batch(k)) for k in range(file.num_record_batches))
    stream = pa.ipc.open_stream(stored)
    return stream.schema, map(sound, stream)


class Arrow:
    """Arrow IPC, as a file or a stream; and frames, through the Arrow interfaces."""

    def __init__(self, reading: Reading, piece: int = PIECE) -> None:
        self.reading, self.piece, self.columns = reading, piece, Columns(reading)

    def release(self, parsed: Parsed) -> None:
        """Nothing of it is used again."""

    def beginning(self, source: Any) -> tuple[pa.Schema, pa.RecordBatch]:
        """The schema and the first rows; they can be read again."""
        if source.plain:
            return first_rows(*self._batches(source))
        source.remember()
        try:
            return first_rows(*self._batches(source))
        finally:
            source.go_back()

    def _batches(self, source: Any) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
        return batches_of(source)

    def jobs(self, source: Any) -> Iterator[Job]:
        """For each piece of an Input or of a frame."""
        path = source.path
        with Damage(path):
            schema, batches = self._batches(source)
            self.check(schema, path)
            position = 0
            for batch in batches:
                rows = max(1, batch.num_rows)
                step = max(LEAST_ROWS, int(self.piece * rows / max(batch.nbytes, 1)))
                for start in range(0, batch.num_rows, step):
                    piece = batch.slice(start, step)
                    yield partial(self.parse, piece, shown(path)), position + batch.nbytes * (start + len(piece)) // rows
                position += batch.nbytes

    def check(self, schema: pa.Schema, path: str) -> None:
        """Does a file have the columns that give features, and are they what they were in the first one?"""
        where = f"{shown(path)}: " if path else ""
        for name, kind in (self.reading.kinds or {}).items():
            if name not in schema.names:
                raise LittlestoneError(
                    f"{where}no column {name!r}, which gives features; the columns are: {', '.join(schema.names)}", path=path
                )
            given = schema.field(schema.names.index(name)).type
            if name == self.columns.lists == "indices" and not types.is_integer(given.value_type) and not types.is_null(given.value_type):
                raise LittlestoneError(f"{where}column 'indices' of type {given}: expected lists of whole numbers", path=path)
            lists = {"vector", "items", "map"}
            if "null" not in str(given) and {kind, kind_of(given)} & lists and kind != kind_of(given):
                raise LittlestoneError(f"{where}column {name!r} of type {given}, and it was of kind {kind!r} before", path=path)

    def parse(self, batch: pa.RecordBatch, path: str) -> Parsed:
        """The rows of a piece."""
        rows = batch.num_rows
        return ParsedTable(path, self.columns, Table.of(batch), np.arange(rows, dtype=np.int64), rows, unit="row")


class Parquet(Arrow):
    """Parquet files: the rows of a group are unpacked in turn, groups and pieces side by side."""

    def _batches(self, source: Any) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
        file = pa.parquet.ParquetFile(in_memory(source))
        return file.schema_arrow, map(sound, file.iter_batches(LOOK_ROWS, use_threads=False))

    def jobs(self, source: Any) -> Iterator[Job]:
        path = source.path
        with Damage(path):
            stored = in_memory(source)
            file = pa.parquet.ParquetFile(stored)
            metadata, schema = file.metadata, file.schema_arrow
            self.check(schema, path)
            target = self.columns.target
            wanted = {*(self.reading.kinds or ()), self.reading.weight, self.reading.id, target.column if target else None}
            columns = [name for name in schema.names if name in wanted]
            numbers = {"indices": (pa.int32(), pa.uint32()), "values": (pa.float32(),)}
            lists = [
                name
                for name in columns
                if self.columns.lists == "indices" and types.is_list(schema.field(name).type)
                if name in numbers and schema.field(name).type.value_type in numbers[name]
            ]
            size, seen = stored.size(), 0
            for k in range(metadata.num_row_groups):
                group = metadata.row_group(k)
                if not group.num_rows:
                    continue
                step = max(LEAST_ROWS, int(self.piece * group.num_rows / max(group.total_byte_size, 1)))
                batches = _Group(stored, file, k, min(step, group.num_rows), columns, lists)
                for piece in range(-(-group.num_rows // batches.step)):
                    seen += min(batches.step, group.num_rows - piece * batches.step)
                    yield partial(self._piece, batches, piece, path), size * seen // max(metadata.num_rows, seen)

    def _piece(self, group: _Group, number: int, path: str) -> Parsed:
        with Damage(path):
            batch = sound(group.take(number))
        return self.parse(batch, shown(path))


class _Turns:
    """Pieces in their order, whatever threads ask for them; once one has failed, nobody waits for the next."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.next = 0

    @contextmanager
    def of(self, number: int) -> Iterator[None]:
        with self.changed:
            self.changed.wait_for(lambda: self.next >= number or self.next < 0)
            require(self.next == number, "an earlier piece of the file could not be read")
        try:
            yield
        except BaseException:
            number = -2
            raise
        finally:
            with self.changed:
                self.next = number + 1
                self.changed.notify_all()


class _Group:
    """A row group, unpacked piece by piece; columns take turns of their own, so that two threads may work on one group.

    Lists of numbers are read by `pages.py`; if one turns out to be unusual, pyarrow reads all columns from that piece on.
    """

    def __init__(self, stored: Any, file: Any, group: int, step: int, columns: list[str], lists: list[str]) -> None:
        self.stored, self.metadata, self.group, self.step, self.columns = stored, file.metadata, group, step, columns
        self.rows = file.metadata.row_group(group).num_rows
        self.lists = {name: file.schema_arrow.field(name) for name in lists}
        self.turns = {name: _Turns() for name in [*lists, ""]}
        self.pages: dict[str, ListColumn] = {}
        self.usual = dict.fromkeys(lists, True)
        self.arrow: dict[bool, _Batches] = {}

    def take(self, number: int) -> pa.RecordBatch:
        wanted = min(self.step, self.rows - number * self.step)
        lists = {name: self._list(name, number, wanted) for name in self.lists}
        usual = all(array is not None for array in lists.values())
        with self.turns[""].of(number):
            others = [name for name in self.columns if name not in lists] if usual else self.columns
            beside = self._of_arrow(others, usual, number, wanted)
        return pa.RecordBatch.from_arrays([lists[name] if usual and name in lists else beside[name] for name in self.columns], self.columns)

    def _of_arrow(self, columns: list[str], usual: bool, number: int, wanted: int) -> dict[str, pa.Array]:
        if not columns:
            return {}
        if usual not in self.arrow:
            self.arrow[usual] = _Batches(self, columns)
        batch = self.arrow[usual].rows(number * self.step, wanted)
        return {name: batch.column(name) for name in columns}

    def _list(self, name: str, number: int, wanted: int) -> pa.Array | None:
        """A piece of a column of lists; None where it is left to pyarrow."""
        with self.turns[name].of(number):
            if not self.usual[name]:
                return None
            try:
                if name not in self.pages:
                    group, schema = self.metadata.row_group(self.group), self.metadata.schema
                    places = [k for k in range(group.num_columns) if group.column(k).path_in_schema.split(".")[0] == name]
                    if len(places) != 1:
                        raise Unusual
                    place = places[0]
                    nullable = self.lists[name].type.value_field.nullable
                    self.pages[name] = ListColumn(self.stored, group.column(place), schema.column(place), nullable)
                starts, numbers = self.pages[name].take(wanted)
                kind = self.lists[name].type.value_type
                values = pa.Array.from_buffers(kind, len(numbers), [None, pa.py_buffer(numbers)])  # (pa.array would look for NaN)
                return pa.ListArray.from_arrays(pa.array(starts.astype(np.int32)), values)
            except (Unusual, pa.ArrowException, OSError, KeyError, IndexError, TypeError, ValueError):
                self.usual[name] = False
                return None


class _Batches:
    """Some columns of a row group, read by pyarrow, any number of rows at a time."""

    def __init__(self, group: _Group, columns: list[str]) -> None:
        file = pa.parquet.ParquetFile(group.stored, metadata=group.metadata)
        self.batches = file.iter_batches(group.step, row_groups=[group.group], columns=columns, use_threads=False)
        self.rest: list[pa.RecordBatch] = []
        self.given = 0

    def rows(self, start: int, count: int) -> pa.RecordBatch:
        """So many rows from `start` on; those before that were not asked for are left out."""
        if start > self.given:
            self._next(start - self.given)
        return self._next(count)

    def _next(self, wanted: int) -> pa.RecordBatch:
        while sum(map(len, self.rest)) < wanted:
            batch = next(self.batches, None)
            if batch is None:
                raise pa.ArrowInvalid("it has fewer rows than it says")
            self.rest.append(batch)
        whole = self.rest[0] if len(self.rest) == 1 else pa.concat_batches(self.rest)
        self.rest = [whole.slice(wanted)] if len(whole) > wanted else []
        self.given += wanted
        return whole.slice(0, wanted)


def no_table(source: Input, format: str) -> str:
    """What is wrong with a file that does not begin or end as one of its format does; nothing where it does."""
    magic, called = (b"PAR1", "Parquet") if format == "parquet" else (MAGIC, "Arrow")
    head = source.head(1)
    if not head:
        return f"is empty; expected {called}"
    if not head.startswith((magic, b"\xff\xff\xff\xff") if format == "arrow" else magic):
        return f"begins with {head[:8]!r}; expected {called}, which begins with {magic.decode()}; --format (format=) names another"
    if not source.plain or not head.startswith(magic):
        return ""
    with Path(source.path).open("rb") as file:
        file.seek(-len(magic), 2)
        return "" if file.read() == magic else f"is cut off: it does not end with {magic.decode()}, as {called} does"


def sound(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The batch, once it is known that its lengths and offsets stay within it and its text is UTF-8: a damaged file says anything."""
    batch.validate(full=True)
    return batch


def in_memory(source: Input) -> Any:
    """All of a file, to be read from any place: mapped where it can be."""
    return pa.memory_map(source.path) if source.plain else pa.BufferReader(source.read())


def first_rows(schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> tuple[pa.Schema, pa.RecordBatch]:
    """The schema, and the rows that a guess looks at."""
    found: list[pa.RecordBatch] = []
    rows = 0
    while rows < LOOK_ROWS and (batch := next(batches, None)) is not None:
        found.append(batch.slice(0, LOOK_ROWS - rows))
        rows += len(found[-1])
    return schema, pa.concat_batches(found) if found else pa.RecordBatch.from_pylist([], schema)
