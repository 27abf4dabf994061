"""Tables of experts in plain Python: the stranger's own way from the cells of a file to rounds of advice.

What the table settles (`TableReading`) is not believed: a scale that was measured is measured again, a declared one must follow from its
range, and every number must be what the reading says numbers are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from math import inf, isnan, nan
from os import PathLike
from struct import Struct
from typing import Any, NamedTuple

from littlestone.errors import LittlestoneError, Refused, require
from littlestone.rounds import cells
from littlestone.rounds.features import BLANKS, NUMBER, number_of, written
from littlestone.rounds.files import Fault, Source, expanded, format_of
from littlestone.rounds.table_reading import MISSING, TABLE_FORMATS, TableReading, narrow
from littlestone.theory.certificate import same

FLOAT = Struct("<f")
ASLEEP = "a number, or an empty cell for an expert that is asleep"
Values = list[Any]


class Heard(NamedTuple):
    """A round: its truth as the table has it, NaN where it is missing, and what each expert said, NaN while asleep."""

    truth: float
    said: list[float]


class Told(NamedTuple):
    """A round of advice as a rule takes it: the truth (None where it is missing; 0 of losses), and float32 numbers, NaN while asleep."""

    truth: int | None
    said: list[float]


def reading_of(stated: Any) -> TableReading:
    """How rounds are made of a table, as a certificate says it."""
    try:
        found = TableReading.from_json(stated)
    except LittlestoneError as error:
        raise Refused(f"stream.table: {error}") from None
    if not found.settled or not found.experts or len(set(found.experts)) != len(found.experts):
        raise Refused("stream.table leaves open what the table settles: format, layout, experts, advice and scale; each expert once")
    if found.judged and found.truth is None:
        raise Refused(f"stream.table: the advice is {found.advice}, and no column is its truth")
    columns = (found.round, found.expert, found.forecast)
    if found.layout == "long" and None in columns:
        raise Refused("stream.table: the long layout needs the columns of the round, the expert and the forecast")
    if found.layout == "wide" and columns != (None, None, None):
        raise Refused("stream.table: columns of the round, the expert and the forecast are of the long layout")
    if (found.measured or found.low is not None) and found.played != "loss":
        raise Refused("stream.table: a range is of losses, and the advice is none")
    if not same(found.as_json(), stated):
        raise Refused("stream.table is not as a reading of a table is written")
    if found.advice == "forecast" and found.loss is None:
        raise Refused("stream.table: the advice is forecasts, and no loss is named")
    ranged = found.played == "loss" and (not found.judged or not found.measured)
    if ranged and found.low is None:
        raise Refused("stream.table: its scale is neither measured nor that of a range")
    return found


def told_in(X: Any, reading: TableReading, format: str | None = None) -> Iterator[Told]:
    """The rounds of advice that a table makes: a path, files, or a frame. At the end, what was measured must have been so."""
    cell, truth_of, unscaled = reading.cell_of(), reading.truth_of(), reading.but(scale=1.0).loss_of()
    scale, judged = reading.scale or 1.0, reading.judged
    low, high, largest = inf, -inf, 0.0
    for part in parts_of(X, reading, format):
        with part as heard:
            for y, said in heard:
                code = truth_of(y)
                if reading.played != "loss" or code < 0:
                    yield Told(None if code < 0 else code, [cell(x, y) for x in said])
                    continue
                losses = [x if x != x else unscaled(x, y) for x in said]
                there = [x for x in said if x == x]
                if there:
                    largest = max(largest, max(loss for loss in losses if loss == loss))
                    low, high = min(low, min(there)), max(high, max(there))
                    low, high = (min(low, y), max(high, y)) if judged else (low, high)
                yield Told(code, [narrow(loss / scale) for loss in losses])
    check_scale(reading, low, high, largest)


def check_of(r: TableReading) -> Callable[[float, Sequence[float]], None]:
    """Refuse numbers that are not what the reading says they are."""
    if r.played == "loss" and not r.measured:
        low, high = r.low or 0.0, r.high or 0.0
        expected = f"a number between {low:g} and {high:g}, the range declared"

        def within(y: float, said: Sequence[float]) -> None:
            for k, x in enumerate(said):
                if not low <= x <= high and x == x:
                    raise Fault(speaker(r, k), x, expected)
            if r.judged and not low <= y <= high and y == y:
                raise Fault(r.truth, y, expected)

        return within
    if r.advice == "forecast" or r.played == "loss":
        return lambda y, said: None
    votes = r.advice == "vote"

    def shares(y: float, said: Sequence[float]) -> None:
        if y not in (0.0, 1.0) and y == y:
            raise Fault(r.truth, y, "a truth, 0 or 1")
        for k, x in enumerate(said):
            small = float32(x)
            if (small not in (0.0, 1.0) if votes else not 0.0 <= small <= 1.0) and x == x:
                raise Fault(speaker(r, k), x, "a vote, 0 or 1" if votes else "a probability between 0 and 1")

    return shares


def float32(x: float) -> float:
    """The nearest float32; infinity where it is beyond all of them."""
    try:
        return FLOAT.unpack(FLOAT.pack(x))[0]
    except OverflowError:
        return inf


def speaker(r: TableReading, k: int) -> str:
    return (r.experts or ())[k] if r.layout == "wide" else r.forecast or ""


def check_scale(r: TableReading, low: float, high: float, largest: float) -> None:
    """The scale is 1, or that of the range declared, or what the table turns out to hold."""
    if not low <= high:
        low, high = 0.0, 1.0
    if r.played != "loss":
        expected = {"scale": 1.0}
    elif not r.measured:
        expected = {"scale": r.widest}
    elif r.judged:
        expected = {"low": low, "high": high, "scale": largest or 1.0}
    else:
        low = min(low, 0.0) if r.advice == "loss" else low
        expected = {"low": low, "high": high, "scale": (high - low) or 1.0}
    for name, value in expected.items():
        if getattr(r, name) != value:
            said = f"stream.table: {name} is {getattr(r, name)!r}, and this table has {value!r}"
            raise Refused(f"{said}: the advice is not that of the certificate")


# ---- rows ----


class Part:
    """One file, or a frame, opened: the rounds in it."""

    def __init__(self, given: Any, reading: TableReading, format: str | None, seen: set[str]) -> None:
        self.given, self.reading, self.format, self.seen = given, reading, format, seen
        self.source: Source | None = Source(given) if isinstance(given, str) else None
        self.row = 0

    def __enter__(self) -> Iterator[Heard]:
        if self.source is not None:
            self.source.__enter__()
        return self.heard()

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if self.source is not None:
            self.source.__exit__(kind, error, trace)
        elif isinstance(error, Fault):
            raise error.error("the table", "row", self.row) from None

    def heard(self) -> Iterator[Heard]:
        r = self.reading
        rows = self.framed() if self.source is None else self.filed(self.source)
        return wide(r, rows) if r.layout == "wide" else long(r, rows, self.seen)

    def filed(self, source: Source) -> Iterator[Values]:
        r = self.reading
        format = self.format or format_of(source, r.format)
        require(format in TABLE_FORMATS, f"{source.shown}: looks like {format}; a table of experts is one of {', '.join(TABLE_FORMATS)}")
        if format in ("csv", "tsv"):
            return csv_rows(source, r, format)
        return json_rows(source, r) if format == "jsonl" else self.arrow_rows(source, format)

    def arrow_rows(self, source: Source, format: str) -> Iterator[Values]:
        with cells.unpacked(source, format) as (schema, batches):
            for row in chosen(self.reading, schema, batches):
                source.line += 1
                yield values_in(self.reading, row)

    def framed(self) -> Iterator[Values]:
        import pyarrow

        reader = pyarrow.RecordBatchReader.from_stream(self.given)
        for row in chosen(self.reading, reader.schema, map(cells.sound, reader)):
            self.row += 1
            yield values_in(self.reading, row)


def parts_of(X: Any, reading: TableReading, format: str | None) -> Iterator[Part]:
    """The files of the table one after the other, or the frame."""
    seen: set[str] = set()
    if hasattr(X, "__arrow_c_stream__"):
        yield Part(X, reading, format, seen)
        return
    paths = [str(X)] if isinstance(X, str | PathLike) else getattr(X, "paths", None)
    require(paths is not None, f"a table of type {type(X).__name__}: expected a file, or a frame of pandas, polars or pyarrow")
    for path in expanded(paths or ()):
        yield Part(path, reading, format, seen)


def wanted(r: TableReading) -> tuple[list[str], list[str]]:
    """The columns of numbers and those of names. The truth is the last of the numbers."""
    truth = [r.truth] if r.judged and r.truth is not None else []
    if r.layout == "wide":
        return [*(r.experts or ()), *truth], []
    return [r.forecast or "", *truth], [r.round or "", r.expert or ""]


def names_in(r: TableReading) -> list[str]:
    numbers, texts = wanted(r)
    return [*numbers, *texts]


def wide(r: TableReading, rows: Iterator[Values]) -> Iterator[Heard]:
    """A row a round."""
    check = check_of(r)
    for row in rows:
        y = row.pop() if r.judged else nan
        check(y, row)
        yield Heard(y, row)


def long(r: TableReading, rows: Iterator[Values], seen: set[str]) -> Iterator[Heard]:
    """A row for each forecast; the rows of a round stand side by side, and have one truth."""
    check = check_of(r)
    place = {name: k for k, name in enumerate(r.experts or ())}
    name, spoken, heard = None, set(), Heard(nan, [])  # type: ignore[var-annotated]
    for row in rows:
        y = row[1] if r.judged else nan
        now, who = row[-2:]
        check(y, row[:1] if who in place else ())
        if now != name:
            if name is not None:
                yield heard
            if now in seen:
                raise Fault(r.round, now, "the rows of a round side by side; this round ended before")
            seen.add(now)
            name, spoken, heard = now, set(), Heard(y, [nan] * len(place))
        elif y != heard.truth and not (isnan(y) and isnan(heard.truth)):
            raise Fault(r.truth, y, f"{heard.truth:g}, the truth of round {now!r} in the rows before")
        if who in place:
            if who in spoken:
                raise Fault(r.expert, who, f"one forecast an expert and round; this expert has spoken in round {now!r}")
            spoken.add(who)
            heard.said[place[who]] = row[0]
    if name is not None:
        yield heard


def places(columns: Sequence[str], r: TableReading) -> list[int]:
    """Where the columns wanted stand."""
    where = {name: k for k, name in enumerate(columns)}
    for name in names_in(r):
        if columns.count(name) != 1:
            raise Fault(None, f"the columns {', '.join(columns)}", f"a column {name!r}, once")
    return [where[name] for name in names_in(r)]


def csv_rows(source: Source, r: TableReading, format: str) -> Iterator[Values]:
    """The rows of a CSV or TSV file, whose delimiter may be another than that of the first file."""
    texts = source.texts()
    first = next((text for text in texts if text not in cells.EMPTY), "")
    line = source.line
    best = sorted(cells.DELIMITERS, key=lambda one: -first.count(one))
    delimiter = "\t" if format == "tsv" else r.delimiter if r.delimiter is not None and r.delimiter in first else best[0]
    columns = [cell.strip(BLANKS) for cell in cells.record(first, texts, delimiter, None)]
    source.line = line
    where, names, numbers = places(columns, r), names_in(r), len(wanted(r)[0])
    for begin, row in cells.records(source, texts, delimiter, columns, True):
        source.line = begin
        if len(row) != len(columns):
            raise Fault(None, f"{len(row)} cells", f"{len(columns)}, as there are columns")
        given = [row[k] for k in where]
        yield [*map(number_in, given[:numbers], names), *map(text_in, given[numbers:], names[numbers:])]


def number_in(text: str, column: str) -> float:
    text = text.strip(BLANKS)
    if text in MISSING:
        return nan
    value = float(text) if NUMBER.fullmatch(text) else inf
    if not -inf < value < inf:
        raise Fault(column, text, ASLEEP)
    return value


def text_in(value: Any, column: str) -> str:
    text = "" if value is None else written(value)
    if not text:
        raise Fault(column, "nothing", "a name or a number")
    return text


def number_at(value: Any, column: str) -> float:
    """A number of JSON or Arrow."""
    if value is None:
        return nan
    number = number_of(value) if isinstance(value, bool | int | float | Decimal) else inf
    if number in (inf, -inf):
        raise Fault(column, value, ASLEEP)
    return number


def json_rows(source: Source, r: TableReading) -> Iterator[Values]:
    names = names_in(r)
    for text in source.texts():
        if text.strip(BLANKS):
            row = cells.object_in(text.removesuffix("\n"))
            yield values_in(r, [row.get(name) for name in names])


def chosen(r: TableReading, schema: Any, batches: Iterator[Any]) -> Iterator[Sequence[Any]]:
    """The rows of record batches, as they are: whoever counts them can tell where a fault is."""
    where = places(schema.names, r)
    for batch in batches:
        yield from zip(*(cells.values_of(batch.column(k), schema.field(k).type) for k in where), strict=True)


def values_in(r: TableReading, row: Sequence[Any]) -> Values:
    """What a row of JSON or Arrow holds: numbers, then names."""
    numbers, texts = wanted(r)
    return [*map(number_at, row[: len(numbers)], numbers), *map(text_in, row[len(numbers) :], texts)]
