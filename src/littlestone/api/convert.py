"""`ls.convert`: a stream into another format, so that reading it gives the same rounds."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from littlestone.errors import LittlestoneError, require
from littlestone.files import bare, identity, output
from littlestone.protocol import Block, ClassMap
from littlestone.rounds.features import is_index
from littlestone.rounds.reading import LOOK_ROWS
from littlestone.streams import Stream, open_stream
from littlestone.streams.write import WRITERS, Shape, Writer, format_for, labels_for
from littlestone.streams.write.lines import looks_numbered
from littlestone.streams.write.shape import writable
from littlestone.witnesses.stream_digest import Digest

DROPS = ("weights", "ids")


@dataclass(frozen=True)
class Converted:
    """What was written. `digest` is the stream's, which the new file has too; there is none of several classes."""

    path: str
    format: str
    rows: int
    features: int  # the entries of all rows, not the distinct ones
    digest: str | None
    labels: tuple[float | str, ...]  # as written
    notes: tuple[str, ...] = ()


def convert(
    source: Any, path: str | os.PathLike, format: str | None = None, *, drop: Iterable[str] = (), classes: bool = False, **reading: Any
) -> Converted:
    """Write a stream (or the file or files at these paths, read with the keywords of `open_stream`) to a file of another format.

    The format is the one that the path ends with, unless `format` says it; `.gz` and `.zst` pack it, and "-" is standard output. What a
    format cannot hold is refused, or left out with `drop=["weights"]` or `["ids"]`. `classes=True` takes any number of labels.

    >>> from tempfile import mkdtemp
    >>> mail = Path(mkdtemp()) / "mail.libsvm"
    >>> mail.write_text("1 3:0.5 7:1\\n-1 2:1\\n")
    19
    >>> done = convert(mail, mail.with_suffix(".vw"))
    >>> mail.with_suffix(".vw").read_text(), done.rows, done.features
    ('1 | 3:0.5 7\\n-1 | 2\\n', 2, 3)
    """
    to, where = format_for(str(path), format), str(path)
    dropped = tuple(drop)
    for part in dropped:
        require(part in DROPS, f"drop={part!r}: expected weights or ids")
    stream = _stream(source, reading)
    _refuse_input(stream, where)
    attempt = Attempt(stream, where, to, dropped, classes)
    while True:
        try:
            return attempt.write()
        except Surprise as surprise:  # rows carry what the first ones did not: begin again, knowing it
            attempt.needs |= {surprise.what}


def _stream(source: Any, reading: dict[str, Any]) -> Stream:
    if hasattr(source, "lent_blocks"):
        require(not reading, f"{', '.join(reading)}: the stream says already how it is read")
        return source
    paths = [source] if isinstance(source, str | os.PathLike) else list(source)
    return open_stream(*paths, **reading)


def _refuse_input(stream: Stream, path: str) -> None:
    """What is written must not be what is read; either may have a second file, with the names of its features."""
    sources = {identity(source) for source in stream.paths} - {None}
    names = {identity(file) for source in stream.paths if Path(file := f"{bare(source)}.names").exists()}
    for file, inputs in ((path, sources | names), (f"{bare(path)}.names", sources)):
        require(identity(file) not in inputs, f"{file}: that is the stream itself; expected another file")


class Surprise(Exception):
    def __init__(self, what: str) -> None:
        self.what = what


