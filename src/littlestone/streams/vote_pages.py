"""Columns of zeros and ones in Parquet as bits, page by page: a thousand experts' votes without an array for each of them.

A dictionary of 0 and 1, or a column of truth values, lies in the file as bits already; they are put side by side, column by column.
Whatever else a row group holds, a null or a third number, pyarrow reads it.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from littlestone.kernels.compiler import jit_lent
from littlestone.streams.formats.arrow import ArrowPiece
from littlestone.streams.pages import DICTIONARY, PLAIN, RUNS, ColumnPages, NumbersPage, Unusual, levels_at, run_at

BITS = np.dtype("?")


@jit_lent
def put_bits(bits, first, value, count):
    """Put the lowest bits of a byte, at most eight, behind the first bits of a row; those that follow are 0 so far."""
    value &= (1 << count) - 1
    place, shift = first >> 3, first & 7
    bits[place] |= np.uint8((value << shift) & 255)
    if shift + count > 8:
        bits[place + 1] |= np.uint8(value >> (8 - shift))


@jit_lent
def put_packed(text, p, flip, bits, first, count):
    """So many bits from byte p on, each turned over where `flip` is 255."""
    if first & 7:
        for k in range(0, count, 8):
            put_bits(bits, first + k, np.int64(text[p + (k >> 3)]) ^ flip, min(8, count - k))
        return
    place, whole, turned = first >> 3, count >> 3, np.uint8(flip)
    for k in range(whole):
        bits[place + k] = text[p + k] ^ turned
    if count & 7:
        put_bits(bits, first + 8 * whole, np.int64(text[p + whole]) ^ flip, count & 7)


@jit_lent
def put_same(bits, first, count):
    """So many ones."""
    while count and first & 7:
        put_bits(bits, first, 1, 1)
        first, count = first + 1, count - 1
    for place in range(first >> 3, (first + count) >> 3):
        bits[place] = 255
    if count & 7:
        put_bits(bits, first + (count - (count & 7)), 255, count & 7)


@jit_lent
def put_codes(text, p, stop, size, flip, bits, first, count):
    """Codes 0 and 1 of the hybrid encoding, one bit each; False where there are fewer, or one is none of a dictionary of that size."""
    last = first + count
    while first < last:
        p, numbers, same = run_at(text, p, stop)
        here = min(numbers, last - first)
        if p == 0 or here == 0 or p + (1 if same else (here + 7) >> 3) > stop:
            return False
        if same:
            code = np.int64(text[p])
            if code >= size:
                return False
            if code ^ (flip & 1):
                put_same(bits, first, here)
            p += 1
        else:
            if size == 1:
                for k in range((here + 7) >> 3):
                    if np.int64(text[p + k]) & ((1 << min(8, here - 8 * k)) - 1):
                        return False
            put_packed(text, p, flip, bits, first, here)
            p += numbers >> 3
        first += here
    return True


@jit_lent
def all_there(text, p, stop, entries):
    """Do levels of 0 and 1 say of every number that it is there, in runs of one level?"""
    while entries > 0:
        p, numbers, same = run_at(text, p, stop)
        if p == 0 or numbers == 0 or p >= stop or not same or text[p] != 1:
            return False
        p += 1
        entries -= numbers
    return True


class VoteColumn(ColumnPages):
    """A column of zeros and ones in one row group."""

    kinds: ClassVar[dict[str, np.dtype]] = {**ColumnPages.kinds, "INT64": np.dtype("<i8"), "DOUBLE": np.dtype("<f8"), "BOOLEAN": BITS}

    def put(self, bits: np.ndarray) -> None:
        """All its rows, as bits, the lowest first."""
        if self.nested or self.most > 1:
            raise Unusual
        first = 0
        while self.left:
            page = self.page()
            if self.most and not all_there(page.text, page.defs, page.def_stop, page.entries):
                raise Unusual
            self._put_page(page, bits, first)
            first += page.entries

    def _put_page(self, page: NumbersPage, bits: np.ndarray, first: int) -> None:
        text, begin, stop, entries = page.text, page.numbers_at, len(page.text), page.entries
        size, flip = 2, 0
        if self.kind is BITS and page.encoding == PLAIN and begin + (entries + 7) // 8 <= stop:
            put_packed(text, begin, 0, bits, first, entries)
            return
        if self.kind is BITS and page.encoding == RUNS:
            begin, stop = levels_at(text, begin)
        else:
            size, flip = self._dictionary(page.encoding)
            if begin >= stop or text[begin] > 1:
                raise Unusual
            if text[begin] == 0:  # a code takes no bits where there is one
                if flip:
                    put_same(bits, first, entries)
                return
            begin += 1
        if stop > len(text) or not put_codes(text, begin, stop, size, flip, bits, first, entries):
            raise Unusual

    def _dictionary(self, encoding: int) -> tuple[int, int]:
        """How many numbers there are, and 255 where the first is 1."""
        if encoding not in DICTIONARY or self.table is None:
            raise Unusual
        numbers = self.table.tolist()
        if numbers not in ([0], [1], [0, 1], [1, 0]):
            raise Unusual
        return len(numbers), 255 * int(numbers[0])


def votes_of(stored: Any, metadata: Any, group: int, columns: Sequence[int]) -> np.ndarray:
    """The columns of a row group that stand in these places, a row of bits each; `Unusual` where one is not all zeros and ones."""
    chunks, schema = metadata.row_group(group), metadata.schema
    bits = np.zeros((len(columns), (chunks.num_rows + 7) // 8), np.uint8)
    for k, place in enumerate(columns):
        column = VoteColumn(stored, chunks.column(place), schema.column(place))
        if column.left != chunks.num_rows:
            raise Unusual
        column.put(bits[k])
    return bits


class VotePiece(ArrowPiece):
    """Some rows of columns that are all zeros and ones; `votes` has their bits, a row for each column."""

    def __init__(self, names: list[str], votes: np.ndarray, line_count: int) -> None:
        self.names, self.votes, self.line_count, self.scratch = names, votes, line_count, None

    def column(self, k: int) -> pa.Array:
        return pa.Array.from_buffers(pa.bool_(), self.line_count, [None, pa.py_buffer(self.votes[k])])

    @cached_property
    def batch(self) -> pa.RecordBatch:
        return pa.RecordBatch.from_arrays([self.column(k) for k in range(len(self.names))], self.names)


class VoteGroup:
    """A row group whose columns are all zeros and ones."""

    def __init__(self, names: list[str], votes: np.ndarray, rows: int, step: int) -> None:
        self.names, self.votes, self.rows, self.step = names, votes, rows, step

    def piece(self, number: int) -> VotePiece:
        start, stop = number * self.step, min((number + 1) * self.step, self.rows)
        return VotePiece(self.names, self.votes[:, start // 8 : (stop + 7) // 8], stop - start)
