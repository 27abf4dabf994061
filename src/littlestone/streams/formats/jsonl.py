"""JSON lines: flat objects are parsed by pyarrow, objects in objects by plain Python."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.json

from littlestone.errors import LittlestoneError
from littlestone.rounds.faults import Fault
from littlestone.rounds.files import MARK, shown
from littlestone.rounds.formats import Record
from littlestone.rounds.formats.jsonl import object_in, objects
from littlestone.rounds.reading import LOOK_ROWS, Reading
from littlestone.rounds.tables import MARKED
from littlestone.streams.arrays import held
from littlestone.streams.columns import ColumnBatch, Unsure
from littlestone.streams.files import Input
from littlestone.streams.lines import text_pieces
from littlestone.streams.tables import FirstRows, Piece, TableReader, checked_columns

#: A key with null for its value, in an object without others in it. No such thing can begin inside a text: quotes there are escaped.
NULL = re.compile(rb'[{,][ \t\r]*"([^"\\]*)"[ \t\r]*:[ \t\r]*null')
PLAIN_KEY = re.compile(r"\w[^\\\"]*")


class JsonPiece:
    """Some lines."""

    def __init__(self, reader: JsonReader, text: bytes) -> None:
        self.reader, self.text = reader, text
        self.line_count = text.count(b"\n")

    def columns(self) -> ColumnBatch:
        """Where every line is an object without others in it: pyarrow may crash on other things at the ends of lines."""
        text, lines = self.text, self.line_count
        ends = text.count(b"}\n{") + text.count(b"}\r\n{") + 1
        flat = text.count(b"{") == text.count(b"}") == lines == ends and text.startswith(b"{") and text.rstrip(b"\r\n").endswith(b"}")
        if not flat:
            raise Unsure
        try:
            text.decode()
            first = object_in(text[: text.index(b"\n")])
        except (Fault, UnicodeDecodeError):
            raise Unsure from None
        schema = pa.schema([(name, self.reader.type_of(name, first.get(name))) for name in self.reader.reading.columns or ()])
        try:
            table = pyarrow.json.read_json(
                pa.py_buffer(text),
                read_options=pyarrow.json.ReadOptions(use_threads=False, block_size=len(text) + 1),
                parse_options=pyarrow.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error"),
            )
        except pa.ArrowInvalid:
            raise Unsure from None
        if len(table) != lines:
            raise Unsure
        columns = checked_columns(table)
        return ColumnBatch(columns, np.arange(lines, dtype=np.int64), self.absent(columns))

    def absent(self, columns: Mapping[str, pa.Array]) -> dict[str, np.ndarray]:
        """Which rows have no such key, by column. For pyarrow that is null, as what says so is; only the text can tell them apart."""
        kinds, text = self.reader.reading.kinds or {}, self.text
        gone = {name: column for name, column in columns.items() if column.null_count and kinds.get(name) in MARKED}
        if not gone or not self.reader.reading.marks_missing:
            return {}
        absent = {name: held(column.is_null()).copy() for name, column in gone.items()}
        if b"null" not in text:
            return absent
        if b"\\u" in text or not all(map(PLAIN_KEY.fullmatch, gone)):
            raise Unsure  # a key may be written in other letters
        starts = np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n"))
        for match in NULL.finditer(text):
            name = match[1].decode()
            if name in absent:
                absent[name][np.searchsorted(starts, match.start())] = False
        return absent

    def records(self) -> Iterator[Record]:
        return objects(iter(enumerate(self.text.split(b"\n")[:-1])))


class JsonReader(TableReader):
    """Pieces of whole lines, in turn."""

    def pieces(self, source: Input) -> Iterator[tuple[Callable[[], Piece], int] | None]:
        for piece in text_pieces(source, self.chunk, columns=len(self.reading.columns or ())):
            yield None if piece is None else (partial(JsonPiece, self, piece[0]), piece[1])

    def type_of(self, name: str, value: Any) -> pa.DataType:
        """The type of a column, by its kind and its first value; `Unsure` where plain Python had better read it."""
        kind = self.uses.get(name)
        declared = name in self.reading.numeric or (kind == "id" and not isinstance(value, str))
        if isinstance(value, bool) and kind in ("numeric", "label", "ordered", None):
            return pa.bool_()
        if declared:
            raise Unsure
        if kind == "name" and isinstance(value, int):
            return pa.int64()
        if kind == "numeric" or (kind in ("label", "ordered", None) and isinstance(value, int | float)):
            return pa.float64()
        if kind == "vector":
            return pa.list_(pa.float64())
        if kind == "items":
            return pa.list_(pa.string())
        if isinstance(value, str) or (value is None and kind not in ("map", "label", "ordered")):
            return pa.string()
        raise Unsure


def look(reading: Reading, source: Input) -> FirstRows:
    """The keys and the first rows of a file."""
    path, rows = shown(source.path), LOOK_ROWS + 2
    head = source.head(rows)
    while sum(1 for line in head.split(b"\n") if line.strip()) <= LOOK_ROWS + 1 and len(more := source.head(rows := 2 * rows)) > len(head):
        head = more  # blank lines
    values: dict[str, list[Any]] = {}
    met, first = 0, None
    for number, record in objects(iter(enumerate(head.removeprefix(MARK).split(b"\n"), 1))):
        if isinstance(record, Fault):
            first = first or record.error(path, number)
            continue
        for name, value in record.items():
            values.setdefault(name, []).append(value)
        met += 1
        if met == LOOK_ROWS:
            break
    if not values:
        raise first or LittlestoneError(f"{path}: is empty; expected a JSON object on every line", path=path)
    return FirstRows(reading, list(values), values)


TABLE = JsonReader


def writer() -> type:
    from littlestone.streams.write.lines import JSONLines

    return JSONLines
