"""Readers of tables that are text: comma-separated values and JSON lines.

Pieces of whole records are read in turn, and parsed on other threads by pyarrow. Where pyarrow complains, or may have been more
generous than we are, plain Python reads the piece again: it is the definition, and knows the line of a fault.
"""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.json

from littlestone.errors import LittlestoneError
from littlestone.rounds.reading import LOOK_ROWS, Reading
from littlestone.streams.arrays import is_list, types
from littlestone.streams.cells import BLANK, MISSING, Pairs, features_of, flattened, floated, number_in, other_kind, text_of
from littlestone.streams.columns import NOT_IN_LOOK, Columns, Table
from littlestone.streams.files import LONGEST_LINE, MARK, Input, shown
from littlestone.streams.guess import enough, guess_text_table, settled
from littlestone.streams.parsed import Fault, Parsed
from littlestone.streams.readers import CHUNK, Job
from littlestone.streams.records import BEGIN, NO_QUOTES, QUOTES, cells_of, records_of, scan
from littlestone.streams.table import ParsedTable

TEXT, CODED = pa.string(), pa.dictionary(pa.int32(), pa.string())


def looked(reading: Reading, source: Input, *, labelled: bool = True) -> Reading:
    """The reading settled on the first rows of a csv, tsv or jsonl file."""
    rows = LOOK_ROWS + 2
    head = source.head(rows)
    while not enough(head, reading) and len(more := source.head(rows := 2 * rows)) > len(head):
        head = more  # records that take several lines
    whole = head[: head.rfind(b"\n") + 1] if enough(head, reading) else head
    look = _look_at_objects if reading.format == "jsonl" else guess_text_table
    return look(reading, whole, shown(source.path), labelled)


class TextTable(ABC):
    """What both readers share: pieces of whole records, in turn."""

    quotes = False

    def __init__(self, reading: Reading, chunk: int = CHUNK) -> None:
        self.reading, self.chunk, self.columns = reading, chunk, Columns(reading)

    @abstractmethod
    def jobs(self, source: Input) -> Iterator[Job | None]:
        """The rows of a file in pieces; None where the next piece may be long in coming."""

    def release(self, parsed: Parsed) -> None:
        """Nothing of it is used again."""
        return

    def _pieces(self, source: Input) -> Iterator[tuple[bytes, int] | None]:
        """Whole records, each with the bytes read so far; None where the next may be long in coming."""
        rest, read, wanted, first = b"", 0, self.chunk, True
        while True:
            room, filled = bytearray(wanted), 0
            while filled < wanted:
                if not source.ready():
                    if self._end(rest + room[:filled]):
                        break
                    yield None
                got = source.readinto(memoryview(room)[filled:])
                if not got:
                    break
                filled += got
            text = rest + room[:filled]
            read += filled
            if first and (len(text) >= len(MARK) or not filled):
                text, first = text.removeprefix(MARK), False
            if not filled:
                break
            end = 0 if first else self._end(text)
            rest = text[end:]
            if end:
                yield text[:end], source.position or read
            elif len(rest) > LONGEST_LINE:
                why = f"{shown(source.path)}: a record of more than {LONGEST_LINE} bytes"
                raise LittlestoneError(f"{why}; is a quote never closed? {NO_QUOTES}" if self.quotes else why, path=source.path)
            wanted = max(self.chunk, len(rest))  # so that a long record is not looked through again and again
        if text:
            yield text if text.endswith(b"\n") else text + b"\n", source.position or read

    def _end(self, text: bytes) -> int:
        """The end of the last whole record."""
        return text.rfind(b"\n") + 1


