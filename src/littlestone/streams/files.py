"""Bytes of a stream, in pieces of whole lines: a plain file in ranges that any thread can read for itself, the rest one after the other."""

import codecs
import io
import os
import select
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from littlestone.errors import LittlestoneError, require
from littlestone.rounds.files import (
    DAMAGE,
    LONGEST_LINE,
    MARK,
    codec_name,
    comes_once,
    is_remote,
    opened,
    refuse_zeros,
    remote,
    shown,
    standard_input,
    unpacked,
    unreadable,
)

MORE = 2**16  # bytes read at a time to complete a line
LONGEST_LOOK = 2**26  # bytes among which the first rows are looked for
NEWLINE = ord("\n")
WAIT = 0.1  # seconds between two looks at a file that is being written


class Span(NamedTuple):
    """A part of a file that can be read by itself: whole records from byte `start` to byte `stop`, as if `head` stood before them; of
    Parquet and Arrow, row groups or record batches (`groups`)."""

    start: int
    stop: int
    head: bytes = b""
    groups: bool = False


class Input:
    """The bytes of one file or of standard input ("-"), unpacked if they are gzip or zstd, recoded if they are not UTF-8.

    `head(rows)` looks at the first rows; they are read again afterwards. With `follow` the end of the file is not the end.
    `span` is the part of it that is read, where that is not all.
    """

    def __init__(self, path: str, *, encoding: str = "utf-8", follow: bool = False, span: Span | None = None) -> None:
        self.path, self.follow, self.span = path, follow, span
        self.once = comes_once(path)  # a pipe, say
        self._begun = b"" if span is None else span.head  # looked at, and to be read again from `_place` on
        self._place = 0
        self._at_end = False
        self._kept: list[bytes] | None = None  # what was read since `remember`
        stored: Any = standard_input().buffer if path == "-" else opened(path)
        refuse_zeros(path, stored)
        first = stored.peek(2)[:2]
        self._stored = stored
        self.packed, self._file = unpacked(stored)
        try:
            self._check(first, encoding)
        except LittlestoneError:
            self.close()
            raise
        if span is not None and not span.groups:
            stored.seek(span.start)
        self._recode = None if codec_name(encoding) == "utf-8" else codecs.getincrementaldecoder(encoding)()
        self._recoded = b""

    def _check(self, first: bytes, encoding: str) -> None:
        codec_name(encoding)
        wide = first in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
        known = not wide or encoding != "utf-8"
        require(known, f"{shown(self.path)}: is in UTF-16; expected UTF-8, or --encoding utf-16 (encoding=)")
        growing = not (self.follow and (self.packed or self.once))
        require(growing, f"{shown(self.path)}: only a plain file can be followed as it grows")

    def close(self) -> None:
        if self._file is not self._stored:
            self._file.close()
        if self.path != "-":
            self._stored.close()

    @property
    def plain(self) -> bool:
        """Can any thread open it and read a range for itself?"""
        here = self.path != "-" and not is_remote(self.path)
        return here and not (self.packed or self._recode or self.follow) and Path(self.path).is_file()

    @property
    def position(self) -> int | None:
        """Bytes read of the file as it is stored, where that is known."""
        return None if self.once else self._stored.tell()

    def head(self, rows: int) -> bytes:
        """So many lines, or all there are; of a file that is being followed, those that are there."""
        following, self.follow = self.follow, False
        begun = self._begun[self._place :]
        parts, lines, size = [begun], begun.count(b"\n"), len(begun)
        while not self._at_end and lines < rows and size < LONGEST_LOOK:
            piece = bytearray(MORE)
            got = self._more(memoryview(piece))
            if not got:
                break
            parts.append(bytes(piece[:got]))
            lines, size = lines + parts[-1].count(b"\n"), size + got
        self._begun, self._place = b"".join(parts), 0
        self.follow = following
        self._at_end = self._at_end and not following
        return self._begun

    def ready(self) -> bool:
        """Will the next read return at once?"""
        if self._place < len(self._begun) or self._at_end:
            return True
        if self.follow:
            return self._stored.tell() < Path(self.path).stat().st_size
        if not self.once:
            return True
        try:
            return bool(select.select([self._stored], [], [], 0)[0])
        except (OSError, ValueError, io.UnsupportedOperation):  # not a pipe, or a system that selects among sockets only
            return False

    def readinto(self, view: memoryview) -> int:
        """Some bytes, as they come; 0 at the end."""
        if self._place < len(self._begun):
            got = min(len(view), len(self._begun) - self._place)
            view[:got] = self._begun[self._place : self._place + got]
            self._place += got
            if self._place == len(self._begun):
                self._begun, self._place = b"", 0
        else:
            got = 0 if self._at_end else self._more(view)
        if self._kept is not None:
            self._kept.append(bytes(view[:got]))
        return got

    def remember(self) -> None:
        """Keep what is read from now on, for `go_back`."""
        self._kept = []

    def go_back(self) -> None:
        """Let what was read since `remember` be read again."""
        self._begun, self._place, self._kept = b"".join(self._kept or []) + self._begun[self._place :], 0, None

    def read(self, size: int = -1) -> bytes:
        """So many bytes, or all the rest."""
        parts, have = [], 0
        while size < 0 or have < size:
            most = MORE * 16  # a damaged file may ask for more than there is
            piece = bytearray(most if size < 0 else min(most, size - have))
            got = self.readinto(memoryview(piece))
            if not got:
                break
            parts.append(bytes(piece[:got]))
            have += got
        return b"".join(parts)

    def _more(self, view: memoryview) -> int:
        while True:
            got = self._unpacked(view) if self._recode is None else self._in_utf8(view)
            if got or not self.follow:
                self._at_end = not got
                return got
            size = Path(self.path).stat().st_size
            if size < self._stored.tell():  # written anew
                self._stored.seek(0)
            else:
                time.sleep(WAIT)

    def _unpacked(self, view: memoryview) -> int:
        if self.span is not None and not self.span.groups:
            view = view[: max(0, self.span.stop - self._stored.tell())]
        try:
            if not hasattr(self._file, "read1"):
                return self._file.readinto(view)
            data = self._file.read1(len(view))  # readinto1 may wait for more than there is
            view[: len(data)] = data
            return len(data)
        except DAMAGE as error:
            raise unreadable(self.path, self.packed, error) from None

    def _in_utf8(self, view: memoryview) -> int:
        assert self._recode is not None
        while not self._recoded:
            piece = bytearray(MORE)
            got = self._unpacked(memoryview(piece))
            try:
                self._recoded = self._recode.decode(bytes(piece[:got]), final=not got).encode()
            except UnicodeDecodeError as error:
                raise LittlestoneError(f"{shown(self.path)}: is not in the encoding given ({error})", path=self.path) from None
            if not got:
                break
        got = min(len(view), len(self._recoded))
        view[:got], self._recoded = self._recoded[:got], self._recoded[got:]
        return got


