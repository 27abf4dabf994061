"""Arrow IPC (files and streams), and frames in memory: a piece is a few thousand rows.

Lists of numbers go into rows as they lie in memory where their types allow.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.ipc

from littlestone.errors import LittlestoneError
from littlestone.rounds.files import shown
from littlestone.rounds.formats import Record
from littlestone.rounds.formats.arrow import Damage, batch_records, sound, values_of
from littlestone.rounds.reading import LOOK_ROWS, Reading
from littlestone.rounds.tables import check_columns
from littlestone.streams.arrays import is_list, is_number, is_text, types
from littlestone.streams.columns import ColumnBatch
from littlestone.streams.files import Input, size_of
from littlestone.streams.tables import FirstRows, Piece, TableReader

PIECE = 2**21  # bytes of a piece, about
LEAST_ROWS = 64
LARGE = 2**26  # bytes of a record batch that is left in the file until its rows are wanted
MAGIC = b"ARROW1"
PANDAS_INDEX = "__index_level_"
LISTS = {"vector", "items", "map"}


class ArrowPiece:
    """A record batch."""

    def __init__(self, batch: pa.RecordBatch) -> None:
        self.batch, self.line_count = batch, batch.num_rows

    def columns(self) -> ColumnBatch:
        columns = dict(zip(self.batch.schema.names, self.batch.columns, strict=True))
        return ColumnBatch(columns, np.arange(self.line_count, dtype=np.int64))

    def records(self) -> Iterator[Record]:
        return ((number - 1, record) for number, record in batch_records(self.batch))


class ArrowReader(TableReader):
    """Arrow IPC, as a file or a stream; and frames, through the Arrow interfaces."""

    unit = "row"

    def beginning(self, source: Any) -> tuple[pa.Schema, pa.RecordBatch]:
        """The schema and the first rows; they can be read again."""
        if source.plain:
            return first_rows(*self.batches(source))
        source.remember()
        try:
            return first_rows(*self.batches(source))
        finally:
            source.go_back()

    def batches(self, source: Any) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
        return batches_of(source)

    def pieces(self, source: Any) -> Iterator[tuple[Callable[[], Piece], int] | None]:
        path = source.path
        with Damage(path):
            schema, batches = self.batches(source)
            self.check(schema, path)
            used = [name for name in schema.names if name in self.uses]
            position = 0
            for batch in batches:
                if self.threads:  # a few columns of many, perhaps
                    batch = batch.select(used)
                rows = max(1, batch.num_rows)
                step = max(LEAST_ROWS, int((self.chunk or PIECE) * rows / max(batch.nbytes, 1)))
                for start in range(0, batch.num_rows, step):
                    piece = batch.slice(start, step)
                    yield partial(ArrowPiece, piece), position + batch.nbytes * (start + len(piece)) // rows
                position += batch.nbytes

    def check(self, schema: pa.Schema, path: str) -> None:
        """Does a file have the columns that give features, and are they what they were in the first one?"""
        path, names = shown(path), schema.names
        check_columns(names, self.reading, path)
        kinds_of = dict(zip(names, schema.types, strict=True))
        for name, kind in (self.reading.kinds or {}).items():
            type = kinds_of[name]
            if name == self.features.lists == "indices" and not types.is_integer(type.value_type) and not types.is_null(type.value_type):
                raise LittlestoneError(f"{path}: column 'indices' of type {type}: expected lists of whole numbers", path=path)
            if "null" not in str(type) and {kind, kind_of(type)} & LISTS and kind != kind_of(type):
                raise LittlestoneError(f"{path}: column {name!r} of type {type}, and it was of kind {kind!r} before", path=path)


def sizes_of(source: Any) -> list[int]:
    """The bytes of each record batch, about; what is written as a stream is one."""
    with Damage(source.path):
        if not source.head(1).startswith(MAGIC):
            return [0]
        count = pa.ipc.open_file(in_memory(source)).num_record_batches
        return [size_of(source.path) // max(1, count)] * count


def look(reading: Reading, source: Any) -> FirstRows:
    """The columns, their types and the first rows of a file, or of a frame."""
    return look_with(ArrowReader, reading, source)


def look_with(kind: type[ArrowReader], reading: Reading, source: Any) -> FirstRows:
    path = shown(source.path)
    with Damage(path) as damage:
        if isinstance(source, Input):
            damage.instead = no_table(source, reading.format)
        schema, first = kind(reading, {}).beginning(source)
        damage.instead = ""
        every: dict[str, pa.DataType] = {}
        for name, type in zip(schema.names, schema.types, strict=True):
            every.setdefault(name, type)
        columns = [name for name in schema.names if not name.startswith(PANDAS_INDEX)]
        types_of = {name: every[name] for name in columns}
    kinds = {name: kind_of(type) for name, type in types_of.items()}
    unusable = {name: f"column {name!r} of type {types_of[name]} gives no features" for name, kind in kinds.items() if kind is None}
    return FirstRows(reading, columns, LazyCells(first, path), {name: kind or "" for name, kind in kinds.items()}, unusable=unusable)


class LazyCells(dict):
    """The first cells of columns; most are not asked for, because types tell their kinds."""

    def __init__(self, batch: pa.RecordBatch, path: str) -> None:
        super().__init__()
        self.batch, self.path = batch, path
        self.places = {name: k for k, name in reversed(list(enumerate(batch.schema.names)))}  # of two of one name, the first

    def __missing__(self, name: str) -> list[Any]:
        with Damage(self.path):
            column = self.batch.column(self.places[name])
            self[name] = values_of(column, column.type)
        return self[name]

    def different(self, name: str) -> list[Any]:
        """The different cells of a column of numbers."""
        with Damage(self.path):
            return self.batch.column(self.places[name]).unique().to_pylist()


def kind_of(kind: pa.DataType) -> str | None:
    """The kind of a column by its type: "" where the cells decide, None where nothing can be made of it."""
    if types.is_dictionary(kind):
        return "" if is_text(kind.value_type) else "categorical"  # a pandas category of numbers is a category
    if is_number(kind):
        return "numeric"
    if is_text(kind):
        return ""
    if types.is_date(kind) or types.is_timestamp(kind):
        return "time"
    if types.is_time(kind):  # of a day, whichever it was
        return "categorical"
    if is_list(kind):
        inner = kind.value_type.value_type if types.is_dictionary(kind.value_type) else kind.value_type
        return "vector" if is_number(inner) else "items" if is_text(inner) else None
    return "map" if types.is_map(kind) or types.is_struct(kind) else None


class Forward:
    """An Input as Arrow reads a file that has no end to begin from."""

    closed = False

    def __init__(self, source: Input) -> None:
        self.source = source

    def read(self, size: int = -1) -> bytes:
        return self.source.read(size)

    def close(self) -> None:
        pass


class FrameInput:
    """Anything with `__arrow_c_stream__`, read as an Input is. What can be read only once is kept while it is looked at."""

    path, plain, span = "the table", False, None

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
    if isinstance(source, FrameInput):
        return source.batches()
    is_file = source.head(1).startswith(MAGIC)
    if is_file:
        file = pa.ipc.open_file(in_memory(source))
        if source.plain and size_of(source.path) <= LARGE * file.num_record_batches:
            # they are read, not mapped: pages of a mapped file count as memory until somebody else wants it
            file = pa.ipc.open_file(pa.OSFile(source.path))
        numbers = range(file.num_record_batches) if source.span is None else range(*source.span[:2])
        return file.schema, (sound(file.get_batch(k)) for k in numbers)
    stream = pa.ipc.open_stream(pa.OSFile(source.path) if source.plain else pa.PythonFile(Forward(source), "r"))
    return stream.schema, map(sound, stream)


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


def in_memory(source: Input) -> Any:
    """All of a file, to be read from any place: mapped where it can be."""
    return pa.memory_map(source.path) if source.plain else pa.BufferReader(source.read())


def first_rows(schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> tuple[pa.Schema, pa.RecordBatch]:
    """The schema, and the rows that a guess looks at."""
    parts: list[pa.RecordBatch] = []
    rows = 0
    while rows < LOOK_ROWS and (batch := next(batches, None)) is not None:
        parts.append(batch.slice(0, LOOK_ROWS - rows))
        rows += len(parts[-1])
    return schema, pa.concat_batches(parts) if parts else pa.RecordBatch.from_pylist([], schema)


TABLE = ArrowReader


def writer() -> type:
    from littlestone.streams.write.batches import ArrowWriter

    return ArrowWriter
