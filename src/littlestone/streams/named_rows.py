"""Rows of lines whose features have names: what waits for a column, and what is done when it comes."""

from __future__ import annotations

from typing import Any

import numpy as np

from littlestone.kernels.rows import examine
from littlestone.rounds.faults import ONCE, Fault
from littlestone.rounds.reading import Reading
from littlestone.streams import name_kernels as kernels
from littlestone.streams.name_kernels import SLACK, new_batch
from littlestone.streams.parsed import Parsed, beyond_float32
from littlestone.streams.vocabulary import RowStamps, spans_of

U = np.uint64


class NamedScratch:
    """The text of a chunk and the arrays it is parsed into, used again and again: fresh memory would cost more time than parsing."""

    def __init__(self, size: int) -> None:
        self.text, self.begin, self.length = bytearray(size + SLACK), 0, 0  # the lines are text[begin:length]
        most = len(self.text) // 2 + 2  # the shortest line that counts has two bytes, and so has the shortest feature
        self.labels, self.lines = np.empty(most), np.empty(most, np.int64)
        self.indptr = np.zeros(most + 1, np.int64)
        self.indices, self.values = np.empty(most, np.uint32), np.empty(most, np.float32)
        self.batch = new_batch()
        self._more: dict[str, np.ndarray] = {}

    def more(self, name: str, shape: int | tuple[int, int], kind: type[np.generic]) -> np.ndarray:
        """An array that only some readings need; what it holds is whatever was left there."""
        found = self._more.get(name)
        if found is None or found.shape[0] < (shape if isinstance(shape, int) else shape[0]):
            found = self._more[name] = np.empty(shape, kind)
        return found


