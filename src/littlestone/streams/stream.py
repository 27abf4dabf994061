"""A stream of rounds from a file: read ahead, parsed on every core, played in order."""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from littlestone.errors import LittlestoneError, bad_input, require
from littlestone.protocol import Block
from littlestone.streams.libsvm import Parsed, Scratch

CHUNK = 2**20  # bytes; also how far a stream looks ahead to tell which labels it has
LONGEST_LINE = 2**28
GZIP = b"\x1f\x8b"
NEWLINE = ord("\n")
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def open_stream(*paths: str | os.PathLike, format: str = "auto", skip_bad: bool = False, boolean: bool = False) -> Stream:
    """A stream over libsvm files, plain or gzip, one after the other; "-" is standard input.

    Nothing is read until it is played: `ls.play(ls.perceptron(), ls.open_stream("mail.libsvm"))`. With `skip_bad` malformed lines are
    counted and left out; otherwise the first one stops the run. `boolean` takes presence for value.
    """
    require(format in ("auto", "libsvm"), f"format={format!r} is not known; expected auto or libsvm")
    require(paths, "open_stream needs the path of a file, or '-' for standard input")
    return Stream([str(path) for path in paths], skip_bad=skip_bad, boolean=boolean)


class Stream:
    """Rounds from files, as Blocks. Labels are 0/1, -1/+1 or 1/2, the larger one positive."""

    def __init__(self, paths: Sequence[str], *, skip_bad: bool = False, boolean: bool = False) -> None:
        self.paths = tuple(paths)
        self.skip_bad, self.boolean = skip_bad, boolean
        self.bytes_read = 0  # of the files as they are stored
        self.bad_lines = 0
        self.first_bad: LittlestoneError | None = None

    @property
    def is_file(self) -> bool:
        """Can it be read more than once?"""
        return all(path != "-" and Path(path).is_file() for path in self.paths)

    @property
    def size(self) -> int | None:
        """Bytes in all, where that is known."""
        return sum(Path(path).stat().st_size for path in self.paths) if self.is_file else None

    def count_features(self) -> int:
        """How many distinct features the file has: one pass over it."""
        for path in self.paths:
            with opened(path):
                pass  # refuse what cannot be opened at all by its own name
        if not self.is_file:
            raise LittlestoneError("a pipe can be read only once, so its features cannot be counted beforehand; give their number (--n N)")
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
            labels = codes.of(parsed)
            block = Block(parsed.indptr, parsed.indices, parsed.values, labels, None, rounds, parsed.path, parsed.lines)
            yield block.presence(any_value=True) if self.boolean else block
            rounds += len(block)
        require(
            rounds,
            f"{', '.join(map(shown, self.paths))} has no rounds: expected lines of the form 'label index:value ...'",
        )

    def _parsed(self) -> Iterator[Parsed]:
        """Chunks parsed ahead on every core, handed over in order; their arrays are good until the next one is asked for."""
        self.bytes_read = self.bad_lines = 0
        self.first_bad = None
        spare: list[Scratch] = []
        with ThreadPoolExecutor(CORES, "littlestone-parser") as pool:
            for path in self.paths:
                yield from self._parsed_file(path, pool, spare)

    def _parsed_file(self, path: str, pool: ThreadPoolExecutor, spare: list[Scratch]) -> Iterator[Parsed]:
        pending: deque[Future[Parsed]] = deque()
        lines = 0

        def finish() -> Parsed:
            nonlocal lines
            parsed = pending.popleft().result()
            for line, fault in sorted(parsed.faults, key=lambda pair: pair[0]):
                error = fault.error(parsed.path, lines + line + 1)
                if not self.skip_bad:
                    raise error
                self.bad_lines += 1
                self.first_bad = self.first_bad or error
            parsed.lines += lines + 1
            lines += parsed.line_count
            return parsed

        with opened(path) as file:
            try:
                for scratch in self._chunks(path, file, spare):
                    pending.append(pool.submit(Parsed, shown(path), self.skip_bad, scratch))
                    if len(pending) > CORES:
                        parsed = finish()
                        yield parsed
                        spare.append(parsed.scratch)
                while pending:
                    parsed = finish()
                    yield parsed
                    spare.append(parsed.scratch)
            finally:
                for future in pending:
                    future.cancel()

    def _chunks(self, path: str, file: Any, spare: list[Scratch]) -> Iterator[Scratch]:
        """Pieces of about a megabyte, each of whole lines and ending with a newline."""
        before = self.bytes_read
        stored: Any = file.fileobj if isinstance(file, gzip.GzipFile) else None
        rest = b""
        while True:
            need = len(rest) + CHUNK + 1  # one more for a newline at the end
            scratch = spare.pop() if spare and len(spare[-1].text) >= need else Scratch(need + CHUNK)
            scratch.text[: len(rest)] = rest
            try:
                got = file.readinto(memoryview(scratch.text)[len(rest) : len(rest) + CHUNK])
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                raise LittlestoneError(f"{shown(path)}: the gzip data is damaged or cut off ({error})", path=path) from None
            self.bytes_read = before + stored.tell() if stored is not None and path != "-" else self.bytes_read + got
            filled = len(rest) + got
            if got == 0:
                if filled:
                    scratch.text[filled] = NEWLINE
                    scratch.length = filled + 1
                    yield scratch
                return
            end = scratch.text.rfind(b"\n", len(rest), filled) + 1
            rest = bytes(scratch.text[end:filled])
            if end:
                scratch.length = end
                yield scratch
            else:
                require(len(rest) <= LONGEST_LINE, f"{shown(path)}: a line of more than {LONGEST_LINE} bytes; expected libsvm text")
                spare.append(scratch)


class Codes:
    """Which numbers are which label: decided on the first megabyte, so that it depends on nothing but the file."""

    def __init__(self, first: np.ndarray) -> None:
        kinds = {float(v) for v in np.unique(first[~np.isnan(first)])}
        self.codes = {1.0: 0, 2.0: 1} if 2.0 in kinds and not kinds & {0.0, -1.0} else {1.0: 1, 0.0: 0, -1.0: 0}
        self.negative: float | None = None

    def of(self, parsed: Parsed) -> np.ndarray:
        raw = parsed.labels
        labels = np.full(len(raw), -1, np.int32)
        left = ~np.isnan(raw)
        for value, code in self.codes.items():
            mine = raw == value
            if mine.any():
                if value in (0.0, -1.0):
                    self.negative = value if self.negative is None else self.negative
                    if value != self.negative:
                        raise self._refusal(parsed, mine, f"{self.negative:g} or 1, as before")
                labels[mine] = code
                left &= ~mine
        if left.any():
            raise self._refusal(
                parsed,
                left,
                "1 or 2, as before" if 2.0 in self.codes else "one of two classes: 0 and 1, -1 and +1, or 1 and 2",
            )
        return labels

    @staticmethod
    def _refusal(parsed: Parsed, where: np.ndarray, expected: str) -> LittlestoneError:
        row = int(np.flatnonzero(where)[0])
        return bad_input(parsed.path, int(parsed.lines[row]), 1, f"label {parsed.labels[row]:g}", expected)


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
