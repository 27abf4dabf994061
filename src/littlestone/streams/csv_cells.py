"""Cells of comma-separated text, compiled: numbers and the different texts of columns, where every cell is as nearly all are.

Where something else stands in some rows (a quote, a blank line, a number with an exponent, too many or too few cells), pyarrow reads them,
and what it is not sure of the plain reader.
"""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pyarrow as pa

from littlestone.kernels.compiler import jit_lent, load8
from littlestone.streams.columns import Unsure
from littlestone.streams.name_kernels import SEED, SLACK, first_bytes, hash_of, same
from littlestone.streams.number_kernels import (
    DOT,
    EIGHT,
    MINUS,
    NEWLINE,
    NONE,
    NOUGHT,
    NOUGHTS,
    ONE,
    SURE_DIGITS,
    TEN,
    TENS,
    U,
    digits_in,
    value_of,
)  # fmt: skip

IGNORED, NUMBER, CODED = 0, 1, 2  # what is made of a column
MOST_TEXTS = 2**12  # different texts in a column of a piece
SPREAD, SHIFT = U(0x9E3779B97F4A7C15), U(64 - 14)
NEVER = b"0123456789.-"  # delimiters that could stand in a number


@jit_lent
def cell_end(text, p, delimiter):
    while text[p] != delimiter and text[p] != NEWLINE:
        p += ONE
    return p


@jit_lent
def number_cell(text, p, delimiter):
    """A cell of digits, perhaps with a minus before them and a point between: (its value, its end); the end 0 where it is not such."""
    word = load8(text, p) ^ NOUGHTS
    digits = digits_in(word)
    if ONE <= digits < EIGHT and (text[p + digits] == delimiter or text[p + digits] == NEWLINE):
        return np.float64(value_of(word, digits)), p + digits
    negative = text[p] == MINUS
    if negative:
        p += ONE
    begin, whole, fractional = p, NONE, NONE
    d = U(text[p]) - NOUGHT
    while d < TEN and p - begin <= SURE_DIGITS:
        whole = whole * TEN + d
        p += ONE
        d = U(text[p]) - NOUGHT
    count = p - begin
    if count == NONE:
        return 0.0, NONE
    if text[p] == DOT:
        p += ONE
        point = p
        d = U(text[p]) - NOUGHT
        while d < TEN and p - begin <= SURE_DIGITS + ONE:
            whole = whole * TEN + d
            p += ONE
            d = U(text[p]) - NOUGHT
        fractional = p - point
        count += fractional
        if fractional == NONE:
            return 0.0, NONE
    if count > SURE_DIGITS or (text[p] != delimiter and text[p] != NEWLINE):
        return 0.0, NONE
    value = np.float64(whole) / TENS[fractional]
    return (-value if negative else value), p


@jit_lent
def is_word(text, p, end, words, ends):
    """Is text[p:end] one of these words, one after the other in `words`, each up to its end?"""
    begin = 0
    for i in range(len(ends)):
        length = ends[i] - begin
        if np.int64(end - p) == length:
            alike = True
            for k in range(length):
                alike &= text[p + U(k)] == words[begin + k]
            if alike:
                return True
        begin = ends[i]
    return False


@jit_lent
def code_of(text, p, n, slots, texts, count):
    """The number of a text among those of its column, which are known by first bytes or hash, place and length: (it, how many there are).

    -1 where there are too many.
    """
    key = first_bytes(text, p, n) if NONE < n <= EIGHT else NONE
    if n > EIGHT:
        key, _ = hash_of(SEED, text, p, n, NONE, NONE, np.uint8(0))
    last = U(len(slots) - 1)
    slot = (((key ^ n) * SPREAD) >> SHIFT) & last
    while slots[slot] > 0:
        known = texts[slots[slot] - 1]
        if known[0] == key and known[2] == n and (n <= EIGHT or same(text, known[1], text, p, n, NONE, NONE, np.uint8(0))):
            return slots[slot] - 1, count
        slot = (slot + ONE) & last
    if count == len(texts):
        return -1, count
    texts[count, 0], texts[count, 1], texts[count, 2] = key, p, n
    slots[slot] = count + 1
    return count, count + 1


