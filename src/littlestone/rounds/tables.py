"""Tables: the cells of a row to features, by the kinds of the columns; whatever file the cells were in.

CSV gives text or nothing; JSON and Arrow give Python values: numbers, text, lists, objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from littlestone.errors import LittlestoneError, require
from littlestone.rounds import features as f
from littlestone.rounds.features import BLANKS, MISSING, Features, Row, label_of, narrow, number_in, weight_of, written
from littlestone.rounds.files import Fault
from littlestone.rounds.reading import Label, Reading
from littlestone.rounds.vw import section_of

#: The columns that `convert` writes, beside those that hold the features.
BESIDE = {"label", "weight", "id"}
BEYOND = (float("inf"), float("-inf"))
HOLDERS = ({"|"}, {"features"}, {"names"}, {"names", "values"}, {"indices"}, {"indices", "values"})


class Pairs(list):
    """The entries of an Arrow map: a key may stand twice."""


def is_converted(columns: Iterable[str], reading: Reading) -> bool:
    """Are these the columns that `convert` writes, and not those of the reading?"""
    rest = set(columns) - BESIDE
    return (not rest or rest in HOLDERS) and not (reading.columns is not None and set(columns) <= set(reading.columns))


class Table:
    """How the rows of one file are read.

    `columns` are its columns (of JSON lines, those known beforehand). A file that `convert` wrote has columns of its own, and the kinds of
    the reading are not about them. `labelled` is False where the labels are not in the table.
    """

    def __init__(self, reading: Reading, columns: Sequence[str], *, converted: bool, cells: bool, labelled: bool = True) -> None:
        self.reading, self.columns, self.converted, self.cells = reading, columns, converted, cells
        self.label, self.test = "", None
        self.weight, self.id = ("weight", "id") if converted else (reading.weight, reading.id)
        if converted:
            self.label = "label"
        elif labelled:
            self.label, self.test = f.target_of(reading.label, columns)
        self.kinds: Mapping[str, str] = {} if converted else reading.kinds or {}
        self.open = converted or reading.format == "jsonl"  # may columns come that have no kind?
        self.left_out = {self.weight, self.id} | (set() if converted else set(reading.ignore))
        if converted or labelled:
            self.left_out |= {self.label}
        self.numbered = cells and not converted and reading.named is False and not reading.bits  # so is every feature
        for cross in () if converted else reading.cross:
            for part in cross.split("*"):
                known = part in columns or self.open
                require(known, f"cross={cross!r}: there is no column {part!r}; there are {', '.join(map(repr, columns))}")

    def row(self, given: Mapping[str, Any]) -> Row:
        """One row: a value, or None, for each column."""
        if self.open and self.id is not None and self.id in given:
            self.check_scalar(self.id, given[self.id])
        groups = [(column, self.features(column, value)) for column, value in self.ordered(given) if column not in self.left_out]
        return Row(self.told(given), self.weighed(given), groups, self.converted)

    def ordered(self, given: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
        """In the order of the columns; what a line of JSON has besides comes after them, as written."""
        if not self.open:
            return [(column, given[column]) for column in self.columns]
        known = [(column, given[column]) for column in self.columns if column in given]
        return known + [(column, value) for column, value in given.items() if column not in self.columns]

    def told(self, given: Mapping[str, Any]) -> Label | None:
        value = given.get(self.label) if self.label else None
        if isinstance(value, str) and value.strip(BLANKS) in MISSING:
            return None
        if isinstance(value, list | dict):
            raise Fault(self.label, value, "a label: a number or text")
        label = label_of(value)
        if label in BEYOND:
            raise Fault(self.label, value, "a label: a finite number, or text")
        return label if label is None or self.test is None else self.test.of(label)

    def weighed(self, given: Mapping[str, Any]) -> float:
        value = given.get(self.weight) if self.weight else None
        if value is None or (isinstance(value, str) and value.strip(BLANKS) in MISSING):
            return 1.0
        found = self.number(self.weight or "", value, "a weight: a number of at least 0", text=True)
        return weight_of(found, self.weight) if found == found else 1.0

    def number(self, column: str, value: Any, expected: str, *, text: bool) -> float:
        """A cell as a number; `text` where text may stand for one."""
        if isinstance(value, str) and text:
            return number_in(value.strip(BLANKS), column, expected)
        if not isinstance(value, bool | int | float | Decimal):
            raise Fault(column, value, expected)
        return f.number_of(value)

    def features(self, column: str, value: Any) -> Features:
        """What one column gives."""
        if self.cells and column == "|":
            return features_in(value or "", not self.numbered)
        if value is None or (self.cells and value.strip(BLANKS) in MISSING):
            return []
        kind = self.kinds.get(column)
        if kind is None:
            if not self.open:
                return []
            kind = kind_of(value)
        return getattr(self, f"_{kind}")(column, value)

    def _numeric(self, column: str, value: Any) -> Features:
        declared = self.cells or column in self.reading.numeric
        found = self.number(column, value, f"a number; --categorical {column} takes it as text", text=declared)
        if found != found:
            return []  # a missing value, as tables of floats write it
        small = narrow(found, column)
        if column in self.reading.edges:
            return [(bin_of(column, found, self.reading.edges[column]), 1.0)]
        return [(column, small)] if small else []

    def check_scalar(self, column: str, value: Any) -> None:
        if isinstance(value, list | dict) or (self.open and value in BEYOND):
            raise Fault(column, value, "text or a finite number")

    def _categorical(self, column: str, value: Any) -> Features:
        self.check_scalar(column, value)
        return [(f"{column}={written(value).strip(BLANKS)}", 1.0)]

    def _text(self, column: str, value: Any) -> Features:
        self.check_scalar(column, value)
        prefix = "" if column == "text" else f"{column}="
        return [(prefix + word, float(count)) for word, count in f.bag(written(value), self.reading.ngrams).items()]

    def _vector(self, column: str, value: Any) -> Features:
        if not isinstance(value, list):
            raise Fault(column, value, "a list of numbers")
        numbers = [None if one is None else self._inner(column, one) for one in value]
        return [(f"{column}[{i}]", one) for i, one in enumerate(numbers) if one]

    def _inner(self, column: str, value: Any) -> float:
        return narrow(self.number(column, value, "numbers", text=False), column)

    def _items(self, column: str, value: Any) -> Features:
        if not isinstance(value, list):
            raise Fault(column, value, "a list of texts")
        if odd := [one for one in value if isinstance(one, list | dict)]:
            raise Fault(column, odd[0], "texts in the list")
        return [(f"{column}={written(one)}", 1.0) for one in value if one is not None]

    def _map(self, column: str, value: Any) -> Features:
        if not isinstance(value, dict | Pairs):
            raise Fault(column, value, "an object")
        return self.entries(column, value, "" if column == "features" else f"{column}.")

    def entries(self, column: str, value: Any, prefix: str) -> Features:
        """The entries of an object, and of the objects in it."""
        found: Features = []
        for key, one in value.items() if isinstance(value, dict) else value:
            name = prefix + str(key)
            if one is None:
                continue
            if isinstance(one, dict | Pairs):
                found += self.entries(column, one, f"{name}.")
            elif isinstance(one, list):
                found += self._vector(name, one) if kind_of(one) == "vector" else self._items(name, one)
            elif isinstance(one, bool | int | float | Decimal):
                number = self._inner(column, one)
                found += [(name, number)] if number else []
            else:
                found.append((f"{name}={written(one)}", 1.0))
        return found


def kind_of(value: Any) -> str:
    """The kind of a value where the first rows did not tell that of its column."""
    if isinstance(value, dict | Pairs):
        return "map"
    if isinstance(value, list):
        first = next((one for one in value if one is not None), "")
        return "vector" if isinstance(first, bool | int | float | Decimal) else "items"
    return "numeric" if isinstance(value, bool | int | float | Decimal) else "categorical"


def features_in(cell: str, named: bool) -> Features:
    """The column called |: features as VW's text writes them, without a namespace."""
    if "|" in cell:
        raise Fault("|", cell, "features without a bar; %7C stands for one in a name")
    try:
        return section_of(b" " + cell.encode("utf-8", "surrogatepass"), 0, named)[1]
    except Fault as fault:
        fault.column = "|"
        raise


