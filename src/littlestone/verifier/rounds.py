"""Rounds in plain Python: a label, and names with values, from a libsvm file or from whatever a user has in memory.

Nothing here is compiled and nothing is shared with the readers that made the run: this is the stranger's own look at the stream.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Generator, Iterator, Mapping
from os import PathLike
from pathlib import Path
from struct import Struct, pack
from typing import Any, NamedTuple

from littlestone.errors import LittlestoneError, bad_input, require

HEADER = b"littlestone stream 1\n"
FLOAT = Struct("<f")


class Round(NamedTuple):
    """A row of the stream: the label (None where there is none), and each feature with its value, as played."""

    y: bool | None
    x: dict[str, float]
    coded: list[bytes]  # each feature as the digest takes it, in order
    c: float = 1.0


def digest_of(rounds: Iterator[Round], *, weighted: bool, boolean: bool, segment: bool) -> Generator[Round, None, str]:
    """The rounds, while their digest is made; it is what the generator returns.

    It begins with a line that names the format, and lines that say whether presence was taken for value, and whether this is a segment.

    Each round is its label (1, 0 or ?), its weight where rounds have weights, and its features: shorter names first, then by their bytes;
    each is the name in UTF-8, the byte FF, and the value as a little-endian float32.  Zeros are left out.  The byte FE ends a round.
    """
    sha = hashlib.sha256(HEADER + b"boolean\n" * boolean + b"segment\n" * segment)
    update = sha.update
    for one in rounds:
        label = b"?" if one.y is None else b"1" if one.y else b"0"
        update(label + FLOAT.pack(one.c) + b"".join(one.coded) + b"\xfe" if weighted else label + b"".join(one.coded) + b"\xfe")
        yield one
    return "sha256:" + sha.hexdigest()


def coded(names: list[str], values: list[float]) -> list[bytes]:
    """Features as the digest takes them, in its order."""
    pairs = [
        (len(raw), raw, v) for raw, v in ((name.encode("utf-8", "surrogatepass"), v) for name, v in zip(names, values, strict=True)) if v
    ]
    return [raw + b"\xff" + FLOAT.pack(v) for _, raw, v in sorted(pairs)]


def float32(value: Any, where: str) -> float:
    """The nearest float32, as a Python number."""
    try:
        found = FLOAT.unpack(pack("<f", value))[0]
    except (OverflowError, TypeError, ValueError):
        raise LittlestoneError(f"{where} has value {value!r}; expected a finite number") from None
    require(found - found == 0, f"{where} has value {value!r}; expected a finite number")
    return found


def rounds_of(X: Any, y: Any, *, boolean: bool, labels: list[float] | None, weights: Any = None) -> Iterator[Round]:
    """The rounds of whatever X is: a path, a stream over files, a sparse matrix, a table, a list of dicts or sets."""
    if hasattr(X, "paths"):
        require(y is None, "the stream carries its own labels; y must be left out")
        return from_files([str(path) for path in X.paths], boolean, labels)
    if isinstance(X, str | PathLike):
        require(y is None, "the file carries its own labels; y must be left out")
        return from_files([str(X)], boolean, labels)
    if hasattr(X, "indptr") and hasattr(X, "labels"):  # a Block
        values = None if X.values is None else X.values.tolist()
        told = [None if code < 0 else code for code in X.labels.tolist()]
        return _from_rows(_sparse(X.indptr.tolist(), X.indices.tolist(), values), told, boolean, weights)
    if hasattr(X, "tocsr"):
        X = X.tocsr()
        rows = _sparse(X.indptr.tolist(), X.indices.tolist(), X.data.tolist())
        return _from_rows(rows, _listed(y), boolean, weights)
    table = X.tolist() if hasattr(X, "tolist") else X
    require(isinstance(table, list | tuple), f"instances of type {type(X).__name__}: expected a path, a sparse matrix, a table or dicts")
    return _from_rows(map(_features, table), _listed(y), boolean, weights)


def _listed(y: Any) -> list | None:
    return None if y is None else list(y.tolist() if hasattr(y, "tolist") else y)


def _sparse(indptr: list[int], indices: list[int], values: list | None) -> Iterator[dict]:
    for lo, hi in zip(indptr, indptr[1:], strict=False):
        keys = indices[lo:hi]
        row = dict.fromkeys(keys, 1.0) if values is None else dict(zip(keys, values[lo:hi], strict=True))
        require(len(row) == hi - lo, "a feature is given twice in one row; expected each once")
        yield row


def _features(row: Any) -> dict:
    if isinstance(row, Mapping):
        return dict(row)
    if isinstance(row, set | frozenset):
        return dict.fromkeys(row, 1.0)
    require(isinstance(row, list | tuple), f"an instance of type {type(row).__name__}: expected a row of numbers, a dict or a set")
    return {i: v for i, v in enumerate(row) if v}


def _from_rows(rows: Iterator[dict], y: list | None, boolean: bool, weights: Any) -> Iterator[Round]:
    told = iter([] if y is None else two_of(y))
    given = None if weights is None else iter(_listed(weights) or [])
    for t, row in enumerate(rows, 1):
        if boolean:
            x = {str(name): 1.0 for name, v in row.items() if v}
        else:
            x = {str(name): float32(v, f"row {t}: feature {name}") for name, v in row.items()}
        label = None if y is None else next(told, "none")
        require(label != "none", f"row {t} has no label: y is shorter than the instances")
        weight = 1.0 if given is None else float32(next(given, "nothing"), f"row {t}: its weight")
        yield Round(label, x, coded(list(x), list(x.values())), weight)  # type: ignore[arg-type]
    require(next(told, "none") == "none", "y has more labels than there are instances")


def two_of(y: list) -> list[bool | None]:
    """True, False or None of labels 1/0, +1/-1, 2/1, True/False; None and NaN are no label."""
    numbers = [None if v is None or v != v else v for v in y]
    kinds = {float(v) for v in numbers if v is not None}
    for negative, positive in ((0.0, 1.0), (-1.0, 1.0), (1.0, 2.0)):
        if kinds <= {negative, positive}:
            return [None if v is None else v == positive for v in numbers]
    raise LittlestoneError(f"labels {sorted(kinds)[:4]}: expected two classes, as True/False, 1/0, +1/-1 or 2/1")


def from_files(paths: list[str], boolean: bool, labels: list[float] | None) -> Iterator[Round]:
    """The rounds of libsvm files, plain or gzip."""
    require(labels is not None, "the certificate does not say which numbers are the labels of a file: it was made from arrays")
    for path in paths:
        yield from _from_file(path, boolean, *labels)  # type: ignore[misc]


def _from_file(path: str, boolean: bool, negative: float, positive: float) -> Iterator[Round]:
    known: dict[bytes, tuple[str, float, bytes, int]] = {}
    told: dict[bytes, bool | None] = {}
    look, digits = known.get, b"0123456789"
    try:
        with Path(path).open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        with gzip.open(path) if packed else Path(path).open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if number == 1 and line.startswith(b"\xef\xbb\xbf"):
                    line = line[3:]
                if b"#" in line:
                    line = line.partition(b"#")[0]
                tokens = line.split()
                if not tokens:
                    continue
                first = tokens[0]
                if b":" in first:
                    y: bool | None = None
                else:
                    del tokens[0]
                    if first not in told:
                        told[first] = _label(first, negative, positive, path, number)
                    y = told[first]
                found = [look(token) for token in tokens]
                if None in found:
                    if len(known) > 2_000_000:
                        known.clear()
                    for i, token in enumerate(tokens):
                        if found[i] is None:
                            found[i] = known[token] = _token(token, boolean, path, number, line, digits)
                x = {one[0]: one[1] for one in found}  # type: ignore[index]
                if len(x) != len(found):
                    raise LittlestoneError(f"{path}, line {number}: a feature is given twice; expected each feature once in a row")
                keys = [one[3] for one in found]  # type: ignore[index]
                if keys != sorted(keys):
                    found = sorted(found, key=lambda one: one[3])  # type: ignore[index]
                if boolean and 0.0 in x.values():
                    x = {name: v for name, v in x.items() if v}
                yield Round(y, x, [one[2] for one in found])  # type: ignore[index]
    except (EOFError, gzip.BadGzipFile) as error:
        raise LittlestoneError(f"{path}: the gzip file is damaged or truncated ({error})") from None
    except OSError as error:
        raise LittlestoneError(f"{path}: cannot be read ({error.strerror})") from None


def _token(token: bytes, boolean: bool, path: str, number: int, line: bytes, digits: bytes) -> tuple[str, float, bytes, int]:
    """A feature `index:value`: its name, its value, how the digest takes it (nothing where it is 0), and its index."""
    index, colon, text = token.partition(b":")
    if not colon or not index or index.strip(digits) or b"_" in text:
        raise bad_input(path, number, line.find(token) + 1, repr(token.decode("utf-8", "replace")), "index:value")
    try:
        value = float32(float(text), f"{path}, line {number}: feature {int(index)}")
    except LittlestoneError:
        raise
    except ValueError:
        raise bad_input(path, number, line.find(token) + 1, repr(token.decode("utf-8", "replace")), "a number after ':'") from None
    name = str(int(index))
    if boolean:
        value = 1.0 if value else 0.0
    return name, value, name.encode() + b"\xff" + FLOAT.pack(value) if value else b"", int(index)


def _label(text: bytes, negative: float, positive: float, path: str, number: int) -> bool:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if value not in (negative, positive):
        raise bad_input(
            path, number, 1, f"label {text.decode('utf-8', 'replace')}", f"{negative:g} or {positive:g}, as the certificate says"
        )
    return value == positive
