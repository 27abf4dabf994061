"""Records of comma-separated text: where they end, and whether a file has quoted cells; see `rounds.formats.csv`."""

import re
from collections.abc import Iterable
from functools import cache

import numpy as np

from littlestone.kernels.native import core

BEGIN = 0  # the place at which a cell begins, as `last_record_end` has it


def last_record_end(text: bytes, delimiter: str, place: int = BEGIN) -> tuple[int, int]:
    """The end of the last whole record (0: none ended), and the place after the text; `place` is where in a cell the text begins."""
    end, place = core.last_record_end(np.frombuffer(text, np.uint8), ord(delimiter), place)
    return end, place


def records_of(text: bytes, delimiter: str, quotes: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(first byte, byte after the last, line counted from 0) of every record that is not blank."""
    starts, ends, lines = (np.empty(text.count(b"\n") + 1, np.int64) for _ in range(3))
    count = core.find_records(np.frombuffer(text, np.uint8), ord(delimiter), quotes, starts, ends, lines)
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
