"""A stream of rounds from files: read ahead, parsed on every core, played in order."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any
from weakref import finalize

import numpy as np

from littlestone.errors import LittlestoneError, require
from littlestone.protocol import Block, ClassMap
from littlestone.protocol.labels import OTHER, LabelRules
from littlestone.protocol.workers import OneProcess
from littlestone.rounds.detection import by_name, detect
from littlestone.rounds.features import Condition
from littlestone.rounds.files import comes_once, expanded, shown
from littlestone.rounds.formats import format_named
from littlestone.rounds.reading import LOOK_ROWS, Label, Reading
from littlestone.rounds.tables import is_converted
from littlestone.streams import files, formats, label_codes
from littlestone.streams.files import Input
from littlestone.streams.first_rows import columns_in_words
from littlestone.streams.label_codes import LabelCodes, kinds_of
from littlestone.streams.lines import Reader
from littlestone.streams.parsed import Parsed
from littlestone.streams.parts import PART, PartReading, StreamPart, in_order, parts_of
from littlestone.streams.products import Products

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class ParserTask:
    """A piece that a thread of the pool is to parse, or whoever waits for it; `position` are the bytes that have been read after it."""

    def __init__(self, work: Callable[[], Parsed], position: int, pool: ThreadPoolExecutor) -> None:
        self.work, self.position, self.future = work, position, pool.submit(work)
        self.own: Future[Parsed] | None = None

    def done_here(self) -> bool:
        """Parse it, unless somebody has begun."""
        try:
            if self.own is not None or not self.future.cancel():
                return False
            self.own = Future()
            try:
                self.own.set_result(self.work())
            except Exception as error:  # told when its turn has come
                self.own.set_exception(error)
            return True
        except BaseException:  # an interrupt, perhaps before it was begun: a thread of the pool may wait for its turn to end
            if self.future.cancelled() and (self.own is None or not self.own.done()):
                with suppress(BaseException):
                    self.work()
            raise

    def result(self) -> Parsed:
        return (self.future if self.own is None else self.own).result()


def refuse_columns(before: Reading, reading: Reading, path: str) -> None:
    """A model of texts has no use for a table, unless `convert` has made it of texts."""
    table = before.settled and before.format == "text" and format_named(reading.format).is_table
    made = is_converted(reading.columns or (), reading.but(columns=None))
    refused = f"{shown(path)} is a table, and the model has learned from lines of a label, a tab and text"
    require(not table or made, f"{refused}; expected such lines, or what `convert` makes of them")


class Stream:
    """Rounds from files, as Blocks. `reading` says how, and all of it is known once the first rows have been looked at."""

    def __init__(
        self,
        paths: Sequence[str],
        reading: Reading | None = None,
        *,
        skip_bad: bool = False,
        follow: bool = False,
        names: Iterable[str] | None = None,
        bare: bool = False,
        largest_index: int | None = None,
    ) -> None:
        require(paths, "open_stream needs the path of a file, or '-' for standard input")
        self.paths = tuple(expanded(paths))
        for path in {path for path in self.paths if self.paths.count(path) > 1 and comes_once(path)}:
            raise LittlestoneError(f"{shown(path)} can be read only once; expected {path!r} once")
        require(not follow or len(self.paths) == 1, "one file can be followed at a time")
        self._reading = self._declared = Reading() if reading is None else reading
        self._given_names = None if names is None else list(names)
        self._begun: Reader | None = None
        self._names_in: dict[str, int] = {}  # how many names the first rows have in each column of names
        self._input: Input | None = None  # the first path, from the look on, where it is a pipe
        self._spent: set[str] = set()  # pipes that have been opened
        self.names: Any = None  # names and their columns; None where features are numbers
        self._products: Products | None = None  # conjunctions of features, where they are asked for
        self.codes: LabelCodes | None = None  # which label is which, once the first rows have been read
        self.skip_bad, self.follow = skip_bad, follow
        whole = largest_index is None or (isinstance(largest_index, int) and largest_index >= 0)
        require(whole, f"largest_index={largest_index!r}: expected a whole number, 0 or more")
        self.largest_index = largest_index  # for which a state that grows by index makes room; None: as it does by itself
        self.more_labels = False  # do labels beyond the first two have codes of their own, and are no faults?
        self.sorts = True  # are new names numbered in UTF-8 order within a row, zeros dropped, and the features of a row sorted by column?
        self.firm_labels = True  # are the labels that are declared all there may be?
        self.label_rules: LabelRules | None = None  # which labels may come late; None where nobody plays
        self.parts: Sequence[StreamPart] | None = None  # what is read of the files, where it is not all
        self.workers: Any = None  # who reads the files, where it is not this process
        self.outlined = False
        self.any_label = False  # is a label that is neither of the two no label, and not a fault?
        self._bare = bare  # may a line of text have no label and no tab?
        self._test: Condition | None = None
        self._ahead: tuple[list[Parsed | None], Iterator[Parsed | None]] | None = None  # parsed already, and what comes after it
        self.bytes_read = 0  # of the files as they are stored
        self.bad_lines = 0
        self.first_bad: LittlestoneError | None = None

    def __reduce__(self) -> tuple:
        """What a worker is sent: where the files are, and how they are read."""
        require(self.lies_there, f"{', '.join(map(shown, self.paths))}: can be read only here; workers need files")
        how: dict[str, Any] = {
            "skip_bad": self.skip_bad,
            "names": self._given_names,
            "bare": self._bare,
            "largest_index": self.largest_index,
        }
        return partial(Stream, **how), (self.paths, self._declared), {"firm_labels": self.firm_labels, "any_label": self.any_label}

    def __repr__(self) -> str:
        return f"<stream of {', '.join(map(shown, self.paths))}, format {self._reading.format}>"

    @property
    def reading(self) -> Reading:
        """How rounds are made, with all that is known by now."""
        both = None if self.codes is None else self.codes.both
        return self._reading if self.codes is None or both is None else self._reading.but(labels=both, truths=self.codes.truths)

    @property
    def declared(self) -> Reading:
        """What was said of how it is read, without what its first rows have settled."""
        return self._declared

    @property
    def columns_in_words(self) -> str:
        """What is made of each column, in one line; nothing where the stream is no table, or features stand in it by name already."""
        reading = self.begin()
        return "" if is_converted(reading.columns or (), reading.but(columns=None)) else columns_in_words(reading, self._names_in)

    @property
    def boolean(self) -> bool:
        return self._reading.boolean

    @property
    def is_file(self) -> bool:
        """Can it be read more than once?"""
        return not self.follow and all(map(files.is_seekable, self.paths))

    @property
    def lies_there(self) -> bool:
        """Can a worker that sees the same files read it for itself?"""
        return self.is_file

    @property
    def in_parts(self) -> bool:
        """Can workers read parts of it?"""
        return self.lies_there

    @property
    def size(self) -> int | None:
        """Bytes in all, where that is known."""
        return sum(map(files.size_of, self.paths)) if self.is_file else None

    def begin(self) -> Reading:
        """Look at the first rows, and settle how the stream is read."""
        if self._begun is None:
            path, reading = self.paths[0], self._reading
            source = self._opened(path)
            try:
                if not source.once or not reading.settled:
                    before, apart = reading, formats.apart(reading, self._format(path, source), path)
                    reading = formats.settled(apart, source, self._names_in)
                    refuse_columns(before, reading, path)
            finally:
                if source.once:
                    self._input = source
                    finalize(self, source.close)  # where it is looked at, and never read
                else:
                    source.close()
            self._read_as(reading)
        return self._reading

    def _read_as(self, reading: Reading) -> None:
        """The reader of a reading that is settled, and the names that it begins with."""
        self._reading, given = reading, self._given_names
        self.names = parts = formats.names_for(reading, None if reading.expand > 1 else given)
        self._products = Products(parts, reading.expand, given) if reading.expand > 1 else None
        if self._products is not None:
            self.names = self._products.names
        self._begun = formats.reader(reading, self.skip_bad, parts, self._bare)

    def _format(self, path: str, source: Input) -> str:
        """As was said, or as the file looks. The files of a model's new rows may be in other formats than its own stream was."""
        declared = self._reading
        if declared.format != "auto" and not declared.settled:
            return declared.format
        head = source.head(LOOK_ROWS)
        if self._bare and declared.format == "text":
            return by_name(path, head) or "text"  # texts without labels look like anything
        return detect(path, head)

    def declare(self, **choices: Any) -> None:
        """Read it with these choices, too, from the beginning."""
        if choices:
            self._declared = self._declared.but(**choices)
            self._reading, self._begun, self._ahead = self._reading.but(**choices), None, None

    def read_by_key(self, column: str, only: str | None = None) -> None:
        """Let a column say whose round each is."""
        self._declared = self._declared.but(key=column, only=only)
        self._reading, self._begun = self._declared, None

    def of_key(self, key: str) -> Stream:
        """A stream of the rounds of one key alone."""
        return Stream(self.paths, self.reading.but(only=key), largest_index=self.largest_index)

    def go_on(self, names: Iterable[str] | None, reading: Mapping[str, Any] | None = None) -> None:
        """Read for a model that has met features already: their names, by column, or None where it knows them by numbers.

        `reading` is how the model's own stream was read; what this one was opened with comes before it.
        """
        if reading:
            self._begun = None
            before = Reading.from_json(dict(reading)).but(by_value=False, presence=False)  # these are about events
            own = self._declared
            labels = own.chosen(("labels", "declared", "any_labels")) if own.declared or own.any_labels else {}
            self._reading = before.but(**{**own.choices(), **labels})
            self.firm_labels = self._reading.declared
        if names is None:
            self.refuse_names()
            return
        self._given_names, self._begun = list(names), None
        self._reading = self._reading.but(named=True)

    def refuse_names(self) -> None:
        """Its features must be numbers."""
        hashed = self.begin().bits is not None
        require(hashed or not self._reading.named, "the stream's features have names, and the model knows its features by their numbers")

    def count_features(self) -> int:
        """How many distinct features the file has, those that are always 0 left out: one pass over it."""
        for path in self.paths:
            if not comes_once(path):
                self._opened(path).close()  # refuse what cannot be opened at all by its own name
        if not self.is_file:
            raise LittlestoneError("a pipe can be read only once, so its features cannot be counted beforehand; give their number (--n N)")
        seen = np.zeros(2**16, np.bool_)
        for parsed in self._parsed():
            if len(parsed.indices):
                top = int(parsed.indices.max())
                if top >= len(seen):
                    seen = np.concatenate([seen, np.zeros(max(top + 1, 2 * len(seen)) - len(seen), np.bool_)])
                seen[parsed.indices if parsed.values is None else parsed.indices[parsed.values != 0]] = True
            self._release(parsed)
        return max(1, int(seen.sum()))

    def blocks(self) -> Iterator[Block]:
        """The rounds, in order, a megabyte of text at a time; each block is yours to keep."""
        return (block.copy() for block in self.lent_blocks())

    def lent_blocks(self, classes: ClassMap | None = None) -> Iterator[Block]:
        """The same without copying: a block is good until the next one is asked for. With `classes`, labels are codes of these."""
        self.codes, rounds = None, 0
        declared = self.begin().labels
        for parsed in self._decided(declared) if classes is None else self._parsed():
            labels = self._coded(parsed, rounds) if classes is None else self._classes_of(parsed, classes, rounds)
            weights = None if parsed.weights is None or (parsed.weights == 1).all() else parsed.weights
            if self._reading.cost is not None or self._reading.class_weight:
                both = () if self.codes is None else self.codes.classes or (self.codes.negative, self.codes.positive)
                by_code = self._reading.weights_of(list(classes or both))
                own = np.array([*by_code, 1.0])[labels]  # the last for rounds without a label
                weights = (own if weights is None else own * weights).astype(np.float32)
            block = Block(
                parsed.indptr, parsed.indices, parsed.values, labels, weights, rounds, parsed.path, parsed.lines, parsed.ids,
                parsed.keys, parsed.examined, getattr(parsed, "place", None),
            )  # fmt: skip
            yield block.presence(any_value=True) if self.boolean else block
            rounds += len(block)
            self._release(parsed)
        if not rounds and self.parts is None:
            bad = f"; {self.left_out}" if self.left_out else ""
            known = self._declared.format != "auto" or self._reading.format != "libsvm" or any(by_name(path, b"") for path in self.paths)
            expected = format_named(self._reading.format).shape if known else "rows of a format that its name or they themselves tell"
            if self._reading.only is not None:
                expected = f"a key of {self._reading.key} that has one, and {self._reading.only!r} has none"
            raise LittlestoneError(f"{', '.join(map(shown, self.paths))} has no rounds: expected {expected}{bad}")

    @property
    def left_out(self) -> str:
        """What was not read of it, in words; nothing where all was."""
        lines = "line was" if self.bad_lines == 1 else "lines were"
        return f"{self.bad_lines:,} malformed {lines} left out; the first: {self.first_bad}" if self.bad_lines else ""

    def refuse_left_out(self, option: str) -> None:
        """What is stated of such a file nobody could check."""
        require(not self.left_out, f"{option}: {self.left_out}; nobody could check it against such a file: mend it first")

    def _decided(self, declared: tuple[Label, ...] | None) -> Iterator[Parsed]:
        """The pieces, once the rows of the look have shown which label is which."""
        held: list[Parsed] = []
        for parsed in self._pieces():
            if self.codes is not None:
                if parsed is not None:
                    yield parsed
                continue
            if parsed is not None:
                held.append(parsed)
            rows = sum(len(piece.labels) for piece in held)
            if (declared is not None and held) or rows >= LOOK_ROWS or (parsed is None and rows):  # what is there of a growing file
                self.codes = self._codes(held, declared)
                yield from held
        if self.codes is None and held:
            self.codes = self._codes(held, declared)
            yield from held

    def _codes(self, held: list[Parsed], declared: tuple[Label, ...] | None) -> LabelCodes:
        try:
            return LabelCodes(held, declared, firm=self.firm_labels, rules=self.label_rules)
        except LittlestoneError:
            if not self.any_label:
                raise
            return LabelCodes(held, (0.0, 1.0))  # none of the labels there is one of these

    def labels_ahead(self) -> dict[Label, int]:
        """The labels of the first rows, in the order in which they appear, and how many rows each has; what is parsed for it is not parsed
        again."""
        pieces, held, rows = self._pieces(), [], 0
        for parsed in pieces:
            held.append(parsed)
            rows += 0 if parsed is None else len(parsed.labels)
            if rows >= LOOK_ROWS or (parsed is None and rows):
                break
        self._ahead = (held, pieces)
        return kinds_of([parsed for parsed in held if parsed is not None])

    def _parsed(self) -> Iterator[Parsed]:
        return (parsed for parsed in self._pieces() if parsed is not None)

    def _pieces(self) -> Iterator[Parsed | None]:
        """Pieces parsed ahead on every core, handed over in order; `_release` gives their memory back.

        None says that a growing file has no more for now.
        """
        if self._ahead is not None:
            (held, rest), self._ahead = self._ahead, None
            yield from held
            yield from rest
            return
        self.begin()
        self.bytes_read = self.bad_lines = 0
        self.first_bad = None
        self._test = formats.test_of(self._reading)
        if self.workers is not None:
            yield from self._read_there()
            return
        with ThreadPoolExecutor(max(1, CORES - 1), "littlestone-parser") as pool:
            for path in self.paths:
                yield from self._of_file(path, pool)

    def read_on(self, workers: Any, *, outlined: bool = False) -> None:
        """Let workers read the stream from now on, part by part; None lets this process read them again.

        `outlined`: features stay with the workers, and blocks have none, but say who has them (`Block.part`).
        """
        self.workers = workers if self.in_parts else None
        self._ahead = None  # what was parsed here for a look is read there, as the rest
        self.outlined = outlined and self.in_parts and not self.skip_bad and self._reading.expand == 1

    def part_reading(self) -> PartReading:
        """How a worker reads a part: with all that the first rows have settled."""
        self.begin()
        return PartReading(self.reading, self.skip_bad, self._bare, self.sorts)

    def cut(self) -> list[StreamPart]:
        """The files in parts, in order; whoever reads them says where they may be cut."""
        reading = self.begin()
        size = PART if reading.key is None else PART // 2  # whoever plays by key has several parts at a time in memory
        return [
            part
            for some in self.workers.gather([self.workers.submit(parts_of, path, reading, size) for path in self.paths])
            for part in some
        ]

    @classmethod
    def of_parts(cls, how: PartReading, parts: Sequence[StreamPart], names: Iterable[str] | None = None) -> Stream:
        """Some parts as a stream, where they are read; `names` are those of the features, by column."""
        stream = cls([part.path for part in parts[:1]], how.reading, skip_bad=how.skip_bad, names=names, bare=how.bare)
        stream._read_as(how.reading)
        stream.parts, stream.workers, stream.sorts = parts, OneProcess(), how.sorts
        return stream

    def _read_there(self) -> Iterator[Parsed]:
        """The same pieces, parsed by workers; what is wrong with a row is told as if it had been read here."""
        how, lines, done = self.part_reading(), 0, 0
        for part, pieces in in_order(self.workers, how, self.cut() if self.parts is None else self.parts, self.outlined):
            span = part.span
            if span is None or not span.start:
                lines, done = 0, self.bytes_read
            whole = files.size_of(part.path) if span is None or span.groups else span.stop
            for parsed in pieces:
                lines = yield from self._settled(parsed, done + whole, lines)

    def _of_file(self, path: str, pool: ThreadPoolExecutor) -> Iterator[Parsed | None]:
        assert self._begun is not None
        pending: deque[ParserTask] = deque()
        lines, before = 0, self.bytes_read
        source = self._opened(path)
        try:
            for piece in self._begun.unparsed(source):
                if piece is not None:
                    pending.append(ParserTask(piece[0], before + piece[1], pool))
                while len(pending) > (2 * CORES if piece is not None else 0):
                    lines = yield from self._finish(pending, lines)
                if piece is None and self.follow:
                    yield None
            while pending:
                lines = yield from self._finish(pending, lines)
        finally:
            for task in reversed(pending):  # none is begun that would wait for another that is not
                task.future.cancel()
            source.close()

    def _opened(self, path: str) -> Input:
        if self._input is not None and path == self._input.path:
            source, self._input = self._input, None
            return source
        if comes_once(path):
            require(path not in self._spent, f"{shown(path)} has been read already, and can be read only once")
            self._spent.add(path)
        return Input(path, encoding=self._reading.encoding, follow=self.follow)

    def _finish(self, pending: deque[ParserTask], lines: int) -> Generator[Parsed, None, int]:
        """Hand over the next piece, its lines counted from the beginning of the file; returns how many there are now.

        Until it is parsed this thread takes its share of those that nobody has begun: no core waits, and no thread waits for a core.
        """
        first = pending[0]
        while not first.future.done() and any(task.done_here() for task in pending):
            pass
        pending.popleft()
        return (yield from self._settled(first.result(), first.position, lines))

    def _settled(self, parsed: Parsed, position: int, lines: int) -> Generator[Parsed, None, int]:
        if self._products is not None:
            parsed.settle(self._products.parts)
            self._products.expand(parsed, self.boolean, in_order=self.sorts)
            if self.sorts:
                parsed.order()
        elif self.sorts:
            parsed.settle_in_order(self.names)
        else:
            parsed.settle(self.names)
        if self._test is not None:
            label_codes.apply_test(self._test, parsed)
        for line, fault in sorted(parsed.faults, key=lambda pair: pair[0]):
            self._leave_out(fault.error(parsed.path, lines + line + 1, parsed.unit))
        parsed.lines += lines + 1
        self.bytes_read = position
        yield parsed
        return lines + parsed.line_count

    def _leave_out(self, error: LittlestoneError) -> None:
        """A row that is none: the end of the run, or one more that is left out."""
        if not self.skip_bad:
            raise error
        self.bad_lines += 1
        first = self.first_bad
        if first is None or (first.path == error.path and (error.line or 0) < (first.line or 0)):  # labels are judged later than the rest
            self.first_bad = error

    def _classes_of(self, parsed: Parsed, classes: ClassMap, before: int) -> np.ndarray:
        """Labels of several classes, after so many rounds; rows whose label may not come are left out."""
        if self.label_rules is None:
            return classes.of(label_codes.labels_of(parsed), whole=True)
        labels, refusal = label_codes.classes_of(parsed, classes, self.label_rules, before)
        bad = labels == OTHER
        if not bad.any():
            return labels
        for row in np.flatnonzero(bad).tolist():
            self._leave_out(refusal(row))
        parsed.leave_out(bad)
        return labels[~bad]

    def _coded(self, parsed: Parsed, before: int) -> np.ndarray:
        """Labels of two classes, after so many rounds; rows whose label is neither are left out."""
        assert self.codes is not None
        labels = self.codes.of(parsed, before)
        bad = labels == OTHER
        if self.any_label:
            labels[bad] = -1
            return labels
        if not bad.any():
            return labels
        further = self.codes.further(parsed, np.flatnonzero(bad), before) if self.more_labels and not self.skip_bad else None
        if further is not None:
            labels[bad] = further
            return labels
        for row in np.flatnonzero(bad).tolist():
            error = self.codes.refusal(parsed, row, before)
            if self.codes.unclear:
                raise error
            self._leave_out(error)
        parsed.leave_out(bad)
        return labels[~bad]

    def _release(self, parsed: Parsed) -> None:
        assert self._begun is not None
        self._begun.release(parsed)
