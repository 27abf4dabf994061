"""What the first rows of a table say about the rest: its columns, their kinds, and which of them is the label."""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np

from littlestone.errors import LittlestoneError, require
from littlestone.rounds.features import BLANKS, NUMBER, SIGN, TEXT_WORDS, WORD, is_index, target_of, usual_label, written
from littlestone.rounds.formats import format_named
from littlestone.rounds.formats.libsvm import TOKEN
from littlestone.rounds.reading import LOOK_ROWS, MISSING, Reading, refuse_two_kinds, repeated
from littlestone.rounds.tables import BAR
from littlestone.rounds.times import PARTS, ClockTime, moment_of

COLUMNS_ARE = "the columns are:"
CODE = re.compile(r"[+-]?0[0-9]")  # nobody measures 01: it is the name of something
INFINITE = re.compile(r"[+-]?(inf|infinity)\Z", re.IGNORECASE)
STRAYS = 0.1  # of the cells of a numeric column may be words: slips, which are faults where they are read
LEAST_WITH_SLIP = 4  # cells, of which one may be a word
LEAST_IDENTIFIERS = 10  # different texts, from which on they may be identifiers
LETTERS = re.compile(r"[^\W\d_]{2,}")


def settled_on(
    reading: Reading,
    columns: Sequence[str],
    cells: Mapping[str, Sequence[Any]],
    path: str = "",
    *,
    kinds: Mapping[str, str] | None = None,
    labelled: bool = True,
    names_in: dict[str, int] | None = None,
) -> Reading:
    """The reading with all that a table's first rows decide. `cells` are text (csv) or values, None where missing; by column.

    `kinds` are those that a schema tells. `labelled=False`: the labels are given apart, and every column may give features.
    `names_in` gets the number of different names in the first rows of each column of names.
    """
    where = f"{path}: " if path else ""
    shown, known_columns = ", ".join(columns), set(columns)
    if (twice := repeated(columns)) is not None:
        raise LittlestoneError(f"{where}column {twice!r} stands twice in the header; expected columns of different names", path=path)
    for option in ("weight", "id", "key", "text", "categorical", "numeric", "time", "ignore"):
        names = getattr(reading, option)
        for name in (names,) if isinstance(names, str) else names or ():
            if name not in known_columns:
                parts = [part.strip() for part in name.split(",")]
                several = f"; for several columns repeat it: {' '.join(f'--{option} {part}' for part in parts)}"
                several = several if len(parts) > 1 and set(parts) <= known_columns and not isinstance(names, str) else ""
                raise LittlestoneError(f"{where}--{option} {name}: no such column{several}; {COLUMNS_ARE} {shown}", path=path)
    own = None if reading.key_is_feature else reading.key
    refuse_two_kinds(reading, where, path)
    apart = {name for name in (reading.weight, reading.id, own) if name is not None} | set(reading.ignore)
    if labelled:
        reading = reading.but(label=reading.label or default_label(columns, apart, where, path))
        tested = reading.label_threshold is not None and reading.label not in columns
        require(not tested, f"{where}--label-threshold and --label {reading.label}: expected the name of a column beside a threshold")
        reading = reading.with_threshold()
        apart.add(target := label_column(reading, columns, where, path))
        require(reading.key != target, f"{where}--key {reading.key}: is the column of the label; expected another one")
    declared = {name: kind for kind in ("numeric", "categorical", "text", "time") for name in getattr(reading, kind)}
    if reading.key is not None:
        declared.setdefault(reading.key, "categorical")
    known = kinds or {}
    crossed = {part for cross in reading.cross for part in cross.split("*")}
    feature_kinds: dict[str, str] = {}
    identifiers = []
    for name in columns:
        if name not in apart:
            text = format_named(reading.format).texts
            if text and name == BAR:
                feature_kinds[name] = "categorical"  # tokens, also where each cell has one, and it is a number
                continue
            kind = declared.get(name) or known.get(name)
            if not kind:
                kind = (kind_of_cells if text else kind_of_values)(cells[name], reading.missing)
                kind = "text" if kind == "categorical" and name == "text" else kind  # however short
                if kind == "categorical" and reading.knows_times:
                    if are_times(cells[name], reading.missing):
                        kind = "time"
                    elif name not in crossed and are_identifiers(cells[name], reading.missing):
                        identifiers.append(name)
                        continue
            elif kind == "time" and name not in declared and not reading.knows_times:
                kind = "categorical"
            feature_kinds[name] = kind
    if names_in is not None:
        for name in (name for name, kind in feature_kinds.items() if kind == "categorical"):
            cells_of_it = present(cells[name], reading.missing)
            names_in[name] = len({cell for cell in cells_of_it if not isinstance(cell, list | dict)})  # those are refused where they stand
    times = {name: first_time(cells[name]) for name, kind in feature_kinds.items() if kind == "time"}
    reading = reading.but(times=times, identifiers=tuple(identifiers))
    reading, feature_kinds = _written_by_convert(reading, feature_kinds, declared)
    named = reading.names or _named(reading, feature_kinds, cells)
    reading = reading.but(
        columns=tuple(columns), kinds=feature_kinds, named=named, edges=_edges(reading, feature_kinds, cells, where, path)
    )
    for cross in reading.cross:
        for name in cross.split("*"):
            if name not in feature_kinds:
                giving = ", ".join(feature_kinds)
                raise LittlestoneError(f"{where}--cross {cross}: {name!r} is no column with features; those are: {giving}", path=path)
    return reading


