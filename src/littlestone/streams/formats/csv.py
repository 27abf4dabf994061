"""Comma-separated values: records are found by a native scan, and parsed by pyarrow where its meaning is ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.csv

from littlestone.errors import LittlestoneError
from littlestone.rounds.faults import NO_QUOTES, Fault
from littlestone.rounds.features import BLANKS
from littlestone.rounds.files import MARK, decoded, shown
from littlestone.rounds.formats import Record
from littlestone.rounds.formats.csv import Splitter, cells_of, likely_delimiter, no_header
from littlestone.rounds.reading import LOOK_ROWS, Reading
from littlestone.rounds.tables import BAR, check_columns
from littlestone.streams.columns import ColumnBatch, Unsure
from littlestone.streams.csv_records import has_quoted, last_record_end, records_of
from littlestone.streams.files import Input
from littlestone.streams.lines import text_pieces
from littlestone.streams.tables import FirstRows, Piece, TableReader, checked_columns

HEAD = 2**16  # bytes in which the header of a file ends, as a rule
TEXT, CODED = pa.string(), pa.dictionary(pa.int32(), pa.string())


class CsvPiece:
    """Whole records, after `skip` bytes of header."""

    def __init__(self, reader: CsvReader, text: bytes, names: list[str], skip: int) -> None:
        self.reader, self.text, self.names, self.skip = reader, text, names, skip
        self.line_count = text.count(b"\n")
        self.before = text.count(b"\n", 0, skip)  # lines of the header

    def columns(self) -> ColumnBatch:
        r, text = self.reader, self.text
        used = [name for name in self.names if name in r.uses]
        open_quote = r.quotes and b'"' in text and r.end_of(text) != len(text)
        if not used or open_quote or (b"\r" in text and text.count(b"\r") != text.count(b"\r\n")):
            raise Unsure
        try:
            table = pyarrow.csv.read_csv(
                pa.py_buffer(memoryview(text)[self.skip :]),
                read_options=pyarrow.csv.ReadOptions(use_threads=r.threads, block_size=len(text) + 1, column_names=self.names),
                parse_options=pyarrow.csv.ParseOptions(
                    delimiter=r.delimiter, quote_char=r.quotes and '"', newlines_in_values=r.quotes and b'"' in text
                ),
                convert_options=pyarrow.csv.ConvertOptions(
                    column_types={name: type_of(name, r.uses[name]) for name in used},
                    include_columns=used,
                    null_values=list(r.reading.missing),
                    strings_can_be_null=False,
                ),
            )
        except pa.ArrowInvalid:
            raise Unsure from None
        lines = np.arange(self.before, self.before + len(table), dtype=np.int64)
        if len(table) != self.line_count - self.before:
            lines = records_of(text, r.delimiter, r.quotes)[2][bool(self.skip) :]
            if len(lines) != len(table):
                raise Unsure
        return ColumnBatch(self._checked(checked_columns(table), used), lines)

    def _checked(self, columns: dict[str, pa.Array], used: list[str]) -> dict[str, pa.Array]:
        beside = [name for name in used if name not in (self.reader.reading.kinds or {})]
        if b"?" in self.text and any(columns[name].null_count for name in beside):
            raise Unsure  # such a label or weight is not missing
        return columns

    def records(self) -> Iterator[Record]:
        r = self.reader
        label = None if r.reading.header else r.reading.label
        splitter = Splitter(self.names, r.delimiter, r.quotes, bool(r.reading.header), label)
        lines = (line + b"\n" for line in self.text[self.skip :].split(b"\n")[:-1])
        return splitter.records(enumerate(lines, self.before))


def type_of(name: str, kind: str) -> pa.DataType:
    """What pyarrow makes of a column."""
    if kind in ("numeric", "ordered"):
        return pa.float64()
    return TEXT if kind in ("text", "time", "id") or name == BAR else CODED


class CsvReader(TableReader):
    """Pieces of whole records, in turn."""

    def __init__(self, reading: Reading, uses: Mapping[str, str] | None = None, chunk: int | None = None) -> None:
        super().__init__(reading, uses, chunk)
        self.delimiter = reading.delimiter or ","
        self.quotes = reading.quotes is not False  # older models do not say, and took them

    def end_of(self, text: bytes) -> int:
        """The end of the last whole record."""
        if not self.quotes or b'"' not in text:
            return text.rfind(b"\n") + 1
        return last_record_end(text, self.delimiter)[0]

    def pieces(self, source: Input) -> Iterator[tuple[Callable[[], Piece], int] | None]:
        names: list[str] | None = None if self.reading.header else list(self.reading.columns or ())
        hint = f"; is a quote never closed? {NO_QUOTES}" if self.quotes else ""
        for piece in text_pieces(source, self.chunk, self.end_of, hint, len(self.reading.columns or ())):
            if piece is None:
                yield None
                continue
            (text, position), skip = piece, 0
            if names is None:
                starts, ends, _ = records_of(text[:HEAD], self.delimiter, self.quotes)
                if len(starts) < 2 and len(text) > HEAD:  # the header may be longer
                    starts, ends, _ = records_of(text, self.delimiter, self.quotes)
                if not len(starts):
                    yield partial(CsvPiece, self, text, [], 0), position
                    continue
                names, skip = self._header(text[starts[0] : ends[0]], shown(source.path)), int(ends[0])
            yield partial(CsvPiece, self, text, names, skip), position

    def _header(self, line: bytes, path: str) -> list[str]:
        """The columns of this file: those of the reading, in any order, with or without others and the label."""
        names = header_of(line, self.delimiter, self.quotes, path)
        check_columns(names, self.reading, path)
        return names


def header_of(line: bytes, delimiter: str, quotes: bool, path: str) -> list[str]:
    try:
        return [cell.strip(BLANKS) for cell in cells_of(decoded(line), iter(()), delimiter, quotes)]
    except Fault as fault:
        raise fault.error(path, 1) from None


# ---- the first rows ----


def look(reading: Reading, source: Input) -> FirstRows:
    """The columns and the first rows of a file."""
    path, rows = shown(source.path), LOOK_ROWS + 2
    head = source.head(rows)
    while not enough(head, reading) and len(more := source.head(rows := 2 * rows)) > len(head):
        head = more  # records that take several lines
    whole = head[: head.rfind(b"\n") + 1] if enough(head, reading) else head
    text = whole.removeprefix(MARK)
    first = text.lstrip(b"\r\n").split(b"\n", 1)[0]
    if not first:
        raise LittlestoneError(f"{path}: is empty; expected a table", path=path)
    if b"\0" in first:
        raise LittlestoneError(
            f"{path}, line 1: found a NUL byte, expected a table as text; --format (format=) names another", path=path, line=1
        )
    delimiter = delimiter_of(reading, text)
    quotes = quotes_of(reading, text, delimiter)
    table = rows_of(text, delimiter, quotes, LOOK_ROWS + 1)
    if not table:
        raise LittlestoneError(f"{path}: no line of it can be read as cells of a table", path=path)
    why_row = no_header(table[0])
    header = not why_row if reading.header is None else reading.header
    columns = [cell.strip(BLANKS) for cell in table[0]] if header else [str(k + 1) for k in range(len(table[0]))]
    rows_seen = [row for row in table[header : LOOK_ROWS + header] if len(row) == len(columns)]
    cells = {name: [row[k] for row in rows_seen] for k, name in enumerate(columns)}
    taken = "names of columns; --no-header says it is a row" if header else f"a row: {why_row}; --header says it is none"
    hint = f"Its first line is taken for {taken}" if reading.header is None else ""
    return FirstRows(reading.but(delimiter=delimiter, quotes=quotes, header=header), columns, cells, hint=hint)


def enough(head: bytes, reading: Reading) -> bool:
    """Do these first bytes of a text file hold all the rows that a guess looks at?"""
    if head.count(b"\n") <= LOOK_ROWS + 1:
        return False
    delimiter = delimiter_of(reading, head)
    return len(records_of(head, delimiter, quotes_of(reading, head, delimiter))[0]) > LOOK_ROWS + 2  # a header, and the last may be cut off


def delimiter_of(reading: Reading, head: bytes) -> str:
    first = next((line for line in head.split(b"\n") if line.strip(b"\r")), b"")
    if reading.delimiter or reading.format == "tsv":
        return reading.delimiter or "\t"
    return likely_delimiter(first.decode(errors="replace"), reading.quotes is not False)


def quotes_of(reading: Reading, head: bytes, delimiter: str) -> bool:
    """May cells stand in quotes? In tsv only where the first lines have some: there a quote is often a word like others."""
    if reading.quotes is not None or reading.format == "csv":
        return reading.quotes is not False
    return b'"' in head and has_quoted(head.removeprefix(MARK).split(b"\n", LOOK_ROWS + 1)[: LOOK_ROWS + 1], delimiter)


def rows_of(text: bytes, delimiter: str, quotes: bool, most: int) -> list[list[str]]:
    """The cells of the first records; those that are malformed are left out."""
    starts, ends, _ = records_of(text, delimiter, quotes)
    rows = []
    for begin, end in zip(starts[:most].tolist(), ends[:most].tolist(), strict=True):
        try:
            rows.append(cells_of(text[begin:end].decode(), iter(()), delimiter, quotes))
        except (Fault, UnicodeDecodeError):
            continue
    return rows


TABLE = CsvReader


def writer() -> type:
    from littlestone.streams.write.lines import CSV

    return CSV
