"""Records of comma-separated text: where they end, compiled, and whether a file has quoted cells; see `rounds.formats.csv`."""

import re
from collections.abc import Iterable
from functools import cache

import numpy as np

from littlestone.kernels.compiler import jit_lent

QUOTE, NEWLINE, RETURN = np.uint8(ord('"')), np.uint8(ord("\n")), np.uint8(ord("\r"))
BEGIN, BARE, QUOTED, CLOSING = 0, 1, 2, 3  # where in a cell a place is; closing: after a quote in a quoted cell


@jit_lent
def scan(text, start, stop, delimiter, state):
    """Go on from `start` in that state: the end of the last whole record (0: none ended), and the state at `stop`."""
    end = 0
    for k in range(start, stop):
        c = text[k]
        if state == QUOTED:
            if c == QUOTE:
                state = CLOSING
        elif c == NEWLINE:
            state, end = BEGIN, k + 1
        elif c == delimiter:
            state = BEGIN
        elif c == QUOTE and (state == BEGIN or state == CLOSING):
            state = QUOTED
        else:
            state = BARE
    return end, state


@jit_lent
def begins(text, delimiter, quotes, starts, ends, lines):
    """Where records that are not blank begin and end, and in which line they begin. How many."""
    state, line, count, begin, first = BEGIN, 0, 0, 0, 0
    for k in range(len(text)):
        c = text[k]
        if c == NEWLINE:
            line += 1
        if state == QUOTED:
            if c == QUOTE:
                state = CLOSING
        elif c == NEWLINE:
            if k > begin + 1 or (k == begin + 1 and text[begin] != RETURN):
                starts[count], ends[count], lines[count] = begin, k + 1, first
                count += 1
            state, begin, first = BEGIN, k + 1, line
        elif c == delimiter:
            state = BEGIN
        elif quotes and c == QUOTE and (state == BEGIN or state == CLOSING):
            state = QUOTED
        else:
            state = BARE
    if begin < len(text):  # no newline at the end, or a quote that was never closed
        starts[count], ends[count], lines[count] = begin, len(text), first
        count += 1
    return count


def records_of(text: bytes, delimiter: str, quotes: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(first byte, byte after the last, line counted from 0) of every record that is not blank."""
    starts, ends, lines = (np.empty(text.count(b"\n") + 1, np.int64) for _ in range(3))
    count = begins(np.frombuffer(text, np.uint8), np.uint8(ord(delimiter)), quotes, starts, ends, lines)
    return starts[:count], ends[:count], lines[:count]


@cache
def _line(delimiter: bytes) -> re.Pattern[bytes]:
    d = re.escape(delimiter)
    cell = rb'(?:"(?:[^"]|"")*+"(?![^%b])|(?!")[^%b]*+)' % (d, d)
    return re.compile(cell + rb"(?:%b%b)*+" % (d, cell))


def has_quoted(lines: Iterable[bytes], delimiter: str) -> bool:
    r"""Do these lines have cells in quotes? Not where a cell begins with a quote that is not closed in its line, just before a delimiter;
    nor where all lines have as many cells without quotes, and not with them.

    >>> has_quoted([b'a\t"b c"'], "\t"), has_quoted([b"a\tb"], "\t"), has_quoted([b'"a"\t"b"', b'"\tPUNCT'], "\t")
    (True, False, False)
    >>> has_quoted([b'a\tb\tNOUN', b'"\t"\tPUNCT'], "\t")
    False
    """
    d, any_quoted = delimiter.encode(), False
    bare, quoted = set(), set()  # how many cells lines have, without quotes and with them
    for line in lines:
        line, count = line.removesuffix(b"\r"), line.count(d)
        if not line:
            continue
        bare.add(count)
        if line.startswith(b'"') or d + b'"' in line:
            if _line(d).fullmatch(line) is None:
                return False
            any_quoted = True
            count -= sum(cell.count(d) for cell in re.findall(rb'(?:\A|(?<=%b))"((?:[^"]|"")*+)"' % re.escape(d), line))
        quoted.add(count)
    return any_quoted and not (len(bare) == 1 < len(quoted))