class Csv(TextTable):
    """Comma-separated values, and tabs or others between them."""

    def __init__(self, reading: Reading, chunk: int = CHUNK) -> None:
        super().__init__(reading, chunk)
        self.delimiter = reading.delimiter or ","
        self.quotes = reading.quotes is not False  # older models do not say, and took them

    def _end(self, text: bytes) -> int:
        if not self.quotes or b'"' not in text:
            return text.rfind(b"\n") + 1
        return int(scan(np.frombuffer(text, np.uint8), 0, len(text), np.uint8(ord(self.delimiter)), BEGIN)[0])

    def jobs(self, source: Input) -> Iterator[Job | None]:
        names: list[str] | None = None if self.reading.header else list(self.reading.columns or ())
        path = shown(source.path)
        for piece in self._pieces(source):
            if piece is None:
                yield None
                continue
            (text, position), skip = piece, 0
            if names is None:
                starts, ends, _ = records_of(text, self.delimiter, self.quotes)
                if not len(starts):
                    yield partial(self.parse, text, [], 0, path), position
                    continue
                names, skip = self._header(text[starts[0] : ends[0]], path), int(ends[0])
            yield partial(self.parse, text, names, skip, path), position

    def _header(self, line: bytes, path: str) -> list[str]:
        """The columns of this file: those of the reading, in any order, with or without others and the label."""
        try:
            names = [cell.strip(BLANK) for cell in cells_of(line.decode(), self.delimiter, self.quotes)]
        except Fault as fault:
            raise fault.error(path, 1) from None
        except UnicodeDecodeError:
            raise Fault(None, line, f"{self.reading.encoding} text").error(path, 1) from None
        for name in self.reading.kinds or {}:
            if names.count(name) != 1:
                often = "no column" if name not in names else "more than one column"
                raise LittlestoneError(f"{path}: {often} {name!r}, which gives features; the columns are: {', '.join(names)}", path=path)
        return names

    def parse(self, text: bytes, names: list[str], skip: int, path: str) -> Parsed:
        """The rows of a piece, after `skip` bytes of header."""
        wanted = [*(self.reading.kinds or ()), self.reading.weight, self.reading.id]
        wanted.append(self.columns.target.column if self.columns.target else None)
        used = [name for name in names if name in wanted]
        newlines = text.count(b"\n")
        quick = self._quick(text, names, used, skip, newlines)
        if quick is not None:
            parsed = ParsedTable(path, self.columns, *quick, newlines)
            if not parsed.faults:
                return parsed
        return ParsedTable(path, self.columns, *self._plain(text, names, used, skip))

    def _quick(self, text: bytes, names: list[str], used: list[str], skip: int, newlines: int) -> tuple[Table, np.ndarray] | None:
        """By pyarrow; None where that may not mean what we mean."""
        if not used or (b"\r" in text and text.count(b"\r") != text.count(b"\r\n")):
            return None
        if self.quotes and b'"' in text and self._end(text) != len(text):  # a quote is never closed
            return None
        try:
            found = pyarrow.csv.read_csv(
                pa.py_buffer(memoryview(text)[skip:]),
                read_options=pyarrow.csv.ReadOptions(use_threads=False, block_size=len(text) + 1, column_names=names),
                parse_options=pyarrow.csv.ParseOptions(
                    delimiter=self.delimiter, quote_char=self.quotes and '"', newlines_in_values=self.quotes and b'"' in text
                ),
                convert_options=pyarrow.csv.ConvertOptions(
                    column_types={name: self._type(name) for name in used},
                    include_columns=used,
                    null_values=list(MISSING),
                    strings_can_be_null=False,
                ),
            )
        except pa.ArrowInvalid:
            return None
        table = one_batch(found)
        if table is None:
            return None
        before = text.count(b"\n", 0, skip)
        lines = np.arange(before, before + table.rows, dtype=np.int64)
        if table.rows != newlines - before:
            _, _, lines = records_of(text, self.delimiter, self.quotes)
            lines = lines[1:] if skip else lines
        return (table, lines) if len(lines) == table.rows else None

    def _type(self, name: str) -> pa.DataType:
        kind, target = (self.reading.kinds or {}).get(name), self.columns.target
        if kind == "numeric" or name == self.reading.weight or (target is not None and name == target.column and target.ordered):
            return pa.float64()
        return TEXT if kind == "text" or name == self.reading.id or name == "|" else CODED

    def _plain(self, text: bytes, names: list[str], used: list[str], skip: int) -> tuple[Table, np.ndarray, int, list[tuple[int, Fault]]]:
        faults: list[tuple[int, Fault]] = []
        rows, lines = [], []
        places = [names.index(name) for name in used]
        for start, end, line in zip(*(array.tolist() for array in records_of(text, self.delimiter, self.quotes)), strict=True):
            if start < skip:
                continue
            record = text[start:end].decode("utf-8", "surrogateescape")
            try:
                cells = cells_of(record, self.delimiter, self.quotes)
                if len(cells) != len(names):
                    hint = "" if '"' not in record else f"; {NO_QUOTES if self.quotes else QUOTES}"
                    raise Fault(None, record.rstrip("\r\n"), self._cells_expected(names, len(cells)) + hint)
                rows.append([_utf8(cells[k], names[k]) for k in places])
                lines.append(line)
            except Fault as fault:
                faults.append((line, fault))
        columns = {name: pa.array([row[k] for row in rows], TEXT) for k, name in enumerate(used)}
        return Table(columns, len(rows)), np.array(lines, np.int64), text.count(b"\n"), faults

    def _cells_expected(self, names: list[str], found: int) -> str:
        if self.reading.header:
            return f"{len(names)} cells, as in the first line, not {found}"
        label = self.columns.target.column if self.columns.target else None
        kept = f"; that of the label, number {label}, must be there too, and may be empty" if label and found == len(names) - 1 else ""
        return f"{len(names)} cells in every row, not {found}{kept}"


