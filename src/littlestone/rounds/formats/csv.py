"""Comma-separated values, or another delimiter between them; quotes as RFC 4180 has them.

A quote opens a quoted cell only at its beginning; anywhere else it is a character like others. Where a file is read without quotes it is
one everywhere, and a record is a line.
"""

import re
from collections.abc import Iterator, Sequence

from littlestone.rounds.faults import LINE_ENDS, NO_QUOTES, QUOTES, Fault
from littlestone.rounds.features import BLANKS, NUMBER
from littlestone.rounds.files import LONGEST_LINE, PlainFile, decoded
from littlestone.rounds.formats import Format, Record
from littlestone.rounds.reading import Reading, repeated
from littlestone.rounds.tables import is_converted

DELIMITERS = (",", ";", "\t", "|")
CONVERTED = re.compile(rb"label([,\t])(?:weight\1)?(?:id\1)?\|\Z")  # the header of a table that `convert` wrote


def records(source: PlainFile, reading: Reading) -> tuple[list[str] | None, Iterator[Record]]:
    """The columns and the rows of a file. Its header and delimiter may be others than those of the first file."""
    return records_of(source, reading, "csv")


def records_of(source: PlainFile, reading: Reading, format: str) -> tuple[list[str] | None, Iterator[Record]]:
    lines = ((source.line, line) for line in source.lines())
    begin, first = next(((number, line) for number, line in lines if not is_blank(line)), (0, b""))
    if not first:
        return None, iter(())
    quotes = reading.quotes is not False or format != reading.format
    delimiter = delimiter_of(decoded(first), reading, format, quotes)
    cells = cells_of(text_of(first), map(text_of, (line for _, line in lines)), delimiter, quotes)
    columns, header = columns_of(cells, reading)
    source.line = begin
    label = None if header or reading.label is None else reading.label
    splitter = Splitter(columns, delimiter, quotes or is_converted(columns, reading), header, label)

    def each() -> Iterator[Record]:
        if not header:
            yield begin, dict(zip(columns, cells, strict=True))
        yield from splitter.records(lines)

    return columns, each()


class Splitter:
    """Lines to records: the cells of each, by column."""

    def __init__(self, columns: Sequence[str], delimiter: str, quotes: bool, header: bool, label: str | None = None) -> None:
        self.columns, self.delimiter, self.quotes, self.header = columns, delimiter, quotes, header
        self.label = label  # the column of the label, to be told of where there is no header

    def records(self, lines: Iterator[tuple[int, bytes]]) -> Iterator[Record]:
        """Of lines with their numbers; blank ones are left out."""
        more = map(text_of, (line for _, line in lines))
        for number, line in lines:
            if not is_blank(line):
                yield number, self.record(text_of(line), more)

    def record(self, text: str, more: Iterator[str]) -> dict[str, str] | Fault:
        try:
            cells = cells_of(text, more, self.delimiter, self.quotes)
            if len(cells) != len(self.columns):
                raise Fault(None, text.rstrip("\r\n"), self.cells_expected(len(cells)) + self.hint(text))
        except Fault as fault:
            return fault
        return dict(zip(self.columns, cells, strict=True))

    def hint(self, text: str) -> str:
        return "" if '"' not in text else f"; {NO_QUOTES if self.quotes else QUOTES}"

    def cells_expected(self, count: int) -> str:
        width = len(self.columns)
        if self.header:
            return f"{width} cells, as in the first line, not {count}"
        may_lack = self.label is not None and count == width - 1
        kept = f"; that of the label, number {self.label}, must be there too, and may be empty" if may_lack else ""
        return f"{width} cells in every row, not {count}{kept}"


def is_blank(line: bytes) -> bool:
    """Is there nothing in it? Blanks are a cell."""
    return line in (b"", b"\n", b"\r\n", b"\r")


def text_of(line: bytes) -> str:
    """A line as text; what is not UTF-8 matters where its cell is used."""
    return line.decode("utf-8", "surrogateescape")


def delimiter_of(first: str, reading: Reading, format: str, quotes: bool) -> str:
    """The one of the reading, if it makes its columns of the first line; else the most frequent one there."""
    known = reading.delimiter
    if format == "tsv" and known is None:
        return "\t"
    if known is not None and (known in first if reading.columns is None else first.count(known) == len(reading.columns) - 1):
        return known
    best = likely_delimiter(first, quotes)
    return best if best in first else known or ","