class NamedRows(Parsed):
    """A chunk of whole lines, parsed into its scratch; faults are complete after `settle`.

    `state` counts rows, lines, rows whose indices do not increase, rows with a weight, rows with a tag, values other than 1, and names that
    wait. Features have names (`by_name`: those of a vocabulary, or their hashes), or are numbers.
    """

    joint = 0  # the byte between prefix and name

    def __init__(self, path: str, scratch: NamedScratch, reading: Reading) -> None:
        if len(scratch.text) < scratch.length + SLACK:  # kernels read that much at a time
            scratch.text = scratch.text + bytes(SLACK)
        self.path, self.scratch, self.reading = path, scratch, reading
        self.text = np.frombuffer(scratch.text, np.uint8)
        self.bits = reading.bits or 0
        self.by_name = reading.by_name
        self.state = np.zeros(7, np.int64)
        self.faults: list[tuple[int, Fault]] = []
        features = len(scratch.indices) if self.by_name else 0
        self.waiting = scratch.more("waiting", (features if not self.bits else 0, 4), np.uint64)
        self.prints = scratch.more("prints", features if self.bits else 0, np.uint32)
        self._split: list[bytes] | None = None
        self._extra = bytearray()  # names that do not stand in the text as they are called

    def add_row(self, row: int, features: list[tuple[str, float]]) -> None:
        """Features by name of a row that was read the plain way."""
        s, state = self.scratch, self.state
        k, many = int(s.indptr[row]), len(features)
        values = np.array([value for _, value in features])
        if k + many > len(s.indices):  # crosses
            self._make_room(k + many)
        if not self.by_name:
            s.indices[k : k + many] = found = np.array([int(name) for name, _ in features], np.int64)
            state[2] += bool(np.any(found[1:] <= found[:-1]))
        elif many:
            starts, text = spans_of([name.encode() for name, _ in features])
            hashes = np.empty(many, np.uint64)
            kernels.hash_spans(text, starts, hashes)
            if self.bits:
                s.indices[k : k + many] = hashes & U(2**self.bits - 1)
                self.prints[k : k + many] = hashes >> U(32)
            else:
                waits = int(state[6])
                block = self.waiting[waits : waits + many]
                block[:, 0], block[:, 1] = np.arange(k, k + many), hashes
                places = starts[:-1] + (s.length + SLACK + len(self._extra))
                block[:, 2], block[:, 3] = places.astype(U) | np.diff(starts).astype(U) << U(32), 0
                s.indices[k : k + many] = kernels.UNKNOWN
                self._extra += text[: starts[-1]].tobytes()
                state[6] += many
        s.values[k : k + many] = values
        state[5] += int(np.count_nonzero(values != 1))
        s.indptr[row + 1] = k + many

    def _make_room(self, features: int) -> None:
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
        s, rows = self.scratch, int(self.state[0])
        features = int(s.indptr[rows])
        self.line_count = int(self.state[1])
        self.labels, self.lines, self.indptr = s.labels[:rows], s.lines[:rows], s.indptr[: rows + 1]
        self.indices = s.indices[:features]
        self.values: np.ndarray | None = s.values[:features] if self.state[5] else None
        bits = None if self.values is None else self.values.view(np.int32)
        self._extremes = (2**31 - 1, -(2**31)) if bits is None or not features else (int(bits.min()), int(bits.max()))
        if not self.by_name and not self.state[2]:  # while the rows are still in cache
            self.examined = examine(self.indptr, self.indices, bits)
        if self._extra:
            self.text = np.frombuffer(s.text[: s.length] + bytes(SLACK) + self._extra + bytes(SLACK), np.uint8)

    def settle(self, names: Any) -> None:
        """Give every feature its column, and deal with those that stand twice in a row."""
        adds = self.reading.adds_up or self.counts
        if not self.by_name:
            self._settle_numbers(names)
            return
        if self.bits:
            found = names.settle(self.indptr, self.indices, self.prints[: len(self.indices)])
        else:
            found = names.settle(self.indptr, self.indices, self.waiting, int(self.state[6]), self.text, self.joint, refuse=not adds)
        if len(found.bad):
            self._leave_out(found.bad)
        elif found.repeats:
            self._add_up(names.stamps, found.top + 1)
        else:
            self.examined = (found.top, found.bottom, 0, found.widest, *self._extremes)  # 0: no feature stands twice

    counts = False  # is a repeated feature nothing but a larger value?

    def _settle_numbers(self, names: Any) -> None:
        if self.examined is not None or not len(self.indices):
            return
        stamps = getattr(names, "stamps", None) or RowStamps()
        top = int(self.indices.max())
        bad = stamps.repeats(self.indptr, self.indices, top + 1)
        if not len(bad):
            found = examine(self.indptr, self.indices, None if self.values is None else self.values.view(np.int32))
            self.examined = (*found[:2], 0, *found[3:])
        elif self.reading.sum_duplicates:
            self._add_up(stamps, top + 1)
        else:
            self._leave_out(bad)

    def _add_up(self, stamps: RowStamps, columns: int) -> None:
        if self.values is None:
            self.values = self.scratch.values[: len(self.indices)]
            self.values[:] = 1
        remain, bad = stamps.add_up(self.indptr, self.indices, self.values, columns)
        self.indices, self.values = self.indices[:remain], self.values[:remain]
        if len(bad):
            self._leave_out(bad, beyond_float32())
        else:
            found = examine(self.indptr, self.indices, self.values.view(np.int32))
            self.examined = (*found[:2], 0, *found[3:])

    def _leave_out(self, bad: np.ndarray, fault: Fault | None = None) -> None:
        """Rows that turned out to be none; each is a fault."""
        for row in bad.tolist():
            self.faults.append((int(self.lines[row]), fault or self.fault_of(row)))
        which = np.zeros(len(self.labels), np.bool_)
        which[bad] = True
        self.leave_out(which)

    def fault_of(self, row: int) -> Fault:
        """What is wrong with a row in which a feature stands twice."""
        return Fault(None, "a feature that stands twice", ONCE)

    def line_text(self, line: int) -> bytes:
        """A line of the chunk."""
        if self._split is None:
            self._split = bytes(self.scratch.text[self.scratch.begin : self.scratch.length]).split(b"\n")
        return self._split[line]
