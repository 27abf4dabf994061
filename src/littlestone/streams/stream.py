"""A stream of rounds from a file: read ahead, parsed on every core, played in order."""

from __future__ import annotations

import gzip
import os
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from io import BufferedReader
from pathlib import Path
from typing import Any

import numpy as np

from littlestone.errors import LittlestoneError, bad_input, require
from littlestone.protocol import Block, ClassMap
from littlestone.reading import Reading
from littlestone.streams.chunks import MORE, fill_in_turn, fill_range, opened, shown, waits
from littlestone.streams.libsvm import OTHER, Parsed, Scratch, encode

CHUNK = 2**20  # bytes parsed at a time
LOOK = 2**20  # bytes in which a stream shows which labels it has
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def open_stream(
    *paths: str | os.PathLike,
    reading: Reading | None = None,
    skip_bad: bool = False,
    follow: bool = False,
    vocabulary: Sequence[str] | None = None,
    **choices: Any,
) -> Stream:
    """A stream over libsvm files, plain or gzip, one after the other; "-" is standard input.

    Nothing is read until it is played: `ls.play(ls.perceptron(), ls.open_stream("mail.libsvm"))`. A line that begins with a feature has no
    label. With `skip_bad` malformed lines are counted and left out; otherwise the first one stops the run. `boolean` takes presence for
    value. `labels` are the numbers for negative and positive; left out, they are 0 and 1, -1 and +1, or 1 and 2, whichever the first
    megabyte shows.

    `reading` has the choices in one value, as a model keeps them; keywords change single ones. `vocabulary` are names by column.
    """
    require(paths, "open_stream needs the path of a file, or '-' for standard input")
    given = Reading.of(**choices)
    reading = given if reading is None else reading.but(**given.chosen(choices))
    plain = reading.but(format="libsvm", labels=None, boolean=False, named=None) == Reading(format="libsvm")
    require(reading.format in ("auto", "libsvm") and plain and not follow and not vocabulary, "only plain libsvm can be read")
    labels = reading.labels
    require(labels is None or not any(isinstance(one, str) for one in labels), f"labels={labels!r}: those of libsvm text are numbers")
    return Stream([str(path) for path in paths], skip_bad=skip_bad, boolean=reading.boolean, labels=labels)  # type: ignore[arg-type]


