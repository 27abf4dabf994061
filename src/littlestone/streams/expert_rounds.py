"""Rows of tables to rounds of experts: a row a round, or a row for each forecast.

Pieces come as the table's record batches do; nothing that is made of rounds depends on where they are cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from littlestone.errors import LittlestoneError
from littlestone.kernels import expert_tables as kernels
from littlestone.streams.arrays import distinct_of
from littlestone.streams.cells import text_of
from littlestone.streams.expert_columns import Columns, ahead
from littlestone.streams.expert_sources import Source, numbers_in

LARGEST = 2**22  # numbers in a piece of the long layout, about


@dataclass(frozen=True, eq=False)
class Piece:
    """Some rounds. Of the wide layout `numbers` is rounds × experts; of the long one it is a column of forecasts, with their places."""

    source: Source
    first_row: int
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
        return self.source.fault(self.first_row + row, self.columns[column], self.numbers[row, column], expected)

    def truth_fault(self, row: int, column: str, expected: str) -> LittlestoneError:
        assert self.truths is not None
        return self.source.fault(self.first_row + row, column, self.truths[row], expected)


def wide_pieces(sources: Sequence[Source], columns: Sequence[str], n: int, dtype: Any) -> Iterator[Piece]:
    """A row a round: `columns` are n experts and, perhaps, the truth."""
    room: list[np.ndarray] = []
    for source in sources:
        done = 0
        for batch in ahead(source.batches(columns, ())):
            found = Columns(source, batch, n, done, room)
            truths = numbers_in(source, batch, n, done) if len(columns) > n else None
            for start, table in found.tables(dtype):
                rows = len(table)
                told = None if truths is None else truths[start : start + rows]
                asleep = 0 if found.whole else kernels.empty_cells(table)
                yield Piece(source, done + start, columns[:n], table, told, rows, rows * n - asleep)
            done += len(batch)


def long_pieces(
    sources: Sequence[Source],
    columns: Sequence[str],
    texts: Sequence[str],
    known: Mapping[str, int] | None,
    names: dict[str, int] | None,
) -> Iterator[Piece]:
    """A row for each forecast: `columns` are the forecast and, perhaps, the truth; `texts` the round and the expert.

    `known` are the experts that count, with their places; without them `names` takes those that come, in order of appearance.
    """
    seen: set[str] = set()
    for source in sources:
        rest: tuple[list[str], np.ndarray, np.ndarray, np.ndarray | None] | None = None
        done = 0
        for batch in source.batches(columns, texts):
            x = numbers_in(source, batch, 0, done)
            y = numbers_in(source, batch, 1, done) if len(columns) > 1 else None
            rounds = _texts(source, batch, len(columns), done)
            speakers = _texts(source, batch, len(columns) + 1, done)
            places = np.array([_place(name, known, names) for name in speakers], np.int64)
            first = done
            done += len(batch)
            if rest is not None:
                first -= len(rest[0])
                rounds, places, x = rest[0] + rounds, np.concatenate([rest[1], places]), np.concatenate([rest[2], x])
                y = None if y is None else np.concatenate([rest[3], y])
            last = len(rounds) - 1
            while last > 0 and rounds[last - 1] == rounds[-1]:
                last -= 1
            rest = rounds[last:], places[last:], x[last:], None if y is None else y[last:]
            if last > 0:
                yield from _cut(source, columns, first, rounds[:last], places[:last], x[:last], None if y is None else y[:last], seen)
        if rest is not None and rest[0]:
            yield from _cut(source, columns, done - len(rest[0]), *rest, seen)


def _cut(source, columns, first, rounds, places, x, y, seen) -> Iterator[Piece]:
    """Whole rounds as pieces, once they are known to be sound."""
    begins = np.array([k == 0 or rounds[k] != rounds[k - 1] for k in range(len(rounds))])
    starts = np.flatnonzero(begins)
    of_row = np.cumsum(begins) - 1
    for k in starts.tolist():
        if rounds[k] in seen:
            raise source.fault(first + k, None, rounds[k], "the rows of a round side by side; this round ended before")
        seen.add(rounds[k])
    if y is not None:
        told = y[starts][of_row]
        odd = np.flatnonzero((y != told) & ~(np.isnan(y) & np.isnan(told)))
        if len(odd):
            k = int(odd[0])
            raise source.fault(first + k, columns[1], y[k], f"{told[k]:g}, the truth of round {rounds[k]!r} in the rows before")
    keys = of_row * (2 + places.max(initial=0)) + places + 1
    order = np.argsort(keys, kind="stable")
    twice = order[1:][(keys[order][1:] == keys[order][:-1]) & (places[order][1:] >= 0)]
    if len(twice):
        k = int(twice.min())
        raise source.fault(first + k, columns[0], x[k], f"one forecast an expert and round; this expert has spoken in round {rounds[k]!r}")
    counts = places >= 0
    yield Piece(
        source, first, columns[:1], np.where(counts, x, np.nan).reshape(-1, 1), y, len(starts), int((counts & ~np.isnan(x)).sum()),
        of_row, places, starts,
    )  # fmt: skip


def _texts(source: Source, batch: Any, column: int, first_row: int) -> list[str]:
    codes, values = distinct_of(batch.column(column))
    found = [text_of(value) for value in values]
    empty = np.flatnonzero((codes < 0) | np.array([text == "" for text in [*found, ""]])[codes])
    if len(empty):
        raise source.fault(first_row + int(empty[0]), batch.schema.names[column], "nothing", "a name or a number")
    return [found[code] for code in codes.tolist()]


def _place(name: str, known: Mapping[str, int] | None, names: dict[str, int] | None) -> int:
    if known is not None:
        return known.get(name, -1)
    return -1 if names is None else names.setdefault(name, len(names))