@jit_lent
def parse(text, start, stop, delimiter, uses, words, ends, numbers, codes, slots, texts, counts):
    """All rows of text[start:stop], which ends with a newline: numbers[k, row] of the k-th column of numbers, NaN for what is missing, and
    codes[k, row] of the k-th of texts. How many rows; -1 where a cell is not as expected."""
    p, stop, row, last = U(start), U(stop), 0, len(uses) - 1
    while p < stop:
        if text[p] == NEWLINE or row >= numbers.shape[1]:
            return -1
        number = coded = 0
        for j in range(last + 1):
            if uses[j] == NUMBER:
                value, end = number_cell(text, p, delimiter)
                if end == NONE:
                    end = cell_end(text, p, delimiter)
                    if not is_word(text, p, end, words, ends):
                        return -1
                    value = np.nan
                numbers[number, row] = value
                number += 1
            else:
                end = cell_end(text, p, delimiter)
                if uses[j] == CODED:
                    code, counts[coded] = code_of(text, p, end - p, slots[coded], texts[coded], counts[coded])
                    if code < 0:
                        return -1
                    codes[coded, row] = code
                    coded += 1
            if (text[end] == NEWLINE) != (j == last):
                return -1
            p = end + ONE
        row += 1
    return row


def columns_of(
    text: bytes, skip: int, rows: int, names: Sequence[str], uses: Mapping[str, int], delimiter: str, missing: Collection[str]
) -> dict[str, pa.Array]:
    """The columns that are used, of rows after `skip` bytes: as pyarrow would give them. `Unsure` where a cell is not as expected."""
    kinds = np.array([uses.get(name, IGNORED) for name in names], np.int64)
    if delimiter.encode() in NEVER or len(set(names)) < len(names):
        raise Unsure
    coded = int((kinds == CODED).sum())
    numbers, codes = np.empty((int((kinds == NUMBER).sum()), rows)), np.empty((coded, rows), np.int32)
    most = max(1, min(MOST_TEXTS, rows))  # not more than the text is worth, where there are many columns and few rows
    places_for = 1 << (4 * most).bit_length() - 1  # to look for texts, of which at most half are taken
    slots, texts, counts = np.zeros((coded, places_for), np.int32), np.empty((coded, most, 3), np.uint64), np.zeros(coded, np.int64)
    words = [word.encode() for word in missing]
    ends, known = np.cumsum([0, *map(len, words)], dtype=np.int64)[1:], np.frombuffer(bytearray().join([*words, b" "]), np.uint8)
    padded = np.frombuffer(bytearray().join((text, bytes(SLACK))), np.uint8)
    if parse(padded, skip, len(text), np.uint8(ord(delimiter)), kinds, known, ends, numbers, codes, slots, texts, counts) != rows:
        raise Unsure
    columns, number, code = dict[str, pa.Array](), iter(numbers), zip(codes, texts, counts.tolist(), strict=True)
    for name, kind in zip(names, kinds.tolist(), strict=True):
        if kind == NUMBER:
            columns[name] = with_nulls(next(number))
        elif kind == CODED:
            places, table, count = next(code)
            spans = table[:count, 1:].astype(np.int64).tolist()
            try:
                cells = [text[begin : begin + length].decode() for begin, length in spans]
            except UnicodeDecodeError:
                raise Unsure from None
            columns[name] = pa.DictionaryArray.from_arrays(pa.array(places), pa.array(cells, pa.string()))
    return columns


def with_nulls(numbers: np.ndarray) -> pa.Array:
    """Doubles as an array of Arrow, null where they are NaN."""
    empty = np.isnan(numbers)
    valid = pa.py_buffer(np.packbits(~empty, bitorder="little")) if empty.any() else None
    return pa.Array.from_buffers(pa.float64(), len(numbers), [valid, pa.py_buffer(numbers)])
