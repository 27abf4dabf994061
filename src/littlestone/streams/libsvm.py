"""libsvm text: `label index:value index:value ...`, spaces or tabs between, a comment after '#'.

A line that begins with a feature has no label. Two parsers: `parse_line` is plain Python, and the definition; it says what a line means or
what is wrong with it. `parse` is compiled, does what nearly all lines need, and hands a line it is not sure of to the other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from littlestone.kernels.compiler import jit_lent, jit_lent_apart, load8, trailing_zeros
from littlestone.kernels.rows import examine
from littlestone.rounds.reading import Reading
from littlestone.streams.names import SLACK
from littlestone.streams.parsed import Fault, Parsed
from littlestone.streams.vocabulary import Marks

LARGEST_INDEX = 2**31 - 1
LARGEST_FLOAT32 = float(np.finfo(np.float32).max)
NUMBER = re.compile(rb"[+-]?(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+\Z")  # possessive: digits are not tried in every way
TOKEN = re.compile(rb"[^ \t\r]+")


def parse_line(line: bytes, *, once: bool = True) -> tuple[float, list[int], list[float]] | None:
    """(label or NaN, indices, values) of one line, or None when it is blank; raises Fault.

    >>> parse_line(b"+1 3:0.5 7:2e0 # a comment")
    (1.0, [3, 7], [0.5, 2.0])
    """
    tokens = [(m.start(), m[0]) for m in TOKEN.finditer(line.split(b"#", 1)[0].rstrip(b"\n"))]
    if not tokens:
        return None
    label = float("nan")
    if b":" not in tokens[0][1]:
        column, token = tokens.pop(0)
        if not NUMBER.match(token):
            raise Fault(column, token, "a label: a number, such as 1, 0 or -1")
        label = float(token)
        if label in (float("inf"), float("-inf")):
            raise Fault(column, token, "a label: a finite number, such as 1, 0 or -1")
    indices: list[int] = []
    values: list[float] = []
    seen: set[int] = set()
    for column, token in tokens:
        name, colon, text = token.partition(b":")
        if not name.isdigit():
            raise Fault(column, token, "a feature index: a whole number, 0 or more")
        if not colon:
            raise Fault(column, token, "':' and a value after the feature index")
        index = int(name) if len(name) < 4000 else LARGEST_INDEX + 1
        if index > LARGEST_INDEX:
            raise Fault(column, token, f"a feature index of at most {LARGEST_INDEX}")
        if not NUMBER.match(text):
            raise Fault(column + len(name) + 1, text or b"nothing", "a finite number after ':'")
        value = float(text)
        if abs(value) > LARGEST_FLOAT32:
            raise Fault(column + len(name) + 1, text, f"a number of size at most {LARGEST_FLOAT32:.6g}")
        if once and index in seen:
            raise Fault(column, token, "each feature once in a row; --sum-duplicates (sum_duplicates=True) adds them up")
        seen.add(index)
        indices.append(index)
        values.append(value)
    return label, indices, values


# Unsigned throughout: a signed place in the text costs a test for wraparound at every byte.
U = np.uint64
ONE, TEN, NOUGHT, LIMIT, SURE_DIGITS = U(1), U(10), U(48), U(LARGEST_INDEX), U(15)
TAB, NEWLINE, RETURN, SPACE, HASH, PLUS, MINUS, DOT, COLON, LARGE_E, SMALL_E = (np.uint8(ord(c)) for c in "\t\n\r #+-.:Ee")
TENS = 10.0 ** np.arange(23)  # exact doubles: one multiplication or division by them rounds once


POWERS = np.array([10**k for k in range(9)], np.uint64)

# Eight characters at a time: in a word of bytes, exclusive-or with '0's makes every digit its value.
TWO, EIGHT, BITS, NOUGHTS = U(2), U(8), U(64), U(0x3030303030303030)
PAST_NINE, HIGH_BITS = U(0x7676767676767676), U(0x8080808080808080)
PAIRS, FOURS = U(0x00FF00FF00FF00FF), U(0x0000FFFF0000FFFF)
HUNDRED, MYRIAD, SIXTEEN, THIRTY_TWO, THREE = U(100), U(10_000), U(16), U(32), U(3)


@jit_lent
def digits_in(word):
    """How many of the eight bytes, from the first on, are digits."""
    return trailing_zeros(((word + PAST_NINE) | word) & HIGH_BITS) >> THREE if ((word + PAST_NINE) | word) & HIGH_BITS else EIGHT


@jit_lent
def value_of(word, digits):
    """The number that the first 1 to 8 bytes spell: neighbours are joined to pairs, pairs to fours, fours to eight."""
    word = word << (BITS - digits * EIGHT)
    word = (word * TEN + (word >> EIGHT)) & PAIRS
    word = (word * HUNDRED + (word >> SIXTEEN)) & FOURS
    return (word * MYRIAD + (word >> THIRTY_TWO)) & U(0xFFFFFFFF)


@jit_lent_apart
def number(text, p):
    """A decimal number at p: (value, the place after it), the place 0 where it needs more care than this."""
    c = text[p]
    negative = c == MINUS
    if c == MINUS or c == PLUS:
        p += ONE
        c = text[p]
    digits, count, exponent = U(0), 0, np.int64(0)
    d = U(c) - NOUGHT
    while d < TEN:
        digits, count, p = digits * TEN + d, count + 1, p + ONE
        c = text[p]
        d = U(c) - NOUGHT
    if c == DOT:
        p += ONE
        c = text[p]
        d = U(c) - NOUGHT
        while d < TEN:
            digits, count, exponent, p = digits * TEN + d, count + 1, exponent - 1, p + ONE
            c = text[p]
            d = U(c) - NOUGHT
    if c == SMALL_E or c == LARGE_E:
        p += ONE
        c = text[p]
        down = c == MINUS
        if c == MINUS or c == PLUS:
            p += ONE
            c = text[p]
        d = U(c) - NOUGHT
        if d >= TEN:
            return 0.0, U(0)
        e = np.int64(0)
        while d < TEN:
            e = min(e * 10 + np.int64(d), np.int64(1000))
            p += ONE
            d = U(text[p]) - NOUGHT
        exponent += -e if down else e
    if count == 0 or count > 19 or digits > U(2**53) or exponent < -22 or exponent > 22:
        return 0.0, U(0)
    value = np.float64(digits) / TENS[-exponent] if exponent < 0 else np.float64(digits) * TENS[exponent]
    if value > LARGEST_FLOAT32:
        return 0.0, U(0)
    return (-value if negative else value), p


@jit_lent
def parse(text, start, stop, row, line, labels, lines, indptr, indices, values):
    """Parse whole lines of text[start:stop], which ends with a newline, into the arrays, from `row` on.

    Returns (place, row, line, rows whose indices do not increase): the place is `stop`, or where a line begins that `parse_line` judges.
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


class Scratch:
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
        self, path: str, skip: bool, scratch: Scratch, reading: Reading, snapshot: Any = None, named: Sequence[str] | None = None
    ) -> None:
        self.path, self.scratch, self.reading = path, scratch, reading
        self.adds = reading.sum_duplicates or reading.bits is not None  # is a feature that stands twice summed?
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
        elif not self.adds:
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
            if self.reading.bits is not None or self.reading.sum_duplicates:
                self.add_up(Marks() if names is None else names.marks, int(self.indices.max(initial=0)) + 1)

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
            found = parse_line(text, once=not self.adds)
        except Fault as fault:
            self.faults.append((line, fault))
            return row, False
        if found is None:
            return row, False
        s, k = self.scratch, self.scratch.indptr[row]
        s.labels[row], indices, values = found
        s.lines[row] = line
        s.indices[k : k + len(indices)] = indices
        s.values[k : k + len(values)] = values
        s.indptr[row + 1] = k + len(indices)
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
                parse_line(text[line])
            except Fault as fault:
                self.faults.append((line, fault))
        which = np.zeros(len(self.labels), np.bool_)
        which[bad] = True
        self.leave_out(which)