SHOWN = 12  # columns of a table up to which each is listed with its own words
IN_WORDS = {"numeric": "number", "categorical": "names", "text": "words", "vector": "numbers", "items": "names", "map": "named values"}


def columns_in_words(reading: Reading, names_in: Mapping[str, int]) -> str:
    """Return what is made of each column of a table, in one line; `names_in` has the number of different names of columns of names.

    >>> kinds = {"from": "categorical", "km": "numeric"}
    >>> columns_in_words(Reading(columns=("id", "from", "km", "late"), label="late", identifiers=("id",), kinds=kinds), {"from": 3})
    'id: identifier, left out · from: 3 names · km: number'
    """
    columns = reading.columns or ()
    made = {name: words for name in columns if (words := column_in_words(reading, name, names_in if len(columns) <= SHOWN else {}))}
    if len(columns) <= SHOWN:
        return " · ".join(f"{name}: {words}" for name, words in made.items())
    alike: dict[str, list[str]] = {}
    for name, words in made.items():
        alike.setdefault(words, []).append(name)
    return " · ".join(f"{several(names)}: {words}" for words, names in alike.items())


def column_in_words(reading: Reading, name: str, names_in: Mapping[str, int]) -> str:
    """Return what is made of one column; nothing where it is a label, or says what a round weighs or is called."""
    kind = (reading.kinds or {}).get(name, "")
    if name in reading.identifiers:
        return "identifier, left out"
    if name in reading.ignore:
        return "left out"
    if kind == "time":
        timed = "T" in reading.times[name]
        return f"{'time' if timed else 'date'}, as {', '.join(PARTS if timed else PARTS[1:])}"
    if kind == "categorical" and name in names_in:
        return f"{names_in[name]:,} name{'' if names_in[name] == 1 else 's'}"
    if name in reading.edges:
        return f"number, in {len(reading.edges[name]) + 1} ranges"
    return IN_WORDS.get(kind, "")


def several(names: Sequence[str]) -> str:
    """Return the first of some names, and how many more there are.

    >>> several(["a", "b"]), several(["a", "b", "c", "d", "e"])
    ('a, b', 'a, b, c and 2 more')
    """
    more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more


def reading_of_dicts(rows: Sequence[Any], declared: Reading) -> Reading | None:
    """Return how rows that are dicts are read, by what their first ones show of times, words and identifiers and by what is declared; None
    where every value speaks for itself.

    >>> reading_of_dicts([{"sent": "2026-11-19", "hour": 7}], Reading()).times, reading_of_dicts([{"from": "UA"}], Reading())
    ({'sent': '2026-11-19'}, None)
    >>> reading_of_dicts([{"note": "see you at home"}, {"note": "free offer for you"}], Reading()).text
    ('note',)
    """
    refuse_two_kinds(declared)
    values, numbers = _values_by_key(rows)
    known = {*declared.ignore, *declared.categorical, *declared.numeric, *declared.time, *declared.text}
    free = {key: cells for key, cells in values.items() if key not in known}
    times = {key: cells for key, cells in free.items() if are_times(cells)} | {key: values.get(key, []) for key in declared.time}
    texts = tuple(key for key, cells in free.items() if key not in times and are_texts(key, cells, numbers.get(key, 0)))
    identifiers = tuple(key for key, cells in free.items() if key not in times and key not in texts and are_identifiers(cells))
    firsts = {key: first_time(cells) for key, cells in times.items()}
    reading = declared.but(times=firsts, text=(*declared.text, *texts), identifiers=identifiers, named=True)
    return reading if reading.of_dicts else None


