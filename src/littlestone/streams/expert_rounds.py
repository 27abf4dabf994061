"""Rows of tables to rounds of experts: a row a round, or a row for each forecast.

Pieces come as the table's do; nothing that is made of rounds depends on where they are cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from littlestone.errors import LittlestoneError
from littlestone.kernels import expert_tables as kernels
from littlestone.rounds.faults import Fault
from littlestone.streams.columns import Unsure
from littlestone.streams.expert_columns import ExpertColumns, ahead, finite
from littlestone.streams.expert_sources import ExpertSource, TablePiece

LARGEST = 2**22  # numbers in a piece of the long layout, about


@dataclass(frozen=True, eq=False)
class ExpertRounds:
    """Some rounds. Of the wide layout `numbers` is rounds × experts; of the long one it is a column of forecasts, with their places."""

    source: ExpertSource
    lines: np.ndarray  # of each row, in its file
    columns: Sequence[str]  # of `numbers`
    numbers: np.ndarray
    truths: np.ndarray | None  # of each row
    rounds: int
    cells: int  # that are not empty
    rows: np.ndarray | None = None  # of the long layout: the round of each row, from 0 in this piece
    experts: np.ndarray | None = None  # and its expert
    starts: np.ndarray | None = None  # and where each round begins

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

    def fault(self, place: int, expected: str) -> LittlestoneError:
        row, column = divmod(place, self.numbers.shape[1])
        return fault_at(self.source, self.lines, row, self.columns[column], float(self.numbers[row, column]), expected)

    def truth_fault(self, row: int, column: str, expected: str) -> LittlestoneError:
        assert self.truths is not None
        return fault_at(self.source, self.lines, row, column, float(self.truths[row]), expected)


def fault_at(source: ExpertSource, lines: np.ndarray, row: int, column: str | None, found: Any, expected: str) -> LittlestoneError:
    return Fault(column, found, expected).error(source.path, int(lines[row]), source.unit)


def wide_rounds(sources: Sequence[ExpertSource], columns: Sequence[str], n: int, dtype: Any) -> Iterator[ExpertRounds]:
    """A row a round: `columns` are n experts and, perhaps, the truth."""
    room: list[np.ndarray] = []
    for source in sources:
        for piece in ahead(source.pieces(columns, ())):
            try:
                found, truths = ExpertColumns(piece.numbers[:n], room), finite(piece.numbers[n]) if len(columns) > n else None
            except Unsure:
                piece.plainly()
                found, truths = ExpertColumns(piece.numbers[:n], room), finite(piece.numbers[n]) if len(columns) > n else None
            for start, table in found.tables(dtype):
                rows = slice(start, start + len(table))
                asleep = 0 if found.whole else kernels.empty_cells(table)
                known = None if truths is None else truths[rows]
                yield ExpertRounds(source, piece.lines[rows], columns[:n], table, known, len(table), len(table) * n - asleep)


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
        for piece in source.pieces(columns, names):
            rows = long_rows(piece, known, met)
            rows = rows if rest is None else rest.before(rows)
            last = len(rows.rounds) - 1
            while last > 0 and rows.rounds[last - 1] == rows.rounds[-1]:
                last -= 1
            rest = rows.cut(slice(max(last, 0), None))
            if last > 0:
                yield _whole_rounds(source, columns, rows.cut(slice(last)), seen)
        if rest is not None and rest.rounds:
            yield _whole_rounds(source, columns, rest, seen)


def long_rows(piece: TablePiece, known: Mapping[str, int] | None, met: dict[str, int] | None) -> LongRows:
    try:
        numbers = list(map(finite, piece.numbers))
    except Unsure:
        piece.plainly()
        numbers = list(map(finite, piece.numbers))
    rounds, experts = piece.texts
    places = np.array([_place(name, known, met) for name in experts], np.int64)
    return LongRows(rounds, places, numbers[0], numbers[1] if len(numbers) > 1 else None, piece.lines)


def _whole_rounds(source: ExpertSource, columns: Sequence[str], rows: LongRows, seen: set[str]) -> ExpertRounds:
    """Whole rounds, once they are known to be sound."""
    rounds, places, x, y, lines = rows
    begins = np.array([k == 0 or rounds[k] != rounds[k - 1] for k in range(len(rounds))])
    starts = np.flatnonzero(begins)
    of_row = np.cumsum(begins) - 1
    for k in starts.tolist():
        if rounds[k] in seen:
            raise fault_at(source, lines, k, None, rounds[k], "the rows of a round side by side; this round ended before")
        seen.add(rounds[k])
    if y is not None:
        first = y[starts][of_row]
        odd = np.flatnonzero((y != first) & ~(np.isnan(y) & np.isnan(first)))
        if len(odd):
            k = int(odd[0])
            expected = f"{first[k]:g}, the truth of round {rounds[k]!r} in the rows before"
            raise fault_at(source, lines, k, columns[1], float(y[k]), expected)
    keys = of_row * (2 + places.max(initial=0)) + places + 1
    order = np.argsort(keys, kind="stable")
    twice = order[1:][(keys[order][1:] == keys[order][:-1]) & (places[order][1:] >= 0)]
    if len(twice):
        k = int(twice.min())
        expected = f"one forecast an expert and round; this expert has spoken in round {rounds[k]!r}"
        raise fault_at(source, lines, k, columns[0], float(x[k]), expected)
    counts = places >= 0
    numbers = np.where(counts, x, np.nan).reshape(-1, 1)
    return ExpertRounds(source, lines, columns[:1], numbers, y, len(starts), int((counts & ~np.isnan(x)).sum()), of_row, places, starts)


def _place(name: str, known: Mapping[str, int] | None, met: dict[str, int] | None) -> int:
    if known is not None:
        return known.get(name, -1)
    return -1 if met is None else met.setdefault(name, len(met))
