"""Where tables of experts come from: text, Parquet, Arrow and frames, all as record batches of the columns wanted."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from littlestone.errors import require
from littlestone.rounds.detection import detect
from littlestone.rounds.reading import LOOK_ROWS
from littlestone.rounds.table_reading import MISSING, TABLE_FORMATS
from littlestone.streams.arrays import is_number, is_text, numbers_of
from littlestone.streams.arrow import Damage, Frame, batches_of, first_rows, in_memory, no_table, sound
from littlestone.streams.cells import BLANK, NUMBER
from littlestone.streams.expert_text import CsvSource, JsonSource, Source
from littlestone.streams.files import Input

CELLS = 2**21  # of a record batch, about
BYTES = 2**23  # of a record batch of Parquet


class ArrowSource(Source):
    """Arrow IPC, or a frame with the Arrow interfaces."""

    def __init__(self, path: str, frame: Any = None) -> None:
        super().__init__(path)
        self.file, self.frame = path, frame
        schema, first = self._beginning()
        self.settle(schema.names)
        for name in self.columns:
            kind = schema.field(schema.names.index(name)).type
            if is_number(kind):
                self.numeric.add(name)
                self.first[name] = [None if x != x else x for x in numbers_of(first.column(name)).tolist()]
            else:
                self.first[name] = first.column(name).to_pylist()

    def _beginning(self) -> tuple[pa.Schema, pa.RecordBatch]:
        with self._opened() as (source, damage):
            schema, batches = batches_of(source)
            damage.instead = ""
            return first_rows(schema, batches)

    def batches(self, numbers: Sequence[str], texts: Sequence[str]) -> Iterator[pa.RecordBatch]:
        with self._opened() as (source, damage):
            _, batches = batches_of(source)
            damage.instead = ""
            step = max(64, CELLS // max(1, len(numbers)))
            for batch in batches:
                chosen = batch.select([*numbers, *texts])
                for start in range(0, len(chosen), step):
                    yield chosen.slice(start, step)

    def _opened(self) -> _Opened:
        return _Opened(self)


class _Opened:
    """The Input of a source, closed at the end; what pyarrow says of it is turned into words."""

    def __init__(self, source: ArrowSource) -> None:
        self.of = source

    def __enter__(self) -> tuple[Any, Damage]:
        self.damage = Damage(self.of.path)
        if self.of.frame is not None:
            self.source: Any = Frame(self.of.frame)
        else:
            self.source = Input(self.of.file)
            self.damage.instead = no_table(self.source, self.of.format)
        return self.source, self.damage

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.source.close()
        self.damage.__exit__(kind, error, trace)


def stored(source: Input) -> Any:
    """Read from, not mapped: pages of a mapped file count as memory until somebody else wants it."""
    return pa.OSFile(source.path) if source.plain else in_memory(source)


class ParquetSource(ArrowSource):
    """Parquet, a few thousand rows at a time."""

    format = "parquet"

    def _beginning(self) -> tuple[pa.Schema, pa.RecordBatch]:
        with self._opened() as (source, damage):
            file = pa.parquet.ParquetFile(stored(source))
            damage.instead = ""
            return first_rows(file.schema_arrow, map(sound, file.iter_batches(LOOK_ROWS, use_threads=False)))

    def batches(self, numbers: Sequence[str], texts: Sequence[str]) -> Iterator[pa.RecordBatch]:
        with self._opened() as (source, damage):
            bytes_ = stored(source)
            file = pa.parquet.ParquetFile(bytes_)
            damage.instead = ""
            schema = file.schema_arrow  # made anew each time it is asked for
            kinds = [schema.field(name).type for name in numbers]
            wide = sum(max(8, kind.bit_width) if pa.types.is_primitive(kind) else 64 for kind in kinds)
            step = max(64, BYTES * 8 // max(1, wide) // 64 * 64)
            for k in range(file.metadata.num_row_groups):  # one reader for all would keep what it read of each to the end
                group = pa.parquet.ParquetFile(bytes_, metadata=file.metadata)
                for batch in group.iter_batches(step, row_groups=[k], columns=[*numbers, *texts]):
                    yield sound(batch.select([*numbers, *texts]))

    def never_null(self, columns: Sequence[str]) -> bool:
        with self._opened() as (source, damage):
            file = pa.parquet.ParquetFile(stored(source))
            damage.instead = ""
            schema = file.schema_arrow
            types = [schema.field(name).type for name in columns]
            if not all(pa.types.is_integer(kind) or pa.types.is_boolean(kind) for kind in types):
                return False  # a float may be NaN
            wanted = set(columns)
            for k in range(file.metadata.num_row_groups):  # one reader for all would keep what it read of each to the end
                group = file.metadata.row_group(k)
                for j in range(group.num_columns):
                    column = group.column(j)
                    if column.path_in_schema in wanted and (
                        column.statistics is None or not column.statistics.has_null_count or column.statistics.null_count
                    ):
                        return False
            return True


def open_source(given: Any, format: str = "auto", delimiter: str | None = None) -> Source:
    """The table of a file, or of a frame."""
    if isinstance(given, str | os.PathLike):
        path = str(given)
        require(path != "-", "a table of experts is read more than once; expected a file, not standard input")
        source = Input(path)
        try:
            head = source.head(LOOK_ROWS + 2)
        finally:
            source.close()
        format = detect(path, head) if format == "auto" else format
        known = format in TABLE_FORMATS
        require(
            known, f"{path}: looks like {format}; a table of experts is one of {', '.join(TABLE_FORMATS)}: --format (format=) says which"
        )
        if format in ("csv", "tsv"):
            return CsvSource(path, format, head, delimiter)
        if format == "jsonl":
            return JsonSource(path, head)
        return ParquetSource(path) if format == "parquet" else ArrowSource(path)
    if isinstance(given, np.ndarray):
        require(given.ndim == 2, f"a table of experts has rows and columns; got an array of shape {given.shape}")
        given = pa.table({str(k): np.ascontiguousarray(given[:, k]) for k in range(given.shape[1])})
    if isinstance(given, pa.RecordBatchReader):
        given = given.read_all()  # it is read more than once
    framed = hasattr(given, "__arrow_c_stream__")
    require(framed, f"a table of experts is a file or a frame (pandas, polars, pyarrow); got {type(given).__name__}")
    return ArrowSource("the table", given)


def numbers_in(source: Source, batch: pa.RecordBatch, column: int, first_row: int) -> np.ndarray:
    """A column as doubles, NaN where a cell is empty; refused where a cell is no number."""
    cells = batch.column(column)
    if not is_text(cells.type):
        found = numbers_of(cells)
        if not pa.types.is_integer(cells.type) and not pa.types.is_boolean(cells.type) and np.isinf(found).any():
            row = int(np.flatnonzero(np.isinf(found))[0])
            raise source.fault(first_row + row, batch.schema.names[column], found[row], "a finite number")
        return found
    found = np.full(len(cells), np.nan)
    for row, cell in enumerate(cells.to_pylist()):
        text = (cell or "").strip(BLANK)
        if NUMBER.match(text) and abs(float(text)) < float("inf"):
            found[row] = float(text)
        elif text not in MISSING:
            name = batch.schema.names[column]
            remedy = f"a number, or an empty cell for an expert that is asleep; --ignore {name} (ignore=) leaves the column out"
            raise source.fault(first_row + row, name, text, remedy)
    return found
