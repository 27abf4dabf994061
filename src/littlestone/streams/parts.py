"""Files cut into parts that others can read: ranges of bytes that cut no record, row groups, record batches.

A part is parsed where it is read. Names of features come with it, in the order in which they first appear there; whoever puts the parts
together gives these their columns, part after part, so that every name gets the column that reading in one go would give it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import Any, NamedTuple

import numpy as np

from littlestone.protocol.block import owned
from littlestone.rounds.reading import Reading
from littlestone.streams import files, formats
from littlestone.streams.csv_records import BEGIN, records_of, scan
from littlestone.streams.files import MORE, Input, Span
from littlestone.streams.parsed import CodedRows, Parsed

PART = 2**25  # bytes of a part, about
ARRAYS = ("labels", "indptr", "indices", "values", "lines", "weights")


class StreamPart(NamedTuple):
    """One part of a stream; without a span, a whole file."""

    path: str
    span: Span | None = None


class PartReading(NamedTuple):
    """How the parts of a stream are read: the same everywhere."""

    reading: Reading
    skip_bad: bool = False
    bare: bool = False


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
    delimiter = np.uint8(ord(reading.delimiter or ("\t" if reading.format == "tsv" else ",")))
    head, start, at, state = b"", 0, 0, BEGIN
    total = files.size_of(source.path)
    with files.opened(source.path) as file:
        while start < total:
            if quoted:  # a newline may stand in quotes: only who comes from the beginning knows
                end = start
                while at < total and (end <= start or at - start < size):
                    text = file.read(min(size, total - at))
                    place, state = scan(np.frombuffer(text, np.uint8), 0, len(text), delimiter, state)
                    end = at + int(place) if place else end
                    at += len(text)
                end = total if at >= total or end <= start else end
            else:
                end = next_line(file, start + size, total)
            if not start and reading.header and reading.format in ("csv", "tsv"):
                head = header_in(source.path, chr(delimiter), quoted, end)
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
    """PartRows that were parsed elsewhere: arrays of their own, and features as places in the names of their part."""

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

    def settle(self, names: Any) -> None:
        if names is not None:
            self.part.settle(names)
            if self.part.columns is not None:
                self.indices = self.part.columns[self.indices]


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


def read_part(how: PartReading, part: StreamPart) -> list[PartRows]:
    """The rows of a part, as a task."""
    names, results = formats.names_for(how.reading, None), list[PartRows]()
    reader, known = formats.reader(how.reading, how.skip_bad, names, how.bare), PartNames(how.reading)
    header = 0 if part.span is None else part.span.head.count(b"\n")
    with closing(Input(part.path, encoding=how.reading.encoding, span=part.span)) as source:
        for piece in reader.unparsed(source):
            if piece is not None:
                parsed = piece[0]()
                parsed.settle(names)
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


def in_order(workers: Any, how: PartReading, parts: Iterable[StreamPart]) -> Iterator[tuple[StreamPart, list[PartRows]]]:
    """The rows of parts, read by workers some way ahead, handed over in order."""
    waiting: deque[tuple[StreamPart, Any]] = deque()
    for part in parts:
        waiting.append((part, workers.submit(read_part, how, part)))
        if len(waiting) > workers.ahead:
            first, task = waiting.popleft()
            yield first, workers.gather([task])[0]
    while waiting:
        first, task = waiting.popleft()
        yield first, workers.gather([task])[0]
