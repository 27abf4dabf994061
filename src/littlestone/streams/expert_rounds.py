"""Rows of tables to rounds of experts: a row a round, or a row for each forecast.

Pieces come as the table's do; nothing that is made of rounds depends on where they are cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from littlestone.errors import LittlestoneError
from littlestone.kernels import native
from littlestone.rounds.expert_tables import long
from littlestone.rounds.faults import Fault
from littlestone.rounds.table_reading import TableReading
from littlestone.streams.columns import Unsure
from littlestone.streams.expert_columns import ExpertColumns, ahead, finite
from littlestone.streams.expert_sources import ExpertSource, TablePiece

AHEAD = 2  # pieces of rounds that are made at a time, while others are played
LARGEST = 2**22  # numbers in a piece of the long layout, about


@dataclass(frozen=True, eq=False)
class ExpertRounds:
    """Some rounds. Of the wide layout `numbers` is rounds × experts; of the long one it is a column of forecasts, with their places."""

    source: ExpertSource
    lines: np.ndarray  # of each row, in its file
    numbers: np.ndarray
    truths: np.ndarray | None  # of each row
    rounds: int
    cells: int  # that are not empty
    rows: np.ndarray | None = None  # of the long layout: the round of each row, from 0 in this piece
    experts: np.ndarray | None = None  # and its expert
    starts: np.ndarray | None = None  # and where each round begins
    ids: list[str] | None = None  # of the wide layout: what the rounds are called, where they have such
    zeros_and_ones: bool = False  # is it known that all numbers are?

    def awake(self, judged: bool) -> tuple[np.ndarray, np.ndarray]:
        """Every number that counts, beside its truth."""
        there = ~np.isnan(self.numbers)
        if not judged:
            x = self.numbers[there]
            return x, x
        assert self.truths is not None
        there &= ~np.isnan(self.truths)[:, None]
        return self.numbers[there], np.broadcast_to(self.truths[:, None], self.numbers.shape)[there]

    def tables(self, n: int) -> Iterator[tuple[np.ndarray, np.ndarray | None]]:
        """Rounds × experts, NaN while asleep, and the truths; of the long layout some rounds at a time, for most cells are empty there."""
        if self.rows is None or self.experts is None or self.starts is None:
            yield self.numbers, self.truths
            return
        step = max(1, LARGEST // n)
        truths = None if self.truths is None else self.truths[self.starts]
        ends = np.append(self.starts, len(self.rows))
        for start in range(0, self.rounds, step):
            stop = min(start + step, self.rounds)
            part = slice(ends[start], ends[stop])
            there = self.experts[part] >= 0
            table = np.full((stop - start, n), np.nan)
            table[self.rows[part][there] - start, self.experts[part][there]] = self.numbers[part, 0][there]
            yield table, None if truths is None else truths[start:stop]

    def refusal(self, check: Callable[[float, Sequence[float]], None], row: int) -> LittlestoneError:
        """What the plain check says of a row that is not as it should be."""
        try:
            check(float("nan") if self.truths is None else float(self.truths[row]), self.numbers[row].tolist())
        except Fault as fault:
            return fault.error(self.source.path, int(self.lines[row]), self.source.unit)
        raise AssertionError("the plain check finds nothing wrong")


def wide_rounds(
    sources: Sequence[ExpertSource], columns: Sequence[str], n: int, dtype: Any, names: Sequence[str] = ()
) -> Iterator[ExpertRounds]:
    """A row a round: `columns` are n experts and, perhaps, the truth; `names` the column of what rounds are called, where there is one."""
    return ahead(_wide_rounds(sources, columns, n, dtype, names), AHEAD)


def _wide_rounds(
    sources: Sequence[ExpertSource], columns: Sequence[str], n: int, dtype: Any, names: Sequence[str]
) -> Iterator[ExpertRounds]:
    room: list[np.ndarray] = []
    for source in sources:
        for piece in ahead(source.pieces(columns, names), 1):
            try:
                experts, truths = _columns_of(piece, n, room)
            except Unsure:
                piece.plainly()
                experts, truths = _columns_of(piece, n, room)
            for start, table in experts.tables(dtype):
                rows = slice(start, start + len(table))
                asleep = 0 if experts.whole else native.core.empty_cells(table)
                known = None if truths is None else truths[rows]
                ids = piece.texts[0][rows] if names else None
                cells = len(table) * n - asleep
                yield ExpertRounds(source, piece.lines[rows], table, known, len(table), cells, ids=ids, zeros_and_ones=experts.bits)


def _columns_of(piece: TablePiece, n: int, room: list[np.ndarray]) -> tuple[ExpertColumns, np.ndarray | None]:
    """The columns of n experts, and of the truth where there is one."""
    return ExpertColumns(piece.numbers[:n], room), finite(piece.numbers[n]) if len(piece.numbers) > n else None


class LongRows(NamedTuple):
    """Rows of the long layout: the round, the place of the expert (-1: it does not count), the forecast, the truth, the line."""

    rounds: list[str]
    places: np.ndarray
    forecasts: np.ndarray
    truths: np.ndarray | None
    lines: np.ndarray

    def cut(self, part: slice) -> LongRows:
        truths = None if self.truths is None else self.truths[part]
        return LongRows(self.rounds[part], self.places[part], self.forecasts[part], truths, self.lines[part])

    def before(self, other: LongRows) -> LongRows:
        truths = None if self.truths is None or other.truths is None else np.concatenate([self.truths, other.truths])
        places, forecasts = np.concatenate([self.places, other.places]), np.concatenate([self.forecasts, other.forecasts])
        return LongRows(self.rounds + other.rounds, places, forecasts, truths, np.concatenate([self.lines, other.lines]))


def long_rounds(
    sources: Sequence[ExpertSource],
    reading: TableReading,
    columns: Sequence[str],
    names: Sequence[str],
    known: Mapping[str, int] | None,
    met: dict[str, int] | None,
) -> Iterator[ExpertRounds]:
    """A row for each forecast: `columns` are the forecast and, perhaps, the truth; `names` the round and the expert.

    `known` are the experts that count, with their places; without them `met` takes those that come, in order of appearance.
    """
    seen: set[str] = set()
    for source in sources:
        rest: LongRows | None = None
        for piece in ahead(source.pieces(columns, names), 1):
            rows = long_rows(piece, known, met)
            rows = rows if rest is None else rest.before(rows)
            last = len(rows.rounds) - 1
            while last > 0 and rows.rounds[last - 1] == rows.rounds[-1]:
                last -= 1
            rest = rows.cut(slice(max(last, 0), None))
            if last > 0:
                yield _whole_rounds(source, reading, list(known or met or ()), rows.cut(slice(last)), seen)
        if rest is not None and rest.rounds:
            yield _whole_rounds(source, reading, list(known or met or ()), rest, seen)


def long_rows(piece: TablePiece, known: Mapping[str, int] | None, met: dict[str, int] | None) -> LongRows:
    try:
        numbers = list(map(finite, piece.numbers))
    except Unsure:
        piece.plainly()
        numbers = list(map(finite, piece.numbers))
    rounds, experts = piece.texts
    places = np.array([_place(name, known, met) for name in experts], np.int64)
    return LongRows(rounds, places, numbers[0], numbers[1] if len(numbers) > 1 else None, piece.lines)


def _whole_rounds(source: ExpertSource, r: TableReading, experts: list[str], rows: LongRows, seen: set[str]) -> ExpertRounds:
    """Whole rounds, once they are known to be sound: side by side, of one truth, and a forecast an expert."""
    rounds, places, x, y, lines = rows
    begins = np.array([k == 0 or rounds[k] != rounds[k - 1] for k in range(len(rounds))])
    starts = np.flatnonzero(begins)
    of_row = np.cumsum(begins) - 1
    names = {rounds[k] for k in starts.tolist()}
    first = None if y is None else y[starts][of_row]
    one_truth = y is None or first is None or not ((y != first) & ~(np.isnan(y) & np.isnan(first))).any()
    keys = np.sort((of_row * (2 + places.max(initial=0)) + places)[places >= 0])
    if len(names) < len(starts) or names & seen or not one_truth or (keys[1:] == keys[:-1]).any():
        raise _long_refusal(source, r, experts, rows, seen)
    seen |= names
    there = ~np.isnan(x) & (places >= 0)
    numbers = np.where(places >= 0, x, np.nan).reshape(-1, 1)
    return ExpertRounds(source, lines, numbers, y, len(starts), int(there.sum()), of_row, places, starts)


def _long_refusal(source: ExpertSource, r: TableReading, experts: list[str], rows: LongRows, seen: set[str]) -> LittlestoneError:
    """What the plain reader says of rows that are not as they should be."""
    row = 0

    def values() -> Iterator[list[Any]]:
        nonlocal row
        for row, name in enumerate(rows.rounds):
            truth = [] if rows.truths is None else [float(rows.truths[row])]
            place = int(rows.places[row])
            yield [float(rows.forecasts[row]), *truth, name, experts[place] if place >= 0 else ""]

    try:
        for _ in long(r.but(experts=tuple(experts), measured=True), values(), set(seen)):  # what is beyond a range is told of later
            pass
    except Fault as fault:
        return fault.error(source.path, int(rows.lines[row]), source.unit)
    raise AssertionError("the plain reader finds nothing wrong")


def _place(name: str, known: Mapping[str, int] | None, met: dict[str, int] | None) -> int:
    if known is not None:
        return known.get(name, -1)
    return -1 if met is None else met.setdefault(name, len(met))
