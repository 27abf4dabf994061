"""Rows that plain Python reads: those of a piece that a compiled reader is not sure of, and of formats that have no other reader."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

from littlestone.protocol.owners import Owners
from littlestone.rounds.faults import Fault
from littlestone.rounds.features import FeatureRules, PlainRow, written
from littlestone.rounds.files import shown
from littlestone.rounds.formats import format_named
from littlestone.rounds.reading import Label, Reading
from littlestone.streams.files import Input
from littlestone.streams.lines import UnparsedPiece, text_pieces
from littlestone.streams.parsed import CodedRows, Parsed


class PlainRows(CodedRows):
    """Rows with the lines they stand in, or what is wrong with them."""

    def __init__(
        self, path: str, reading: Reading, rows: Iterable[tuple[int, PlainRow | Fault]], line_count: int, unit: str = "line"
    ) -> None:
        super().__init__(path, reading, unit)
        self.line_count = line_count
        rules = FeatureRules.of(reading)
        self.names, kept = [], list[PlainRow]()
        places: dict[str, int] = {}
        lines: list[int] = []
        codes: list[int] = []
        values: list[float] = []
        ends = [0]
        for line, row in rows:
            try:
                if isinstance(row, Fault):
                    raise row
                if reading.only is not None and row.key != reading.only:
                    continue
                pairs = rules.pairs(row.groups)
                features = pairs if reading.bits else rules.once(pairs).items()
            except Fault as fault:
                self.faults.append((line, fault))
                continue
            kept.append(row)
            lines.append(line)
            codes += [places.setdefault(name, len(places)) for name, _ in features]
            values += [value for _, value in features]
            ends.append(len(codes))
        self.names, self.codes, self.lines = list(places), np.array(codes, np.int32), np.array(lines, np.int64)
        self.indptr, self.values = np.array(ends, np.int64), np.array(values, np.float32)
        if (self.values == 1).all():
            self.values = None
        self.labels, self.words = coded_labels([row.label for row in kept])
        weights = np.array([row.weight for row in kept], np.float32)
        self.weights = None if (weights == 1).all() else weights
        if reading.id is not None or any(row.id for row in kept):
            self.ids = [row.id for row in kept]
        if reading.key is not None:
            self.keys = Owners([row.key or "" for row in kept])


def coded_labels(labels: list[Label | None]) -> tuple[np.ndarray, list[str] | None]:
    """Numbers, NaN for none; or places in a list of words, where any is text."""
    words: dict[str, int] = {}
    if any(isinstance(label, str) for label in labels):
        codes = [None if label is None else words.setdefault(written(label), len(words)) for label in labels]
        return np.array(codes, np.float64), list(words)
    return np.array(labels, np.float64), None


class PlainReader:
    """The reader of a format whose rows are lines and that is not compiled: every line the plain way."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        row_of = format_named(reading.format).row_of
        assert row_of is not None
        self.row_of: Callable[[bytes, Reading], PlainRow | None] = row_of

    def unparsed(self, source: Input) -> Iterator[UnparsedPiece | None]:
        for piece in text_pieces(source):
            yield None if piece is None else (partial(self.parse, piece[0], shown(source.path)), piece[1])

    def parse(self, text: bytes, path: str) -> Parsed:
        return PlainRows(path, self.reading, self.rows(text), text.count(b"\n"))

    def rows(self, text: bytes) -> Iterator[tuple[int, PlainRow | Fault]]:
        for number, line in enumerate(text.split(b"\n")[:-1]):
            try:
                row = self.row_of(line, self.reading)
            except Fault as fault:
                yield number, fault
                continue
            if row is not None:
                yield number, row

    def release(self, parsed: Any) -> None:
        """Nothing of it is used again."""
