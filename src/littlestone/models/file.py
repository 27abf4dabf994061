"""The model file: a zip of `model.json` and arrays, each with its digest. No pickle, and nothing in it is run.

A file is written beside its place and moved there when it is complete, so that a kill at any moment leaves the old one or the new one.
Everything is checked on reading: nothing of a file is believed because it is there.
"""

import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from littlestone._version import __version__
from littlestone.errors import LittlestoneError, require
from littlestone.files import beside, bytes_in
from littlestone.models.contents import arrays_of, head_of, kind_of, model_of
from littlestone.models.describe import described, made
from littlestone.protocol import Model

FORMAT = "littlestone-model"
# the first version had models of two classes only; the second no predictions that wait for their labels, and no ledger that was cut.
# What they can hold is still written as they did.
FIRST, SECOND, VERSION = 1, 2, 3
HEAD = "model.json"
MAGIC = b"PK\x03\x04"  # a zip begins so
MOST_PIPED = 2**30  # bytes of a model that comes through a pipe; a file tells itself how large it is


class Contents(NamedTuple):
    """A file that has been read and found whole: its head, and its arrays by name."""

    head: dict[str, Any]
    arrays: dict[str, np.ndarray]


def save(model: Any, path: Any) -> None:
    """Write a model of any kind to a file, all of it or nothing."""
    require(isinstance(model, Model), f"{type(model).__name__} is no model, such as learner.start() or run.hypothesis give")
    data = bytes_of(model)
    if model._torn:  # and no ledger to mend it with
        try:
            _model_of(contents_of(data), _own_learner(model))
        except LittlestoneError as error:
            why = "was interrupted in the middle of an update, and what it holds contradicts itself"
            raise LittlestoneError(f"{path}: the model {why} ({error}); go on from one that was saved before") from None
    write_whole(Path(path), data)


def bytes_of(model: Any) -> bytes:
    """A model as the bytes of its file: as it stands between two updates."""
    with model.lock:
        if model._torn:
            model._mend()
        cut = model.ledger is not None and model.ledger.snapshot is not None
        version = VERSION if model.waiting or cut else FIRST if model.kind == "two classes" else SECOND
        head = {"format": FORMAT, "version": version, "library": __version__, **head_of(model)}
        return sealed(head, arrays_of(model))


