"""Rows of lines: the memory they are parsed into, what waits for a column, and what is done when it comes."""

from collections.abc import Callable
from typing import Any

import numpy as np

from littlestone.kernels.native import core
from littlestone.rounds.faults import ONCE, Fault
from littlestone.rounds.features import FeatureRules, PlainRow
from littlestone.rounds.reading import Reading
from littlestone.streams.parsed import Parsed
from littlestone.streams.vocabulary import SEED, SLACK, TABLE_SEED, UNKNOWN, RowStamps, Snapshot, hashes_of, name_columns, spans_of

U = np.uint64
MOST_STAMPS = 2**22
NO_VALUES, ONE_BITS = (2**31 - 1, -(2**31)), int(np.float32(1).view(np.int32))  # as `examine` has them


class LineScratch:
    """The text of a chunk and the arrays it is parsed into, used again and again: fresh memory would cost more time than parsing."""

    def __init__(self, size: int) -> None:
        self.text, self.begin, self.length = bytearray(size + SLACK), 0, 0  # the lines are text[begin:length]
        most = len(self.text) // 2 + 2  # the shortest line that counts has two bytes, and so has the shortest feature
        self.labels, self.lines = np.empty(most), np.empty(most, np.int64)
        self.indptr = np.zeros(most + 1, np.int64)
        self.indices, self.values = np.empty(most, np.uint32), np.empty(most, np.float32)
        self._more: dict[str, np.ndarray] = {}

    def more(self, name: str, shape: int | tuple[int, int], kind: type[np.generic]) -> np.ndarray:
        """An array that only some readings need; what it holds is whatever was left there."""
        array = self._more.get(name)
        if array is None or array.shape[0] < (shape if isinstance(shape, int) else shape[0]):
            array = self._more[name] = np.empty(shape, kind)
        return array