def dicts_in_words(rows: Sequence[Any], reading: Reading | None) -> str:
    """Return what is made of each key of rows that are dicts, in one line, as `columns_in_words` says it of a table.

    >>> rows = [{"sent": "2026-11-19", "from": "UA", "km": 7}, {"sent": "2026-11-20", "from": "AA", "km": 9}]
    >>> dicts_in_words(rows, reading_of_dicts(rows, Reading()))
    'sent: date, as weekday, month, days · from: 2 names · km: number'
    """
    how = Reading() if reading is None else reading
    keys = dict.fromkeys(key for row in rows[:LOOK_ROWS] if isinstance(row, Mapping) for key in row if isinstance(key, str))
    values, numbers = _values_by_key(rows)
    declared = {name: kind for kind in ("numeric", "categorical", "text") for name in getattr(how, kind)}
    kinds: dict[str, str] = {key: "categorical" if values.get(key) and not numbers.get(key) else "numeric" for key in keys}
    kinds = {**kinds, **declared, **dict.fromkeys(how.times, "time")}
    names_in = {key: len(set(map(written, present(values.get(key, ()), MISSING)))) for key in keys}
    return columns_in_words(how.but(columns=tuple(keys), kinds=kinds), names_in)


def _values_by_key(rows: Sequence[Any]) -> tuple[dict[str, list[Any]], dict[str, int]]:
    """Return what the first rows hold at each key beside numbers, and how many numbers."""
    values: dict[str, list[Any]] = {}
    numbers: dict[str, int] = {}
    for row in rows[:LOOK_ROWS]:
        for key, value in row.items() if isinstance(row, Mapping) else ():
            if not isinstance(key, str):
                continue
            if isinstance(value, bool | int | float | np.number):
                numbers[key] = numbers.get(key, 0) + 1
            else:
                values.setdefault(key, []).append(value)
    return values, numbers


def are_texts(key: str, cells: Sequence[Any], numbers: int = 0) -> bool:
    """Return whether the values at a key are texts of words; a few among `numbers` are slips.

    >>> are_texts("note", ["see you at home", None]), are_texts("city", ["Rome"])
    (True, False)
    >>> are_texts("text", ["Rome"]), are_texts("text", ["Rome"], 9)
    (True, False)
    """
    there = present(cells, MISSING)
    if not there or not all(isinstance(cell, str) for cell in there) or (numbers and are_slips(len(there), len(there) + numbers)):
        return False
    return key == "text" or words_or_value(there) == "text"


def label_column(reading: Reading, columns: Sequence[str], where: str, path: str) -> str:
    """The column of the label, which may be tested."""
    label = str(reading.label)
    if label not in columns and not any(label[: sign.start()].strip() in columns for sign in SIGN.finditer(label)):
        sign = label.startswith(("=", "!", "<", ">"))
        hint = f"; a test of a column begins with it, such as {columns[-1]}{label}" if sign else ""
        hint += ", and --format text reads lines of a label, a tab and text" if sign and format_named(reading.format).texts else ""
        raise LittlestoneError(f"{where}--label {label}: no such column{hint}; {COLUMNS_ARE} {', '.join(columns)}", path=path)
    return target_of(label, columns)[0]


def default_label(columns: Sequence[str], apart: Collection[str], where: str, path: str) -> str:
    label = usual_label(columns, apart)
    if label is None:
        which = "which column is the label? --label COLUMN (label=) says so"
        raise LittlestoneError(f"{where}{which}; {COLUMNS_ARE} {', '.join(columns)}", path=path)
    return label


