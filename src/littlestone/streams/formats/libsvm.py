"""libsvm text, compiled: what nearly all lines need. A line it is not sure of is handed to `rounds.formats.libsvm`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from littlestone.kernels.compiler import is_compiled, jit_lent, load8
from littlestone.kernels.rows import examine
from littlestone.rounds.faults import Fault
from littlestone.rounds.formats.libsvm import names_in, row_of
from littlestone.rounds.reading import Reading
from littlestone.streams.files import Input
from littlestone.streams.lines import LineReader
from littlestone.streams.name_kernels import SLACK
from littlestone.streams.number_kernels import (
    COLON,
    DOT,
    EIGHT,
    HASH,
    LIMIT,
    MINUS,
    NEWLINE,
    NOUGHT,
    NOUGHTS,
    ONE,
    POWERS,
    RETURN,
    SPACE,
    SURE_DIGITS,
    TAB,
    TEN,
    TENS,
    TWO,
    U,
    digits_in,
    number,
    value_of,
)  # fmt: skip
from littlestone.streams.parsed import Parsed
from littlestone.streams.vocabulary import RowStamps

WARM = b"1 1:1\n"


@jit_lent
def parse(text, start, stop, row, line, labels, lines, indptr, indices, values):
    """Parse whole lines of text[start:stop], which ends with a newline, into the arrays, from `row` on.

    Returns (place, row, line, rows whose indices do not increase): the place is `stop`, or where a line begins that plain Python judges.
    """
    p, stop, row, k, unordered = U(start), U(stop), U(row), U(indptr[row]), 0
    while p < stop:
        begin, first = p, k
        c = text[p]
        while c == SPACE or c == TAB or c == RETURN:
            p += ONE
            c = text[p]
        if c != NEWLINE and c != HASH:
            label, after = number(text, p)
            if after == U(0):
                return begin, row, line, unordered
            c = text[after]
            if c == COLON:  # no label
                label = np.nan
                c = text[p]
            elif c == SPACE or c == NEWLINE or c == TAB or c == RETURN:
                p = after
            else:
                return begin, row, line, unordered
            previous, ordered = U(0), True
            while True:
                while c == SPACE or c == TAB or c == RETURN:
                    p += ONE
                    c = text[p]
                if c == NEWLINE:
                    break
                place = p
                word = load8(text, p) ^ NOUGHTS
                length = digits_in(word)
                p += length
                c = text[p]
                if ONE <= length < EIGHT:
                    index = value_of(word, length)
                else:
                    p, index, c = place, U(0), text[place]
                    d = U(c) - NOUGHT
                    while d < TEN:
                        index = index * TEN + d
                        p += ONE
                        c = text[p]
                        d = U(c) - NOUGHT
                if c != COLON or p - place - ONE >= TEN:
                    if c == HASH and p == place:
                        break
                    return begin, row, line, unordered
                p += ONE
                place = p
                c = text[p]
                # most values are a digit, a point, and up to seven digits
                word = load8(text, p + TWO) ^ NOUGHTS
                fractional = digits_in(word)
                d = U(c) - NOUGHT
                if d < TEN and text[p + ONE] == DOT and ONE <= fractional < EIGHT:
                    c = text[p + TWO + fractional]
                    if (c == SPACE or c == NEWLINE) and index <= LIMIT:
                        p += TWO + fractional
                        ordered &= (index > previous) | (k == first)
                        previous = index
                        indices[k] = index
                        values[k] = np.float64(d * POWERS[fractional] + value_of(word, fractional)) / TENS[fractional]
                        k += ONE
                        continue
                    c = text[p]
                negative = c == MINUS
                if negative:
                    p += ONE
                    c = text[p]
                digits, fractional, length = U(0), U(0), p
                d = U(c) - NOUGHT
                while d < TEN:
                    digits = digits * TEN + d
                    p += ONE
                    c = text[p]
                    d = U(c) - NOUGHT
                length = p - length
                value = np.float64(digits)
                if c == DOT:
                    p += ONE
                    c = text[p]
                    fractional = p
                    d = U(c) - NOUGHT
                    while d < TEN:
                        digits = digits * TEN + d
                        p += ONE
                        c = text[p]
                        d = U(c) - NOUGHT
                    fractional = p - fractional
                    length += fractional
                    value = np.float64(digits) / TENS[min(fractional, SURE_DIGITS)]
                if (c != SPACE and c != NEWLINE) or length - ONE >= SURE_DIGITS:
                    value, p = number(text, place)  # an exponent, many digits, another end, or something else
                    if p == U(0):
                        return begin, row, line, unordered
                    c = text[p]
                    if not (c == SPACE or c == NEWLINE or c == TAB or c == RETURN):
                        return begin, row, line, unordered
                elif negative:
                    value = -value
                if index > LIMIT:
                    return begin, row, line, unordered
                ordered &= (index > previous) | (k == first)
                previous = index
                indices[k] = index
                values[k] = value
                k += ONE
            unordered += not ordered
            labels[row] = label
            lines[row] = line
            row += ONE
            indptr[row] = k
        while text[p] != NEWLINE:
            p += ONE
        p += ONE
        line += 1
    return p, row, line, unordered


class LibsvmScratch:
    """The text of a chunk and the arrays it is parsed into, used again and again: fresh memory would cost a third more time."""

    def __init__(self, size: int) -> None:
        self.text, self.begin, self.length = bytearray(size + SLACK), 0, 0  # the lines are text[begin:length]
        lines, features = (
            size // 2 + 2,
            size // 4 + 2,
        )  # the shortest line that counts has two bytes, the shortest feature four
        self.labels, self.lines = np.empty(lines), np.empty(lines, np.int64)
        self.indptr = np.zeros(lines + 1, np.int64)
        self.indices, self.values = np.empty(features, np.uint32), np.empty(features, np.float32)


class ParsedLibsvm(Parsed):
    """One chunk of whole lines as arrays that lie in `scratch`."""

    def __init__(
        self, path: str, skip: bool, scratch: LibsvmScratch, reading: Reading, snapshot: Any = None, named: Sequence[str] | None = None
    ) -> None:
        self.path, self.scratch, self.reading = path, scratch, reading
        self.named = named  # the names of features 0, 1, ..., where a file beside this one has them
        s, chunk, length = scratch, scratch.text, scratch.length
        text = np.frombuffer(chunk, np.uint8)
        place, row, line, unordered = s.begin, 0, 0, 0
        self.faults = []
        while True:
            place, row, line, more = parse(text, place, length, row, line, s.labels, s.lines, s.indptr, s.indices, s.values)
            unordered += more
            if place >= length:
                break
            end = chunk.index(b"\n", place) + 1
            row, more = self._by_line(bytes(chunk[place:end]), row, line)
            unordered += more
            if self.faults and not skip:
                break
            place, line = end, line + 1
        features = s.indptr[row]
        self.line_count = line
        self.labels, self.lines, self.indptr = s.labels[:row], s.lines[:row], s.indptr[: row + 1]
        self.indices, self.values = s.indices[:features], s.values[:features]
        if not unordered:  # while the rows are still in cache
            self.examined = examine(self.indptr, self.indices, self.values.view(np.int32))
        elif not reading.adds_up:
            self._find_repeated(bytes(chunk[s.begin : length]))

    def settle(self, names: Any) -> None:
        if self.named is not None and len(self.indices) and self.indices.max() >= len(self.named):
            self._refuse_unnamed(len(self.named))
        if self.reading.bits is not None:
            called = None if self.named is None else [self.named[i] for i in self.indices.tolist()]
            self.indices = names.columns_of_numbers(self.indices) if called is None else names.columns_of(called)
        elif names is not None:
            kinds, first, where = np.unique(self.indices, return_index=True, return_inverse=True)
            order = np.argsort(first)  # names get their columns in the order of their first appearance
            columns = np.empty(len(kinds), np.uint32)
            columns[order] = names.columns_of([str(i) if self.named is None else self.named[i] for i in kinds[order].tolist()])
            self.indices = columns[where]
        if names is not None or self.examined is None:
            self.examined = None
            if self.reading.adds_up:
                self.add_up(RowStamps() if names is None else names.stamps, int(self.indices.max(initial=0)) + 1)

    def _refuse_unnamed(self, count: int) -> None:
        rows = np.repeat(np.arange(len(self.labels)), np.diff(self.indptr))
        bad = np.zeros(len(self.labels), np.bool_)
        for k in np.flatnonzero(self.indices >= count).tolist():
            if not bad[rows[k]]:
                bad[rows[k]] = True
                fault = Fault(None, f"feature {self.indices[k]}", f"one of the {count:,} features that the names file has, from 0 on")
                self.faults.append((int(self.lines[rows[k]]), fault))
        self.leave_out(bad)

    def _by_line(self, text: bytes, row: int, line: int) -> tuple[int, bool]:
        """The plain way: how many rows there are now, and whether the indices of this one do not increase."""
        try:
            found = row_of(text, self.reading)
        except Fault as fault:
            self.faults.append((line, fault))
            return row, False
        if found is None:
            return row, False
        s, k = self.scratch, self.scratch.indptr[row]
        ((_, pairs),) = found.groups
        indices = [int(name) for name, _ in pairs]
        s.labels[row] = np.nan if found.label is None else found.label
        s.lines[row] = line
        s.indices[k : k + len(pairs)] = indices
        s.values[k : k + len(pairs)] = [value for _, value in pairs]
        s.indptr[row + 1] = k + len(pairs)
        return row + 1, any(a >= b for a, b in pairwise(indices))

    def _find_repeated(self, chunk: bytes) -> None:
        """Rows in which a feature stands twice, among those whose indices do not increase: a fault, and not a row."""
        row = np.repeat(np.arange(len(self.labels), dtype=np.uint64), np.diff(self.indptr))
        keys = np.sort(row << U(32) | self.indices)
        bad = np.unique(keys[1:][keys[1:] == keys[:-1]] >> U(32)).astype(np.int64)
        if not len(bad):
            return
        text = chunk.split(b"\n")
        for line in self.lines[bad].tolist():
            try:
                row_of(text[line], self.reading)
            except Fault as fault:
                self.faults.append((line, fault))
        which = np.zeros(len(self.labels), np.bool_)
        which[bad] = True
        self.leave_out(which)


def settled(reading: Reading, source: Input) -> Reading:
    """Features have names where that is asked for, or where a file beside has them."""
    return reading.but(named=reading.named or reading.names or names_beside(source) is not None)


def names_beside(source: Input) -> list[str] | None:
    return names_in(source.path, source.head(1).split(b"\n", 1)[0])


def reader(reading: Reading, skip: bool, names: Any, bare: bool) -> LineReader:
    def beside(source: Input) -> dict[str, Any]:
        return {} if names is None else {"named": names_beside(source)}

    return LineReader(ParsedLibsvm, LibsvmScratch, reading, skip, names, beside)


def compiled(reading: Reading) -> bool:
    return is_compiled(parse)


def writer() -> type:
    from littlestone.streams.write.lines import Libsvm

    return Libsvm
