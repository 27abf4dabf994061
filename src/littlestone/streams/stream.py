"""A stream of rounds from a file: read ahead, parsed on every core, played in order."""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np

from littlestone.errors import LittlestoneError, bad_input, require
from littlestone.protocol import Block
from littlestone.streams.libsvm import Parsed, Scratch

CHUNK = 2**20  # bytes; also how far a stream looks ahead to tell which labels it has
LONGEST_LINE = 2**28
GZIP = b"\x1f\x8b"


def open_stream(path: str | os.PathLike, *, format: str = "auto", skip_bad: bool = False, boolean: bool = False) -> Stream:
    """A stream over a libsvm file, plain or gzip; "-" is standard input.

    Nothing is read until it is played: `ls.play(ls.perceptron(), ls.open_stream("mail.libsvm"))`. With `skip_bad` malformed lines are counted
    and left out; otherwise the first one stops the run. `boolean` takes presence for value.
    """
    require(format in ("auto", "libsvm"), f"format={format!r} is not known; expected auto or libsvm")
    return Stream(str(path), skip_bad=skip_bad, boolean=boolean)


class Stream:
    """Rounds from one file, as Blocks. Labels are 0/1, -1/+1 or 1/2, the larger one positive."""

    def __init__(self, path: str, *, skip_bad: bool = False, boolean: bool = False) -> None:
        self.path = path
        self.skip_bad, self.boolean = skip_bad, boolean
        self.bytes_read = 0  # of the file as it is stored
        self.bad_lines = 0
        self.first_bad: LittlestoneError | None = None

    @property
    def name(self) -> str:
        return "standard input" if self.path == "-" else self.path

    @property
    def is_file(self) -> bool:
        """Can it be read more than once?"""
        return self.path != "-" and Path(self.path).is_file()

    @property
    def size(self) -> int | None:
        return Path(self.path).stat().st_size if self.is_file else None

    def count_features(self) -> int:
        """How many distinct features the file has: one pass over it."""
        require(self.is_file, f"{self.name} can be read only once, so its features cannot be counted beforehand; give n (--n N)")
        seen = np.zeros(2**16, np.bool_)
        for parsed in self._parsed():
            if len(parsed.indices):
                top = int(parsed.indices.max())
                if top >= len(seen):
                    seen = np.concatenate([seen, np.zeros(max(top + 1, 2 * len(seen)) - len(seen), np.bool_)])
                seen[parsed.indices] = True
        return max(1, int(seen.sum()))

    def blocks(self) -> Iterator[Block]:
        """The rounds, in order, a megabyte of text at a time; each block is yours to keep."""
        return (block.copy() for block in self.lent_blocks())

    def lent_blocks(self) -> Iterator[Block]:
        """The same without copying: a block is good until the next one is asked for."""
        codes: Codes | None = None
        rounds = 0
        for parsed in self._parsed():
            if codes is None:
                codes = Codes(parsed.labels)
            labels = codes.of(parsed, self.name)
            block = Block(parsed.indptr, parsed.indices, parsed.values, labels, None, rounds, self.name, parsed.lines)
            yield block.presence(any_value=True) if self.boolean else block
            rounds += len(block)
        require(rounds, f"{self.name} has no rounds: expected lines of the form 'label index:value ...'")

    def _parsed(self) -> Iterator[Parsed]:
        """Chunks parsed ahead on every core, handed over in file order, with lines counted from the beginning of the file."""
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        pending: deque[Future[Parsed]] = deque()
        spare: list[Scratch] = []
        lines = 0
        self.bad_lines, self.first_bad = 0, None

        def submit(chunk: bytes) -> None:
            fits = spare.pop() if spare and spare[-1].size >= len(chunk) else Scratch(max(len(chunk), 2 * CHUNK))
            pending.append(pool.submit(Parsed, chunk, self.skip_bad, fits))

        def finish() -> Parsed:
            nonlocal lines
            parsed = pending.popleft().result()
            for line, fault in sorted(parsed.faults, key=lambda pair: pair[0]):
                error = fault.error(self.name, lines + line + 1)
                if not self.skip_bad:
                    raise error
                self.bad_lines += 1
                self.first_bad = self.first_bad or error
            parsed.lines += lines + 1
            lines += parsed.line_count
            return parsed

        with opened(self.path) as file, ThreadPoolExecutor(cores, "littlestone-parser") as pool:
            try:
                for chunk in self._chunks(file):
                    submit(chunk)
                    if len(pending) > cores:
                        parsed = finish()
                        yield parsed
                        spare.append(parsed.scratch)
                while pending:
                    yield finish()
            finally:
                for future in pending:
                    future.cancel()

    def _chunks(self, file: BinaryIO) -> Iterator[bytes]:
        """Pieces of about a megabyte, each of whole lines and ending with a newline."""
        self.bytes_read = 0
        reader: BinaryIO = file
        packed = isinstance(file, gzip.GzipFile)
        rest = b""
        while True:
            try:
                piece = reader.read(CHUNK)
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                raise LittlestoneError(f"{self.name}: the gzip data is damaged or cut off ({error})", path=self.path) from None
            self.bytes_read = file.fileobj.tell() if packed else self.bytes_read + len(piece)  # type: ignore[attr-defined]
            if not piece:
                break
            end = piece.rfind(b"\n") + 1
            if end == 0:
                rest += piece
                require(len(rest) <= LONGEST_LINE, f"{self.name}: a line of more than {LONGEST_LINE} bytes; expected libsvm text")
                continue
            yield rest + piece[:end]
            rest = piece[end:]
        if rest:
            yield rest + b"\n"


class Codes:
    """Which numbers are which label: decided on the first megabyte, so that it depends on nothing but the file."""

    def __init__(self, first: np.ndarray) -> None:
        kinds = {float(v) for v in np.unique(first[~np.isnan(first)])}
        self.codes = {1.0: 0, 2.0: 1} if 2.0 in kinds and not kinds & {0.0, -1.0} else {1.0: 1, 0.0: 0, -1.0: 0}
        self.negative: float | None = None

    def of(self, parsed: Parsed, name: str) -> np.ndarray:
        raw = parsed.labels
        labels = np.full(len(raw), -1, np.int32)
        left = ~np.isnan(raw)
        for value, code in self.codes.items():
            mine = raw == value
            if mine.any():
                if value in (0.0, -1.0):
                    self.negative = value if self.negative is None else self.negative
                    if value != self.negative:
                        raise self._refusal(parsed, name, mine, f"{self.negative:g} or 1, as before")
                labels[mine] = code
                left &= ~mine
        if left.any():
            raise self._refusal(parsed, name, left, "1 or 2, as before" if 2.0 in self.codes else "one of two classes: 0 and 1, -1 and +1, or 1 and 2")
        return labels

    @staticmethod
    def _refusal(parsed: Parsed, name: str, where: np.ndarray, expected: str) -> LittlestoneError:
        row = int(np.flatnonzero(where)[0])
        return bad_input(name, int(parsed.lines[row]), 1, f"label {parsed.labels[row]:g}", expected)


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked if it is gzip by its first bytes; standard input for "-"."""
    if path == "-":
        peeked = sys.stdin.buffer
        if peeked.peek(2)[:2] == GZIP:
            with gzip.GzipFile(fileobj=peeked) as packed:
                yield packed
        else:
            yield peeked
        return
    try:
        file = Path(path).open("rb")
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
