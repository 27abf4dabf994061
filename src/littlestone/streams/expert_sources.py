"""Where tables of experts come from: files and frames, read as other tables are, a few columns of numbers and names at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from typing import Any

import numpy as np
import pyarrow as pa

from littlestone.errors import LittlestoneError, require
from littlestone.rounds.detection import detect
from littlestone.rounds.expert_tables import number_at, number_in, values_of
from littlestone.rounds.faults import Fault
from littlestone.rounds.features import BLANKS, NUMBER, written
from littlestone.rounds.files import comes_once, shown
from littlestone.rounds.formats import format_named
from littlestone.rounds.reading import LOOK_ROWS, MISSING_ONCE, Reading, repeated
from littlestone.rounds.table_reading import TABLE_FORMATS
from littlestone.streams.arrays import distinct_of
from littlestone.streams.columns import ColumnBatch, Unsure
from littlestone.streams.files import Input
from littlestone.streams.first_rows import CODE, kind_of_cells, kind_of_values
from littlestone.streams.formats import module_of
from littlestone.streams.formats.arrow import FrameInput, LazyCells
from littlestone.streams.tables import Piece

PIECE = 2**23  # bytes of a piece, about


class TablePiece:
    """Some rows of a table of experts, `before` of its lines standing before them."""

    def __init__(self, source: ExpertSource, piece: Piece, before: int, numbers: Sequence[str], names: Sequence[str]) -> None:
        self.source, self.piece, self.before, self.columns, self.names = source, piece, before, numbers, names
        try:
            self._take(piece.columns())
        except Unsure:
            self.plainly()

    def _take(self, batch: ColumnBatch) -> None:
        if not all(name in batch.columns for name in (*self.columns, *self.names)):
            raise Unsure
        self.numbers = [batch.columns[name] for name in self.columns]
        self.texts = [texts_of(batch.columns[name]) for name in self.names]
        self.lines = batch.lines + (self.before + 1)

    def plainly(self) -> None:
        """Read it the plain way, which says what is wrong."""
        source, lines = self.source, []
        rows: list[list[Any]] = []
        for line, record in self.piece.records():
            try:
                rows.append(source.values(record, self.columns, self.names))
            except Fault as fault:
                raise fault.error(source.path, self.before + line + 1, source.unit) from None
            lines.append(line)
        cells = list(zip(*rows, strict=True)) if rows else [()] * (len(self.columns) + len(self.names))
        self.numbers = [pa.array(np.array(column, np.float64)) for column in cells[: len(self.columns)]]
        self.texts = [list(column) for column in cells[len(self.columns) :]]
        self.lines = np.array(lines, np.int64) + (self.before + 1)


def texts_of(column: pa.Array) -> list[str]:
    """A column as names; `Unsure` where one is empty."""
    codes, values = distinct_of(column)
    texts = [written(value) for value in values]
    if (codes < 0).any() or "" in texts:
        raise Unsure
    return [texts[code] for code in codes.tolist()]


class ExpertSource:
    """One table. `columns` are its columns; `numeric` has those that are all numbers in the first rows."""

    def __init__(self, table: Any, format: str = "auto", delimiter: str | None = None) -> None:
        self.table, self.is_file = table, isinstance(table, str | os.PathLike)
        self.path = str(table) if self.is_file else "the table"
        self.format = self._format(format) if self.is_file else "arrow"
        self.texts = format_named(self.format).texts
        self.module: Any = module_of(self.format)
        with closing(self._opened()) as source:
            header = True if self.texts else None
            reading = Reading(format=self.format, delimiter=delimiter if self.texts else None, header=header, version=1)  # "?" is a word
            self.look = self.module.look(reading, source)
        self.columns, self.known_columns = self.look.columns, set(self.look.columns)
        self.reading = self.look.reading.but(columns=tuple(self.columns))
        self.unit = "line" if self.look.kinds is None else "row"
        require(self.columns, f"{self.path}: has no columns; expected a table with a column for each expert")
        if (twice := repeated(self.columns)) is not None:
            raise LittlestoneError(f"{self.path}: column {twice!r} stands twice in the header; expected different names", path=self.path)
        named = not self.texts or not all(NUMBER.fullmatch(name) or not name for name in self.columns)
        require(named, f"{self.path}, line 1: found only numbers; expected the names of the columns")
        self.numeric = {name for name in self.columns if self._kind(name) == "numeric"}

    def _format(self, format: str) -> str:
        once = f"a table of experts is read more than once; expected a file, and {shown(self.path)} can be read only once"
        require(not comes_once(self.path), once)
        with closing(self._opened()) as source:
            format = detect(self.path, source.head(LOOK_ROWS + 2)) if format == "auto" else format
        listed = f"a table of experts is one of {', '.join(TABLE_FORMATS)}"
        require(format in TABLE_FORMATS, f"{self.path}: looks like {format}; {listed}: --format (format=) says which")
        return format

    def _opened(self) -> Any:
        return Input(self.path) if self.is_file else FrameInput(self.table)

    def _kind(self, name: str) -> str | None:
        if self.look.kinds is not None:
            return self.look.kinds[name]
        cells = self.look.cells[name]
        return kind_of_cells(cells, MISSING_ONCE, slips=False) if self.texts else kind_of_values(cells, slips=False)

    # the first rows

    def numbers_in_first_rows(self, name: str) -> set[float]:
        """The different numbers of a numeric column. What is infinite is told of when it is read."""
        number, numbers, look = number_in if self.texts else number_at, set(), self.look.cells
        if name in self.numeric and isinstance(look, LazyCells):
            cells: Sequence[Any] = look.different(name)
        else:
            cells = look[name]
            with suppress(TypeError):  # lists and the like, which are no numbers
                cells = list(set(cells))
        for cell in cells:
            with suppress(Fault):
                numbers.add(number(cell, name))
        return {x for x in numbers if x == x}

    def mostly_numbers(self, name: str) -> bool:
        """Of a column that is not all numbers in the first rows: is what is none a slip? Where columns have types, these tell."""
        return self.look.kinds is None and (mostly_numbers if self.texts else mostly_number_values)(self.look.cells[name])

    def refuse_words(self, name: str, why: str, remedy: str = "") -> LittlestoneError:
        """A column whose numbers are wanted is not all numbers: `why`, where no cell can be named."""
        if self.look.kinds is None:
            try:
                for _ in self.pieces([name], ()):
                    pass
            except LittlestoneError as error:
                return LittlestoneError(f"{error}{remedy}", path=error.path, line=error.line, found=error.found, expected=error.expected)
        return LittlestoneError(f"{self.path}: {why}", path=self.path)

    # all rows

    def pieces(self, numbers: Sequence[str], names: Sequence[str]) -> Iterator[TablePiece]:
        """These columns, all rows in order."""
        uses = dict.fromkeys(numbers, "numeric") | dict.fromkeys(names, "name")
        before = 0
        with closing(self._opened()) as source:
            for made in self.module.TABLE(self.reading, uses, PIECE).pieces(source):
                if made is not None:
                    piece = made[0]()
                    yield TablePiece(self, piece, before, numbers, names)
                    before += piece.line_count

    def values(self, record: Any, numbers: Sequence[str], names: Sequence[str]) -> list[Any]:
        """What a row holds in these columns."""
        for name in () if isinstance(record, Fault) else record:
            if name not in self.known_columns:
                raise Fault(name, "a column", f"those of the first {LOOK_ROWS:,} rows alone")
        return values_of(record, numbers, names, self.texts)

    def never_null(self, columns: Sequence[str]) -> bool:
        """Is it certain beforehand that these columns have no empty cell?"""
        if not hasattr(self.module, "never_null") or not self.is_file:
            return False
        with closing(self._opened()) as source:
            return self.module.never_null(source, columns)


def mostly_numbers(cells: Sequence[str]) -> bool:
    """Is a cell of this column that is no number a slip? Not where most cells are words, nor where numbers are written as names.

    >>> mostly_numbers(["1", "2.5", "?"]), mostly_numbers(["a", "b", "3"]), mostly_numbers(["01", "02", "10", "US"])
    (True, False, False)
    """
    there = [cell for cell in (cell.strip(BLANKS) for cell in cells) if cell not in MISSING_ONCE]
    return 2 * sum(bool(NUMBER.fullmatch(cell)) for cell in there) > len(there) and not any(map(CODE.match, there))


def mostly_number_values(values: Sequence[Any]) -> bool:
    there = [value for value in values if value is not None]
    return 2 * sum(isinstance(value, int | float) for value in there) > len(there)


def open_source(table: Any, format: str = "auto", delimiter: str | None = None) -> ExpertSource:
    """The table of a file, or of a frame."""
    if isinstance(table, str | os.PathLike):
        return ExpertSource(table, format, delimiter)
    if isinstance(table, np.ndarray):
        require(table.ndim == 2, f"a table of experts has rows and columns; got an array of shape {table.shape}")
        table = pa.table({str(k): np.ascontiguousarray(table[:, k]) for k in range(table.shape[1])})
    if isinstance(table, pa.RecordBatchReader):
        table = table.read_all()  # it is read more than once
    framed = hasattr(table, "__arrow_c_stream__")
    require(framed, f"a table of experts is a file or a frame (pandas, polars, pyarrow); got {type(table).__name__}")
    return ExpertSource(table)
