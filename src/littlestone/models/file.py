"""The model file: a zip of `model.json` and arrays, each with its digest. No pickle, and nothing in it is run.

A file is written beside its place and moved there when it is complete, so that a kill at any moment leaves the old one or the new one.
Everything is checked on reading: nothing of a file is believed because it is there.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from littlestone._version import __version__
from littlestone.errors import LittlestoneError, require
from littlestone.files import beside
from littlestone.models.compare import room_of
from littlestone.models.describe import described, made
from littlestone.protocol import Accounts, Learner, Ledger, Model
from littlestone.protocol.learner import LARGEST_INDEX
from littlestone.protocol.ledger import KINDS

FORMAT, VERSION = "littlestone-model", 1
HEAD = "model.json"
LARGEST_HEAD = 2**31
ROWS = {**{name: np.dtype(kind) for name, kind in KINDS.items()}, "indices": np.dtype(np.uint32), "unlabelled": np.dtype(np.int64)}


class Contents(NamedTuple):
    """A file that has been read and found whole: its head, and its arrays by name."""

    head: dict[str, Any]
    arrays: dict[str, np.ndarray]


def save(model: Any, path: Any) -> None:
    """Write a model to a file, all of it or nothing."""
    require(isinstance(model, Model), f"{type(model).__name__}: only models of binary learners can be saved")
    learner, state = model.learner, model.state
    names = list(getattr(state, "_fields", map(str, range(len(state)))))
    arrays = {f"state/{name}": array for name, array in zip(names, state, strict=True)}
    for name, array in arrays.items():
        bad = array.dtype.kind == "f" and not np.isfinite(array).all()
        require(not bad, f"{learner!r}: its {name} holds numbers that are not finite, and cannot be saved")
    if model.ledger is not None:
        arrays |= {f"ledger/{name}": getattr(model.ledger, name) for name in ROWS}
        if model.ledger.values is not None:
            arrays["ledger/values"] = model.ledger.values
    members = {f"{name}.npy": _bytes_of(array) for name, array in arrays.items()}
    accounts = model.accounts if model.accounts is not None and _agree(model, model.accounts) else None
    head = {
        "format": FORMAT,
        "version": VERSION,
        "library": __version__,
        "learner": described(learner),
        "n": learner.n,
        "counted": model.counted,
        "rounds": model.rounds,
        "mistakes": model.mistakes,
        "unlabelled": model.unlabelled,
        "largest_index": model._top,
        "index_zero": model._zero,
        "named": model.named,
        "features": list(model.features) if model.named else None,
        "reading": model.reading,
        "accounts": accounts._asdict() if accounts else None,
        "state": names,
        "ledger": model.ledger is not None,
        "members": {name: hashlib.sha256(data).hexdigest() for name, data in members.items()},
    }
    head["digest"] = _digest(head)
    write_whole(Path(path), _zipped({HEAD: json.dumps(head, indent=1).encode(), **members}))


def load(path: Any, learner: Any = None) -> Model:
    """The model in a file, to go on where it stopped.

    A learner of your own is not looked for: give it, or the function that makes it, as `learner`.
    """
    head, arrays = read(path)
    try:
        return _model(head, arrays, made(head["learner"], learner))
    except LittlestoneError as error:
        raise LittlestoneError(f"{path}: {error}") from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise LittlestoneError(f"{path}: is no sound model file ({type(error).__name__}: {error})") from None


def read(path: Any) -> Contents:
    """The head and the arrays of a model file, with every digest checked; makes no learner."""
    try:
        return _contents(Path(path).read_bytes())
    except OSError as error:
        raise LittlestoneError(f"{path}: cannot be read ({error.strerror})") from None
    except LittlestoneError as error:
        raise LittlestoneError(f"{path}: {error}") from None


def _contents(data: bytes) -> Contents:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            require(all(info.compress_type == zipfile.ZIP_STORED for info in archive.infolist()), "has a compressed member; expected none")
            listed = archive.namelist()
            require(len(set(listed)) == len(listed), "has two members of one name")
            members = {name: archive.read(name) for name in listed}
    except LittlestoneError:
        raise
    except Exception as error:  # zipfile raises whatever the bytes lead it to
        raise LittlestoneError(f"is no littlestone model, or was cut short or changed: no whole zip file ({error})") from None
    require(HEAD in members, f"is no littlestone model: it has no {HEAD}")
    head = _head(members.pop(HEAD))
    expected = head["members"]
    for name in expected:
        require(name in members, f"{name} is missing")
        require(
            hashlib.sha256(members[name]).hexdigest() == expected[name],
            f"{name} was changed: it does not have the digest it was saved with",
        )
    require(set(members) == set(expected), f"has a member that does not belong there: {', '.join(sorted(set(members) - set(expected)))}")
    return Contents(head, {name.removesuffix(".npy"): _array_of(name, members[name]) for name in expected})


def _head(data: bytes) -> dict[str, Any]:
    try:
        head = json.loads(data, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise LittlestoneError(f"{HEAD} is not sound: {error}") from None
    require(isinstance(head, dict) and head.get("format") == FORMAT, f"{HEAD} does not say format {FORMAT!r}: it is no littlestone model")
    version = head.get("version")
    require(type(version) is int and version >= 1, f"version {version!r} is none")
    why = (
        f"has version {version}, written by littlestone {head.get('library')}; this is {__version__}, which reads versions up to {VERSION}"
    )
    require(version <= VERSION, why)
    require(head.get("digest") == _digest(head), f"{HEAD} was changed: it does not have the digest it was saved with")
    require(isinstance(head.get("members"), dict), f"{HEAD} lists no members")
    return head


def _refuse_constant(text: str) -> Any:
    raise ValueError(f"{text} is no number that may stand there")


def _digest(head: dict[str, Any]) -> str:
    """Of everything in the head but the digest itself."""
    rest = {name: value for name, value in head.items() if name != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _bytes_of(array: np.ndarray) -> bytes:
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


# --------------------------------------------------------------------------------------------------------- a model of what was read


def _model(head: dict[str, Any], arrays: dict[str, np.ndarray], learner: Learner) -> Model:
    require(head["n"] == learner.n, f"n={head['n']!r}, and its learner has n={learner.n!r}")
    state = _state(head, arrays, learner)
    model = Model(learner, state)
    for name in ("rounds", "mistakes", "unlabelled"):
        require(type(head[name]) is int and head[name] >= 0, f"{name}={head[name]!r} must be a count")
        setattr(model, name, head[name])
    require(model.mistakes <= model.rounds, f"{model.mistakes} mistakes in {model.rounds} rounds")
    require(type(head["counted"]) is bool and head["named"] in (None, True, False), "counted and named must be true or false")
    model.counted, model.named = head["counted"], head["named"]
    names = head["features"] or []
    require(all(type(name) is str for name in names) and len(set(names)) == len(names), "its features are not names, each once")
    require(bool(model.named) or not names, "it has names of features, and says that features are columns")
    for name in names:
        model.features[name]
    top, room = head["largest_index"], room_of(learner, state)
    require(type(top) is int and -1 <= top <= LARGEST_INDEX, f"largest_index={top!r} must be the index of a feature")
    require(learner.room_of(state) > LARGEST_INDEX or top < room, f"largest_index={top} and a state for {room} features")
    model._known(top, bool(head["index_zero"]))
    model.reading = dict(head["reading"])
    if head["ledger"]:
        require(learner.updates_on != "always", f"{learner.name} updates on every round, and has a ledger")
        model.ledger = _ledger(arrays, model)
    if head["accounts"] is not None:
        given = head["accounts"]
        accounts = Accounts(**{**given, "tally": tuple(given["tally"]), "lengths": tuple(given["lengths"])})
        require(accounts.sound and _agree(model, accounts), "its accounts contradict its counts")
        model.accounts = accounts
    return model


def _agree(model: Model, accounts: Accounts) -> bool:
    return (accounts.rows, accounts.rounds, accounts.mistakes) == (model.rows, model.rounds, model.mistakes)


def _state(head: dict[str, Any], arrays: dict[str, np.ndarray], learner: Learner) -> tuple:
    """The arrays of a state, of the types and lengths that this learner's states have."""
    small, large = learner.init(1), learner.init(2)
    fields = list(getattr(small, "_fields", map(str, range(len(small)))))
    require(head["state"] == fields, f"has a state of {head['state']}; {learner.name} has {fields}")
    found = [arrays[f"state/{name}"] for name in fields]
    lengths = set()
    for name, array, one, two in zip(fields, found, small, large, strict=True):
        require(array.dtype == one.dtype, f"state/{name}.npy has type {array.dtype}; expected {one.dtype}")
        fits = array.ndim == one.ndim and array.shape[1:] == one.shape[1:]
        if len(one) != len(two):
            lengths.add(len(array) if array.ndim else 0)
        elif learner.compact is None:
            fits = fits and array.shape == one.shape
        require(fits, f"state/{name}.npy has shape {array.shape}, which no state of {learner!r} has")
    require(len(lengths) <= 1 and 0 not in lengths, f"its arrays have places for {sorted(lengths)} features; expected one number")
    return type(small)(*found) if hasattr(small, "_fields") else tuple(found)


