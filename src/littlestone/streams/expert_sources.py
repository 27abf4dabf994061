"""Where tables of experts come from: CSV, JSON lines, Parquet, Arrow and frames, all as record batches of the columns wanted.

Pyarrow parses. What it cannot make a number of is looked at again in plain Python, which knows the row.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet

from littlestone.advice_reading import MISSING, TABLE_FORMATS
from littlestone.detection import detect
from littlestone.errors import LittlestoneError, require
from littlestone.reading import LOOK_ROWS, Reading
from littlestone.streams.arrays import is_number, is_text, numbers_of
from littlestone.streams.arrow import PANDAS_INDEX, Damage, Forward, Frame, batches_of, first_rows, in_memory, no_table, sound
from littlestone.streams.cells import BLANK, NUMBER, number_text
from littlestone.streams.files import MARK, Input, shown
from littlestone.streams.guess import delimiter_of, kind_of_cells, kind_of_values, rows_of
from littlestone.streams.parsed import Fault

BLOCK = 2**23  # bytes of text parsed at a time
CELLS = 2**21  # of a record batch, about
BYTES = 2**23  # of a record batch of Parquet


class Source:
    """One table. `columns` are its columns; `first` has the values of the first rows by column, as numbers where `numeric` has the name."""

    format = "arrow"
    unit = "row"

    def __init__(self, path: str) -> None:
        self.path = shown(path)
        self.columns: list[str] = []
        self.numeric: set[str] = set()
        self.first: dict[str, list[Any]] = {}

    def batches(self, numbers: Sequence[str], texts: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """These columns, all rows in order: numbers as pyarrow has them (text where it could not read them), and texts."""
        raise NotImplementedError

    def never_null(self, columns: Sequence[str]) -> bool:
        """Is it certain beforehand that these columns have no empty cell?"""
        return False

    def fault(self, row: int, column: str | None, found: Any, expected: str) -> LittlestoneError:
        """What is wrong in a row, counted from 0."""
        fault = Fault(column, found if isinstance(found, str) else number_text(float(found)), expected)
        fault.unit = self.unit
        return fault.error(self.path, self.place(row))

    def place(self, row: int) -> int:
        return row + 1

    def settle(self, columns: Sequence[str]) -> None:
        """Refuse a header that names nothing, or the same twice."""
        self.columns = [name for name in columns if not name.startswith(PANDAS_INDEX)]
        require(self.columns, f"{self.path}: has no columns; expected a table with a column for each expert")
        for twice in (name for k, name in enumerate(self.columns) if name in self.columns[:k]):
            raise LittlestoneError(f"{self.path}: column {twice!r} stands twice in the header; expected different names", path=self.path)


class CsvSource(Source):
    """CSV and TSV with a header; plain, gzip or zstd."""

    unit = "line"

    def __init__(self, path: str, format: str, head: bytes, delimiter: str | None) -> None:
        super().__init__(path)
        self.format, self.file = format, path
        text = head.removeprefix(MARK)
        require(text.strip(), f"{self.path}: is empty; expected a table")
        self.delimiter = delimiter_of(Reading(format=format, delimiter=delimiter), text)
        rows = rows_of(text, self.delimiter, True, LOOK_ROWS + 1)
        require(rows, f"{self.path}: no line of it can be read as cells of a table")
        names = [cell.strip(BLANK) for cell in rows[0]]
        named = not all(NUMBER.match(name) or not name for name in names)
        require(named, f"{self.path}, line 1: found only numbers; expected the names of the columns")
        self.header = rows[0]
        self.settle(names)
        look = [row for row in rows[1:] if len(row) == len(names)]
        for k, name in enumerate(names):
            cells = [row[k] for row in look]
            if kind_of_cells(cells) == "numeric":
                self.numeric.add(name)
                self.first[name] = [None if cell.strip(BLANK) in MISSING else float(cell) for cell in cells]
            else:
                self.first[name] = cells

    def batches(self, numbers: Sequence[str], texts: Sequence[str]) -> Iterator[pa.RecordBatch]:
        done = 0
        try:
            for batch in self._read(numbers, texts, pa.float64()):
                yield batch
                done += len(batch)
            return
        except pa.ArrowInvalid as error:
            if "conversion error" not in str(error):
                raise self._uneven(error) from None
        for batch in self._read(numbers, texts, pa.string()):
            skip = min(done, len(batch))
            done -= skip
            if skip < len(batch):
                yield batch.slice(skip)

    def _read(self, numbers: Sequence[str], texts: Sequence[str], kind: pa.DataType) -> Iterator[pa.RecordBatch]:
        written = dict(zip(self.columns, self.header, strict=True))
        wanted = [written[name] for name in (*numbers, *texts)]
        source = Input(self.file)
        try:
            reader = pa.csv.open_csv(
                pa.PythonFile(Forward(source), "r"),
                read_options=pa.csv.ReadOptions(block_size=BLOCK),
                parse_options=pa.csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
                convert_options=pa.csv.ConvertOptions(
                    column_types={written[name]: kind for name in numbers} | {written[name]: pa.string() for name in texts},
                    include_columns=wanted,
                    null_values=list(MISSING),
                ),
            )
            for batch in reader:
                yield batch.select(range(len(wanted))).rename_columns([*numbers, *texts])
        finally:
            source.close()

    def _plainly(self) -> Iterator[tuple[int, list[str]]]:
        """Every record that is not blank, with the line it begins in."""
        source = Input(self.file)
        try:
            raw = io.BufferedReader(_Raw(source))
            text = io.TextIOWrapper(raw, "utf-8-sig", "replace", newline="")
            reader, line = csv.reader(text, delimiter=self.delimiter), 1
            for record in reader:
                if record:
                    yield line, record
                line = reader.line_num + 1
        finally:
            source.close()

    def _uneven(self, error: Exception) -> LittlestoneError:
        for line, record in self._plainly():
            if len(record) != len(self.columns):
                fault = Fault(None, f"{len(record)} cells", f"{len(self.columns)}, as many as the header has")
                return fault.error(self.path, line)
        return LittlestoneError(f"{self.path}: cannot be read as a table ({str(error).splitlines()[0]})", path=self.path)

    def place(self, row: int) -> int:
        for k, (line, _) in enumerate(self._plainly()):
            if k == row + 1:
                return line
        return row + 2


class _Raw(io.RawIOBase):
    """An Input as Python's own readers take it."""

    def __init__(self, source: Input) -> None:
        self.source = source

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self.source.readinto(memoryview(buffer))


