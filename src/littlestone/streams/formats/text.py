"""Lines of a label, a tab and text, compiled for ASCII. A line with more is handed to `rounds.formats.text`."""

from __future__ import annotations

from typing import Any

import numpy as np

from littlestone.kernels.compiler import is_compiled
from littlestone.rounds.faults import Fault
from littlestone.rounds.formats.text import label_and_text
from littlestone.rounds.reading import Reading
from littlestone.streams.files import Input
from littlestone.streams.lines import LineReader
from littlestone.streams.name_kernels import SLACK
from littlestone.streams.named_rows import NamedRows, NamedScratch
from littlestone.streams.text_kernels import bag_rows, fold_lines, kind_of
from littlestone.streams.vocabulary import NOTHING, Snapshot
from littlestone.streams.word_bags import put_words

WARM = b"1\tone\n"


class ParsedText(NamedRows):
    """One chunk of whole lines of a label, a tab and text."""

    counts = True

    def __init__(
        self, path: str, skip_bad: bool, scratch: NamedScratch, reading: Reading, snapshot: Snapshot | None, bare: bool = False
    ) -> None:
        super().__init__(path, scratch, reading.but(named=True))
        self.bare = bare
        s, state, most = self.scratch, self.state, len(scratch.labels)
        out = s.more("out", 2 * len(s.text) + SLACK, np.uint8)
        cells, kinds = s.more("cells", most + 1, np.int64), s.more("kinds", (most, 3), np.uint64)
        cells[0], place = 0, s.begin
        while place < s.length:
            place = int(fold_lines(self.text, place, s.length, state, s.labels, s.lines, kinds, out, cells))
            if place < s.length:
                place = self._by_line(place, kinds, out, cells)
                if self.faults and not skip_bad:
                    break
        rows, known = int(state[0]), int(state[2])
        self.words = [s.text[at : at + n].decode() for at, n in kinds[:known, 1:].tolist()]
        end = int(cells[rows])
        features = int(np.count_nonzero(out[:end] == ord(" "))) * reading.ngrams  # at most
        if features > len(s.indices):
            self._make_room(features)
        spans = s.more("spans", (most, 2), np.uint32)
        table = tuple(snapshot or NOTHING)
        more = (s.indptr, s.batch, table, self.bits, s.indices, self.prints, self.waiting)
        waits = bag_rows(out, cells[: rows + 1], 0, 0, np.uint8(0), reading.ngrams, spans, *more)
        state[2], state[5], state[6] = 0, 0, waits
        self.cut()
        self.text = out

    def _by_line(self, place: int, kinds: np.ndarray, out: np.ndarray, cells: np.ndarray) -> int:
        """The plain way, for a line that begins here; where the next one does."""
        s, state = self.scratch, self.state
        end = s.text.index(b"\n", place) + 1
        row, line = int(state[0]), int(state[1])
        state[1] += 1
        try:
            found = label_and_text(bytes(s.text[place:end]), self.bare)
        except Fault as fault:
            self.faults.append((line, fault))
            return end
        if found is None:
            return end
        label, text = found
        s.labels[row], s.lines[row] = np.nan, line
        if label is not None:
            s.labels[row], state[2] = kind_of(self.text, np.uint64(place), np.uint64(len(label.encode())), kinds, state[2])
        cells[row + 1] = put_words(text, out, int(cells[row]))
        state[0] += 1
        return end


def settled(reading: Reading, source: Input) -> Reading:
    """Words are names."""
    return reading.but(named=True)


def reader(reading: Reading, skip: bool, names: Any, bare: bool) -> LineReader:
    return LineReader(ParsedText, NamedScratch, reading, skip, names, lambda _: {"bare": bare})


def compiled(reading: Reading) -> bool:
    return is_compiled(fold_lines)


def writer() -> type:
    from littlestone.streams.write.lines import Text

    return Text