class Stream:
    """Rounds from files, as Blocks. Labels are 0/1, -1/+1 or 1/2, the larger one positive."""

    def __init__(
        self,
        paths: Sequence[str],
        *,
        skip_bad: bool = False,
        boolean: bool = False,
        labels: tuple[float, float] | None = None,
    ) -> None:
        self.paths = tuple(paths)
        self.labels = labels
        self.codes: Codes | None = None  # which number is which label, once the first lines have been read
        self.skip_bad, self.boolean = skip_bad, boolean
        self.bytes_read = 0  # of the files as they are stored
        self.bad_lines = 0
        self.first_bad: LittlestoneError | None = None
        self._dry = False  # a pipe that has nothing to read just now

    @property
    def is_file(self) -> bool:
        """Can it be read more than once?"""
        return all(path != "-" and Path(path).is_file() for path in self.paths)

    @property
    def size(self) -> int | None:
        """Bytes in all, where that is known."""
        return sum(Path(path).stat().st_size for path in self.paths) if self.is_file else None

    def warm(self) -> None:
        """Compile or load the parser now, so that no clock runs meanwhile."""
        scratch = Scratch(16)
        scratch.text[:6], scratch.length = b"1 1:1\n", 6
        encode(Parsed("", False, scratch).labels, 1.0, 0.0, -1.0, np.empty(1, np.int32))

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

    def lent_blocks(self, classes: ClassMap | None = None) -> Iterator[Block]:
        """The same without copying: a block is good until the next one is asked for. With `classes`, labels are codes of these."""
        self.codes, rounds = None, 0
        require(classes is None or self.labels is None, f"labels={self.labels} declares two labels, and this learner takes any number")
        for parsed in self._parsed():
            if self.codes is None:
                self.codes = Codes(parsed, self.labels)
            labels = self.codes.of(parsed) if classes is None else classes.of(parsed.labels, whole=True)
            place = (rounds, parsed.path, parsed.lines)
            block = Block(parsed.indptr, parsed.indices, parsed.values, labels, None, *place, examined=parsed.examined)
            yield block.presence(any_value=True) if self.boolean else block
            rounds += len(block)
        if not rounds:
            bad = f"; {self.bad_lines:,} malformed lines were left out, the first: {self.first_bad}" if self.bad_lines else ""
            raise LittlestoneError(
                f"{', '.join(map(shown, self.paths))} has no rounds: expected lines of the form 'label index:value ...'{bad}"
            )

    def _parsed(self) -> Iterator[Parsed]:
        """Chunks parsed ahead on every core, handed over in order; their arrays are good until the next one is asked for."""
        self.bytes_read = self.bad_lines = 0
        self.first_bad, self._dry = None, False
        spare: list[Scratch] = []
        with ThreadPoolExecutor(CORES, "littlestone-parser") as pool:
            for path in self.paths:
                pending: deque[tuple[Future[Parsed], int]] = deque()
                lines = 0
                try:
                    for job in self._jobs(path, pool, spare):
                        pending.append(job)
                        while len(pending) > 2 * CORES or (pending and self._dry):
                            lines = yield from self._finish(*pending.popleft(), lines, spare)
                    while pending:
                        lines = yield from self._finish(*pending.popleft(), lines, spare)
                finally:
                    for future, _ in pending:
                        future.cancel()

    def _jobs(self, path: str, pool: ThreadPoolExecutor, spare: list[Scratch]) -> Iterator[tuple[Future[Parsed], int]]:
        """Chunks being parsed, each with the bytes read when it is done."""

        def scratch(size: int) -> Scratch:
            return spare.pop() if spare and len(spare[-1].text) >= size else Scratch(size + CHUNK)

        before, self._dry = self.bytes_read, False
        with opened(path) as file:
            if isinstance(file, BufferedReader) and path != "-" and Path(path).is_file():
                size = Path(path).stat().st_size
                for start in range(0, size, CHUNK):
                    job = pool.submit(self._read, path, start, scratch(CHUNK + MORE + 1), CHUNK)
                    yield job, before + min(size, start + CHUNK)
            else:
                stored: Any = file.fileobj if isinstance(file, gzip.GzipFile) else None
                for filled in fill_in_turn(path, file, scratch, spare.append, CHUNK, prompt=self.labels is not None):
                    self._dry = waits(file)  # then what has come is played before anybody waits for more
                    position = stored.tell() if stored is not None and path != "-" else self.bytes_read - before + filled.length
                    yield pool.submit(Parsed, shown(path), self.skip_bad, filled), before + position

    def _read(self, path: str, start: int, scratch: Scratch, chunk: int) -> Parsed:
        return Parsed(shown(path), self.skip_bad, fill_range(path, start, scratch, chunk))

    def _finish(self, future: Future[Parsed], position: int, lines: int, spare: list[Scratch]) -> Generator[Parsed, None, int]:
        """Hand over the next chunk, its lines counted from the beginning of the file; returns how many there are now."""
        parsed = future.result()
        for line, fault in sorted(parsed.faults, key=lambda pair: pair[0]):
            error = fault.error(parsed.path, lines + line + 1)
            if not self.skip_bad:
                raise error
            self.bad_lines += 1
            self.first_bad = self.first_bad or error
        parsed.lines += lines + 1
        self.bytes_read = position
        yield parsed
        spare.append(parsed.scratch)
        return lines + parsed.line_count


class Codes:
    """Which number is which label: as declared, or decided on the lines of the first megabyte; never on how the file is cut."""

    def __init__(self, first: Parsed, declared: tuple[float, float] | None) -> None:
        text = first.scratch.text
        kinds = set(first.labels[first.lines <= text.count(b"\n", 0, min(LOOK, first.scratch.length))].tolist())
        self.declared = declared is not None
        self.positive, self.negative, self.also_negative = 1.0, 0.0, -1.0
        if declared is not None:
            self.negative, self.positive = declared
            self.also_negative = self.negative
        elif 2.0 in kinds and not kinds & {0.0, -1.0}:
            self.positive, self.negative, self.also_negative = 2.0, 1.0, 1.0

    def of(self, parsed: Parsed) -> np.ndarray:
        labels = np.empty(len(parsed.labels), np.int32)
        first, second, others = encode(parsed.labels, self.positive, self.negative, self.also_negative, labels)
        if second and not first and self.negative != self.also_negative:
            self.negative, self.also_negative = self.also_negative, self.negative
            first, second = second, first
        if others or (first and second):
            where = labels == OTHER if others else parsed.labels == self.also_negative
            raise self._refusal(parsed, int(np.flatnonzero(where)[0]))
        if first:
            self.also_negative = self.negative  # from now on the other one is a stranger
        return labels

    def _refusal(self, parsed: Parsed, row: int) -> LittlestoneError:
        if self.declared or self.negative == self.also_negative:
            why = (
                "as declared"
                if self.declared
                else "as before; --labels NEGATIVE,POSITIVE (labels=) declares them, and ls.one_vs_rest plays several"
            )
            expected = f"{self.negative:g} or {self.positive:g}, {why}"
        else:
            expected = (
                "two classes: 0 and 1, or -1 and +1, or 1 and 2 in the first megabyte; --labels NEGATIVE,POSITIVE (labels=) declares "
                "others, and --learner one_vs_rest:learner=NAME (ls.one_vs_rest) plays several"
            )
        return bad_input(parsed.path, int(parsed.lines[row]), 1, f"label {parsed.labels[row]:g}", expected)