def likely_delimiter(line: str, quotes: bool) -> str:
    """The most frequent candidate outside quotes; the first of those that are equally frequent.

    >>> likely_delimiter('a;"b,c,d";e', quotes=True)
    ';'
    """
    return max(DELIMITERS, key=("".join(line.split('"')[::2]) if quotes else line).count)


def columns_of(cells: list[str], reading: Reading) -> tuple[list[str], bool]:
    """The columns of a file whose first record this is, and whether it is a header."""
    names = [cell.strip(BLANKS) for cell in cells]
    numbers = [str(i) for i in range(1, len(cells) + 1)]
    known = reading.columns
    if known is not None and list(known) == numbers and reading.header is not True and not is_converted(names, reading):
        return numbers, False
    looks = not no_header(names)
    if known is not None and set(names) == set(known):
        looks = True
    elif known is not None and not is_converted(names, reading) and len(names) == len(known) and not looks:
        return list(known), False  # a part of a longer file
    if len(set(names)) != len(names):
        raise Fault(None, repeated(names), "each column once in the header")
    return (names, True) if looks or reading.header else (numbers, False)


def no_header(cells: Sequence[str]) -> str:
    """Why the first line does not look like names of columns; nothing where it does.

    >>> no_header(["hour", "late"]), no_header(["hour", "7"]), no_header(["a", "b", "a"])
    ('', "'7' is a number", "'a' stands there twice")
    """
    before: set[str] = set()
    for k, cell in enumerate(cells):
        name = cell.strip(BLANKS)
        if not name:
            return f"cell {k + 1} is empty"
        if NUMBER.fullmatch(name):
            return f"{name!r} is a number"
        if name in before:
            return f"{name!r} stands there twice"
        before.add(name)
    return ""


def cells_of(text: str, more: Iterator[str], delimiter: str, quotes: bool = True) -> list[str]:
    """The cells of a record; lines are added to it while a quote is open. Without `quotes` it is a line, and a quote a character.

    >>> cells_of('a,"b ""c"", d",\\r\\n', iter(()), ","), cells_of('",PUNCT\\n', iter(()), ",", quotes=False)
    (['a', 'b "c", d', ''], ['"', 'PUNCT'])
    """
    if not quotes or '"' not in text:
        return whole_line(text).split(delimiter)
    cells: list[str] = []
    at = 0
    while True:
        cell = ""
        if text.startswith('"', at):
            begin, at = at, at + 1
            while True:
                close = text.find('"', at)
                if close < 0:
                    line = next(more, "")
                    if not line or len(text) > LONGEST_LINE:
                        raise Fault(begin, text[begin:].rstrip("\r\n"), f"a quote that closes the cell; {NO_QUOTES}")
                    at, text = len(text), text + line
                elif text.startswith('""', close):
                    at = close + 2
                else:
                    break
            cell = text[begin + 1 : close].replace('""', '"')
            at = close + 1
        end = text.find(delimiter, at)  # what follows a closing quote belongs to its cell
        bare = text[at:end] if end >= 0 else text[at:].removesuffix("\n").removesuffix("\r")
        if "\r" in bare:
            raise Fault(at + bare.index("\r"), "\r", LINE_ENDS)
        cells.append(cell + bare)
        if end < 0:
            return cells
        at = end + len(delimiter)


def whole_line(text: str) -> str:
    """A line without its end."""
    text = text.removesuffix("\n").removesuffix("\r")
    if "\r" in text:
        raise Fault(text.index("\r"), "\r", LINE_ENDS)
    return text


def looks(lines: list[bytes], delimiters: Sequence[bytes] = (b",", b";")) -> int:
    """Would these be as many cells in every line, or are there quotes?"""
    written = CONVERTED.match(lines[0])
    if written and written[1] in delimiters:
        return 8
    quoted = b'"' in b"".join(lines)
    for delimiter in delimiters:
        count = lines[0].count(delimiter)
        if count and (delimiter == b"\t" or quoted or all(line.count(delimiter) == count for line in lines[:-1] or lines)):
            return 3
    return 0


FORMAT = Format(shape="a table with a row for each round", records=records, endings=(".csv",), looks=looks, texts=True)
