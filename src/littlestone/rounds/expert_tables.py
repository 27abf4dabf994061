"""Tables of experts in plain Python: the stranger's own way from the cells of a file to rounds of advice.

What the table settles (`TableReading`) is not believed: a scale that was measured is measured again, a declared one must follow from its
range, and every number must be what the reading says numbers are.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from math import inf, isnan, nan
from os import PathLike
from struct import Struct
from typing import Any, NamedTuple

from littlestone.errors import LittlestoneError, Refused, require
from littlestone.rounds.faults import Fault
from littlestone.rounds.features import BLANKS, NUMBER, encoded, number_of, written
from littlestone.rounds.files import PlainFile, PlainFrame, expanded, format_of
from littlestone.rounds.formats import format_named
from littlestone.rounds.reading import MISSING_ONCE, Reading
from littlestone.rounds.table_reading import TABLE_FORMATS, TableReading, narrow
from littlestone.theory.certificate import same

FLOAT = Struct("<f")
OTHERS = "--advice forecast (advice=) takes other numbers"
BEYOND = re.compile(r"[+-]?(inf|infinity)", re.IGNORECASE)
Values = list[Any]


class ForecastRound(NamedTuple):
    """A round: its truth as the table has it, NaN where it is missing, and what each expert said, NaN while asleep."""

    truth: float
    forecasts: list[float]


class AdviceRound(NamedTuple):
    """A round of advice as a rule takes it: the truth (None where it is missing; 0 of losses), and float32 numbers, NaN while asleep."""

    truth: int | None
    advice: list[float]
    id: str | None = None  # its name, where truths come by name
    forecast: tuple[list[float], float] | None = (
        None  # of forecasts, these and what came true, as the table has them; NaN where there is none
    )


def reading_of(stated: Any) -> TableReading:
    """How rounds are made of a table, as a certificate says it."""
    try:
        reading = TableReading.from_json(stated)
    except LittlestoneError as error:
        raise Refused(f"stream.table: {error}") from None
    if not reading.settled or not reading.experts or len(set(reading.experts)) != len(reading.experts):
        raise Refused("stream.table leaves open what the table settles: format, layout, experts, advice and scale; each expert once")
    if reading.judged and reading.truth is None:
        raise Refused(f"stream.table: the advice is {reading.advice}, and no column is its truth")
    columns = (reading.round, reading.expert, reading.forecast)
    if reading.layout == "long" and None in columns:
        raise Refused("stream.table: the long layout needs the columns of the round, the expert and the forecast")
    if reading.layout == "wide" and columns != (None, None, None):
        raise Refused("stream.table: columns of the round, the expert and the forecast are of the long layout")
    if (reading.measured or reading.low is not None) and reading.played != "loss":
        raise Refused("stream.table: a range is of losses, and the advice is none")
    if not same(reading.as_json(), stated):
        raise Refused("stream.table is not as a reading of a table is written")
    if reading.advice == "forecast" and reading.loss is None:
        raise Refused("stream.table: the advice is forecasts, and no loss is named")
    ranged = reading.played == "loss" and (not reading.judged or not reading.measured)
    if ranged and reading.low is None:
        raise Refused("stream.table: its scale is neither measured nor that of a range")
    return reading


def advice_in(X: Any, reading: TableReading, format: str | None = None) -> Iterator[AdviceRound]:
    """The rounds of advice that a table makes: a path, files, or a frame. At the end, what was measured must have been so."""
    cell, truth_of, unscaled = reading.cell_of(), reading.truth_of(), reading.but(scale=1.0).loss_of()
    scale, judged = reading.scale or 1.0, reading.judged
    low, high, largest = inf, -inf, 0.0
    seen: set[str] = set()  # rounds of the long layout
    for source in sources_of(X):
        with source:
            rows = values_in(source, reading, format)
            for y, forecasts in wide(reading, rows) if reading.layout == "wide" else long(reading, rows, seen):
                code = truth_of(y)
                if reading.played != "loss" or code < 0:
                    yield AdviceRound(None if code < 0 else code, [cell(x, y) for x in forecasts], None, (forecasts, y))
                    continue
                losses = [x if x != x else unscaled(x, y) for x in forecasts]
                there = [x for x in forecasts if x == x]
                if there:
                    largest = max(largest, max(loss for loss in losses if loss == loss))
                    low, high = min(low, min(there)), max(high, max(there))
                    low, high = (min(low, y), max(high, y)) if judged else (low, high)
                yield AdviceRound(code, [narrow(loss / scale) for loss in losses], None, (forecasts, y))
    check_scale(reading, low, high, largest)


def check_of(r: TableReading) -> Callable[[float, Sequence[float]], None]:
    """Refuse numbers that are not what the reading says they are."""
    if r.played == "loss" and not r.measured:
        low, high = r.low or 0.0, r.high or 0.0
        expected = f"a number between {low:g} and {high:g}, the range declared"

        def within(y: float, forecasts: Sequence[float]) -> None:
            for k, x in enumerate(forecasts):
                if not low <= x <= high and x == x:
                    raise Fault(speaker(r, k), x, expected)
            if r.judged and not low <= y <= high and y == y:
                raise Fault(r.truth, y, expected)

        return within
    if r.advice == "forecast" or r.played == "loss":
        return lambda y, forecasts: None
    votes = r.advice == "vote"

    def shares(y: float, forecasts: Sequence[float]) -> None:
        if y not in (0.0, 1.0) and y == y:
            raise Fault(r.truth, y, f"a truth, 0 or 1; {OTHERS}")
        for k, x in enumerate(forecasts):
            small = float32(x)
            if (small not in (0.0, 1.0) if votes else not 0.0 <= small <= 1.0) and x == x:
                raise Fault(speaker(r, k), x, f"{'a vote, 0 or 1' if votes else 'a probability between 0 and 1'}; {OTHERS}")

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
            fault = f"stream.table: {name} is {getattr(r, name)!r}, and this table has {value!r}"
            raise Refused(f"{fault}: the advice is not that of the certificate")


# ---- rows ----


def sources_of(X: Any) -> Iterator[PlainFile | PlainFrame]:
    """The files of the table, or the frame, to be opened one after the other."""
    if hasattr(X, "__arrow_c_stream__"):
        yield PlainFrame(X)
        return
    paths = [str(X)] if isinstance(X, str | PathLike) else getattr(X, "paths", None)
    require(paths is not None, f"a table of type {type(X).__name__}: expected a file, or a frame of pandas, polars or pyarrow")
    yield from map(PlainFile, expanded(paths or ()))


def values_in(source: Any, r: TableReading, declared: str | None) -> Iterator[Values]:
    """What the columns wanted hold: numbers, the truth last among them, then names. `given` is the format, where that is declared."""
    name = "arrow" if isinstance(source, PlainFrame) else declared or format_of(source, r.format)
    format = format_named(name)
    require(format.is_table, f"{source.shown}: looks like {name}; a table of experts is one of {', '.join(TABLE_FORMATS)}")
    columns, records = format.records(source, Reading(format=name, delimiter=r.delimiter, header=True))  # type: ignore[misc]
    numbers, names = columns_of(r)
    known = set(columns or ())
    for name in (*numbers, *names):
        if columns is not None and name not in known:
            raise Fault(None, f"the columns {', '.join(columns)}", f"a column {name!r}, once")
    for number, record in records:
        source.line = number
        yield values_of(record, numbers, names, format.texts)


def values_of(record: Mapping[str, Any] | Fault, numbers: Sequence[str], names: Sequence[str], texts: bool) -> Values:
    """What a row holds in these columns: numbers, then names."""
    if isinstance(record, Fault):
        raise record
    number = number_in if texts else number_at
    return [*(number(record.get(name), name) for name in numbers), *(text_in(record.get(name), name) for name in names)]


def columns_of(r: TableReading) -> tuple[list[str], list[str]]:
    """The columns of numbers and those of names. The truth is the last of the numbers."""
    truth = [r.truth] if r.judged and r.truth is not None else []
    if r.layout == "wide":
        return [*(r.experts or ()), *truth], []
    return [r.forecast or "", *truth], [r.round or "", r.expert or ""]


def expected_number(texts: bool) -> str:
    return f"a number, or {'an empty cell' if texts else 'null'} where there is none"


def number_in(text: Any, column: str) -> float:
    """A number of CSV; NaN where the cell is empty."""
    text = text.strip(BLANKS)
    if text in MISSING_ONCE:
        return nan
    if not NUMBER.fullmatch(text) and not BEYOND.fullmatch(text):
        raise Fault(column, text, expected_number(texts=True))
    if not -inf < float(text) < inf:
        raise Fault(column, text, "a finite number")
    return float(text)


def number_at(value: Any, column: str) -> float:
    """A number of JSON or Arrow."""
    if value is None:
        return nan
    if not isinstance(value, bool | int | float | Decimal):
        raise Fault(column, value, expected_number(texts=False))
    number = number_of(value)
    if number in (inf, -inf):
        raise Fault(column, value, "a finite number")
    return number


def text_in(value: Any, column: str) -> str:
    text = "" if value is None else written(value)
    if not text:
        raise Fault(column, "nothing", "a name or a number")
    encoded(text)
    return text


def wide(r: TableReading, rows: Iterator[Values]) -> Iterator[ForecastRound]:
    """A row a round."""
    check = check_of(r)
    for row in rows:
        y = row.pop() if r.judged else nan
        check(y, row)
        yield ForecastRound(y, row)


def long(r: TableReading, rows: Iterator[Values], seen: set[str]) -> Iterator[ForecastRound]:
    """A row for each forecast; the rows of a round stand side by side, and have one truth."""
    check = check_of(r)
    place = {name: k for k, name in enumerate(r.experts or ())}
    name, spoken, heard = None, set(), ForecastRound(nan, [])  # type: ignore[var-annotated]
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
            name, spoken, heard = now, set(), ForecastRound(y, [nan] * len(place))
        elif y != heard.truth and not (isnan(y) and isnan(heard.truth)):
            raise Fault(r.truth, y, f"{heard.truth:g}, the truth of round {now!r} in the rows before")
        if who in place:
            if who in spoken:
                raise Fault(r.expert, who, f"one forecast an expert and round; this expert has spoken in round {now!r}")
            spoken.add(who)
            heard.forecasts[place[who]] = row[0]
    if name is not None:
        yield heard
