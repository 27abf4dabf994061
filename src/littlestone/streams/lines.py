"""Readers: a file in, pieces of work out, each of which gives some rows and may be done on any thread."""

from collections.abc import Callable, Iterator
from typing import Any, Protocol

from littlestone.errors import LittlestoneError
from littlestone.rounds.files import shown
from littlestone.rounds.reading import Reading
from littlestone.streams import files
from littlestone.streams.files import MARK, MORE, Input, fill_in_turn, fill_range
from littlestone.streams.parsed import Parsed
from littlestone.streams.vocabulary import SLACK

CHUNK = 2**20  # bytes parsed at a time
COLUMNS = 2**11  # a table has CHUNK bytes a piece more for each so many columns: work done once a column is then shared by several rows
FEW = 6  # pieces of each smaller size at the beginning of a file

#: What gives some rows, and the bytes of the file that have been read when it is done.
UnparsedPiece = tuple[Callable[[], Parsed], int]


class Reader(Protocol):
    """One format."""

    def unparsed(self, source: Input) -> Iterator[UnparsedPiece | None]:
        """The rows of a file in pieces; None where the next piece may be long in coming."""

    def release(self, parsed: Parsed) -> None:
        """Its rows have been played: its memory may be used again."""


def text_pieces(
    source: Input,
    chunk: int | None = None,
    end_of: Callable[[bytes], int] = lambda text: text.rfind(b"\n") + 1,
    hint: str = "",
    columns: int = 0,
) -> Iterator[tuple[bytes, int] | None]:
    """Yield whole records, with the bytes read so far; None where the next may be long in coming.

    `end_of` says where the last whole record ends; `hint` is what else to say of a record that is too long; `columns` are those of a table.
    """
    least = (chunk or CHUNK) * (1 + columns // COLUMNS)
    rest, read, size, first = b"", 0, least, True
    while True:
        room, filled = bytearray(size), 0
        while filled < size:
            if not source.ready():
                if end_of(rest + room[:filled]):
                    break
                yield None
            got = source.readinto(memoryview(room)[filled:])
            if not got:
                break
            filled += got
        text = rest + room[:filled]
        read += filled
        if first and (len(text) >= len(MARK) or not filled):
            text, first = text.removeprefix(MARK), False
        if not filled:
            break
        end = 0 if first else end_of(text)
        rest = text[end:]
        if end:
            yield text[:end], source.position or read
        elif len(rest) > files.LONGEST_LINE:
            raise LittlestoneError(f"{shown(source.path)}: a record of more than {files.LONGEST_LINE} bytes{hint}", path=source.path)
        size = max(least, len(rest))  # so that a long record is not looked through again and again
    if text:
        yield text if text.endswith(b"\n") else text + b"\n", source.position or read


class LineReader:
    """A format in which a line is a row: parsed by `kind`, in memory made by `scratch`."""

    def __init__(
        self,
        kind: Callable[..., Parsed],
        scratch: Callable[[int], Any],
        reading: Reading,
        skip: bool,
        names: Any,
        beside: Callable[[Input], dict[str, Any]] | None = None,
    ) -> None:
        self.kind, self.scratch, self.reading, self.skip, self.names = kind, scratch, reading, skip, names
        self.beside = beside  # what else a parser is told about a file
        self.options: dict[str, Any] = {}
        self.spare: list[Any] = []

    def unparsed(self, source: Input) -> Iterator[UnparsedPiece | None]:
        self.options = self.beside(source) if self.beside else {}
        if source.plain:
            begin, size = (0, files.size_of(source.path)) if source.span is None else source.span[:2]
            for start, chunk in self._ranges(begin, size):
                yield self._of_range(source.path, start, chunk), min(size, start + chunk)
            return
        read = 0
        for filled in fill_in_turn(source, self._room, CHUNK):
            if filled is None:
                yield None
                continue
            read += filled.length
            yield self._of_text(source.path, filled), source.position or read

    def _ranges(self, start: int, size: int) -> Iterator[tuple[int, int]]:
        """Where pieces begin, and their sizes. Where features have names the first are small: soon the others find most names known; where
        they are numbers, which are parsed quickly, pieces are larger: to hand one over costs a quarter of parsing a megabyte."""
        sizes = [max(4, CHUNK // 16)] * FEW + [max(4, CHUNK // 4)] * FEW if self.names is not None else []  # a mark fits in
        while start < size:
            chunk = min(size - start, sizes.pop(0) if sizes else CHUNK if self.names is not None else 2 * CHUNK)
            yield start, chunk
            start += chunk

    def release(self, parsed: Parsed) -> None:
        if parsed.scratch is not None:
            self.spare.append(parsed.scratch)

    def _room(self, size: int) -> Any:
        fits = self.spare and len(self.spare[-1].text) >= size + SLACK  # parsers look that far beyond the last line
        return self.spare.pop() if fits else self.scratch(max(size, CHUNK + MORE + 1))  # the first, smaller ones serve others later

    def _of_range(self, path: str, start: int, chunk: int) -> Callable[[], Parsed]:
        room, options = self._room(chunk + MORE + 1), self.options
        return lambda: self.kind(shown(path), self.skip, fill_range(path, start, room, chunk), self.reading, self._known(), **options)

    def _of_text(self, path: str, filled: Any) -> Callable[[], Parsed]:
        options = self.options
        return lambda: self.kind(shown(path), self.skip, filled, self.reading, self._known(), **options)

    def _known(self) -> Any:
        """The names that have columns already: other threads may look them up, and only they."""
        return self.names.snapshot() if hasattr(self.names, "snapshot") else None
