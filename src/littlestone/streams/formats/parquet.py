"""Parquet: the rows of a group are unpacked in turn, groups and pieces side by side."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from littlestone.errors import require
from littlestone.rounds.formats.arrow import Damage, sound
from littlestone.rounds.formats.parquet import batches_of, opened, rows_in
from littlestone.rounds.reading import LOOK_ROWS, Reading
from littlestone.streams.formats.arrow import LEAST_ROWS, PIECE, ArrowPiece, ArrowReader, in_memory, look_with
from littlestone.streams.tables import FirstRows, Piece


class ParquetReader(ArrowReader):
    """Parquet files."""

    def batches(self, source: Any) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
        file = opened(in_memory(source))
        return file.schema_arrow, map(sound, batches_of(file, LOOK_ROWS, use_threads=False))

    def pieces(self, source: Any) -> Iterator[tuple[Callable[[], Piece], int] | None]:
        path = source.path
        with Damage(path):
            # it is read, not mapped: pages of a mapped file count as memory until somebody else wants it
            stored = pa.OSFile(path) if source.plain else in_memory(source)
            file = pa.parquet.ParquetFile(stored)
            metadata, schema = file.metadata, file.schema_arrow
            self.check(schema, path)
            columns = [name for name in schema.names if name in self.uses]
            lists = not self.threads and self.features.lists == "indices" and not self.reading.named and self.reading.only is None
            size, seen = stored.size(), 0
            counts = rows_in(metadata)
            for k in range(len(counts)) if source.span is None else range(*source.span[:2]):
                rows = counts[k]
                if not rows:
                    continue
                step = min(self._step(metadata.row_group(k), schema, columns, lists), rows)
                count = -(-rows // step)
                if lists:  # pieces alike: no short one at the end, for which to wait is as long
                    step = -(-rows // count)
                group = RowGroup(stored, metadata, k, step, columns, self.threads)
                for piece in range(count):
                    seen += min(step, rows - piece * step)
                    yield partial(self._piece, group, piece, path), size * seen // max(metadata.num_rows, seen)

    def _step(self, group: Any, schema: pa.Schema, columns: list[str], lists: bool) -> int:
        """How many rows make a piece; twice as many of lists of numbers, of which a megabyte takes no longer than to hand it over."""
        if not self.threads:
            return max(LEAST_ROWS, int((self.chunk or (2 * PIECE if lists else PIECE)) * group.num_rows / max(group.total_byte_size, 1)))
        kinds = [schema.field(name).type for name in columns]
        wide = sum(max(8, kind.bit_width) if pa.types.is_primitive(kind) else 64 for kind in kinds)
        return max(LEAST_ROWS, (self.chunk or PIECE) * 8 // max(1, wide) // 64 * 64)

    def _piece(self, group: RowGroup, number: int, path: str) -> ArrowPiece:
        with Damage(path):
            return group.piece(number)


class Turns:
    """Pieces in their order, whatever threads ask for them; once one has failed, nobody waits for those after it."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.next = 0
        self.failed = sys.maxsize  # the first that did

    @contextmanager
    def of(self, number: int) -> Iterator[None]:
        with self.changed:
            self.changed.wait_for(lambda: self.next >= number or self.failed <= number)
            require(self.next == number and self.failed > number, "an earlier piece of the file could not be read")
        yield
        with self.changed:
            self.next = number + 1
            self.changed.notify_all()

    def fail(self, number: int) -> None:
        """This piece will not come."""
        with self.changed:
            self.failed = min(self.failed, number)
            self.changed.notify_all()


class RowGroup:
    """A row group, unpacked piece by piece, whatever threads ask for the pieces."""

    def __init__(self, stored: Any, metadata: Any, group: int, step: int, columns: list[str], threads: bool) -> None:
        self.stored, self.metadata, self.group, self.step, self.columns, self.threads = stored, metadata, group, step, columns, threads
        self.rows = metadata.row_group(group).num_rows
        self.turns = Turns()
        self.batches: Iterator[pa.RecordBatch] | None = None
        self.rest: list[pa.RecordBatch] = []

    def piece(self, number: int) -> ArrowPiece:
        try:
            with self.turns.of(number):
                return ArrowPiece(sound(self._next(min(self.step, self.rows - number * self.step))))
        except BaseException:  # wherever it was: whoever waits for its turn to end would wait for ever
            self.turns.fail(number)
            raise

    def _next(self, count: int) -> pa.RecordBatch:
        if self.batches is None:
            file = opened(self.stored, metadata=self.metadata)
            self.batches = batches_of(file, self.step, [self.group], self.columns, use_threads=self.threads)
        while sum(map(len, self.rest)) < count:
            batch = next(self.batches, None)
            if batch is None:
                raise pa.ArrowInvalid("it has fewer rows than it says")
            self.rest.append(batch)
        whole = self.rest[0] if len(self.rest) == 1 else pa.concat_batches(self.rest)
        self.rest = [whole.slice(count)] if len(whole) > count else []
        return whole.slice(0, count)


def sizes_of(source: Any) -> list[int]:
    """The bytes of each row group."""
    with Damage(source.path):
        metadata = pa.parquet.ParquetFile(in_memory(source)).metadata
        return [metadata.row_group(k).total_byte_size for k in range(metadata.num_row_groups)]


def look(reading: Reading, source: Any) -> FirstRows:
    """The columns, their types and the first rows of a file."""
    return look_with(ParquetReader, reading, source)


def never_null(source: Any, columns: Sequence[str]) -> bool:
    """Does the file say beforehand that these columns have no empty cell?"""
    with Damage(source.path):
        file = pa.parquet.ParquetFile(pa.OSFile(source.path) if source.plain else in_memory(source))
        schema = file.schema_arrow  # made anew each time it is asked for
        kinds = [schema.field(name).type for name in columns]
        if not all(pa.types.is_integer(kind) or pa.types.is_boolean(kind) for kind in kinds):
            return False  # a float may be NaN
        names = set(columns)
        for k in range(file.metadata.num_row_groups):
            group = file.metadata.row_group(k)
            for j in range(group.num_columns):
                column = group.column(j)
                counted = column.statistics is not None and column.statistics.has_null_count
                if column.path_in_schema in names and (not counted or column.statistics.null_count):
                    return False
        return True


TABLE = ParquetReader


def writer() -> type:
    from littlestone.streams.write.batches import ParquetWriter

    return ParquetWriter
