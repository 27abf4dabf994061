"""Files as a stranger opens them: plain, gzip or zstd, line by line, and which format they are in.

Only pyarrow is asked for help, to unpack zstd, and fsspec, to open what lies elsewhere (`s3://bucket/rows.csv`).
"""

import codecs
import glob
import gzip
import io
import re
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import chain, count, islice
from pathlib import Path, PurePath
from stat import S_ISDIR, S_ISREG
from typing import Any, Self

from littlestone.errors import LittlestoneError, require
from littlestone.rounds.detection import detect as of_head
from littlestone.rounds.faults import UTF8, Fault
from littlestone.rounds.reading import LOOK_ROWS

LONGEST_LINE = 2**28
DAMAGE = (EOFError, zlib.error, gzip.BadGzipFile, OSError)
GZIP, ZSTD, MARK = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xef\xbb\xbf"


def expanded(paths: Sequence[str]) -> list[str]:
    """The paths; a pattern that is no file's name stands for the files that match it, sorted."""
    files: list[str] = []
    for path in map(str, paths):
        if is_remote(path):
            files += remote_files(path)
        elif path != "-" and glob.has_magic(path) and not Path(path).exists():
            matches = sorted(glob.glob(path, recursive=True))  # noqa: PTH207 (Path.glob takes no absolute pattern)
            require(matches, f"{path}: no file matches")
            files += matches
        else:
            files.append(path)
    return files


def is_remote(path: str) -> bool:
    """Does it lie where fsspec opens files?

    >>> is_remote("s3://bucket/rows.csv"), is_remote("rows.csv")
    (True, False)
    """
    return "://" in path


def comes_once(path: str) -> bool:
    """True if what a path names can be read only once: standard input ("-"), a pipe, a socket or another device, by whatever name.

    >>> comes_once("-"), comes_once("rows.csv"), comes_once("/dev/null")
    (True, False, True)
    """
    if path == "-" or is_remote(path):
        return path == "-"
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError):
        return False
    return not (S_ISREG(mode) or S_ISDIR(mode))


def remote(path: str) -> tuple[Any, str]:
    """The file system of such a path, and what the file is called there."""
    try:
        import fsspec
    except ImportError:
        raise LittlestoneError(f"{path}: files elsewhere are opened by fsspec, which is not installed: pip install fsspec") from None
    try:
        return fsspec.core.url_to_fs(path)
    except (ImportError, ValueError) as error:  # a place that it does not know, or knows and lacks the package for
        raise LittlestoneError(f"{path}: cannot be opened ({error})", path=path) from None


def remote_files(path: str) -> list[str]:
    """The same as `expanded` of a path elsewhere."""
    system, name = remote(path)
    if not glob.has_magic(name) or system.isfile(name):
        return [path]
    matches = sorted(system.unstrip_protocol(match) for match in system.glob(name) if system.isfile(match))
    require(matches, f"{path}: no file matches")
    return matches


class PlainFile:
    """One file, or standard input ("-"), unpacked. `line` is where the reader is: faults are told with it."""

    def __init__(self, path: str, encoding: str = "utf-8") -> None:
        self.path, self.shown, self.encoding = path, shown(path), encoding
        self.unit, self.line = "line", 0
        self.packed = ""
        self._closing = ExitStack()
        self._looked: list[bytes] = []

    def __enter__(self) -> Self:
        stored: Any = standard_input().buffer if self.path == "-" else self._closing.enter_context(opened(self.path))
        refuse_zeros(self.path, stored)
        self.packed, self.file = unpacked(stored)
        if self.packed:
            self.file = self._closing.enter_context(io.BufferedReader(self.file))
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self._closing.close()
        if isinstance(error, Fault):
            raise error.error(self.shown, self.line, self.unit) from None
        if isinstance(error, DAMAGE):
            raise unreadable(self.path, self.packed, error) from None

    def look(self) -> list[bytes]:
        """The first lines; they are read again by `lines`."""
        if not self._looked:
            self._looked = list(islice(self._raw(), LOOK_ROWS))
        return self._looked

    def whole(self) -> bytes:
        """All of it."""
        return b"".join(self._looked) + self.file.read()

    def lines(self) -> Iterator[bytes]:
        """Every line with its end, in UTF-8."""
        utf8 = codec_name(self.encoding) in ("utf-8", "utf-8-sig")
        for number, line in enumerate(chain(self._looked, self._raw()) if utf8 else self._recoded(), 1):
            self.line = number
            yield line.removeprefix(MARK) if number == 1 else line

    def _raw(self) -> Iterator[bytes]:
        for line in iter(partial(self.file.readline, LONGEST_LINE + 1), b""):
            if len(line) > LONGEST_LINE:
                raise LittlestoneError(f"{self.shown}: a line of more than {LONGEST_LINE} bytes; expected lines of text", path=self.path)
            yield line

    def _recoded(self) -> Iterator[bytes]:
        lines = iter(io.TextIOWrapper(io.BytesIO(self.whole()), self.encoding, newline="\n"))
        for number in count(1):
            try:
                line = next(lines, None)
            except UnicodeError as error:
                self.line = number
                raise Fault(None, str(error), f"text in the encoding {self.encoding}") from None
            if line is None:
                return
            yield line.encode("utf-8", "surrogatepass")