def fill_range(path: str, start: int, scratch: Any, chunk: int) -> Any:
    """Fill the scratch with the lines that begin in bytes start to start + chunk of a plain file; it may come back larger."""
    before = 1 if start else 0  # the byte before tells whether a line begins at `start` itself
    with Path(path).open("rb", buffering=0) as file:
        file.seek(start - before)
        have = read_full(file, scratch.text, before + chunk)
        scratch.begin = scratch.text.find(b"\n", 0, have) + 1 if start else mark(scratch.text)
        if have <= before or (start and scratch.begin in (0, have)):
            scratch.begin = scratch.length = 0  # no line begins here
            return scratch
        while scratch.text[have - 1] != NEWLINE:
            if have + MORE >= len(scratch.text):
                longer = type(scratch)(2 * len(scratch.text))
                longer.text[:have] = scratch.text[:have]
                longer.begin, scratch = scratch.begin, longer
            check_line(path, have)
            got = file.readinto(memoryview(scratch.text)[have : have + MORE])
            if not got:
                scratch.text[have] = NEWLINE
                have += 1
                break
            end = scratch.text.find(b"\n", have, have + got) + 1
            have = end or have + got
    scratch.length = have
    return scratch


def mark(text: bytearray) -> int:
    """The length of the byte-order mark that some editors put before the first line."""
    return len(MARK) if text.startswith(MARK) else 0


def read_full(file: Any, text: bytearray, size: int) -> int:
    """Read that many bytes, or to the end of the file; how many there were."""
    have = 0
    while have < size and (got := file.readinto(memoryview(text)[have:size])):
        have += got
    return have


def fill_in_turn(source: Input, new_scratch: Callable[[int], Any], chunk: int) -> Iterator[Any]:
    """The same for what can only be read from its beginning: a pipe, packed data, a file that grows.

    None is given whenever the next bytes may be long in coming, so that whoever waits for rows gets those there are.
    """
    rest, first = b"", True
    while True:
        scratch = new_scratch(len(rest) + chunk + 1)  # one more for a newline at the end
        scratch.text[: len(rest)] = rest
        filled = len(rest)
        while filled < len(rest) + chunk:
            if not source.ready():
                if scratch.text.rfind(b"\n", 0, filled) >= 0:
                    break
                yield None
            got = source.readinto(memoryview(scratch.text)[filled : len(rest) + chunk])
            if not got:
                break
            filled += got
        scratch.begin = mark(scratch.text) if first and filled >= len(MARK) else 0
        if filled == len(rest):
            if filled:
                scratch.text[filled] = NEWLINE
                scratch.length = filled + (scratch.text[filled - 1] != NEWLINE)
                yield scratch
            return
        scratch.length = scratch.text.rfind(b"\n", 0, filled) + 1
        rest = bytes(scratch.text[scratch.length : filled])
        if scratch.length:
            first = False
            yield scratch
            continue
        line, end = bytearray(rest), -1  # longer than a piece: until its end is found it is kept as bytes, which take the least memory
        while end < 0:
            if not source.ready():
                yield None
            piece = bytearray(MORE)
            got = source.readinto(memoryview(piece))
            if not got:
                break
            end = piece.find(b"\n", 0, got)
            check_line(source.path, len(line) + (got if end < 0 else end))
            line += piece[:got]
        rest = bytes(line)


def check_line(path: str, length: int) -> None:
    require(length <= LONGEST_LINE, f"{shown(path)}: a line of more than {LONGEST_LINE} bytes; expected lines of text")


def is_seekable(path: str) -> bool:
    """Can it be read more than once?"""
    if is_remote(path):
        system, name = remote(path)
        return bool(system.isfile(name))
    return path != "-" and Path(path).is_file() and os.access(path, os.R_OK)


def size_of(path: str) -> int:
    if is_remote(path):
        system, name = remote(path)
        return int(system.size(name))
    return Path(path).stat().st_size