def _ledger(arrays: dict[str, np.ndarray], model: Model) -> Ledger:
    for name, kind in ROWS.items():
        array = arrays[f"ledger/{name}"]
        require(array.ndim == 1 and array.dtype == kind, f"ledger/{name}.npy has type {array.dtype}{list(array.shape)}; expected {kind}")
    rounds, labels, predictions, weights, lengths, indices, silent = (arrays[f"ledger/{name}"] for name in ROWS)
    values = arrays.get("ledger/values")
    whole = values is None or (values.dtype == np.float32 and values.shape == indices.shape)
    same = len(rounds) == len(labels) == len(predictions) == len(weights) == len(lengths)
    require(whole and same and (lengths >= 0).all() and lengths.sum() == len(indices), "its ledger's arrays do not fit together")
    ordered = all((np.diff(numbers) > 0).all() and (not len(numbers) or numbers[0] >= 1) for numbers in (rounds, silent))
    inside = (rounds[-1:] <= model.rows).all() and (silent[-1:] <= model.rows).all()
    require(ordered and inside, f"its ledger's rounds must grow from 1 to at most {model.rows}")
    require(np.isin(labels, (0, 1)).all() and (weights >= 0).all(), "its ledger has a label that is not 0 or 1, or a weight below 0")
    require(not len(indices) or int(indices.max()) <= model._top, f"its ledger has a feature beyond {model._top}, the largest it has met")
    ledger = Ledger()
    ledger.extend((rounds, labels, predictions, weights, lengths), indices, values)
    ledger._unlabelled.extend(silent)
    wrong = int(ledger.mistakes.sum())
    require(wrong == model.mistakes, f"its ledger has {wrong} mistakes, and {model.mistakes} were made")
    require(len(silent) == model.unlabelled, f"its ledger has {len(silent)} rounds without a label, and there were {model.unlabelled}")
    return ledger
