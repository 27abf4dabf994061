"""VW text, compiled: what nearly all lines need. A line it is not sure of is handed to `rounds.formats.vw`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from littlestone.errors import require
from littlestone.kernels.compiler import is_compiled
from littlestone.rounds.faults import KEEPS_NAMES, Fault
from littlestone.rounds.features import FeatureRules, is_index
from littlestone.rounds.formats.libsvm import TOKEN
from littlestone.rounds.formats.vw import SECTION, row_of
from littlestone.rounds.reading import LOOK_ROWS, Reading
from littlestone.streams.files import Input, shown
from littlestone.streams.lines import LineReader
from littlestone.streams.named_rows import NamedRows, NamedScratch
from littlestone.streams.vocabulary import NOTHING, Snapshot
from littlestone.streams.vw_kernels import JOINT, parse_names, parse_numbers

WARM = b"1 | 1:1\n"
NUMBERED = re.compile(
    rb"(?:\|(?:[ \t\r]++(?:0|[1-9][0-9]{0,8})(?::[^ \t\r|]*+)?+(?=[ \t\r|]|\Z))*+(?:[ \t\r]++|(?=\|)|\Z))++"
)  # nearly always


class ParsedVW(NamedRows):
    """One chunk of whole lines of VW text."""

    joint = int(JOINT)

    def __init__(self, path: str, skip_bad: bool, scratch: NamedScratch, reading: Reading, snapshot: Snapshot | None) -> None:
        super().__init__(path, scratch, reading)
        self.rules = FeatureRules.of(reading)
        s, rows, text = self.scratch, len(scratch.labels), self.text
        self._weights, self._tags = s.more("weights", rows, np.float32), s.more("tags", rows, np.uint64)
        self._odd_tags: dict[int, str] = {}
        arrays = (s.labels, s.lines, s.indptr, s.indices, s.values, self._weights, self._tags)
        more: tuple = ()
        parse: Any = parse_numbers
        if self.by_name:
            parse = parse_names
            more = s.batch, tuple(snapshot or NOTHING), self.bits, self.prints, self.waiting
        state, place = self.state, s.begin
        compiled = not (reading.cross or reading.ngrams > 1 or reading.ignore)
        while place < s.length:
            if compiled:
                place = parse(text, place, s.length, state, *arrays, *more)
                if place >= s.length:
                    break
            place = self._by_line(place)
            if self.faults and not skip_bad:
                break
        self._finish()

    def _by_line(self, place: int) -> int:
        """The plain way, for a line that begins here; where the next one does."""
        s, state = self.scratch, self.state
        end = s.text.index(b"\n", place) + 1
        row, line = int(state[0]), int(state[1])
        state[1] += 1
        try:
            found = row_of(bytes(s.text[place:end]), self.reading)
            if found is None:
                return end
            self.add_row(row, self.rules.pairs(found.groups))
        except Fault as fault:
            self.faults.append((line, fault))
            return end
        s.labels[row] = np.nan if found.label is None else found.label
        s.lines[row], self._weights[row], self._tags[row] = line, found.weight, 0
        state[0] += 1
        state[3] += np.float32(found.weight) != 1
        if found.id is not None:
            self._odd_tags[row] = found.id
            state[4] += 1
        return end

    def _finish(self) -> None:
        self.cut()
        rows = len(self.labels)
        if self.state[3]:
            self.weights = self._weights[:rows]
        if self.state[4]:
            text = self.scratch.text
            spans = zip((self._tags[:rows] & np.uint64(2**32 - 1)).tolist(), (self._tags[:rows] >> np.uint64(32)).tolist(), strict=True)
            self.ids = [text[at : at + n].decode() if n else None for at, n in spans]
            for row, tag in self._odd_tags.items():
                self.ids[row] = tag

    def fault_of(self, row: int) -> Fault:
        try:
            row_of(self.line_text(int(self.lines[row])), self.reading)
        except Fault as fault:
            return fault
        return super().fault_of(row)  # one that crosses make


def settled(reading: Reading, source: Input) -> Reading:
    """The first lines say whether features are names, or all of them numbers."""
    named = reading.named if reading.named is not None else reading.names or has_names(source.head(LOOK_ROWS).split(b"\n")[:LOOK_ROWS])
    by_name = named or reading.bits or reading.ngrams == 1
    require(by_name, f"{shown(source.path)}: --ngrams joins names, and its features are numbers; {KEEPS_NAMES}")
    return reading.but(named=named)


def has_names(lines: Sequence[bytes]) -> bool:
    """Are features names, or all of them numbers?

    >>> has_names([b"1 | 3:0.5 7", b"0 | 12"]), has_names([b"1 | 3:0.5 7", b"0 |word 12"])
    (False, True)
    """
    seen = False
    for line in lines:
        line = line.rstrip(b"\r\n")
        found = NUMBERED.fullmatch(line, max(line.find(b"|"), 0))
        if found is not None:
            seen = seen or re.search(rb"[0-9]", found[0]) is not None
            continue
        for part in SECTION.finditer(line):
            for token in TOKEN.findall(part[2]):
                name = token.partition(b":")[0]
                if not is_index(name.decode("latin-1")) or part[1].partition(b":")[0]:
                    return True
                seen = True
    return not seen


def reader(reading: Reading, skip: bool, names: Any, bare: bool) -> LineReader:
    return LineReader(ParsedVW, NamedScratch, reading, skip, names)


def compiled(reading: Reading) -> bool:
    return is_compiled(parse_names if reading.named or reading.bits else parse_numbers)


def writer() -> type:
    from littlestone.streams.write.lines import VW

    return VW