class JsonSource(Source):
    """JSON lines, an object a row."""

    format = "jsonl"

    def __init__(self, path: str, head: bytes) -> None:
        super().__init__(path)
        self.file = path
        rows: list[dict[str, Any]] = []
        for line in [line for line in head.removeprefix(MARK).split(b"\n") if line.strip()][:LOOK_ROWS]:
            try:
                row = json.loads(line)
            except ValueError as error:
                raise Fault(None, line, f"an object of JSON ({error})").error(self.path, len(rows) + 1) from None
            if not isinstance(row, dict):
                raise Fault(None, line, "an object of JSON").error(self.path, len(rows) + 1)
            rows.append(row)
        require(rows, f"{self.path}: is empty; expected a table")
        self.settle(list(dict.fromkeys(name for row in rows for name in row)))
        for name in self.columns:
            values = [row.get(name) for row in rows]
            there = [value for value in values if value is not None]
            if not there or kind_of_values(values) == "numeric":
                self.numeric.add(name)
            self.first[name] = values

    def batches(self, numbers: Sequence[str], texts: Sequence[str]) -> Iterator[pa.RecordBatch]:
        schema = pa.schema([(name, pa.float64()) for name in numbers])
        done = 0
        for text in self._blocks():
            options = pa.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="infer")
            try:
                table = pa.json.read_json(
                    pa.BufferReader(text), pa.json.ReadOptions(block_size=max(len(text), 2), use_threads=False), options
                )
            except pa.ArrowInvalid as error:
                raise self._odd(text, done, numbers, error) from None
            for name in table.column_names:
                if name not in self.columns:
                    raise self.fault(done, name, "a column", f"those of the first {LOOK_ROWS:,} rows alone, in this row or one of the next")
            for name in texts:
                if name not in table.column_names:
                    raise self.fault(done, name, "nothing", "a value")
            yield from table.select([*numbers, *texts]).combine_chunks().to_batches()
            done += len(table)

    def _blocks(self) -> Iterator[bytes]:
        source = Input(self.file)
        try:
            rest = b""
            while piece := source.read(BLOCK):
                piece = rest + piece
                end = piece.rfind(b"\n") + 1
                rest = piece[end:]
                if piece[:end].strip():
                    yield piece[:end].removeprefix(MARK)
            if rest.strip():
                yield rest.removeprefix(MARK)
        finally:
            source.close()

    def _odd(self, text: bytes, done: int, numbers: Sequence[str], error: Exception) -> LittlestoneError:
        for row, line in enumerate((line for line in text.split(b"\n") if line.strip()), done):
            try:
                values = json.loads(line)
            except ValueError as why:
                return Fault(None, line, f"an object of JSON ({why})").error(self.path, row + 1)
            if not isinstance(values, dict):
                return Fault(None, line, "an object of JSON").error(self.path, row + 1)
            for name in numbers:
                value = values.get(name)
                if value is not None and not (isinstance(value, int | float) and not isinstance(value, bool)):
                    return self.fault(row, name, str(value), "a number, or null for an expert that is asleep")
        return LittlestoneError(f"{self.path}: cannot be read as JSON lines ({str(error).splitlines()[0]})", path=self.path)


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


def parquet_file(source: Input) -> Any:
    """Read from, not mapped: pages of a mapped file count as memory until somebody else wants it."""
    return pa.parquet.ParquetFile(pa.OSFile(source.path) if source.plain else in_memory(source))


class ParquetSource(ArrowSource):
    """Parquet, a few thousand rows at a time."""

    format = "parquet"

    def _beginning(self) -> tuple[pa.Schema, pa.RecordBatch]:
        with self._opened() as (source, damage):
            file = parquet_file(source)
            damage.instead = ""
            return first_rows(file.schema_arrow, map(sound, file.iter_batches(LOOK_ROWS, use_threads=False)))

    def batches(self, numbers: Sequence[str], texts: Sequence[str]) -> Iterator[pa.RecordBatch]:
        with self._opened() as (source, damage):
            file = parquet_file(source)
            damage.instead = ""
            schema = file.schema_arrow  # made anew each time it is asked for
            kinds = [schema.field(name).type for name in numbers]
            wide = sum(max(8, kind.bit_width) if pa.types.is_primitive(kind) else 64 for kind in kinds)
            step = max(64, BYTES * 8 // max(1, wide) // 64 * 64)
            for batch in file.iter_batches(step, columns=[*numbers, *texts]):
                yield sound(batch.select([*numbers, *texts]))

    def never_null(self, columns: Sequence[str]) -> bool:
        with self._opened() as (source, damage):
            file = parquet_file(source)
            damage.instead = ""
            schema = file.schema_arrow
            types = [schema.field(name).type for name in columns]
            if not all(pa.types.is_integer(kind) or pa.types.is_boolean(kind) for kind in types):
                return False  # a float may be NaN
            wanted = set(columns)
            for k in range(file.metadata.num_row_groups):
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
