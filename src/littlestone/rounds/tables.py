"""Tables: the cells of a row to features, by the kinds of the columns; whatever file the cells were in.

CSV gives text; JSON and Arrow give Python values: numbers, text, lists, objects.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any

from littlestone.errors import LittlestoneError, require
from littlestone.rounds.faults import ONCE, UTF8, Fault
from littlestone.rounds.features import (
    BLANKS,
    LARGEST_INDEX,
    Features,
    PlainRow,
    bag,
    label_of,
    missing_name,
    narrow,
    narrowed,
    number_in,
    number_of,
    target_of,
    word_name,
    written,
)
from littlestone.rounds.formats import Format, format_named
from littlestone.rounds.formats.vw import features_in_cell
from littlestone.rounds.reading import MISSING_ONCE, Label, Reading, repeated
from littlestone.rounds.times import EXPECTED, features_of_time, moment_of

#: The columns that `convert` writes, beside those that hold the features.
BESIDE = {"label", "weight", "id"}
KEY = "a key: whose round it is"
HOLDERS = ({"|"}, {"features"}, {"names"}, {"names", "values"}, {"indices"}, {"indices", "values"})
BAR = "|"  # the column that holds features as VW text writes them
INFINITE = (float("inf"), float("-inf"))
MARKED = ("numeric", "categorical", "time")  # kinds of columns that say where a cell is missing


class Pairs(list):
    """The entries of an Arrow map: a key may stand twice."""


def is_converted(columns: Iterable[str], reading: Reading) -> bool:
    """Are these the columns that `convert` writes, and not those of the reading?"""
    rest = set(columns) - BESIDE
    return (not rest or rest in HOLDERS) and not (reading.columns is not None and set(columns) <= set(reading.columns))


def rows_of(format: Format, source: Any, reading: Reading, *, labelled: bool = True) -> Iterator[PlainRow]:
    """The rows of a table; `source` is told where the reader is. `labelled` is False where the labels are not in the table."""
    assert format.records is not None
    columns, records = format.records(source, reading)
    rows = None
    for number, record in records:
        source.line = number
        if isinstance(record, Fault):
            raise record
        if rows is None:
            rows = TableRows(
                reading, columns or list(record), texts=format.texts, path=source.shown, open=columns is None, labelled=labelled
            )
        yield rows.row(record)


def check_columns(columns: Sequence[str], reading: Reading, path: str) -> None:
    """A file must have the columns that give features, each once; it may lack the label, and have others besides."""
    often_there = Counter(columns)
    for name in reading.kinds or {}:
        if often_there[name] != 1:
            often = "more than one column" if often_there[name] else "no column"
            raise LittlestoneError(f"{path}: {often} {name!r}, which gives features; the columns are: {', '.join(columns)}", path=path)


class TableRows:
    """How the rows of one file are read.

    `columns` are its columns (of JSON lines, where they are `open`, those of the first row). A file that `convert` wrote has columns of its
    own, and the kinds of the reading are not about them. `labelled` is False where the labels are not in the table.
    """

    def __init__(
        self, reading: Reading, columns: Sequence[str], *, texts: bool, path: str, open: bool = False, labelled: bool = True
    ) -> None:
        self.reading, self.texts = reading, texts
        self.missing = reading.missing if texts or reading.marks_missing else frozenset()  # texts that mean that a cell is missing
        self.converted = converted = is_converted(columns, reading)
        if len(set(columns)) != len(columns):
            raise LittlestoneError(f"{path}: a column stands twice in the table; expected each once", path=path)
        made = reading.format == "auto" or converted or format_named(reading.format).is_table
        require(
            made,
            f"{path}: is a table, and the stream is {reading.format}; expected the file that was played, or what `convert` makes of it",
        )
        if not converted and not open:
            check_columns(columns, reading, path)
        self.columns: Sequence[str] = columns if converted else reading.columns or columns
        self.label, self.test = "", None
        self.weight, self.id = ("weight", "id") if converted else (reading.weight, reading.id)
        if converted:
            self.label = "label"
        elif labelled:
            self.label, self.test = target_of(reading.label, self.columns)
        self.kinds: Mapping[str, str] = {} if converted else reading.kinds or {}
        self.open = open or converted  # may columns come that have no kind?
        self.left_out = {self.weight, self.id} | (set() if converted else {*reading.ignore, *reading.identifiers})
        self.first_times = {column: moment_of(first) for column, first in reading.times.items()}
        if reading.key is not None and not reading.key_is_feature:
            self.left_out |= {reading.key}
        if converted or labelled:
            self.left_out |= {self.label}
        self.by_name = converted or reading.by_name
        self.holder = "" if texts or open else self.holder_in(columns, path)
        for cross in () if converted else reading.cross:
            for part in cross.split("*"):
                known = part in self.columns or self.open
                require(known, f"cross={cross!r}: there is no column {part!r}; there are {', '.join(map(repr, columns))}")

    def holder_in(self, columns: Sequence[str], path: str) -> str:
        """The column of a sparse layout that lists the features of each row; nothing where this is a table."""
        for holder, kind in (("indices", "vector"), ("names", "items")):
            if holder in columns and self.kinds.get(holder, kind if not self.kinds else "") == kind:
                rest = [column for column in self.kinds or columns if column not in {holder, "values"} | self.left_out]
                beside = f"columns {', '.join(map(repr, rest))} beside {holder!r}"
                require(not rest, f"{path}: {beside}: expected a table or sparse rows, not both")
                return holder
        return ""

    def row(self, record: Mapping[str, Any]) -> PlainRow:
        """One row: a value, or None, for each column."""
        label, weight, id, key = self.label_in(record), self.weight_in(record), self.id_in(record), self.key_in(record)
        if self.holder:
            return PlainRow(label, weight, id, [(self.holder, self.listed(record))], self.converted, key)
        cells = [(column, value) for column, value in self.ordered(record) if column not in self.left_out]
        if id is not None and label is not None and all(self.is_missing(value) for _, value in cells):
            cells = []  # it brings a label for the round of that name, and says nothing of features
        groups = [(column, self.features(column, value)) for column, value in cells]
        return PlainRow(label, weight, id, groups, self.converted, key)

    def ordered(self, record: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
        """In the order of the columns; what a line of JSON has besides comes after them, as written."""
        known = {column: record[column] for column in self.columns if column in record}
        return (known | dict(record) if self.open else known).items()

    def label_in(self, record: Mapping[str, Any]) -> Label | None:
        value = self.text(self.label, record.get(self.label)) if self.label else None
        if says_nothing(value):
            return None
        label = None if isinstance(value, list | dict) else label_of(value)
        if label in INFINITE or isinstance(value, list | dict):
            raise Fault(self.label, value, "a label: a finite number, or text")
        try:
            return label if label is None or self.test is None else self.test.of(label)
        except Fault as fault:
            fault.column = self.label
            raise

    def weight_in(self, record: Mapping[str, Any]) -> float:
        value = record.get(self.weight) if self.weight else None
        if value is None or says_nothing(value):
            return 1.0
        weight = self.number(self.weight or "", value, "a weight: a number of at least 0", text=True)
        if weight < 0:
            raise Fault(self.weight, weight, "a weight of at least 0")
        return narrow(weight, self.weight) if weight == weight else 1.0

    def id_in(self, record: Mapping[str, Any]) -> str | None:
        return self.name_in(record, self.id)

    def key_in(self, record: Mapping[str, Any]) -> str | None:
        key = self.name_in(record, self.reading.key)
        if key is None and self.reading.key:
            raise Fault(self.reading.key, "nothing", KEY)
        return key

    def name_in(self, record: Mapping[str, Any], column: str | None) -> str | None:
        """What a row is called in a column; None where that says nothing."""
        value = record.get(column) if column else None
        if column is None or value is None or value == "":
            return None
        self.check_scalar(column, value)
        return written(self.text(column, value))

    def text(self, column: str, value: Any) -> Any:
        """The value; a fault where it is text that is not UTF-8."""
        if isinstance(value, str) and not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError:
                raise Fault(column, value, UTF8) from None
        return value

    def is_missing(self, value: Any) -> bool:
        """Is it a cell without a value? NaN is one, as tables of floats write it."""
        if isinstance(value, str):
            return says_nothing(value, self.missing)
        return value is None or (self.reading.marks_missing and isinstance(value, float | Decimal) and value != value)

    def nothing(self, column: str) -> Features:
        """What a missing cell gives."""
        marked = self.reading.marks_missing and not self.converted and self.kinds.get(column, "numeric") in MARKED
        return [(missing_name(column), 1.0)] if marked else []

    def number(self, column: str, value: Any, expected: str, *, text: bool) -> float:
        """A cell as a number; `text` where text may stand for one."""
        if isinstance(value, str) and text:
            return number_in(self.text(column, value).strip(BLANKS), column, expected)
        if not isinstance(value, bool | int | float | Decimal):
            raise Fault(column, value, expected)
        return number_of(value)

    def features(self, column: str, value: Any) -> Features:
        """What one column gives."""
        kind = self.kinds.get(column)
        if kind is None and not self.open:
            return []
        value = self.text(column, value)
        if self.texts and column == BAR:
            return features_in_cell(value or "", self.by_name)
        if self.is_missing(value):
            return self.nothing(column)
        return getattr(self, f"_{kind or kind_of(value)}")(column, value)

    def _numeric(self, column: str, value: Any) -> Features:
        declared = self.texts or column in self.reading.numeric
        if declared and says_nothing(value):
            return self.nothing(column)
        remedy = f"; --categorical {column} (categorical=) takes the column as text"
        number = self.number(column, value, f"a number{remedy}", text=declared)
        if number != number:
            return self.nothing(column)  # as tables of floats write it
        small = narrow(number, column)
        if column in self.reading.edges:
            edges = self.reading.edges[column]
            return [(bin_names(column, edges)[bisect_left(edges, number)], 1.0)]
        return [(column, small)] if small else []

    def check_scalar(self, column: str, value: Any) -> None:
        if isinstance(value, list | dict) or (not self.texts and value in INFINITE):
            raise Fault(column, value, "text or a finite number")

    def _categorical(self, column: str, value: Any) -> Features:
        self.check_scalar(column, value)
        return [(f"{column}={written(value).strip(BLANKS)}", 1.0)]

    def _time(self, column: str, value: Any) -> Features:
        moment, first = moment_of(value), self.first_times[column]
        if moment is None or first is None:
            raise Fault(column, value, f"{EXPECTED}; --categorical {column} (categorical=) takes the column as text")
        return narrowed(features_of_time(column, moment, first), column)

    def _bag(self, text: str) -> dict[str, int]:
        """The words of a text, and what else is made of them, with their counts."""
        return bag(text, self.reading.ngrams, self.reading.version, self.reading.chars)

    def _text(self, column: str, value: Any) -> Features:
        self.check_scalar(column, value)
        return [(word_name(column, word), float(count)) for word, count in self._bag(written(value)).items()]

    def _vector(self, column: str, value: Any) -> Features:
        if not isinstance(value, list):
            raise Fault(column, value, "a list of numbers")
        numbers = [(f"{column}[{i}]", self._inner(column, entry)) for i, entry in enumerate(value) if entry is not None]
        return [feature for feature in narrowed(numbers, column) if feature[1]]

    def _inner(self, column: str, value: Any) -> float:
        return self.number(column, value, "numbers", text=False)

    def _items(self, column: str, value: Any) -> Features:
        if not isinstance(value, list):
            raise Fault(column, value, "a list of texts")
        if odd := [item for item in value if isinstance(item, list | dict)]:
            raise Fault(column, odd[0], "a list of texts")
        return [(f"{column}={written(item)}", 1.0) for item in value if item is not None]

    def _map(self, column: str, value: Any) -> Features:
        if not isinstance(value, dict | Pairs):
            raise Fault(column, value, "an object")
        entries = self.entries(column, value, "" if column == "features" else f"{column}.")
        return [feature for feature in narrowed(entries, column) if feature[1]]

    def entries(self, column: str, value: Any, prefix: str) -> Features:
        """The entries of an object, and of the objects in it."""
        features: Features = []
        for key, entry in value.items() if isinstance(value, dict) else value:
            name = prefix + str(key)
            if entry is None:
                continue
            if type(entry) is float or type(entry) is int:  # most are
                features.append((name, number_of(entry)))
            elif isinstance(entry, dict | Pairs):
                features += self.entries(column, entry, f"{name}.")
            elif isinstance(entry, list):
                features += self._vector(name, entry) if kind_of(entry) == "vector" else self._items(name, entry)
            elif isinstance(entry, bool | int | float | Decimal):
                features.append((name, self._inner(column, entry)))
            else:
                features.append((f"{name}={written(entry)}", 1.0))
        return features

    def listed(self, record: Mapping[str, Any]) -> Features:
        """The features of the sparse layout: lists of names or indices, and of values."""
        holder = self.holder
        keys, values = record[holder] or [], record.get("values")
        if values is None:
            values = [1.0] * len(keys) if "values" not in record or not keys else []
        if len(values) != len(keys):
            raise Fault("values", f"{len(values)} values", f"{len(keys)}, as many as {holder}")
        pairs: Features = []
        for key, value in zip(keys, values, strict=True):
            for name, entry in ((holder, key), ("values", value)):
                if entry is None:
                    raise Fault(name, None, "a feature")
            if holder == "indices" and (not isinstance(key, int) or not 0 <= key <= LARGEST_INDEX):
                raise Fault(holder, key, f"a feature index from 0 to {LARGEST_INDEX}")
            pairs.append((written(key), self._inner("values", value)))
        pairs = [pair for pair in narrowed(pairs, "values") if pair[1] or holder == "indices"]
        if not self.reading.adds_up and len(dict(pairs)) != len(pairs):
            raise Fault(holder, repeated(name for name, _ in pairs), ONCE)
        return pairs


def kind_of(value: Any) -> str:
    """The kind of a value where the first rows did not tell that of its column."""
    if isinstance(value, dict | Pairs):
        return "map"
    if isinstance(value, list):
        first = next((item for item in value if item is not None), "")
        return "vector" if isinstance(first, bool | int | float | Decimal) else "items"
    return "numeric" if isinstance(value, bool | int | float | Decimal) else "categorical"


def says_nothing(value: Any, missing: Collection[str] = MISSING_ONCE) -> bool:
    """Is it one of the texts for a missing value? A label or a weight "?" is none of them: it is a label, or a fault."""
    return isinstance(value, str) and value.strip(BLANKS) in missing


def bin_names(column: str, edges: Sequence[float]) -> list[str]:
    """The names of the ranges in which values lie.

    >>> bin_names("x", (1.0, 2.5)), bin_names("x", ())
    (['x<=1', '1<x<=2.5', '2.5<x'], ['x'])
    """
    if not edges:
        return [column]
    ends = [written(float(edge)) for edge in edges]
    return [f"{column}<={ends[0]}", *(f"{a}<{column}<={b}" for a, b in pairwise(ends)), f"{ends[-1]}<{column}"]
