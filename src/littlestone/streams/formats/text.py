"""Lines of a label, a tab and text: the native parser reads those in ASCII, and hands one with more to `rounds.formats.text`."""

from typing import Any

import numpy as np

from littlestone.kernels.native import core
from littlestone.rounds.features import PlainRow, bag
from littlestone.rounds.formats.text import label_and_text
from littlestone.rounds.reading import Reading
from littlestone.streams.files import Input
from littlestone.streams.line_rows import LineRows, LineScratch
from littlestone.streams.lines import LineReader
from littlestone.streams.vocabulary import SLACK, Snapshot
from littlestone.streams.word_bags import marks_of, put_words


class ParsedText(LineRows):
    """One chunk of whole lines of a label, a tab and text."""

    counts = True

    def __init__(
        self, path: str, skip_bad: bool, scratch: LineScratch, reading: Reading, snapshot: Snapshot | None, bare: bool = False
    ) -> None:
        super().__init__(path, scratch, reading.but(named=True), by_name=True)
        s, progress, most = self.scratch, self.progress, len(scratch.labels)
        self.bare, self.out = bare, s.more("out", 2 * len(s.text) + SLACK, np.uint8)
        self.cells, self.kinds = s.more("cells", most + 1, np.int64), s.more("kinds", (most, 3), np.uint64)
        self.cells[0] = 0
        if reading.chars:
            self.parse(None, (), skip_bad)
            self.words = self._kinds()
            self.cut()
            return
        self.parse(core.fold_lines, (s.labels, s.lines, self.kinds, self.out, self.cells, marks_of(reading.version)), skip_bad)
        rows = progress.rows
        self.words = self._kinds()
        end = int(self.cells[rows])
        many = int(np.count_nonzero(self.out[:end] == ord(" ")))
        features = many * reading.ngrams  # at most
        if features > len(s.indices):
            self.make_room(features)
        spans, names = s.more("spans", (many, 2), np.uint32), self.name_columns(snapshot)
        progress.waiting = core.take_words(self.out, self.cells[: rows + 1], 0, 0, reading.ngrams, spans, s.indptr, s.indices, names)
        self.cut()
        self.text = self.out

    def _kinds(self) -> list[str]:
        """The different labels of the chunk."""
        return [self.scratch.text[at : at + n].decode() for at, n in self.kinds[: self.progress.labels, 1:].tolist()]

    def plain_line(self, begin: int, end: int, line: int) -> None:
        s, progress, row = self.scratch, self.progress, self.progress.rows
        parts = label_and_text(bytes(s.text[begin:end]), self.bare)
        if parts is None:
            return
        label, text = parts
        if self.reading.chars:
            words = bag(text, self.reading.ngrams, self.reading.version, self.reading.chars)
            self.add_row(line, PlainRow(None, 1.0, None, [("", [(word, float(count)) for word, count in words.items()])]))
        s.labels[row], s.lines[row] = np.nan, line
        if label is not None:
            s.labels[row], progress.labels = core.number_label(self.text, begin, len(label.encode()), self.kinds, progress.labels)
        if self.reading.chars:
            return
        self.cells[row + 1] = put_words(text, self.out, int(self.cells[row]), self.reading.version)
        progress.rows += 1


def settled(reading: Reading, source: Input) -> Reading:
    """Words are names."""
    return reading.but(named=True)


def reader(reading: Reading, skip: bool, names: Any, bare: bool) -> LineReader:
    return LineReader(ParsedText, LineScratch, reading, skip, names, lambda _: {"bare": bare})


def writer() -> type:
    from littlestone.streams.write.lines import Text

    return Text