def _utf8(cell: str, name: str | None) -> str:
    if not cell.isascii():
        try:
            cell.encode()
        except UnicodeEncodeError:
            found = "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in cell)
            raise Fault(name, found, "UTF-8 text; --encoding (encoding=) names another") from None
    return cell


def one_batch(found: pa.Table) -> Table | None:
    """What pyarrow read, unless a number in it is NaN: that is no missing cell."""
    columns = {}
    for name, column in zip(found.schema.names, found.columns, strict=True):
        array = columns[name] = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
        inner = array.flatten() if is_list(array.type) else array
        if types.is_floating(inner.type) and np.isnan(inner.to_numpy(zero_copy_only=False)).sum() != inner.null_count:
            return None
    return Table(columns, found.num_rows)


class Jsonl(TextTable):
    """One JSON object a line."""

    def jobs(self, source: Input) -> Iterator[Job | None]:
        for piece in self._pieces(source):
            yield None if piece is None else (partial(self.parse, piece[0], shown(source.path)), piece[1])

    def parse(self, text: bytes, path: str) -> Parsed:
        """The rows of a piece."""
        quick = self._quick(text)
        if quick is not None:
            parsed = ParsedTable(path, self.columns, quick, np.arange(quick.rows, dtype=np.int64), quick.rows)
            if not parsed.faults:
                return parsed
        return ParsedTable(path, self.columns, *self._plain(text))

    def _quick(self, text: bytes) -> Table | None:
        """By pyarrow, where every line is an object without others in it: it may crash on other things at the ends of lines."""
        lines = text.count(b"\n")
        ends = text.count(b"}\n{") + text.count(b"}\r\n{") + 1
        flat = text.count(b"{") == text.count(b"}") == lines == ends and text.startswith(b"{") and text.rstrip(b"\r\n").endswith(b"}")
        if not flat:
            return None
        try:
            text.decode()
            first = object_of(text[: text.index(b"\n")])
        except (Fault, UnicodeDecodeError):
            return None
        schema = [(name, self._type(name, first.get(name))) for name in [*(self.reading.columns or ())]]
        if any(kind is None for _, kind in schema):
            return None
        try:
            found = pyarrow.json.read_json(
                pa.py_buffer(text),
                read_options=pyarrow.json.ReadOptions(use_threads=False, block_size=len(text) + 1),
                parse_options=pyarrow.json.ParseOptions(explicit_schema=pa.schema(schema), unexpected_field_behavior="error"),
            )
        except pa.ArrowInvalid:
            return None
        table = one_batch(found)
        return table if table is not None and table.rows == lines else None

    def _type(self, name: str, value: Any) -> pa.DataType | None:
        """The type of a column, by its kind and its first value; None where plain Python had better read it."""
        kind, target = (self.reading.kinds or {}).get(name), self.columns.target
        if kind in ("numeric", None) and isinstance(value, bool):
            return pa.bool_() if name != self.reading.id else None
        if name in self.reading.numeric or (name == self.reading.id and not isinstance(value, str)):
            return None
        if kind == "numeric" or name == self.reading.weight or (kind is None and isinstance(value, int | float)):
            return pa.float64()
        if kind == "vector":
            return pa.list_(pa.float64())
        if kind == "items":
            return pa.list_(TEXT)
        if isinstance(value, str):
            return TEXT
        labelled = target is not None and name == target.column
        return None if value is not None or kind == "map" or labelled else TEXT

    def _plain(self, text: bytes) -> tuple[Table, np.ndarray, int, list[tuple[int, Fault]]]:
        faults: list[tuple[int, Fault]] = []
        rows, lines = [], []
        pieces = text.split(b"\n")[:-1]
        for line, piece in enumerate(pieces):
            if not piece.strip(b" \t\r"):
                continue
            try:
                rows.append(self._cells(object_of(piece)))
                lines.append(line)
            except Fault as fault:
                faults.append((line, fault))
        columns: dict[str, Any] = {}
        for k, name in enumerate(self.reading.columns or ()):
            cells = [row[k] for row in rows]
            kind = (self.reading.kinds or {}).get(name)
            if kind in ("vector", "items", "map"):
                columns[name] = cells
            else:
                columns[name] = pa.array(cells, pa.float64() if kind == "numeric" or name == self.reading.weight else TEXT)
        others = [row[-1] for row in rows]
        if any(others):
            columns[NOT_IN_LOOK] = others
        return Table(columns, len(rows)), np.array(lines, np.int64), len(pieces), faults

    def _cells(self, found: dict[str, Any]) -> list[Any]:
        """What the columns hold, and last the features under keys that are no columns."""
        kinds, others = self.reading.kinds or {}, Pairs()
        cells: list[Any] = []
        for name in self.reading.columns or ():
            value, kind = found.pop(name, None), kinds.get(name)
            if kind == "numeric" or name == self.reading.weight:
                cells.append(self._number(name, value))
            elif kind in ("vector", "items", "map"):
                bare = "" if name == "features" else name
                cells.append([(_utf8(key, name), x) for key, x in features_of(kind, bare, value, name)])
            elif kind is None and name not in (self.reading.id, self.columns.target and self.columns.target.column):
                cells.append(None)
            elif isinstance(value, list | dict) or value in (math.inf, -math.inf):
                raise Fault(name, json.dumps(value), "text or a finite number")
            else:
                cells.append(None if value is None else _utf8(text_of(value), name))
        for name, value in found.items():  # keys that the first rows did not have
            value = value.strip(BLANK) if isinstance(value, str) else value
            others += [(_utf8(key, name), x) for key, x in flattened(name, value, name)]
        return [*cells, others]

    def _number(self, name: str, value: Any) -> float | None:
        if value is None or isinstance(value, bool | int | float):
            return None if value is None else floated(value, name)
        if isinstance(value, str) and name in self.reading.numeric:
            x = number_in(value, name)
            return None if x != x else x
        raise Fault(name, value if isinstance(value, str) else json.dumps(value), f"a number{other_kind(name)}")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise Fault(None, next(key for k, key in enumerate(keys) if key in keys[:k]), "each key once in an object")
    return found


