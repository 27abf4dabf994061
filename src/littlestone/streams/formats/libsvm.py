"""libsvm text, compiled: what nearly all lines need. A line it is not sure of is handed to `rounds.formats.libsvm`."""

from collections.abc import Sequence
from contextlib import closing
from typing import Any

import numpy as np

from littlestone.kernels.compiler import is_compiled, jit_lent, load8
from littlestone.rounds.formats.libsvm import names_in, row_of, unnamed
from littlestone.rounds.reading import Reading
from littlestone.streams.files import Input
from littlestone.streams.line_rows import LineRows, LineScratch
from littlestone.streams.lines import LineReader
from littlestone.streams.number_kernels import (
    COLON,
    DOT,
    EIGHT,
    HASH,
    LIMIT,
    MINUS,
    NEWLINE,
    NONE,
    NOUGHT,
    NOUGHTS,
    ONE,
    POWERS,
    SPACE,
    SURE_DIGITS,
    TEN,
    TENS,
    TWO,
    U,
    blank,
    digits_in,
    number,
    value_of,
)  # fmt: skip # isort: skip

WARM = b"1 1:1\n"


@jit_lent
def parse_lines(text, start, stop, row, line, labels, lines, indptr, indices, values):
    """Parse whole lines of text[start:stop], which ends with a newline, into the arrays, from `row` on.

    Returns (place, row, line, rows whose indices do not increase): the place is `stop`, or where a line begins that plain Python judges.
    """
    p, stop, row, k, unordered = U(start), U(stop), U(row), U(indptr[row]), 0
    while p < stop:
        begin, first = p, k
        c = text[p]
        while blank(c):
            p += ONE
            c = text[p]
        if c != NEWLINE and c != HASH:
            label, after = number(text, p)
            if after == NONE:
                return begin, row, line, unordered
            c = text[after]
            if c == COLON:  # no label
                label = np.nan
                c = text[p]
            elif c == NEWLINE or blank(c):
                p = after
            else:
                return begin, row, line, unordered
            previous, ordered = NONE, True
            while True:
                while blank(c):
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
                    p, index, c = place, NONE, text[place]
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
                digits, fractional, length = NONE, NONE, p
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
                    if p == NONE:
                        return begin, row, line, unordered
                    c = text[p]
                    if c != NEWLINE and not blank(c):
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


@jit_lent
def parse(text, start, stop, state, labels, lines, indptr, indices, values):
    """The same from row state[0] and line state[1] on; state[2] counts rows whose indices do not increase."""
    place, row, line, unordered = parse_lines(text, start, stop, state[0], state[1], labels, lines, indptr, indices, values)
    state[0], state[1], state[2] = row, line, state[2] + unordered
    return place


class ParsedLibsvm(LineRows):
    """One chunk of whole lines. Features are numbers, and get names when they are settled, if any are wanted."""

    row_of = staticmethod(row_of)

    def __init__(
        self, path: str, skip: bool, scratch: LineScratch, reading: Reading, snapshot: Any = None, named: Sequence[str] | None = None
    ) -> None:
        super().__init__(path, scratch, reading, by_name=False)
        self.named = named  # the names of features 0, 1, ..., where a file beside this one has them
        self.state[5] = 1  # values stay, whatever they are
        s = scratch
        self.parse(parse, (s.labels, s.lines, s.indptr, s.indices, s.values), skip)
        self.cut()

    def settle(self, names: Any) -> None:
        named, adds_up = self.named, self.reading.adds_up
        if named is not None and len(self.indices) and self.indices.max() >= len(named):
            self._refuse_unnamed(len(named))
        if names is None or not adds_up:
            self.settle_numbers()
        if names is None:
            return
        if self.reading.bits is not None:
            self.indices = (
                names.columns_of_numbers(self.indices) if named is None else names.columns_of([named[i] for i in self.indices.tolist()])
            )
        else:
            kinds, first, where = np.unique(self.indices, return_index=True, return_inverse=True)
            order = np.argsort(first)  # names get their columns in the order of their first appearance
            columns = np.empty(len(kinds), np.uint32)
            columns[order] = names.columns_of([str(i) if named is None else named[i] for i in kinds[order].tolist()])
            self.indices = columns[where]
        self.examined = None
        if adds_up:
            self.add_up(names.stamps, int(self.indices.max(initial=0)) + 1)

    def _refuse_unnamed(self, count: int) -> None:
        beyond = np.flatnonzero(self.indices >= count)
        rows = np.searchsorted(self.indptr, beyond, side="right") - 1
        bad, first = np.unique(rows, return_index=True)
        faults = {row: unnamed(int(self.indices[k]), count) for row, k in zip(bad.tolist(), beyond[first].tolist(), strict=True)}
        self.refuse(bad, faults.__getitem__)


def settled(reading: Reading, source: Input) -> Reading:
    """Features have names where that is asked for, or where a file beside has them."""
    return reading.but(named=reading.named or reading.names or names_beside(source) is not None)


def names_beside(source: Input) -> list[str] | None:
    if source.span is None:
        return names_in(source.path, source.head(1).split(b"\n", 1)[0])
    with closing(Input(source.path)) as whole:  # its first line is not that of the part
        return names_beside(whole)


def reader(reading: Reading, skip: bool, names: Any, bare: bool) -> LineReader:
    def beside(source: Input) -> dict[str, Any]:
        return {} if names is None else {"named": names_beside(source)}

    return LineReader(ParsedLibsvm, LineScratch, reading, skip, names, beside)


def compiled(reading: Reading) -> bool:
    return is_compiled(parse)


def writer() -> type:
    from littlestone.streams.write.lines import Libsvm

    return Libsvm