def is_column(x: Any) -> bool:
    """Is it a column of a frame, or a row of one that looks like a column: a Series, a chunked array?"""
    return hasattr(x, "__arrow_c_stream__") and (len(getattr(x, "shape", (0, 0))) == 1 or hasattr(x, "chunks"))


class PlainFrame:
    """Anything that gives itself as an Arrow stream (a table of pandas, polars or pyarrow), opened as a file is."""

    path = shown = "the table"
    unit = "row"

    def __init__(self, frame: Any) -> None:
        self.frame, self.line = frame, 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, Fault):
            raise error.error(self.shown, self.line, self.unit) from None


def decoded(line: bytes) -> str:
    """Text in UTF-8; a fault where it is none."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Fault(error.start, line[error.start : error.end], UTF8) from None


def standard_input() -> Any:
    """Return standard input. Raise LittlestoneError where it is closed."""
    require(sys.stdin is not None, "standard input is closed; expected something to read there, or the name of a file")
    return sys.stdin


def opened(path: str) -> io.BufferedReader:
    try:
        if is_remote(path):
            system, name = remote(path)
            return io.BufferedReader(system.open(name, "rb"))
        return Path(path).open("rb")
    except FileNotFoundError:
        raise LittlestoneError(f"{path}: no such file", path=path) from None
    except IsADirectoryError:
        raise LittlestoneError(f"{path}: is a directory; expected a file", path=path) from None
    except PermissionError:
        raise LittlestoneError(f"{path}: no permission to read it", path=path) from None
    except OSError as error:
        raise LittlestoneError(f"{path}: cannot be read ({error.strerror or error})", path=path) from None
    except ValueError:  # a NUL in it
        raise LittlestoneError(f"{path!r} is no name of a file", path=path) from None


def refuse_zeros(path: str, stored: Any) -> None:
    """Raise LittlestoneError for a pipe or a device that begins with a zero byte, as /dev/zero does, which has no end."""
    if comes_once(path) and stored.peek(1)[:1] == b"\0":
        raise LittlestoneError(f"{shown(path)}: begins with a zero byte; expected rows", path=path)


def unpacked(stored: Any) -> tuple[str, Any]:
    """How a file is packed ("" where it is not), and what gives its bytes."""
    first = stored.peek(4)[:4]
    if first[:2] == GZIP:
        return "gzip", gzip.GzipFile(fileobj=stored)
    if first == ZSTD:
        import pyarrow

        return "zstd", pyarrow.CompressedInputStream(pyarrow.PythonFile(stored, "r"), "zstd")
    return "", stored


def unreadable(path: str, packed: str, error: Any) -> LittlestoneError:
    """What to say of a file that cannot be read to its end."""
    why = (
        f"the {packed} data is damaged or cut off ({error})" if packed else f"cannot be read ({getattr(error, 'strerror', None) or error})"
    )
    return LittlestoneError(f"{shown(path)}: {why}", path=path)


def codec_name(encoding: str) -> str:
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        raise LittlestoneError(f"encoding={encoding!r} is not known; expected utf-8, latin-1, utf-16, cp1252, ...") from None


def shown(path: str) -> str:
    return "standard input" if path == "-" else path


def detect(path: str) -> str:
    """The format of a file: by its first bytes, by its name, by its first rows."""
    with PlainFile(path) as source:
        return format_of(source)


def format_of(source: PlainFile, usual: str = "") -> str:
    """The same of a file that is open. `usual` is what it is unless name or rows tell something else."""
    try:
        format = of_head(source.path, b"".join(source.look()))
    except LittlestoneError:
        if not usual:
            raise
        return usual
    loose = ("csv", "tsv", "text")  # rows alone tell these apart only roughly
    if format in loose and usual in loose and format != usual:
        name = PurePath(source.path).name.lower()
        first = source.look()[0].removeprefix(MARK).strip() if source.look() else b""
        made = {b"label", b"|"} <= set(re.split(rb"[\t,;]", first))  # by `convert`
        return format if made or ".csv" in PurePath(name).suffixes else usual
    return format