def bin_of(column: str, value: float, edges: Sequence[float]) -> str:
    """The name of the range in which a value lies.

    >>> [bin_of("hour", x, (6.0, 12.5)) for x in (6.0, 7.0, 13.0)], bin_of("hour", 1.0, ())
    (['hour<=6', '6<hour<=12.5', '12.5<hour'], 'hour')
    """
    if not edges:
        return column
    for k, edge in enumerate(edges):
        if value <= edge:
            return f"{column}<={written(edge)}" if k == 0 else f"{written(edges[k - 1])}<{column}<={written(edge)}"
    return f"{written(edges[-1])}<{column}"


def sparse(reading: Table, given: Mapping[str, Any], holder: str) -> Row:
    """A row of the sparse layout: lists of names or indices, and of values."""
    keys, values = given[holder] or [], given.get("values")
    if values is None:
        values = [1.0] * len(keys)
    if len(values) != len(keys):
        raise Fault("values", f"{len(values)} values", f"as many as there are {holder}: {len(keys)}")
    found: Features = []
    for key, value in zip(keys, values, strict=True):
        if holder == "indices" and (not isinstance(key, int) or not 0 <= key <= f.LARGEST_INDEX):
            raise Fault(holder, key, f"a feature index from 0 to {f.LARGEST_INDEX}")
        if holder == "names" and not isinstance(key, str):
            raise Fault(holder, key, "a name")
        found.append((str(key), reading._inner("values", value)))
    return Row(reading.told(given), reading.weighed(given), [(holder, found)], reading.converted)


def check_sparse(reading: Table, holder: str) -> None:
    """Nothing but the label, the weight and the id may stand beside a sparse layout."""
    rest = [column for column in reading.columns if column not in {holder, "values"} | reading.left_out]
    if rest:
        raise LittlestoneError(f"columns {', '.join(map(repr, rest))} beside {holder!r}: expected a table or sparse rows, not both")
