"""Lists of numbers in Parquet, page by page: what `convert` and most others write, without going through every level of every number.

Runs of levels are taken as a whole, and plain numbers go from the file to where they are played: reading takes 0.53 of the processor time
that pyarrow takes to read the file and do nothing with it, and playing 0.48 of what it takes through pyarrow (200,000 rows of 70 numbers).
Whatever is not as expected raises `Unusual`, and pyarrow reads the row group instead.
"""

import os
import sys
import threading
from bisect import bisect_right
from functools import cached_property
from typing import Any, ClassVar, NamedTuple
from zlib import crc32

import numpy as np
import pyarrow as pa

from littlestone.kernels.compiler import jit_lent, load8, trailing_zeros

PLAIN, RUNS, DICTIONARY = 0, 3, (2, 8)
DATA, DICTIONARY_PAGE, DATA_2 = 0, 2, 3
PLAIN_PAGES = {DATA: (5, 2), DATA_2: (8, 4)}  # where the header says how the numbers are written
PLACE = threading.Lock()  # a file has one place for all threads
FIELDS = 16  # more than a header numbers
ONE, THREE = np.uint64(1), np.uint64(3)
WINDOW = 2**15  # bytes in which the header and the levels of a page of 2^20 bytes end, as a rule
MOST_ROWS = 2**21  # of a row group, of which it is known beforehand where all of them lie
MOST_BYTES = 2**31  # of a page: the format has 32 bits for it, one of them a sign


class Unusual(Exception):
    """Something that is left to pyarrow."""


class CutOff(Unusual):
    """The bytes of a page end before its levels do."""


@jit_lent
def varint_at(data, p):
    """A number in bytes of seven bits, the lowest first, and the place after it; place 0 where it is cut off."""
    value, shift = np.int64(0), 0
    while p < len(data) and shift < 63:
        byte = np.int64(data[p])
        value |= (byte & 127) << shift
        shift, p = shift + 7, p + 1
        if byte < 128:
            return value, p
    return value, 0


@jit_lent
def header_at(data, p, fields):
    """A struct of Thrift's compact protocol: numbers and truths go to fields[f, 0], those of a struct f in it to fields[f, g].

    The place after it; 0 where it is cut off, or holds what no page's header does. Text and deeper structs are passed over.
    """
    outer = inner = deepest = np.int64(0)
    depth = 1
    while p < len(data):
        head = np.int64(data[p])
        kind, delta = head & 15, head >> 4
        p += 1
        if head == 0:
            depth -= 1
            if depth == 0:
                return p
            continue
        value = np.int64(0)
        if delta == 0:
            value, p = varint_at(data, p)
            delta = (value >> 1) ^ -(value & 1)
        elif depth == 1:
            delta += outer
        elif depth == 2:
            delta += inner
        else:
            delta += deepest
        if p == 0 or not 0 < delta < FIELDS or depth > 3:
            return 0
        if depth == 1:
            outer, inner = delta, np.int64(0)
        elif depth == 2:
            inner, deepest = delta, np.int64(0)
        else:
            deepest = delta
        if kind == 1 or kind == 2:
            value = np.int64(kind == 1)
        elif kind == 3:
            p += 1
            continue
        elif 4 <= kind <= 6 or kind == 8:
            value, p = varint_at(data, p)
            if p == 0:
                return 0
            if kind == 8:
                if not 0 <= value <= len(data) - p:
                    return 0
                p += value
                continue
            value = (value >> 1) ^ -(value & 1)
        elif kind == 12:
            depth += 1
            continue
        else:
            return 0
        if depth == 1:
            fields[outer, 0] = value
        elif depth == 2:
            fields[outer, inner] = value
    return 0


@jit_lent
def run_at(text, p, stop):
    """A run of the hybrid encoding at p: (place after its head, how many numbers, 1 where they are one number repeated); 0 when cut off."""
    head, shift = np.int64(0), 0
    while True:
        if p >= stop or shift > 35:
            return 0, np.int64(0), 0
        byte = np.int64(text[p])
        p += 1
        head |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            break
    if head & 1:
        return p, (head >> 1) * 8, 0
    return p, head >> 1, 1


@jit_lent
def bits_at(text, p, stop, bit):
    """At least 56 bits, the first of them `bit` bits after the byte p; bytes past the end count as 0."""
    place, word = p + (bit >> 3), np.uint64(0)
    if place + 8 <= stop:
        word = load8(text, np.uint64(place))
    else:
        for k in range(8):
            if place + k < stop:
                word |= np.uint64(text[place + k]) << np.uint64(8 * k)
    return word >> np.uint64(bit & 7)


