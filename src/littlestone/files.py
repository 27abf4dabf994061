"""The one writer of files: beside its place while a file grows, and into it when it is whole; packed as the name says."""

import errno
import gzip
import io
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

from littlestone.errors import LittlestoneError, require

try:
    import fcntl
except ImportError:  # not everywhere: there parts of the dead are left where they are
    fcntl = None  # type: ignore[assignment]

PACKED = (".gz", ".zst")
STANDARD = "-"
PIECE = 2**20  # bytes read at a time
PART = re.compile(r"\..+\.[0-9]+-[0-9a-f]{8}\.part")  # a file that grows beside its place: whose it is, and a number nobody can guess


@contextmanager
def beside(path: Path, *, lasting: bool = False) -> Iterator[BinaryIO]:
    """A new file beside the path, moved there at the end: a kill at any moment leaves the old one or the new one.

    With `lasting` a power cut does not lose both. That waits for the disk; what can be made again does without. Nothing that stands under
    the new file's name is ever opened: it must not be there. What a killed process left in the folder is swept away.
    """
    place = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():  # of /dev/stdout the real path may be no name of a file
        with device(path) as file:
            yield file
        return
    part = part_of(place)
    try:
        try:
            file = part.open("xb")
            while not locked(file):  # a sweeper came between
                file.close()
                part = part_of(place)
                file = part.open("xb")
            with file:
                sweep(place.parent)
                yield file
                file.flush()
                if lasting:
                    os.fsync(file.fileno())
                if place.exists():
                    part.chmod(place.stat().st_mode & 0o7777)
                if fcntl is not None:
                    part.replace(place)  # before the lock goes, after which it could be swept away
            if fcntl is None:
                part.replace(place)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        if lasting and hasattr(os, "O_DIRECTORY"):  # the new name too must be on the disk
            folder = os.open(place.parent, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename is not None and Path(error.filename) not in (part, place, place.parent):
            raise  # somebody else's, who wrote here meanwhile
        raise LittlestoneError(f"{path}: cannot be written ({error.strerror})") from None


@contextmanager
def device(place: Path) -> Iterator[BinaryIO]:
    """What is no plain file, such as /dev/null or a pipe, is written to, and never replaced by one."""
    try:
        with place.open("wb") as file:
            yield file
    except BrokenPipeError as error:
        raise BrokenPipeError(error.errno, error.strerror, str(place)) from None
    except OSError as error:
        raise LittlestoneError(f"{place}: cannot be written ({error.strerror})") from None


def part_of(place: Path) -> Path:
    """A name beside the place that nobody can guess."""
    return place.with_name(f".{place.name}.{os.getpid()}-{os.urandom(4).hex()}.part")


def locked(file: BinaryIO) -> bool:
    """Lock a new file until it is closed, or its process is gone; False where it was swept away before it could be."""
    if fcntl is None:
        return True
    with suppress(OSError):  # not every disk has locks; there nothing is swept
        fcntl.flock(file, fcntl.LOCK_EX)
    return os.fstat(file.fileno()).st_nlink > 0


def sweep(folder: Path) -> None:
    """Remove the parts of files in a folder whose writers are gone: our own, and locked by nobody."""
    if fcntl is None:
        return
    with os.scandir(folder) as entries:
        parts = [Path(entry.path) for entry in entries if PART.fullmatch(entry.name) and entry.is_file(follow_symlinks=False)]
    for part in parts:
        try:
            opened = os.open(part, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            continue  # it has just gone, or is another user's
        try:
            status = os.fstat(opened)
            if stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid():
                fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
                part.unlink()
        except OSError:
            pass  # somebody holds the lock, and is writing
        finally:
            os.close(opened)


def write_all(file: Any, data: Any) -> None:
    """Write all of it, or fail: a file without a buffer may take only a part, and says so in what it returns."""
    rest = memoryview(data).cast("B")
    while rest:
        taken = file.write(rest)
        if taken is None:
            raise BlockingIOError(errno.EAGAIN, "it takes no more for now")
        rest = rest[taken:]


class WholeWrites(io.RawIOBase):
    """A file without a buffer as one that takes all it is given."""

    def __init__(self, file: Any) -> None:
        self.file = file

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        write_all(self.file, data)
        return memoryview(data).nbytes

    def fileno(self) -> int:
        return self.file.fileno()

    def isatty(self) -> bool:
        return self.file.isatty()


def without_gaps(stream: Any) -> Any:
    """Standard output as it is, or where it has no buffer (python -u) one that loses nothing when only a part is taken."""
    raw = getattr(stream, "buffer", None)
    if not isinstance(raw, io.RawIOBase):
        return stream
    return io.TextIOWrapper(cast(Any, WholeWrites(raw)), stream.encoding, stream.errors, write_through=True)


@contextmanager
def output(path: str) -> Iterator[BinaryIO]:
    """A file to write to, packed if its name ends with .gz or .zst; standard output for "-"."""
    if path == STANDARD:
        out = sys.stdout.buffer
        yield cast(BinaryIO, WholeWrites(out)) if isinstance(out, io.RawIOBase) else out
        out.flush()
        return
    with beside(Path(path)) as file, packed(path, file) as inner:
        yield inner


@contextmanager
def packed(path: str, file: BinaryIO) -> Iterator[BinaryIO]:
    if path.endswith(".gz"):
        # no name and no time in the header: the same rounds give the same bytes
        with gzip.GzipFile("", "wb", 3, file, mtime=0) as inner:
            yield cast(BinaryIO, inner)
    elif path.endswith(".zst"):
        import pyarrow as pa

        with pa.CompressedOutputStream(pa.PythonFile(UnclosedFile(file), "w"), "zstd") as stream:
            yield cast(BinaryIO, stream)
    else:
        yield file


class UnclosedFile:
    """A file that others write to and do not close: it is moved into place after them."""

    def __init__(self, file: BinaryIO) -> None:
        self.file, self.closed = file, False

    def write(self, data: Any) -> int:
        if self.file.closed:  # given up; a writer that is thrown away still wants to write its end
            return memoryview(data).nbytes
        return self.file.write(data)

    def tell(self) -> int:
        return self.file.tell()

    def flush(self) -> None:
        self.file.flush()

    def close(self) -> None:
        self.closed = True

    def writable(self) -> bool:
        return True

    def readable(self) -> bool:
        return False

    def seekable(self) -> bool:
        return False


def bare(path: str) -> str:
    """The name without the ending that says how it is packed.

    >>> bare("mail.vw.gz")
    'mail.vw'
    """
    return path.removesuffix(".gz").removesuffix(".zst") if path.endswith(PACKED) else path


def bytes_in(path: str | os.PathLike, most: int, expected: str, begins: bytes = b"") -> bytes:
    """Return the bytes of a file, or those that come through a pipe. Raise LittlestoneError for a device, and for more than `most` bytes.

    Where the first bytes, blanks left out, are not `begins`, no more than a first piece is read: enough to say what is wrong with it.
    """
    mode = os.stat(path).st_mode  # noqa: PTH116 (paths may be text)
    require(not (stat.S_ISCHR(mode) or stat.S_ISBLK(mode)), f"{path}: is a device; expected {expected}")
    pieces: list[bytes] = []
    size = 0
    with Path(path).open("rb") as file:
        while piece := file.read(PIECE):
            pieces.append(piece)
            size += len(piece)
            if size == len(piece) and not piece.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(begins):
                break
            require(size <= most, f"{path}: has more than {most:,} bytes; expected {expected}")
    return b"".join(pieces)


def identity(path: str | os.PathLike) -> Any:
    """What makes a file itself, whatever links and spellings lead to it: its place on the disk, or where it would be. None of what is no
    plain file, such as /dev/null.
    """
    try:
        status = os.stat(path)  # noqa: PTH116 (paths may be text)
    except OSError:
        return os.path.realpath(path)
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def without_folders(text: str) -> str:
    """Return a text in which each file that is named from the root of the disk has its name alone; relative names stay.

    >>> without_folders("/home/ada/my mails/mail.txt"), without_folders("--model=/tmp/m"), without_folders("own:learner=/srv/own.py::mine")
    ('mail.txt', '--model=m', 'own:learner=own.py::mine')
    >>> without_folders("data/mail.txt"), without_folders("tcp://host:8786"), without_folders("a/b")
    ('data/mail.txt', 'tcp://host:8786', 'a/b')
    """
    return re.sub(r"(^|[=:,+('\"])(?:/[^/:,=+]+)*/(?=[^/])", r"\1", text)
