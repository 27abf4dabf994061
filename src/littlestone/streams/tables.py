"""Tables in pieces: each is read by pyarrow and numpy where that means what we mean, else by the plain reader of its format."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from littlestone.errors import LittlestoneError
from littlestone.kernels.native import core
from littlestone.rounds.faults import Fault
from littlestone.rounds.features import LARGEST_INDEX, PlainRow
from littlestone.rounds.files import shown
from littlestone.rounds.formats import Record
from littlestone.rounds.reading import Reading
from littlestone.streams.arrays import is_list, types
from littlestone.streams.columns import ColumnBatch, TableFeatures, Unsure
from littlestone.streams.first_rows import COLUMNS_ARE, settled_on
from littlestone.streams.lines import UnparsedPiece
from littlestone.streams.parsed import CodedRows, Parsed
from littlestone.streams.plain_rows import PlainRows
from littlestone.streams.vocabulary import RowStamps
from littlestone.streams.weave import by_appearance, woven

INFINITE = 0x7F800000  # the bits of a float32 from which on it is no finite number


@dataclass(frozen=True)
class FirstRows:
    """The first rows of a table. `reading` has what they say of the file itself; `kinds` are those that the types of columns tell."""

    reading: Reading
    columns: list[str]
    cells: Mapping[str, Sequence[Any]]  # by column: text (csv) or values, None where missing
    kinds: Mapping[str, str] | None = None
    hint: str = ""  # what else to say where a column is not there
    unusable: Mapping[str, str] = field(default_factory=dict)  # columns that can give no features, and why

    def settled(self, path: str, *, labelled: bool, names_in: dict[str, int] | None = None) -> Reading:
        """The reading with all that a table's first rows decide."""
        for name, why in self.unusable.items():
            if name not in (*self.reading.ignore, self.reading.id, self.reading.key, self.reading.label):
                raise LittlestoneError(f"{path}: {why}; --ignore {name} leaves it out", path=path)
        try:
            return settled_on(self.reading, self.columns, self.cells, path, kinds=self.kinds, labelled=labelled, names_in=names_in)
        except LittlestoneError as error:
            if not self.hint or COLUMNS_ARE not in str(error):
                raise
            raise LittlestoneError(f"{error}. ({self.hint})", path=path) from None


class Piece(Protocol):
    """Some rows of a table."""

    line_count: int

    def columns(self) -> ColumnBatch:
        """By pyarrow; `Unsure` where that may not mean what we mean."""

    def records(self) -> Iterator[Record]:
        """By plain Python; lines are counted from 0."""


def uses_of(reading: Reading, features: TableFeatures) -> dict[str, str]:
    """The columns that a reading takes something from, and what: a kind of feature, a label, an id, a number."""
    uses = dict(reading.kinds or {})
    if reading.weight is not None:
        uses[reading.weight] = "numeric"
    if reading.id is not None:
        uses[reading.id] = "id"
    if reading.key is not None:
        uses.setdefault(reading.key, "id")
    if features.label:
        uses[features.label] = "ordered" if features.test is not None and features.test.ordered else "label"
    return uses


class TableReader(ABC):
    """The reader of one format of tables. `uses` are the columns it is asked for, with their kinds; those of the features unless told."""

    unit = "line"

    def __init__(self, reading: Reading, uses: Mapping[str, str] | None = None, chunk: int | None = None) -> None:
        self.reading, self.chunk, self.threads = reading, chunk, uses is not None
        self.uses = dict(uses) if uses is not None else uses_of(reading, self.features)

    @cached_property
    def features(self) -> TableFeatures:
        return TableFeatures(self.reading)

    @abstractmethod
    def pieces(self, source: Any) -> Iterator[tuple[Callable[[], Piece], int] | None]:
        """What gives each piece of a file, and the bytes that have been read by then; None where the next may be long in coming."""

    def unparsed(self, source: Any) -> Iterator[UnparsedPiece | None]:
        for piece in self.pieces(source):
            yield None if piece is None else (partial(self.parse, piece[0], shown(source.path)), piece[1])

    def parse(self, make: Callable[[], Piece], path: str) -> Parsed:
        """The rows of a piece."""
        piece = make()
        try:
            return ParsedTable(path, self.features, piece.columns(), piece.line_count, self.unit)
        except Unsure:
            parsed = PlainRows(path, self.reading, self.plain_rows(piece), piece.line_count, self.unit)
            parsed.label_column = self.features.label or 1
            return parsed

    def plain_rows(self, piece: Piece) -> Iterator[tuple[int, PlainRow | Fault]]:
        for line, record in piece.records():
            try:
                yield line, record if isinstance(record, Fault) else self.features.rows.row(record)
            except Fault as fault:
                yield line, fault

    def release(self, parsed: Parsed) -> None:
        """Nothing of it is used again."""
        return