@jit_lent
def number_at(text, p, stop, bit, width):
    """The number of so many bits, `bit` bits after the byte p; bytes past the end count as 0."""
    return np.int64(bits_at(text, p, stop, bit) & ((ONE << np.uint64(width)) - ONE))


@jit_lent
def unpack(text, p, stop, width, table, out):
    """Numbers of a dictionary's table; False where the bytes do not hold as many, or none of the table."""
    n, k, size = len(out), 0, len(table)
    if size == 0:
        return False
    last = np.uint64(size - 1)
    while k < n:
        p, count, same = run_at(text, p, stop)
        if p == 0 or count == 0:
            return False
        count_here = min(count, n - k)
        if same:
            code = number_at(text, p, stop, 0, width)
            if code >= size or p + (width + 7) // 8 > stop:
                return False
            out[k : k + count_here] = table[code]
            p += (width + 7) // 8
        else:
            if p + (count_here * width + 7) // 8 > stop:
                return False
            whole = min(count_here, max(stop - p - 8, 0) * 8 // max(width, 1))  # eight bytes can be read at once for so many
            mask, seven, top = (ONE << np.uint64(width)) - ONE, np.uint64(7), np.uint64(0)
            at, bit, wide = np.uint64(p), np.uint64(0), np.uint64(width)
            for j in range(k, k + whole):
                code = (load8(text, at + (bit >> THREE)) >> (bit & seven)) & mask
                bit += wide
                top = max(top, code)
                out[j] = table[min(code, last)]
            for j in range(whole, count_here):
                code = np.uint64(number_at(text, p, stop, j * width, width))
                top = max(top, code)
                out[k + j] = table[min(code, last)]
            if top > last:
                return False
            p += count * width // 8
        k += count_here
    return True


@jit_lent
def rows_in(text, rep, rep_stop, defs, def_stop, entries, width, most, null, starts):
    """Where rows begin, as numbers of values before them, by runs of both levels; (rows, values), or (-1, 0) for what is unusual."""
    rows, values, k = 0, 0, 0
    rep_left = def_left = rep_bit = def_bit = 0
    rep_same = def_same = 0
    rep_at = rep
    def_at = defs
    rep_value = def_value = 0
    while k < entries:
        if rep_left == 0:
            rep_at = rep_at + ((rep_bit + 7) >> 3) if not rep_same else rep_at
            rep_at, rep_left, rep_same = run_at(text, rep_at, rep_stop)
            if rep_at == 0 or rep_left == 0:
                return -1, 0
            rep_bit = 0
            if rep_same:
                rep_value = number_at(text, rep_at, rep_stop, 0, 8)
                rep_at += 1
        if def_left == 0:
            def_at = def_at + ((def_bit + 7) >> 3) if not def_same else def_at
            def_at, def_left, def_same = run_at(text, def_at, def_stop)
            if def_at == 0 or def_left == 0:
                return -1, 0
            def_bit = 0
            if def_same:
                def_value = number_at(text, def_at, def_stop, 0, 8)
                def_at += 1
        step = min(min(rep_left, def_left), entries - k)
        if rep_same and def_same and rep_value == 1 and def_value == most:
            values += step
        elif def_same and def_value == most and not rep_same:  # many bits at a time: every 0 is the first number of a row
            if rep_at + ((rep_bit + step + 7) >> 3) > rep_stop:
                return -1, 0
            left = step
            while left:
                count = min(left, 56)
                word = bits_at(text, rep_at, rep_stop, rep_bit)
                zeros = ~word & ((ONE << np.uint64(count)) - ONE)
                while zeros:
                    if rows >= len(starts):
                        return -1, 0
                    starts[rows] = values + np.int64(trailing_zeros(zeros))
                    rows += 1
                    zeros &= zeros - ONE
                values, rep_bit, left = values + count, rep_bit + count, left - count
        else:
            step = 1
            r, d = rep_value, def_value
            if not rep_same:
                r = number_at(text, rep_at, rep_stop, rep_bit, 1)
                rep_bit += 1
            if not def_same:
                d = number_at(text, def_at, def_stop, def_bit, width)
                def_bit += width
            if r > 1 or d > most:
                return -1, 0  # no levels of this column
            if r == 0:
                if rows >= len(starts):
                    return -1, 0
                starts[rows] = values
                rows += 1
            if d == most:
                values += 1
            elif r == 1 or d == null:
                return -1, 0  # a null among the numbers
        rep_left -= step
        def_left -= step
        k += step
    return rows, values


class NumbersPage(NamedTuple):
    """A page of numbers: where its levels and its numbers lie in its bytes, and how the numbers are written."""

    text: np.ndarray
    rep: int
    rep_stop: int
    defs: int
    def_stop: int
    numbers_at: int
    entries: int
    encoding: int


class PageHead(NamedTuple):
    """What stands before a page: where its bytes begin and end, its kind, its size when unpacked, its checksum (-1 where it has none), and
    all numbers of its header."""

    begin: int
    end: int
    kind: int
    size: int
    checksum: int
    fields: np.ndarray


def header_of(data: np.ndarray, place: int) -> PageHead:
    fields = np.full((FIELDS, FIELDS), -1, np.int64)
    begin = header_at(data, place, fields)
    _, kind, size, stored_size, checksum = fields[:5, 0].tolist()
    if begin == 0 or not 0 <= size < MOST_BYTES or not 0 <= stored_size < MOST_BYTES:
        raise Unusual
    return PageHead(begin, begin + stored_size, kind, size, checksum, fields)


class ColumnPages:
    """The pages of one column in one row group; `table` is its dictionary, once that was met."""

    kinds: ClassVar[dict[str, np.dtype]] = {"INT32": np.dtype("<i4"), "FLOAT": np.dtype("<f4")}
    codecs: ClassVar[tuple[str, ...]] = ("UNCOMPRESSED", "SNAPPY", "ZSTD")

    def __init__(self, stored: Any, chunk: Any, column: Any) -> None:
        if sys.byteorder != "little" or chunk.compression not in self.codecs or chunk.physical_type not in self.kinds:
            raise Unusual
        self.kind, self.most, self.nested = self.kinds[chunk.physical_type], column.max_definition_level, column.max_repetition_level
        self.codec = None if chunk.compression == "UNCOMPRESSED" else pa.Codec(chunk.compression.lower())
        self.begin, self.size = chunk.data_page_offset, chunk.total_compressed_size
        if chunk.has_dictionary_page and chunk.dictionary_page_offset:
            self.begin = min(self.begin, chunk.dictionary_page_offset)
        if not 0 <= self.begin <= self.begin + self.size <= stored.size():
            raise Unusual
        self.stored, self.left, self.place = stored, chunk.num_values, 0
        self.table: np.ndarray | None = None

    @cached_property
    def data(self) -> np.ndarray:
        """All bytes of the column in this row group."""
        with PLACE:
            self.stored.seek(self.begin)
            return np.frombuffer(self.stored.read_buffer(self.size), np.uint8)

    def page(self) -> NumbersPage:
        """The next page of numbers."""
        head = header_of(self.data, self.place)
        self.place, body = head.end, self.data[head.begin : head.end]
        if len(body) != head.end - head.begin:
            raise Unusual
        if head.checksum != -1 and crc32(body.data) != head.checksum & 0xFFFFFFFF:
            raise Unusual  # pyarrow finds that, too, and it is said where
        if head.kind == DICTIONARY_PAGE and self.table is None:
            self.table = np.frombuffer(self._unpacked(body, head.size), self.kind, int(head.fields[7, 1]))
            return self.page()
        if head.kind != DATA_2:
            text = np.frombuffer(self._unpacked(body, head.size), np.uint8)
        elif self.codec is None or not head.fields[8, 7]:  # where nothing is said it is packed
            text = body
        else:
            lengths = int(head.fields[8, 5] + head.fields[8, 6])  # of levels, which are not packed
            text = np.frombuffer(bytes(body[:lengths]) + bytes(self._unpacked(body[lengths:], head.size - lengths)), np.uint8)
        page = self.laid_out(head, text)
        self.left -= page.entries
        return page

    def laid_out(self, head: PageHead, text: np.ndarray) -> NumbersPage:
        """Where levels and numbers lie in the bytes of a page."""
        if head.kind == DATA_2:
            _, entries, _, _, encoding, defs_size, rep_size, *_ = head.fields[8].tolist()
            rep, rep_stop, defs, def_stop = 0, rep_size, rep_size, rep_size + defs_size
        elif head.kind == DATA:
            _, entries, encoding, defs_encoding, rep_encoding, *_ = head.fields[5].tolist()
            if defs_encoding != RUNS or rep_encoding != RUNS:
                raise Unusual
            rep, rep_stop = levels_at(text, 0) if self.nested else (0, 0)
            defs, def_stop = levels_at(text, rep_stop) if self.most else (rep_stop, rep_stop)
        else:
            raise Unusual
        if not 0 <= rep_stop <= def_stop or not 0 < entries <= self.left:
            raise Unusual
        if def_stop > len(text):
            raise CutOff
        return NumbersPage(text, rep, rep_stop, defs, def_stop, def_stop, entries, encoding)

    def _unpacked(self, body: np.ndarray, size: int) -> Any:
        if self.codec is None:
            return body
        if size < 0 or (not size and len(body)) or (self.codec.name == "snappy" and size and snappy_size(body) != size):
            raise Unusual  # pyarrow's snappy leaves what is missing as it was in memory
        return memoryview(self.codec.decompress(pa.py_buffer(body), decompressed_size=size)) if size else body


def snappy_size(body: np.ndarray) -> int:
    """The size when unpacked, with which a text of snappy begins, in bytes of seven bits; -1 where it is cut off."""
    size = 0
    for k, byte in enumerate(body[:5].tolist()):
        size |= (byte & 127) << 7 * k
        if byte < 128:
            return size
    return -1


def levels_at(text: np.ndarray, place: int) -> tuple[int, int]:
    """Where levels begin and end, their length in four bytes before them."""
    begin = place + 4
    if begin > len(text):
        raise CutOff
    return begin, begin + int(text[place:begin].view("<u4")[0])


class PlainLists(ColumnPages):
    """One column of lists of numbers in one row group that are written as they lie in memory: its levels say beforehand where each row is.

    So rows are taken in any order, by any number of threads, and go from the file to where they are played in one copy.
    """

    codecs: ClassVar[tuple[str, ...]] = ("UNCOMPRESSED",)

    def __init__(self, stored: Any, chunk: Any, column: Any, nullable: bool, spare: list[np.ndarray], rows: int) -> None:
        super().__init__(stored, chunk, column)
        if self.nested != 1 or rows > MOST_ROWS or not isinstance(stored, pa.OSFile) or not hasattr(os, "preadv"):
            raise Unusual
        self.null, self.spare = self.most - 1 if nullable else -1, spare
        self.starts, self.pages = np.zeros(rows + 1, np.int64), [(0, 0)]  # numbers before each row; and before each page, with its place
        self.file, self.window = stored.fileno(), np.empty(WINDOW, np.uint8)
        row = count = 0
        while self.left:
            page = self._levels()
            starts = self.starts[row:rows]
            levels = page.rep, page.rep_stop, page.defs, page.def_stop, page.entries
            more, numbers = rows_in(page.text, *levels, self.most.bit_length(), self.most, self.null, starts)
            if more < 0 or page.numbers_at + 4 * numbers > self.page_size:
                raise Unusual
            starts[:more] += count
            self.pages.append((count, self.begin + self.page_at + page.numbers_at))
            row, count, self.left = row + more, count + numbers, self.left - page.entries
        if row != rows or (rows and self.starts[0]):
            raise Unusual
        self.starts[rows] = count
        self.pages.append((count, 0))

    def _levels(self) -> NumbersPage:
        """The next page, as far as its levels go."""
        while True:
            text = self.window[: self.size - self.place]
            text = text[: read_at(self.file, text, self.begin + self.place)]
            head = header_of(text, 0)
            if head.checksum != -1:  # to see that it is right, all of the page is read
                raise Unusual
            if head.kind not in PLAIN_PAGES or head.fields[PLAIN_PAGES[head.kind]] != PLAIN or self.place + head.end > self.size:
                raise Unusual
            try:
                page = self.laid_out(head, text[head.begin : head.end])
                break
            except CutOff:
                if len(text) < len(self.window) or len(text) >= head.end:  # there is no more
                    raise
                self.window = np.empty(4 * len(self.window), np.uint8)
        self.page_at, self.page_size = self.place + head.begin, head.end - head.begin
        self.place += head.end
        return page

    def take(self, first: int, rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(row pointers, numbers, the memory they lie in) of so many rows."""
        begin, end = self.starts[first].item(), self.starts[first + rows].item()
        whole = room_for(self.spare, end - begin)
        numbers = whole.view(np.uint8)
        k = max(1, bisect_right(self.pages, (begin, sys.maxsize)) - 1)
        at = begin
        while at < end:
            (before, place), after = self.pages[k], self.pages[k + 1][0]
            stop, k = min(after, end), k + 1
            part = numbers[4 * (at - begin) : 4 * (stop - begin)]
            if read_at(self.file, part, place + 4 * (at - before)) != len(part):
                raise OSError("the file has become shorter")
            at = stop
        return self.starts[first : first + rows + 1] - begin, whole[: end - begin].view(self.kind), whole


def read_at(file: int, room: np.ndarray, place: int) -> int:
    """Fill the room with the bytes from a place on: how many there are. The system may hand over fewer at a time."""
    have = 0
    while have < len(room) and (more := os.preadv(file, [room[have:].data], place + have)):
        have += more
    return have


def room_for(spare: list[np.ndarray], count: int) -> np.ndarray:
    """Memory for so many numbers, used again where there is some: fresh memory costs more than what is put there."""
    try:
        room = spare.pop()
    except IndexError:
        room = np.empty(0, np.uint32)
    return room if len(room) >= count else np.empty(count + count // 8, np.uint32)


class ListColumn(ColumnPages):
    """One column of lists of numbers in one row group, its rows taken from the first on."""

    def __init__(self, stored: Any, chunk: Any, column: Any, nullable: bool, spare: list[np.ndarray] | None = None) -> None:
        super().__init__(stored, chunk, column)
        if self.nested != 1:
            raise Unusual
        self.null = self.most - 1 if nullable else -1  # the level of a null among the numbers
        self.numbers: list[np.ndarray] = []  # of rows not taken yet
        self.starts: list[np.ndarray] = []  # where these rows begin in them
        self.have = self.rows = 0
        self.spare = spare if spare is not None else []
        self.lent: np.ndarray | None = None  # what of it the rows lie in that were taken last

    def take(self, rows: int) -> tuple[np.ndarray, np.ndarray]:
        """(row pointers, numbers) of the next rows."""
        while self.rows <= rows and self.left:  # one row more tells where the last one ends
            self._page()
        if self.rows < rows:
            raise Unusual
        starts = np.concatenate([*self.starts, np.array([self.have])])
        end = int(starts[rows])
        self.starts, self.rows, self.have = [starts[rows:-1] - end], self.rows - rows, self.have - end
        return starts[: rows + 1], self._first(end)

    def _first(self, count: int) -> np.ndarray:
        """The first numbers of those that have not been taken, in one array, aligned: kernels are compiled for such."""
        page, self.lent = self.numbers[0] if self.numbers else np.empty(0, self.kind), None
        if len(page) >= count and page.flags.aligned:
            self.numbers[:1] = [page[count:]] if len(page) > count else []
            return page[:count]
        self.lent, have = room_for(self.spare, count), 0
        whole = self.lent[:count].view(self.kind)
        while have < count:
            page = self.numbers[0][: count - have]
            whole[have : have + len(page)] = page
            have += len(page)
            self.numbers[:1] = [self.numbers[0][len(page) :]] if len(self.numbers[0]) > len(page) else []
        return whole

    def _page(self) -> None:
        text, rep, rep_stop, defs, def_stop, numbers_at, entries, encoding = self.page()
        starts = np.empty(entries, np.int64)
        rows, count = rows_in(text, rep, rep_stop, defs, def_stop, entries, self.most.bit_length(), self.most, self.null, starts)
        if rows < 0:
            raise Unusual
        self.starts.append(starts[:rows] + self.have)
        self.numbers.append(self._numbers(text, numbers_at, encoding, count))
        self.have, self.rows = self.have + count, self.rows + rows

    def _numbers(self, text: np.ndarray, begin: int, encoding: int, count: int) -> np.ndarray:
        if encoding == PLAIN:
            if begin + 4 * count > len(text):
                raise Unusual
            return text[begin : begin + 4 * count].view(self.kind)
        if encoding not in DICTIONARY or self.table is None or (count and begin >= len(text)):
            raise Unusual
        numbers = np.empty(count, self.kind)
        width = int(text[begin]) if count else 0
        if width > 31 or (count and not unpack(text, begin + 1, len(text), width, self.table, numbers)):
            raise Unusual
        return numbers
