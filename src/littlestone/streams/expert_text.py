"""Tables of experts as text: CSV, TSV and JSON lines, as record batches of the columns wanted.

Pyarrow parses. What it cannot make a number of is looked at again in plain Python, which knows the row.
"""

from __future__ import annotations

import csv
import io
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.json

from littlestone.errors import LittlestoneError, require
from littlestone.rounds.reading import LOOK_ROWS, Reading
from littlestone.rounds.table_reading import MISSING
from littlestone.streams.arrow import PANDAS_INDEX, Forward
from littlestone.streams.cells import BLANK, NUMBER, number_text
from littlestone.streams.files import MARK, Input, shown
from littlestone.streams.guess import delimiter_of, kind_of_cells, kind_of_values, rows_of
from littlestone.streams.parsed import Fault

BLOCK = 2**23  # bytes of text parsed at a time
CODE = re.compile(r"[+-]?0[0-9]")  # nobody forecasts 01: it is the name of something


def mostly_numbers(cells: Sequence[str]) -> bool:
    """Is a cell of this column that is no number a slip? Not where most cells are words, nor where numbers are written as names.

    >>> mostly_numbers(["1", "2.5", "?"]), mostly_numbers(["a", "b", "3"]), mostly_numbers(["01", "02", "10", "US"])
    (True, False, False)
    """
    there = [cell for cell in (cell.strip(BLANK) for cell in cells) if cell not in MISSING]
    return 2 * sum(bool(NUMBER.match(cell)) for cell in there) > len(there) and not any(map(CODE.match, there))


