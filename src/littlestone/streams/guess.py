"""What the first rows of a table say about the rest: its columns, their kinds, and which of them is the label."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from littlestone.errors import LittlestoneError
from littlestone.rounds.reading import LOOK_ROWS, Reading
from littlestone.streams.cells import BAR, BLANK, BLANKS, CANONICAL, MISSING, NUMBER, Target, text_of
from littlestone.streams.files import MARK
from littlestone.streams.libsvm import LARGEST_INDEX
from littlestone.streams.parsed import Fault
from littlestone.streams.records import cells_of, has_quoted, records_of

LABELS = ("label", "y", "target", "class")  # a column so called is the label, where nothing is said
COLUMNS_ARE = "the columns are:"
DELIMITERS = ",;\t|"
INFINITE = re.compile(r"[+-]?(inf|infinity)\Z", re.IGNORECASE)
TEXT_WORDS = 4  # cells with at least so many words on average are text


def settled(
    reading: Reading,
    columns: Sequence[str],
    cells: Mapping[str, Sequence[Any]],
    path: str = "",
    *,
    kinds: Mapping[str, str] | None = None,
    labelled: bool = True,
) -> Reading:
    """The reading with all that a table's first rows decide. `cells` are text (csv) or values, None where missing; by column.

    `kinds` are those that a schema tells. `labelled=False`: the labels are given apart, and every column may give features.
    """
    where = f"{path}: " if path else ""
    shown = ", ".join(columns)
    for twice in (name for k, name in enumerate(columns) if name in columns[:k]):
        raise LittlestoneError(f"{where}column {twice!r} stands twice in the header; expected columns of different names", path=path)
    for option in ("weight", "id", "text", "categorical", "numeric", "ignore"):
        given = getattr(reading, option)
        for name in (given,) if isinstance(given, str) else given or ():
            if name not in columns:
                parts = [part.strip() for part in name.split(",")]
                several = f"; for several columns repeat it: {' '.join(f'--{option} {part}' for part in parts)}"
                several = several if len(parts) > 1 and set(parts) <= set(columns) and not isinstance(given, str) else ""
                raise LittlestoneError(f"{where}--{option} {name}: no such column{several}; {COLUMNS_ARE} {shown}", path=path)
    apart = {name for name in (reading.weight, reading.id) if name is not None} | set(reading.ignore)
    if labelled:
        reading = reading.but(label=reading.label or default_label(columns, apart, where, path))
        target = Target.of(reading.label or "", columns)
        if target is None:
            said = str(reading.label)
            sign = said.startswith(("=", "!", "<", ">"))
            hint = f"; a test of a column begins with it, such as {columns[-1]}{said}" if sign else ""
            hint += ", and --format text reads lines of a label, a tab and text" if sign and reading.format in ("csv", "tsv") else ""
            raise LittlestoneError(f"{where}--label {said}: no such column{hint}; {COLUMNS_ARE} {shown}", path=path)
        apart.add(target.column)
    declared = {name: kind for kind in ("numeric", "categorical", "text") for name in getattr(reading, kind)}
    known = kinds or {}
    found: dict[str, str] = {}
    for name in columns:
        if name not in apart:
            text = reading.format in ("csv", "tsv")
            if text and name == BAR:
                found[name] = "categorical"  # tokens, also where each cell has one, and it is a number
                continue
            found[name] = declared.get(name) or known.get(name) or (kind_of_cells(cells[name]) if text else kind_of_values(cells[name]))
    reading, found = _written_by_convert(reading, columns, found, declared)
    named = reading.names or _named(reading, found, cells)
    reading = reading.but(columns=tuple(columns), kinds=found, named=named, edges=_edges(reading, found, cells, where, path))
    for cross in reading.cross:
        for name in cross.split("*"):
            if name not in found:
                giving = ", ".join(found)
                raise LittlestoneError(f"{where}--cross {cross}: {name!r} is no column with features; those are: {giving}", path=path)
    return reading


def default_label(columns: Sequence[str], apart: Iterable[str], where: str, path: str) -> str:
    """
    >>> default_label(["hour", "Class"], (), "", "")
    'Class'
    """
    for wanted in LABELS:
        found = [name for name in columns if name.lower() == wanted and name not in apart]
        if len(found) == 1:
            return found[0]
        if found:
            break
    raise LittlestoneError(
        f"{where}which column is the label? --label COLUMN (label=) says so; {COLUMNS_ARE} {', '.join(columns)}", path=path
    )


def kind_of_cells(cells: Sequence[str]) -> str:
    """The kind of a column of text.

    >>> kind_of_cells(["1", "NA", "2.5"]), kind_of_cells(["1", "x"]), kind_of_cells(["call me back soon"])
    ('numeric', 'categorical', 'text')
    """
    there = [cell for cell in (cell.strip(BLANK) for cell in cells) if cell not in MISSING]
    if all(map(NUMBER.match, there)):
        return "numeric"
    numbers = [cell for cell in there if not INFINITE.match(cell)]  # infinity among numbers is a fault, when it is read, and no category
    return "numeric" if numbers and all(map(NUMBER.match, numbers)) else words_or_value(there)


def words_or_value(cells: Sequence[str]) -> str:
    return "text" if cells and sum(len(cell.split()) for cell in cells) >= TEXT_WORDS * len(cells) else "categorical"


def kind_of_values(values: Sequence[Any]) -> str:
    """The kind of a column of values as JSON has them.

    >>> kind_of_values([1, None, True]), kind_of_values([["a"]]), kind_of_values([[1.5], []]), kind_of_values([{"a": 1}])
    ('numeric', 'items', 'vector', 'map')
    """
    there = [value for value in values if value is not None]
    if all(isinstance(value, bool | int | float) for value in there):
        return "numeric"
    if not isinstance(there[0], list | dict):
        return words_or_value([text_of(value) for value in there])
    if isinstance(there[0], dict):
        return "map"
    inner = (one for value in there if isinstance(value, list) for one in value if one is not None)
    return "vector" if isinstance(next(inner, 0), bool | int | float) else "items"


def _written_by_convert(
    reading: Reading, columns: Sequence[str], found: dict[str, str], declared: Mapping[str, str]
) -> tuple[Reading, dict[str, str]]:
    """A table that holds features in one column, or in lists side by side, may hold weights and ids beside them."""
    lists = reading.format in ("parquet", "arrow") and next((name for name in ("indices", "names") if name in side_by_side(found)), None)
    whole = (BAR in found and reading.format in ("csv", "tsv")) or found.get("features") == "map" or lists
    if not whole:
        return reading, found
    for role in ("weight", "id"):
        if getattr(reading, role) is None and role in found and role not in declared:
            reading = reading.but(**{role: role})
            del found[role]
    if lists and found.get("values", "vector") != "vector":
        raise LittlestoneError(f"column 'values' beside {lists!r}: expected a list of numbers in each row")
    others = [name for name in found if name not in (lists, "values")]
    if lists and others:
        raise LittlestoneError(
            f"columns {', '.join(others)} beside {lists!r}, which lists the features of each row; "
            f"--ignore {others[0]} (ignore=) leaves a column out"
        )
    return reading, found


def side_by_side(kinds: Mapping[str, str]) -> set[str]:
    """Which of the columns list features by number or by name."""
    return {name for name, kind in (("indices", "vector"), ("names", "items")) if kinds.get(name) == kind}


def _named(reading: Reading, kinds: Mapping[str, str], cells: Mapping[str, Sequence[Any]]) -> bool:
    """Do features have names? Not where they are all listed by their numbers."""
    if reading.format in ("parquet", "arrow"):
        return "indices" not in side_by_side(kinds)
    if list(kinds) == [BAR] and reading.format in ("csv", "tsv") and not reading.cross:
        tokens = [token.partition(":")[0] for cell in cells[BAR] for token in cell.translate(BLANKS).split(" ") if token]
        return not (tokens and all(CANONICAL.match(token) and int(token) <= LARGEST_INDEX for token in tokens))
    return True


def _edges(
    reading: Reading, kinds: Mapping[str, str], cells: Mapping[str, Sequence[Any]], where: str, path: str
) -> dict[str, tuple[float, ...]]:
    """Where the bins of numeric columns end."""
    if reading.bins is None:
        return {}
    wanted = reading.bins
    if isinstance(wanted, int):
        wanted = {name: wanted for name, kind in kinds.items() if kind == "numeric"}
    edges = {}
    for name, k in wanted.items():
        if kinds.get(name) != "numeric":
            raise LittlestoneError(f"{where}--bins {name}={k}: {name!r} is no numeric column with features", path=path)
        edges[name] = edges_of([x for x in map(_number, cells[name]) if x == x], k)
    return edges


def _number(cell: Any) -> float:
    if isinstance(cell, str):
        cell = cell.strip(BLANK)
        return float(cell) if NUMBER.match(cell) else float("nan")
    return float("nan") if cell is None else float(cell)


def edges_of(numbers: Sequence[float], k: int) -> tuple[float, ...]:
    """Ends of k bins with about as many of these numbers in each.

    >>> edges_of([1, 2, 3, 4], 2), edges_of([5, 5, 5, 7], 4), edges_of([5, 5], 3)
    ((2.0,), (5.0,), ())
    """
    x = sorted(map(float, numbers))
    if not x:
        return ()
    found = {x[-(-j * len(x) // k) - 1] for j in range(1, k)}
    return tuple(sorted(found - {x[-1]}))


def guess_delimiter(line: str, quotes: bool = True) -> str:
    """The most frequent candidate outside quotes.

    >>> guess_delimiter('a;"b,c,d";e')
    ';'
    """
    outside = re.sub(r'"[^"]*"', "", line) if quotes else line
    return max(DELIMITERS, key=outside.count)


def no_header(cells: Sequence[str]) -> str:
    """Why the first line does not look like names of columns; nothing where it does.

    >>> no_header(["hour", "late"]), no_header(["hour", "7"]), no_header(["a", "b", "a"])
    ('', "'7' is a number", "'a' stands there twice")
    """
    names = [cell.strip(BLANK) for cell in cells]
    for k, name in enumerate(names):
        if not name:
            return f"cell {k + 1} is empty"
        if NUMBER.match(name):
            return f"{name!r} is a number"
        if name in names[:k]:
            return f"{name!r} stands there twice"
    return ""


def enough(head: bytes, reading: Reading) -> bool:
    """Do these first bytes of a text file hold all the rows that a guess looks at?"""
    if head.count(b"\n") <= LOOK_ROWS + 1:
        return False
    if reading.format == "jsonl":
        return sum(1 for line in head.split(b"\n") if line.strip()) > LOOK_ROWS + 1
    delimiter = delimiter_of(reading, head)
    return len(records_of(head, delimiter, quotes_of(reading, head, delimiter))[0]) > LOOK_ROWS + 2  # a header, and the last may be cut off


def delimiter_of(reading: Reading, head: bytes) -> str:
    first = next((line for line in head.split(b"\n") if line.strip(b"\r")), b"")
    if reading.delimiter or reading.format == "tsv":
        return reading.delimiter or "\t"
    return guess_delimiter(first.decode(errors="replace"), reading.quotes is not False)


def quotes_of(reading: Reading, head: bytes, delimiter: str) -> bool:
    """May cells stand in quotes? In tsv only where the first lines have some: there a quote is often a word like others."""
    if reading.quotes is not None or reading.format == "csv":
        return reading.quotes is not False
    return b'"' in head and has_quoted(head.removeprefix(MARK).split(b"\n", LOOK_ROWS + 1)[: LOOK_ROWS + 1], delimiter)


def guess_text_table(reading: Reading, head: bytes, path: str, labelled: bool) -> Reading:
    """From the first bytes of a csv or tsv file, whole lines."""
    text = head.removeprefix(MARK)
    if not text.strip(b"\r\n"):
        raise LittlestoneError(f"{path}: is empty; expected a table", path=path)
    delimiter = delimiter_of(reading, text)
    if b"\0" in text.lstrip(b"\r\n").split(b"\n", 1)[0]:
        raise LittlestoneError(
            f"{path}, line 1: found a NUL byte, expected a table as text; --format (format=) names another", path=path, line=1
        )
    quotes = quotes_of(reading, text, delimiter)
    rows = rows_of(text, delimiter, quotes, LOOK_ROWS + 1)
    if not rows:
        raise LittlestoneError(f"{path}: no line of it can be read as cells of a table", path=path)
    header = not no_header(rows[0]) if reading.header is None else reading.header
    columns = [cell.strip(BLANK) for cell in rows[0]] if header else [str(k + 1) for k in range(len(rows[0]))]
    look = [row for row in rows[header : LOOK_ROWS + header] if len(row) == len(columns)]
    cells = {name: [row[k] for row in look] for k, name in enumerate(columns)}
    try:
        return settled(reading.but(delimiter=delimiter, quotes=quotes, header=header), columns, cells, path, labelled=labelled)
    except LittlestoneError as error:
        if reading.header is not None or (header and COLUMNS_ARE not in str(error)):
            raise
        taken = f"a row: {no_header(rows[0])}; --header says it is none" if not header else "names of columns; --no-header says it is a row"
        raise LittlestoneError(f"{error}. (Its first line is taken for {taken})", path=path) from None


def rows_of(text: bytes, delimiter: str, quotes: bool, most: int) -> list[list[str]]:
    """The cells of the first records; those that are malformed are left out."""
    starts, ends, _ = records_of(text, delimiter, quotes)
    rows = []
    for begin, end in zip(starts[:most].tolist(), ends[:most].tolist(), strict=True):
        try:
            rows.append(cells_of(text[begin:end].decode(), delimiter, quotes))
        except (Fault, UnicodeDecodeError):
            continue
    return rows