def _no_number(text: str) -> Any:
    raise Fault(None, text, "a finite number")


def object_of(line: bytes) -> dict[str, Any]:
    """The JSON object in a line."""
    try:
        found = json.loads(line.decode(), object_pairs_hook=_once, parse_constant=_no_number)
    except UnicodeDecodeError:
        raise Fault(None, line, "UTF-8 text; --encoding (encoding=) names another") from None
    except json.JSONDecodeError as error:
        raise Fault(error.pos, line[error.pos :] or b"nothing", f"a JSON object ({error.msg})") from None
    except (RecursionError, ValueError):
        raise Fault(None, line, "a JSON object that is not so deep, with numbers that are not so long") from None
    if b"\\u" in line:
        _utf8(json.dumps(found, ensure_ascii=False), None)  # half a surrogate pair is no text
    if not isinstance(found, dict):
        raise Fault(None, line, 'a JSON object, such as {"label": 1, "hour": 7}')
    return found


def _look_at_objects(reading: Reading, head: bytes, path: str, labelled: bool) -> Reading:
    values: dict[str, list[Any]] = {}
    rows, first = 0, None
    for line, text in enumerate(head.removeprefix(MARK).split(b"\n")):
        if text.strip(b" \t\r") and rows < LOOK_ROWS:
            try:
                found = object_of(text)
            except Fault as fault:
                first = first or fault.error(path, line + 1)
                continue
            rows += 1
            for name, value in found.items():
                values.setdefault(name, []).append(value)
    if not values:
        raise first or LittlestoneError(f"{path}: is empty; expected a JSON object on every line", path=path)
    return settled(reading, list(values), values, path, labelled=labelled)