class Source(ABC):
    """One table. `columns` are its columns; `first` has the values of the first rows by column, as numbers where `numeric` has the name."""

    format = "arrow"
    unit = "row"
    empty = "an empty cell"

    def __init__(self, path: str) -> None:
        self.path = shown(path)
        self.columns: list[str] = []
        self.numeric: set[str] = set()
        self.first: dict[str, list[Any]] = {}

    @abstractmethod
    def batches(self, numbers: Sequence[str], texts: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """These columns, all rows in order: numbers as pyarrow has them (text where it could not read them), and texts."""

    def never_null(self, columns: Sequence[str]) -> bool:
        """Is it certain beforehand that these columns have no empty cell?"""
        return False

    def slips(self, name: str) -> bool:
        """Of a column that is not all numbers in the first rows: is it mostly numbers? (Where columns have types, these tell.)"""
        return False

    def no_number(self, name: str) -> tuple[int, str] | None:
        """The first row that has something else than a number in this column, and what it has."""
        return None

    def refuse_words(self, name: str, why: str, remedy: str = "") -> LittlestoneError:
        """A column whose numbers are wanted is not all numbers: `why`, where no cell can be named."""
        found = self.no_number(name)
        if found is None:
            return LittlestoneError(f"{self.path}: {why}", path=self.path)
        row, text = found
        return self.fault(row, name, text, f"a number, or {self.empty} where there is none{remedy}")

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
        try:
            text.split(b"\n", 1)[0].decode()
        except UnicodeDecodeError as error:
            raise Fault(None, text.split(b"\n", 1)[0], f"names of columns in UTF-8 ({error.reason})").error(self.path, 1) from None
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

    def slips(self, name: str) -> bool:
        return mostly_numbers(self.first[name])

    def no_number(self, name: str) -> tuple[int, str] | None:
        k = self.columns.index(name)
        for row, (_, record) in enumerate(self._plainly(), -1):
            text = record[k].strip(BLANK) if row >= 0 and len(record) == len(self.columns) else ""
            if text not in MISSING and not NUMBER.match(text):
                return row, text
        return None

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
        try:
            for batch in self._read(numbers, texts, pa.string()):
                skip = min(done, len(batch))
                done -= skip
                if skip < len(batch):
                    yield batch.slice(skip)
        except pa.ArrowInvalid as error:  # bytes that are no UTF-8
            raise self._uneven(error) from None

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
    empty = "null"

    def __init__(self, path: str, head: bytes) -> None:
        super().__init__(path)
        self.file = path
        rows: list[dict[str, Any]] = []
        for line in [line for line in head.removeprefix(MARK).split(b"\n") if line.strip()][:LOOK_ROWS]:
            try:
                row = json.loads(line)
            except ValueError as error:
                raise self._no_object(line, f" ({error})", len(rows)) from None
            if not isinstance(row, dict):
                raise self._no_object(line, "", len(rows))
            rows.append(row)
        require(rows, f"{self.path}: is empty; expected a table")
        self.settle(list(dict.fromkeys(name for row in rows for name in row)))
        for name in self.columns:
            values = [row.get(name) for row in rows]
            there = [value for value in values if value is not None]
            if not there or kind_of_values(values) == "numeric":
                self.numeric.add(name)
            self.first[name] = values

    def slips(self, name: str) -> bool:
        there = [value for value in self.first[name] if value is not None]
        return 2 * sum(isinstance(value, int | float) for value in there) > len(there)

    def no_number(self, name: str) -> tuple[int, str] | None:
        for row, value in enumerate(self.first[name]):
            if value is not None and not isinstance(value, int | float):
                return row, value if isinstance(value, str) else json.dumps(value)
        return None

    def batches(self, numbers: Sequence[str], texts: Sequence[str]) -> Iterator[pa.RecordBatch]:
        done = 0
        for text in self._blocks():
            table = self._parsed(text, done, numbers, texts)
            for name in table.column_names:
                if name not in self.columns:
                    raise self.fault(done, name, "a column", f"those of the first {LOOK_ROWS:,} rows alone, in this row or one of the next")
            yield from table.select([*numbers, *texts]).combine_chunks().to_batches()
            done += len(table)

    def _parsed(self, text: bytes, done: int, numbers: Sequence[str], texts: Sequence[str]) -> pa.Table:
        schema = pa.schema([(name, self._type(name)) for name in (*numbers, *texts)])
        options = pa.json.ReadOptions(block_size=max(len(text), 2), use_threads=False)
        try:
            return pa.json.read_json(pa.BufferReader(text), options, pa.json.ParseOptions(schema, unexpected_field_behavior="infer"))
        except pa.ArrowInvalid as error:
            if odd := self._odd(text, done, schema):
                raise odd from None
            first = error
        try:  # a column that nobody asked for may hold anything
            return pa.json.read_json(pa.BufferReader(text), options, pa.json.ParseOptions(schema, unexpected_field_behavior="ignore"))
        except pa.ArrowInvalid:
            why = str(first).splitlines()[0]
            raise LittlestoneError(f"{self.path}: cannot be read as JSON lines ({why})", path=self.path) from None

    def _type(self, name: str) -> pa.DataType:
        """As the first rows have it."""
        there = [value for value in self.first[name] if value is not None]
        if there and all(isinstance(value, bool) for value in there):
            return pa.bool_()
        if name in self.numeric:
            return pa.float64()
        return pa.string()

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

    def _odd(self, text: bytes, done: int, schema: pa.Schema) -> LittlestoneError | None:
        """The first cell that is not of its column's type; plain Python finds it."""
        kinds = {pa.bool_(): (bool, "true or false"), pa.string(): (str, "text")}
        for row, line in enumerate((line for line in text.split(b"\n") if line.strip()), done):
            try:
                values = json.loads(line)
            except ValueError as why:
                return self._no_object(line, f" ({why})", row)
            if not isinstance(values, dict):
                return self._no_object(line, "", row)
            for field in schema:
                value = values.get(field.name)
                wanted, expected = kinds.get(field.type, (int | float, "a number"))
                if value is not None and (not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool)):
                    found = value if isinstance(value, str) else json.dumps(value)
                    return self.fault(row, field.name, found, f"{expected}, or null where there is none")
        return None

    def _no_object(self, line: bytes, why: str, row: int) -> LittlestoneError:
        fault = Fault(None, line, f"an object of JSON{why}")
        fault.unit = "row"
        return fault.error(self.path, row + 1)