class LineRows(Parsed):
    """A chunk of whole lines, parsed into its scratch; faults are complete after `settle`.

    `progress` counts rows, lines, labels, rows with a weight or a tag, values other than 1 (where features have names; 1 where values
    stay, whatever they are), and names that wait. Features have names (`by_name`: those of a vocabulary, or their hashes), or are numbers.
    """

    joint = 0  # the byte between prefix and name
    counts = False  # is a repeated feature nothing but a larger value?
    row_of: Callable[[bytes, Reading], PlainRow | None]  # the plain reader of a line

    def __init__(self, path: str, scratch: LineScratch, reading: Reading, by_name: bool) -> None:
        if len(scratch.text) < scratch.length + SLACK:  # parsers read that much at a time
            scratch.text = scratch.text + bytes(SLACK)
        self.path, self.scratch, self.reading, self.by_name = path, scratch, reading, by_name
        self.text = np.frombuffer(scratch.text, np.uint8)
        self.bits = reading.bits or 0
        self.seed = SEED if self.bits else TABLE_SEED
        self.rules = FeatureRules.of(reading)
        self.progress = core.Progress()
        self.faults: list[tuple[int, Fault]] = []
        features = len(scratch.indices) if by_name else 0
        self.waiting = scratch.more("waiting", (features if not self.bits else 0, 4), np.uint64)
        self.prints = scratch.more("prints", features if self.bits else 0, np.uint32)
        self._split: list[bytes] | None = None
        self._extra = bytearray()  # names that do not stand in the text as they are called

    def name_columns(self, snapshot: Snapshot | None) -> Any:
        """Where the native parsers put the columns of names."""
        return name_columns(snapshot, self.bits, self.prints, self.waiting)

    def parse(self, native: Callable[..., int] | None, arrays: tuple, skip_bad: bool) -> None:
        """All lines: the native parser stops at those that it is not sure of. Without one every line is read the plain way."""
        s, place = self.scratch, self.scratch.begin
        while place < s.length:
            if native is not None:
                place = native(self.text, place, s.length, self.progress, *arrays)
                if place >= s.length:
                    break
            end, line = s.text.index(b"\n", place) + 1, self.progress.lines
            self.progress.lines += 1
            try:
                self.plain_line(place, end, line)
            except Fault as fault:
                self.faults.append((line, fault))
                if not skip_bad:
                    break
            place = end

    def plain_line(self, begin: int, end: int, line: int) -> None:
        """The line that stands there, the plain way."""
        row = self.row_of(bytes(self.scratch.text[begin:end]), self.reading)
        if row is not None:
            self.add_row(line, row)

    def add_row(self, line: int, row: PlainRow) -> None:
        s, progress = self.scratch, self.progress
        features = self.rules.pairs(row.groups)
        at = progress.rows
        k, many = int(s.indptr[at]), len(features)
        values = np.array([value for _, value in features])
        if k + many > len(s.indices):  # crosses
            self.make_room(k + many)
        if not self.by_name:
            s.indices[k : k + many] = np.array([int(name) for name, _ in features], np.int64)
        elif many:
            starts, text = spans_of([name.encode() for name, _ in features])
            hashes = hashes_of(text, starts, self.seed)
            if self.bits:
                s.indices[k : k + many] = hashes & U(2**self.bits - 1)
                self.prints[k : k + many] = hashes >> U(32)
            else:
                waits = progress.waiting
                block = self.waiting[waits : waits + many]
                block[:, 0], block[:, 1] = np.arange(k, k + many), hashes
                places = starts[:-1] + (s.length + SLACK + len(self._extra))
                block[:, 2], block[:, 3] = places.astype(U) | np.diff(starts).astype(U) << U(32), 0
                s.indices[k : k + many] = UNKNOWN
                self._extra += text[: starts[-1]].tobytes()
                progress.waiting += many
        s.values[k : k + many] = values
        progress.valued += int(np.count_nonzero(values != 1))
        s.labels[at], s.lines[at] = np.nan if row.label is None else row.label, line
        s.indptr[at + 1] = k + many
        progress.rows += 1

    def make_room(self, features: int) -> None:
        """Crosses may be more than the text has bytes: longer arrays, which the scratch keeps."""
        s, size = self.scratch, 2 * features
        for name in ("indices", "values"):
            old = getattr(s, name)
            setattr(s, name, np.concatenate([old, np.empty(size - len(old), old.dtype)]))
        if not self.bits:
            old, self.waiting = self.waiting, s.more("waiting", (size, 4), np.uint64)
            self.waiting[: len(old)] = old
        else:
            old, self.prints = self.prints, s.more("prints", size, np.uint32)
            self.prints[: len(old)] = old

    def cut(self) -> None:
        """The arrays at their lengths, when all lines have been parsed."""
        s, rows = self.scratch, self.progress.rows
        features = int(s.indptr[rows])
        self.line_count = self.progress.lines
        self.labels, self.lines, self.indptr = s.labels[:rows], s.lines[:rows], s.indptr[: rows + 1]
        self.indices = s.indices[:features]
        self.values: np.ndarray | None = s.values[:features] if self.progress.valued or not self.by_name else None
        if not self.by_name:  # while the rows are still in cache
            bits = None if self.values is None else self.values.view(np.int32)
            *known, falls, widest, least, most = core.examine(self.indptr, self.indices, bits)
            if not self.progress.valued and least in (ONE_BITS, NO_VALUES[0]) and most in (ONE_BITS, NO_VALUES[1]):  # all are 1
                self.values, (least, most) = None, NO_VALUES
            if not falls:
                self.examined = (*known, falls, widest, least, most)
        if self._extra:
            self.text = np.frombuffer(s.text[: s.length] + bytes(SLACK) + self._extra + bytes(SLACK), np.uint8)

    def settle(self, names: Any) -> None:
        """Give every feature its column, and deal with those that stand twice in a row."""
        if not self.by_name:
            self.settle_numbers()
            return
        if self.bits:
            settled = names.settle(self.indptr, self.indices, self.prints[: len(self.indices)])
        else:
            refuse = not (self.reading.adds_up or self.counts)
            settled = names.settle(self.indptr, self.indices, self.waiting, self.progress.waiting, self.text, self.joint, refuse=refuse)
        if len(settled.bad):
            self.refuse(settled.bad, self.fault_of)
        elif settled.repeats:
            self.add_up(names.stamps, settled.top + 1)

    def settle_numbers(self) -> None:
        """Features that stand twice in a row, where they are numbers and these do not increase."""
        if self.examined is not None or not len(self.indices):
            return
        stamps, columns, numbers = RowStamps(), int(self.indices.max()) + 1, None
        if columns > MOST_STAMPS:  # a stamp for each number that there is, not for each up to the largest
            numbers, codes = np.unique(self.indices, return_inverse=True)
            self.indices, columns = codes.astype(np.uint32), len(numbers)
        bad = stamps.repeats(self.indptr, self.indices, columns)
        if len(bad) and self.reading.adds_up:
            self.add_up(stamps, columns)
        elif len(bad):
            self.refuse(bad, self.fault_of)
        if numbers is not None:
            self.indices = numbers[self.indices]

    def add_up(self, stamps: RowStamps, columns: int) -> None:
        if self.values is None:
            self.values = self.scratch.values[: len(self.indices)]
            self.values[:] = 1
        super().add_up(stamps, columns)

    def fault_of(self, row: int) -> Fault:
        """What is wrong with a row in which a feature stands twice."""
        if self._split is None:
            self._split = bytes(self.scratch.text[self.scratch.begin : self.scratch.length]).split(b"\n")
        try:
            self.row_of(self._split[int(self.lines[row])], self.reading)
        except Fault as fault:
            return fault
        return Fault(None, "a feature that stands twice", ONCE)  # crosses make it
