"""Streams cut into parts that others can read: ranges of bytes that cut no record, row groups, record batches, partitions of a frame.

A part is parsed where it is read. Names of features come with it, in the order in which they first appear there; whoever puts the parts
together gives these their columns, part after part, so that every name gets the column that reading in one go would give it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import closing
from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from littlestone.protocol.block import Block, owned
from littlestone.protocol.far import FarLook, Gate
from littlestone.protocol.owners import Owners
from littlestone.rounds.reading import Reading
from littlestone.streams import files, formats
from littlestone.streams.csv_records import BEGIN, last_record_end, records_of
from littlestone.streams.files import MORE, Input, Span
from littlestone.streams.parsed import CodedRows, Parsed

PART = 2**25  # bytes of a part, about
ARRAYS = ("labels", "indptr", "indices", "values", "lines", "weights")


class StreamPart(NamedTuple):
    """One part of a stream; without a span, a whole file. Of a frame a partition: its number, and its table or what gives it."""

    path: str
    span: Span | None = None
    table: Any = None

    def apart(self) -> tuple[StreamPart, Any]:
        """Where it is, and its table, which Dask computes where it is told of it as an argument of its own."""
        return self._replace(table=None), self.table

    def opened(self, encoding: str) -> Any:
        if self.table is not None:
            return formats.module_of("arrow").FrameInput(self.table)
        return Input(self.path, encoding=encoding, span=self.span)


class PartReading(NamedTuple):
    """How the parts of a stream are read: the same everywhere."""

    reading: Reading
    skip_bad: bool = False
    bare: bool = False
    sorts: bool = True  # as in `Stream`


# ---- where to cut ----


def parts_of(path: str, reading: Reading, size: int = PART) -> list[StreamPart]:
    """A file in parts of about so many bytes, as a task; packed and recoded ones, and tables elsewhere, stay whole."""
    with closing(Input(path, encoding=reading.encoding)) as source:
        table = reading.format in ("parquet", "arrow")
        if source.packed or (table and not source.plain) or files.codec_name(reading.encoding) != "utf-8":
            return [StreamPart(path)]
        groups = group_spans(formats.module_of(reading.format).sizes_of(source), size) if table else None
        spans = list(line_spans(source, reading, size)) if groups is None else groups
    return [StreamPart(path, span) for span in spans] if len(spans) > 1 else [StreamPart(path)]


def group_spans(sizes: list[int], most: int) -> list[Span]:
    """Row groups, or record batches, that are of about so many bytes together."""
    spans, start, held = [], 0, 0
    for k, size in enumerate(sizes, 1):
        held += size
        if held >= most or k == len(sizes):
            spans.append(Span(start, k, groups=True))
            start, held = k, 0
    return spans


def line_spans(source: Input, reading: Reading, size: int) -> Iterator[Span]:
    """Ranges of bytes that end where a record does."""
    quoted = reading.format in ("csv", "tsv") and reading.quotes is not False
    delimiter = reading.delimiter or ("\t" if reading.format == "tsv" else ",")
    head, start, at, state = b"", 0, 0, BEGIN
    total = files.size_of(source.path)
    with files.opened(source.path) as file:
        while start < total:
            if quoted:  # a newline may stand in quotes: only who comes from the beginning knows
                end = start
                while at < total and (end <= start or at - start < size):
                    text = file.read(min(size, total - at))
                    place, state = last_record_end(text, delimiter, state)
                    end = at + place if place else end
                    at += len(text)
                end = total if at >= total or end <= start else end
            else:
                end = next_line(file, start + size, total)
            if not start and reading.header and reading.format in ("csv", "tsv"):
                head = header_in(source.path, delimiter, quoted, end)
            yield Span(start, end, head if start else b"")
            start = end


def next_line(file: Any, place: int, total: int) -> int:
    """Where the first line begins that does so at this place or after it."""
    place -= 1
    while place < total:
        file.seek(place)
        text = file.read(MORE)
        newline = text.find(b"\n")
        if newline >= 0:
            return place + newline + 1
        place += len(text)
    return total


def header_in(path: str, delimiter: str, quotes: bool, end: int) -> bytes:
    """The first record, with blank lines before it."""
    size = MORE
    while True:
        with files.opened(path) as file:
            text = file.read(min(size, end))
        starts, ends, _ = records_of(text, delimiter, quotes)
        if len(text) >= end or len(starts) > 1:  # the first is whole
            return text[: int(ends[0])] if len(starts) else b""
        size *= 2


# ---- what a part holds ----


class PartRows(CodedRows):
    """Rows that were parsed elsewhere: arrays of their own, and features as places in the names of their part."""

    place: PartPlace | None = None  # of an outline: who has the rest

    def __init__(self, parsed: Parsed, part: PartNames) -> None:
        super().__init__(parsed.path, parsed.reading if isinstance(parsed, CodedRows) else part.reading, parsed.unit)
        for name in ARRAYS:
            array = getattr(parsed, name)
            setattr(self, name, None if array is None else array.copy())
        self.words, self.ids, self.keys, self.faults = parsed.words, parsed.ids, parsed.keys, parsed.faults
        self.label_column, self.line_count = parsed.label_column, parsed.line_count
        self.part = part

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(owned(state))

    def __sizeof__(self) -> int:
        return sum(getattr(self, name).nbytes for name in ARRAYS if getattr(self, name) is not None)

    def settle(self, names: Any) -> None:
        if names is not None:
            self.part.settle(names)
            if self.part.columns is not None:
                self.indices = self.part.columns[self.indices]

    def settle_in_order(self, names: Any) -> None:
        """Give every feature its column: where the part was read its names were put in order already."""
        self.settle(names)
        self.order()


class PartNames:
    """The names of a part, in the order in which they first appear there; of hashed ones, what is known of their buckets."""

    def __init__(self, reading: Reading) -> None:
        self.reading, self.names, self.buckets = reading, list[str](), None
        self.columns: np.ndarray | None = None
        self._settled = False

    def close(self, names: Any) -> None:
        """All of the part has been read."""
        if names is not None and self.reading.bits is None:
            self.names = names.names()
        elif names is not None:
            self.buckets = names.noted()

    def settle(self, names: Any) -> None:
        """Give the names their columns, once."""
        if self._settled:
            return
        self._settled = True
        if self.buckets is not None:
            names.note(*self.buckets)
        else:
            self.columns = names.columns_of(self.names)


def read_part(how: PartReading, part: StreamPart, table: Any = None) -> list[PartRows]:
    """The rows of a part, as a task."""
    part = part._replace(table=table)
    names, results = formats.names_for(how.reading, None), list[PartRows]()
    reader, known = formats.reader(how.reading, how.skip_bad, names, how.bare), PartNames(how.reading)
    header = 0 if part.span is None else part.span.head.count(b"\n")
    with closing(part.opened(how.reading.encoding)) as source:
        for piece in reader.unparsed(source):
            if piece is not None:
                parsed = piece[0]()
                parsed.settle_in_order(names) if how.sorts else parsed.settle(names)
                results.append(PartRows(parsed, known))
                results[-1].lines -= header  # which stands in the first part
                results[-1].line_count -= header
                results[-1].faults = [(line - header, fault) for line, fault in parsed.faults]
                header = 0
                reader.release(parsed)
                if parsed.faults and not how.skip_bad:
                    break
    known.close(names)
    return results


class PartPlace(NamedTuple):
    """Who has the rows of a part, and the names of its features."""

    rows: Any
    names: PartNames
    sorts: bool


def outlines(pieces: list[PartRows]) -> list[PartRows]:
    """The same rows without features and keys, as a task: what is to be known of them before they can be played."""
    bare = [copy(piece) for piece in pieces]
    for piece in bare:
        piece.indptr, piece.indices = np.zeros(len(piece.labels) + 1, np.int64), np.empty(0, np.uint32)
        piece.values = piece.keys = None
    return bare


def rows_there(
    gate: Gate,
    pieces: list[PartRows],
    columns: np.ndarray | None,
    labels: np.ndarray,
    weights: np.ndarray | None,
    lines: list[int],
    first_round: int,
    boolean: bool,
    sorts: bool,
) -> tuple[Block, FarLook | None]:
    """The rows of a part as rounds, as a task: names get the columns, labels the codes that they have everywhere; with a look at them."""
    blocks, own = list[Block](), list[np.ndarray]()
    for piece, first in zip(pieces, lines, strict=True):
        indices = piece.indices if columns is None else columns[piece.indices]
        blocks.append(Block(piece.indptr, indices, piece.values, np.zeros(len(piece.labels), np.int32)))
        own.append(piece.lines - (piece.lines[0] if len(piece.lines) else 0) + first)
    where: dict[str, Any] = {"first_round": first_round, "origin": pieces[0].path, "lines": np.concatenate(own)}
    keys = [piece.keys for piece in pieces if piece.keys is not None]
    block = replace(Block.joined(blocks), labels=labels, weights=weights, keys=Owners.joined(keys) if keys else None, **where)
    block = block.ordered() if sorts else block
    return gate.looked(block.presence(any_value=True) if boolean else block)


def in_order(workers: Any, how: PartReading, parts: Iterable[StreamPart], outlined: bool) -> Iterator[tuple[StreamPart, list[PartRows]]]:
    """The rows of parts, read by workers some way ahead, handed over in order; `outlined`: they stay there, and outlines come."""
    waiting: deque[tuple[StreamPart, Any, Any]] = deque()

    def first() -> tuple[StreamPart, list[PartRows]]:
        part, rows, wanted = waiting.popleft()
        pieces = workers.gather([wanted])[0]
        for piece in pieces if outlined else ():
            piece.place = PartPlace(rows, piece.part, how.sorts)
        return part, pieces

    for part in parts:
        rows = workers.submit(read_part, how, *part.apart())
        waiting.append((part, rows, workers.submit(outlines, rows) if outlined else rows))
        if len(waiting) > workers.ahead:
            yield first()
    while waiting:
        yield first()