def sealed(head: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """A file of a head and arrays, with the digests that belong to them."""
    members = {f"{name}.npy": _bytes_of_array(array) for name, array in arrays.items()}
    head = {**head, "members": {name: hashlib.sha256(data).hexdigest() for name, data in members.items()}}
    return _zipped({HEAD: head_bytes(head), **members})


def head_bytes(head: dict[str, Any]) -> bytes:
    """A head with its digest."""
    return json.dumps({**head, "digest": _digest(head)}, indent=1).encode()


def pickled(model: Any) -> tuple[bytes, Any]:
    """What `model_of_bytes` makes the model of again."""
    return bytes_of(model), _own_learner(model)


def _own_learner(model: Any) -> Any:
    """Return the learner of a model where it is the user's own, which no file describes; None elsewhere."""
    return model.learner if _has_own(described(model.learner)) else None


def _has_own(description: Any) -> bool:
    """Is a learner of the user's own in it?"""
    inside = description["settings"].values()
    return description["file"] is not None or "own" in description or any(_has_own(value) for value in inside if isinstance(value, dict))


def model_of_bytes(data: bytes, learner: Any = None) -> Any:
    """The model of the bytes of a file."""
    return _model_of(contents_of(data), learner)


def load(path: Any, learner: Any = None) -> Any:
    """The model in a file, of whatever kind it is, to go on where it stopped.

    A learner of your own is not looked for: give it, or the function that makes it, as `learner`.
    """
    contents = read(path)
    try:
        return _model_of(contents, learner)
    except LittlestoneError as error:
        raise LittlestoneError(f"{path}: {error}") from None


def _model_of(contents: Contents, learner: Any) -> Any:
    head, arrays = contents
    try:
        kind = kind_of(head)
        return model_of(head, arrays, made(head["learner"], learner, kind), kind)
    except LittlestoneError:
        raise
    except MemoryError:
        raise LittlestoneError("asks for more memory than there is") from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise LittlestoneError(f"is no sound model file ({type(error).__name__}: {error})") from None


def read(path: Any) -> Contents:
    """The head and the arrays of a model file, with every digest checked; makes no learner."""
    try:
        piped = None if Path(path).is_file() else io.BytesIO(bytes_in(path, MOST_PIPED, "a model file", MAGIC))
    except OSError as error:
        raise LittlestoneError(f"{path}: cannot be read ({error.strerror})") from None
    try:
        with piped or Path(path).open("rb") as file:
            return _contents_in(file)
    except OSError as error:
        raise LittlestoneError(f"{path}: cannot be read ({error.strerror})") from None
    except LittlestoneError as error:
        raise LittlestoneError(f"{path}: {error}") from None


def contents_of(data: bytes) -> Contents:
    """Return the head and the arrays in the bytes of a model file."""
    return _contents_in(io.BytesIO(data))


def _contents_in(file: Any) -> Contents:
    """Return the head and the arrays in an open model file; of a file of another kind only little is read."""
    begun = file.read(len(MAGIC)) == MAGIC
    size = file.seek(0, io.SEEK_END)
    try:
        if not begun:
            raise zipfile.BadZipFile("File is not a zip file")
        with zipfile.ZipFile(file) as archive:
            require(all(info.compress_type == zipfile.ZIP_STORED for info in archive.infolist()), "has a compressed member; expected none")
            require(sum(info.file_size for info in archive.infolist()) <= size, "has members that are larger than the file")
            listed = archive.namelist()
            require(len(set(listed)) == len(listed), "has two members of one name")
            require(HEAD in listed, f"is no littlestone model: it has no {HEAD}")
            members = {name: archive.read(name) for name in listed}
    except LittlestoneError:
        raise
    except Exception as error:  # zipfile raises whatever the bytes lead it to
        raise LittlestoneError(f"is no littlestone model, or was cut short or changed: no whole zip file ({error})") from None
    head = head_in(members.pop(HEAD))
    expected = head["members"]
    for name in expected:
        require(name in members, f"{name} is missing")
        require(
            hashlib.sha256(members[name]).hexdigest() == expected[name],
            f"{name} was changed: it does not have the digest it was saved with",
        )
    require(set(members) == set(expected), f"has a member that does not belong there: {', '.join(sorted(set(members) - set(expected)))}")
    return Contents(head, {name.removesuffix(".npy"): _array_of(name, members[name]) for name in expected})


def head_in(data: bytes, name: str = HEAD, format: str = FORMAT, latest: int = VERSION) -> dict[str, Any]:
    """The head of a file of this format, up to this version."""
    try:
        head = json.loads(data, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise LittlestoneError(f"{name} is not sound: {error}") from None
    require(isinstance(head, dict) and head.get("format") == format, f"{name} does not say format {format!r}: it is no littlestone model")
    version = head.get("version")
    require(type(version) is int and version >= 1, f"version {version!r} is none")
    why = f"has version {version}, written by littlestone {head.get('library')}; this is {__version__}, which reads versions up to {latest}"
    require(version <= latest, why)
    require(head.get("digest") == _digest(head), f"{name} was changed: it does not have the digest it was saved with")
    require(isinstance(head.get("members"), dict), f"{name} lists no members")
    return head


def _refuse_constant(text: str) -> Any:
    raise ValueError(f"{text} is no number that may stand there")


def _digest(head: dict[str, Any]) -> str:
    """Of everything in the head but the digest itself."""
    rest = {name: value for name, value in head.items() if name != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _bytes_of_array(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.ascontiguousarray(array), version=(1, 0), allow_pickle=False)
    return buffer.getvalue()


def _array_of(name: str, data: bytes) -> np.ndarray:
    """An array of numbers; the header is believed only where it fits the bytes."""
    stream = io.BytesIO(data)
    try:
        require(np.lib.format.read_magic(stream) == (1, 0), f"{name} is no array of the version that is expected")
        shape, backwards, dtype = np.lib.format.read_array_header_1_0(stream)
    except (ValueError, EOFError) as error:
        raise LittlestoneError(f"{name} is no array ({error})") from None
    rest = data[stream.tell() :]
    require(dtype.kind in "biuf" and not backwards, f"{name} has type {dtype}; expected numbers")
    size = int(np.prod([int(k) for k in shape], dtype=object)) * dtype.itemsize
    require(size == len(rest), f"{name} has shape {shape} of {dtype}, and {len(rest)} bytes")
    array = np.frombuffer(rest, dtype).reshape(shape).copy()
    require(dtype.kind != "f" or np.isfinite(array).all(), f"{name} holds NaN or infinity; expected finite numbers")
    return array


def _zipped(members: dict[str, bytes]) -> bytes:
    """A zip whose bytes depend on its members alone: no dates, no compression."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return buffer.getvalue()


def write_whole(path: Path, data: bytes) -> None:
    """Write a file beside its place and move it there, so that there is always a whole one, and a power cut does not lose both."""
    with beside(path, lasting=True) as file:
        file.write(data)