def kind_of_cells(cells: Sequence[str], missing: Collection[str] = MISSING, *, slips: bool = True) -> str:
    """The kind of a column of text. A few words among numbers are `slips`, unless numbers are written as codes.

    >>> kind_of_cells(["1", "NA", "2.5"]), kind_of_cells(["1", "x"]), kind_of_cells(["call me back soon"])
    ('numeric', 'categorical', 'text')
    >>> kind_of_cells(["7", "8", "9", "ten"]), kind_of_cells(["07", "08", "09", "ten"])
    ('numeric', 'categorical')
    """
    there = [cell for cell in (cell.strip(BLANKS) for cell in cells) if cell not in missing]
    finite = [cell for cell in there if not INFINITE.match(cell)]  # infinity among numbers is a fault, when it is read, and no category
    numbers = [cell for cell in finite if NUMBER.fullmatch(cell)]
    words = len(finite) - len(numbers)
    numeric = bool(numbers) and (words == 0 or (slips and are_slips(words, len(finite)) and not any(map(CODE.match, numbers))))
    return "numeric" if numeric or not there else words_or_value(there)


def are_slips(words: int, cells: int) -> bool:
    """Are so few of the cells words that the column is one of numbers?"""
    return words <= STRAYS * cells or (words == 1 and cells >= LEAST_WITH_SLIP)


def are_times(cells: Sequence[Any], missing: Collection[str] = MISSING) -> bool:
    """Return whether a column holds dates or date-times; a few other cells are slips, as among numbers.

    >>> are_times(["2026-11-19", "NA", "2026-11-20T08:00Z"]), are_times(["2026-11-19", "soon"]), are_times(["?"])
    (True, False, False)
    """
    there = present(cells, missing)
    others = sum(moment_of(cell) is None for cell in there)
    return others < len(there) and (others == 0 or are_slips(others, len(there)))


def first_time(cells: Sequence[Any]) -> str:
    """Return the first moment among these cells, from which days are counted; where there is none, the beginning of 1970."""
    moments = (moment for moment in map(moment_of, cells) if moment is not None)
    first = next(moments, ClockTime(datetime(1970, 1, 1), True))
    return (first.at if first.timed else first.at.date()).isoformat()


def are_identifiers(cells: Sequence[Any], missing: Collection[str] = MISSING) -> bool:
    """Return whether a column of text holds a code for each row: no value comes twice, and few hold a word.

    A word is letters alone, two or more, beside what all values have in common at their beginnings and ends.

    >>> are_identifiers([f"MSG-{k}" for k in range(20)]), are_identifiers(["MSG-1", "MSG-2"]), are_identifiers(["a", "b"] * 10)
    (True, False, False)
    >>> are_identifiers([f"{name} {k}" for k, name in enumerate(["Ann", "Bob", "Cid", "Dot"] * 5)])
    False
    """
    there = present(cells, missing)
    if len(there) < LEAST_IDENTIFIERS or len(set(there)) < len(there) or not all(isinstance(cell, str) for cell in there):
        return False
    before, after = shared_beginning(there), shared_beginning([cell[::-1] for cell in there])
    words = sum(any(map(LETTERS.fullmatch, WORD.findall(cell[before : len(cell) - after]))) for cell in there)
    return words <= STRAYS * len(there)


def shared_beginning(texts: Sequence[str]) -> int:
    """Return how many characters all texts have in common at their beginnings.

    >>> shared_beginning(["MSG-17", "MSG-203", "MSG-2"])
    4
    """
    first, last = min(texts), max(texts)
    return next((k for k, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))


def present(cells: Sequence[Any], missing: Collection[str]) -> list[Any]:
    """Return the cells that are not missing, texts without the blanks around them."""
    bare = (cell.strip(BLANKS) if isinstance(cell, str) else cell for cell in cells)
    return [cell for cell in bare if cell is not None and cell == cell and not (isinstance(cell, str) and cell in missing)]


def words_or_value(cells: Sequence[str]) -> str:
    return "text" if cells and sum(len(cell.split()) for cell in cells) >= TEXT_WORDS * len(cells) else "categorical"