class Attempt:
    """One way through the stream. What rows carry is taken from the first ones, where it is possible to begin again."""

    def __init__(self, stream: Stream, path: str, format: str, drop: tuple[str, ...], classes: bool) -> None:
        self.stream, self.path, self.format, self.drop = stream, path, format, drop
        self.kind: type[Writer] = WRITERS[format]
        self.classes = ClassMap() if classes else None
        self.needs: set[str] = set()
        self.checked = 0  # classes whose labels have been found writable
        self.can_begin_again = stream.is_file and path != "-"

    def write(self) -> Converted:
        blocks = self._blocks()
        try:
            return self._write(blocks)
        finally:
            blocks.close()  # type: ignore[attr-defined]

    def _blocks(self) -> Iterator[Block]:
        for block in self.stream.lent_blocks(self.classes):
            weights = None if "weights" in self.drop else block.weights
            ids = None if "ids" in self.drop or block.ids is None or not any(block.ids) else block.ids
            yield replace(block, weights=weights, ids=ids)

    def _write(self, blocks: Iterator[Block]) -> Converted:
        head: list[Block] = []
        for block in blocks:
            head.append(block.copy())
            if sum(map(len, head)) >= LOOK_ROWS:
                break
        for block in head:
            self.needs |= carried(block)
        names = self.stream.names
        if names is not None and names.bits is not None:  # hashed: features are numbers now
            names = None
        named = Numbered(names, head) if names is not None and self.format in ("vw", "csv", "tsv") else None
        shape = self._shape(head, names)
        digest = None if self.classes is not None else Digests(names, weighted=shape.weights)
        rows = features = 0
        with output(self.path) as out:
            writer = self.kind(shape, out, self.path)
            for block in chain(head, blocks):
                self._check(block, shape)
                writer.take(block)
                rows, features = rows + len(block), features + len(block.indices)
                if digest is not None:
                    digest.add(block)
                if named is not None:
                    named.add(block)
            writer.finish()
        notes = [named.note] if named is not None and named.note else []
        labels = tuple(shape.labels)
        if self.classes is None and labels != (own := self._labels()):
            notes.append(f"labels {own[0]} and {own[1]} are written as {labels[0]:g} and {labels[1]:g}")
        return Converted(self.path, self.format, rows, features, None if digest is None else digest.text(), labels, tuple(notes))

    def _labels(self) -> tuple[float | str, float | str]:
        codes = self.stream.codes
        assert codes is not None
        return codes.negative, codes.positive

    def _shape(self, head: list[Block], names: Any) -> Shape:
        for what in self.needs & set(self.kind.cannot):
            raise self._cannot(what)
        may = self._may_carry() if not self.can_begin_again else set()
        carries = (self.needs | may) - set(self.drop) - set(self.kind.cannot)
        if self.classes is not None:
            return Shape(self.classes, names, "weights" in carries, "ids" in carries, "values" in carries, classes=True)
        labels = labels_for(self._labels(), head, words=self.kind.words)
        return Shape(labels, names, "weights" in carries, "ids" in carries, "values" in carries)

    def _cannot(self, what: str) -> LittlestoneError:
        others = ", ".join(name for name, kind in WRITERS.items() if what not in kind.cannot)
        return LittlestoneError(f"the stream has {what}, which {self.format} cannot hold; {others} can, and --drop {what} leaves them out")

    def _may_carry(self) -> set[str]:
        """What rows to come may have, for all that is known beforehand."""
        reading = self.stream.reading
        tagged = reading.format == "vw"
        values = set() if reading.boolean else {"values"}
        return values | ({"weights"} if tagged or reading.weight else set()) | ({"ids"} if tagged or reading.id else set())

    def _check(self, block: Block, shape: Shape) -> None:
        if self.classes is not None:
            for label in [*self.classes][self.checked :]:
                good = not isinstance(label, str) or (self.kind.words and writable(label))
                require(good, f"label {label!r} cannot be written in {self.format}: it would be read as something else, or not at all")
            self.checked = len(self.classes)
        for what in carried(block):
            if not getattr(shape, what):
                if what in self.kind.cannot:
                    raise self._cannot(what)
                if not self.can_begin_again:
                    raise LittlestoneError(f"{block.round(0)} and later rows have {what}, and those before had none; read it from a file")
                raise Surprise(what)


def carried(block: Block) -> set[str]:
    return {what for what in ("weights", "ids", "values") if getattr(block, what) is not None}


class Digests:
    """The stream's digest, with weights if any row turns out to have one."""

    def __init__(self, names: Any, *, weighted: bool) -> None:
        self.plain = Digest(names, weighted=False, boolean=False, segment=False)
        self.other = Digest(names, weighted=True, boolean=False, segment=False) if weighted else None
        self.weighted = False

    def add(self, block: Block) -> None:
        self.plain.add(block)
        if self.other is not None:
            self.other.add(block)
            self.weighted |= block.weights is not None

    def text(self) -> str:
        return self.other.text() if self.other is not None and self.weighted else self.plain.text()


class Numbered:
    """Names that look like numbers in the first rows and not later: a reader must be told."""

    def __init__(self, names: Any, head: list[Block]) -> None:
        self.names, self.done = names, 0
        self.trouble = looks_numbered(head, names)
        self.note = ""

    def add(self, block: Block) -> None:
        if self.trouble and not self.note:
            for column in range(self.done, len(self.names)):
                if not is_index(self.names.name(column)):
                    name = self.names.name(column)
                    self.note = f"the first rows have numbers for features, and later ones have names ({name!r}): read it with --names"
                    break
            self.done = len(self.names)
