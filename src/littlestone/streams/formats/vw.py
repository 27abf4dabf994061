"""VW text: the native parser reads what nearly all lines need, and hands one it is not sure of to `rounds.formats.vw`."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from littlestone.errors import require
from littlestone.kernels.native import core
from littlestone.rounds.faults import KEEPS_NAMES
from littlestone.rounds.features import PlainRow, is_index, written
from littlestone.rounds.files import shown
from littlestone.rounds.formats.libsvm import TOKEN
from littlestone.rounds.formats.vw import SECTION, TEXT, row_of, takes_names
from littlestone.rounds.reading import LOOK_ROWS, Reading
from littlestone.streams.files import Input
from littlestone.streams.line_rows import LineRows, LineScratch
from littlestone.streams.lines import LineReader
from littlestone.streams.vocabulary import Snapshot

JOINT = "^"  # between a namespace and a name
NUMBERED = re.compile(
    rb"(?:\|(?:[ \t\r]++(?:0|[1-9][0-9]{0,8})(?::[0-9.eE+-]*+)?+(?=[ \t\r|]|\Z))*+(?:[ \t\r]++|(?=\|)|\Z))++"
)  # nearly always


class ParsedVW(LineRows):
    """One chunk of whole lines of VW text."""

    joint = ord(JOINT)
    row_of = staticmethod(row_of)

    def __init__(self, path: str, skip_bad: bool, scratch: LineScratch, reading: Reading, snapshot: Snapshot | None) -> None:
        super().__init__(path, scratch, reading, reading.by_name)
        s, rows = scratch, len(scratch.labels)
        self._weights, self._tags = s.more("weights", rows, np.float32), s.more("tags", rows, np.uint64)
        self._odd_tags: dict[int, str] = {}
        self._kinds: dict[str, int] | None = {} if takes_names(reading) else None  # the labels of this piece, where they may be names
        names = self.name_columns(snapshot) if self.by_name else None
        arrays = (s.labels, s.lines, s.indptr, s.indices, s.values, self._weights, self._tags, names)
        plainly = reading.cross or reading.ngrams > 1 or reading.ignore or self._kinds is not None
        self.parse(None if plainly else core.parse_vw, arrays, skip_bad)
        self.cut()
        self.words = None if self._kinds is None else list(self._kinds)
        self.weights = self._weights[: len(self.labels)] if self.progress.weighted else None
        self.ids = self._ids() if self.progress.tagged else None

    def add_row(self, line: int, row: PlainRow) -> None:
        at = self.progress.rows
        if self._kinds is not None and row.label is not None:
            row = row._replace(label=float(self._kinds.setdefault(written(row.label), len(self._kinds))))
        super().add_row(line, row)
        self._weights[at], self._tags[at] = row.weight, 0
        self.progress.weighted += bool(np.float32(row.weight) != 1)
        if row.id is not None:
            self._odd_tags[at] = row.id
            self.progress.tagged += 1

    def _ids(self) -> list[str | None]:
        text, tags = self.scratch.text, self._tags[: len(self.labels)]
        spans = zip((tags & np.uint64(2**32 - 1)).tolist(), (tags >> np.uint64(32)).tolist(), strict=True)
        ids = [text[at : at + n].decode() if n else None for at, n in spans]
        for row, tag in self._odd_tags.items():
            ids[row] = tag
        return ids


def settled(reading: Reading, source: Input) -> Reading:
    """The first lines say whether features are names, or all of them numbers."""
    named = reading.named if reading.named is not None else reading.names or has_names(source.head(LOOK_ROWS).split(b"\n")[:LOOK_ROWS])
    by_name = named or reading.bits or reading.ngrams == 1
    require(by_name, f"{shown(source.path)}: --ngrams joins names, and its features are numbers; {KEEPS_NAMES}")
    return reading.but(named=named)


def has_names(lines: Sequence[bytes]) -> bool:
    """Are features names, or all of them numbers?

    >>> has_names([b"1 | 3:0.5 7", b"0 | 12"]), has_names([b"1 | 3:0.5 7", b"0 |word 12"]), has_names([b"1 | 3:on"]), has_names([b"1 | :2"])
    (False, True, True, False)
    """
    seen = False
    for line in lines:
        line = line.rstrip(b"\r\n")
        numbered = NUMBERED.fullmatch(line, max(line.find(b"|"), 0))
        if numbered is not None:
            seen = seen or re.search(rb"[0-9]", numbered[0]) is not None
            continue
        for part in SECTION.finditer(line):
            for token in TOKEN.findall(part[2]):
                name, _, value = token.partition(b":")
                plain = not name or is_index(name.decode("latin-1"))  # one without a name is numbered by its place
                if not plain or part[1].partition(b":")[0] or TEXT.match(value):
                    return True
                seen = True
    return not seen


def reader(reading: Reading, skip: bool, names: Any, bare: bool) -> LineReader:
    return LineReader(ParsedVW, LineScratch, reading, skip, names)


def writer() -> type:
    from littlestone.streams.write.lines import VW

    return VW