class ParsedTable(CodedRows):
    """Rows of a table, from columns of Arrow. `Unsure` where one of them is not as it should be."""

    def __init__(self, path: str, features: TableFeatures, batch: ColumnBatch, line_count: int, unit: str) -> None:
        super().__init__(path, features.reading, unit)
        if features.reading.only is not None:
            batch = features.of_key(batch, features.reading.only)
        self.label_column, self.lines, self.line_count = features.label or 1, batch.lines, line_count
        self.labels, self.words = features.labels(batch)
        self.truths = features.test is None and not features.texts and features.has_truths(batch)
        self.weights = features.weights(batch)
        if features.lists == "indices" and not self.reading.named:
            self._by_number(*features.numbered(batch))
        else:
            self._by_name(*woven(features.features(batch), len(batch)))
        self.ids, self.keys = features.ids(batch), features.keys(batch)

    def _by_number(self, indptr: np.ndarray, indices: np.ndarray, values: np.ndarray | None) -> None:
        bits = None if values is None else values.view(np.int32)
        self.examined = core.examine(indptr, indices, bits)  # all of it is looked at once
        top, _, unordered, _, least, most = self.examined
        finite = bits is None or not len(bits) or (most < INFINITE and (least >= 0 or core.most_negative(bits) < INFINITE - 2**31))
        if top > LARGEST_INDEX or not finite:
            raise Unsure
        self.indptr, self.indices, self.values = indptr, indices, values
        if not unordered and self.reading.bits is None:
            return
        numbers, codes = np.unique(indices, return_inverse=True)
        if self.reading.bits is not None:
            self.names, self.codes = [str(number) for number in numbers.tolist()], codes.astype(np.int32)
            return
        once = self._once(codes.astype(np.uint32), len(numbers))
        if once is not None:
            self.indices, self.examined = numbers[once], None

    def _by_name(self, indptr: np.ndarray, codes: np.ndarray, values: np.ndarray | None, names: list[str], apart: bool) -> None:
        self.indptr, self.values = indptr, values
        if not apart and self.reading.bits is None:  # with bits all that share a bucket are summed later
            once = self._once(codes.view(np.uint32), len(names))
            codes = codes if once is None else once.view(np.int32)
        self.names, self.codes = by_appearance(codes, names), codes

    def _once(self, codes: np.ndarray, size: int) -> np.ndarray | None:
        """Sum features that stand twice in a row, where they may: the codes that remain; None where all stand once."""
        stamps = RowStamps()
        if not len(stamps.repeats(self.indptr, codes, size)):
            return None
        if not self.reading.sum_duplicates:
            raise Unsure
        self.indptr, codes = self.indptr.copy(), codes.copy()
        self.values = np.ones(len(codes), np.float32) if self.values is None else self.values.copy()
        remain, beyond = stamps.add_up(self.indptr, codes, self.values, size)
        if len(beyond):
            raise Unsure
        self.values = self.values[:remain]
        return codes[:remain]


def checked_columns(table: pa.Table) -> dict[str, pa.Array]:
    """What pyarrow read of text, unless a number in it is NaN: that is no missing cell."""
    columns = {}
    for name, column in zip(table.schema.names, table.columns, strict=True):
        array = columns[name] = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
        inner = array.flatten() if is_list(array.type) else array
        if types.is_floating(inner.type) and pc.any(pc.is_nan(inner)).as_py():
            raise Unsure
    return columns