def kind_of_values(values: Sequence[Any], missing: Collection[str] = (), *, slips: bool = True) -> str:
    """The kind of a column of values as JSON has them. A few others among numbers are `slips`.

    >>> kind_of_values([1, None, True]), kind_of_values([["a"]]), kind_of_values([[1.5], []]), kind_of_values([{"a": 1}])
    ('numeric', 'items', 'vector', 'map')
    """
    there = [value for value in values if value is not None and not (isinstance(value, str) and value.strip(BLANKS) in missing)]
    others = sum(not isinstance(value, bool | int | float) for value in there)
    if others == 0 or (slips and are_slips(others, len(there))):
        return "numeric"
    if not isinstance(there[0], list | dict):
        return words_or_value([written(value) for value in there])
    if isinstance(there[0], dict):
        return "map"
    inner = (item for value in there if isinstance(value, list) for item in value if item is not None)
    return "vector" if isinstance(next(inner, 0), bool | int | float) else "items"


def _written_by_convert(reading: Reading, kinds: dict[str, str], declared: Mapping[str, str]) -> tuple[Reading, dict[str, str]]:
    """A table that holds features in one column, or in lists side by side, may hold weights and ids beside them."""
    lists = reading.format in ("parquet", "arrow") and next((name for name in ("indices", "names") if name in side_by_side(kinds)), None)
    whole = (BAR in kinds and format_named(reading.format).texts) or kinds.get("features") == "map" or lists
    if not whole:
        return reading, kinds
    for role in ("weight", "id"):
        if getattr(reading, role) is None and role in kinds and role not in declared:
            reading = reading.but(**{role: role})
            del kinds[role]
    if lists and kinds.get("values", "vector") != "vector":
        raise LittlestoneError(f"column 'values' beside {lists!r}: expected a list of numbers in each row")
    others = [name for name in kinds if name not in (lists, "values")]
    if lists and others:
        raise LittlestoneError(
            f"columns {', '.join(others)} beside {lists!r}, which lists the features of each row; "
            f"--ignore {others[0]} (ignore=) leaves a column out"
        )
    return reading, kinds


def side_by_side(kinds: Mapping[str, str]) -> set[str]:
    """Which of the columns list features by number or by name."""
    return {name for name, kind in (("indices", "vector"), ("names", "items")) if kinds.get(name) == kind}


def _named(reading: Reading, kinds: Mapping[str, str], cells: Mapping[str, Sequence[Any]]) -> bool:
    """Do features have names? Not where they are all listed by their numbers."""
    if reading.format in ("parquet", "arrow"):
        return "indices" not in side_by_side(kinds)
    if list(kinds) == [BAR] and format_named(reading.format).texts and not reading.cross:
        names = [token.partition(b":")[0] for cell in cells[BAR] for token in TOKEN.findall(cell.encode("utf-8", "surrogatepass"))]
        return not (names and all(is_index(name.decode("latin-1")) for name in names))
    return True


def _edges(
    reading: Reading, kinds: Mapping[str, str], cells: Mapping[str, Sequence[Any]], where: str, path: str
) -> dict[str, tuple[float, ...]]:
    """Where the bins of numeric columns end."""
    if reading.bins is None:
        return {}
    bins = reading.bins
    if isinstance(bins, int):
        bins = {name: bins for name, kind in kinds.items() if kind == "numeric"}
    edges = {}
    for name, k in bins.items():
        if kinds.get(name) != "numeric":
            raise LittlestoneError(f"{where}--bins {name}={k}: {name!r} is no numeric column with features", path=path)
        edges[name] = edges_of([x for x in map(_number, cells[name]) if x == x], k)
    return edges


def _number(cell: Any) -> float:
    if isinstance(cell, str):
        cell = cell.strip(BLANKS)
        return float(cell) if NUMBER.fullmatch(cell) else float("nan")
    return float("nan") if cell is None else float(cell)


def edges_of(numbers: Sequence[float], k: int) -> tuple[float, ...]:
    """Ends of k bins with about as many of these numbers in each.

    >>> edges_of([1, 2, 3, 4], 2), edges_of([5, 5, 5, 7], 4), edges_of([5, 5], 3)
    ((2.0,), (5.0,), ())
    """
    x = sorted(map(float, numbers))
    if not x:
        return ()
    ends = {x[-(-j * len(x) // k) - 1] for j in range(1, k)}
    return tuple(sorted(ends - {x[-1]}))
