"""Bytes of a stream, in pieces of whole lines: a plain file in ranges that any thread can read for itself, the rest one after the other."""

from __future__ import annotations

import gzip
import select
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from littlestone.errors import LittlestoneError, require
from littlestone.streams.libsvm import Scratch

MORE = 2**16  # bytes read at a time to complete a line
LONGEST_LINE = 2**28
GZIP = b"\x1f\x8b"
NEWLINE = ord("\n")
MARK = b"\xef\xbb\xbf"


def fill_range(path: str, start: int, scratch: Scratch, chunk: int) -> Scratch:
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
                longer = Scratch(2 * len(scratch.text))
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


def read_full(file: Any, text: bytearray, wanted: int) -> int:
    """Read that many bytes, or to the end of the file; how many there were."""
    have = 0
    while have < wanted and (got := file.readinto(memoryview(text)[have:wanted])):
        have += got
    return have


def waits(file: Any) -> bool:
    """Would reading from this pipe have to wait for more to come? (False of what is no pipe, and where nobody can tell.)"""
    if isinstance(file, gzip.GzipFile):
        return False
    try:
        return not select.select([file], [], [], 0)[0]
    except (OSError, ValueError):
        return False


def read_ready(file: Any, view: memoryview) -> int:
    """Read what is there, and no more: waits for the first byte only. How many there were; 0 at the end."""
    have = 0
    while have < len(view) and (got := file.read1(len(view) - have)):  # (readinto1 would wait for more than it has)
        view[have : have + len(got)] = got
        have += len(got)
        if waits(file):
            break
    return have


def fill_in_turn(
    path: str,
    file: Any,
    new_scratch: Callable[[int], Scratch],
    give_back: Callable[[Scratch], None],
    chunk: int,
    prompt: bool = False,
) -> Iterator[Scratch]:
    """The same for what can only be read from its beginning: a pipe, or gzip. `prompt`: even the first piece need not be a whole chunk."""
    rest, first = b"", True
    while True:
        scratch = new_scratch(len(rest) + chunk + 1)  # one more for a newline at the end
        scratch.text[: len(rest)] = rest
        try:
            view = memoryview(scratch.text)[len(rest) : len(rest) + chunk]
            got = file.readinto(view) if isinstance(file, gzip.GzipFile) or not prompt else read_ready(file, view)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise LittlestoneError(f"{shown(path)}: the gzip data is damaged or cut off ({error})", path=path) from None
        filled = len(rest) + got
        scratch.begin = mark(scratch.text) if first and filled >= len(MARK) else 0
        first = False
        prompt = True  # what the beginning decides has been decided
        if got == 0:
            if filled:
                scratch.text[filled] = NEWLINE
                scratch.length = filled + 1
                yield scratch
            return
        scratch.length = scratch.text.rfind(b"\n", len(rest), filled) + 1
        rest = bytes(scratch.text[scratch.length : filled])
        check_line(path, len(rest))
        if scratch.length:
            yield scratch
        else:
            give_back(scratch)


def check_line(path: str, length: int) -> None:
    require(length <= LONGEST_LINE, f"{shown(path)}: a line of more than {LONGEST_LINE} bytes; expected libsvm text")


def shown(path: str) -> str:
    return "standard input" if path == "-" else path


@contextmanager
def opened(path: str) -> Iterator[Any]:
    """The bytes of a file, unpacked if it is gzip by its first bytes; standard input for "-"."""
    if path == "-":
        peeked: Any = sys.stdin.buffer
        if peeked.peek(2)[:2] == GZIP:
            with gzip.GzipFile(fileobj=peeked) as packed:
                yield packed
        else:
            yield peeked
        return
    try:
        file = Path(path).open("rb")  # noqa: SIM115 (closed below; only opening is tried here)
    except FileNotFoundError:
        raise LittlestoneError(f"{path}: no such file", path=path) from None
    except IsADirectoryError:
        raise LittlestoneError(f"{path}: is a directory; expected a file", path=path) from None
    except PermissionError:
        raise LittlestoneError(f"{path}: no permission to read it", path=path) from None
    with file:
        if file.peek(2)[:2] == GZIP:
            with gzip.GzipFile(fileobj=file) as packed:
                yield packed
        else:
            yield file
