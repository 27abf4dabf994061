"""Rounds in plain Python: a label, and names with values, from a libsvm file or from whatever a user has in memory.

Nothing here is compiled and nothing is shared with the readers that made the run: this is the stranger's own look at the stream.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Generator, Iterator, Mapping, Sequence
from itertools import pairwise
from operator import lt
from os import PathLike
from pathlib import Path
from struct import Struct, pack, unpack
from struct import error as StructError
from typing import Any, NamedTuple

from littlestone.errors import LittlestoneError, bad_input, require

HEADER = b"littlestone stream 1\n"
FLOAT = Struct("<f")


class Round:
    """A row of the stream: the label (None where there is none), and each feature with its value, as played."""

    __slots__ = ("c", "coded", "keys", "values", "y")

    def __init__(self, y: bool | None, keys: Sequence[Any], values: Sequence[float], coded: bytes, c: float = 1.0) -> None:
        self.y, self.values, self.coded, self.c = y, values, coded, c
        self.keys = keys  # names, or numbers, whose names are their digits

    @property
    def x(self) -> dict[str, float]:
        return dict(zip(map(str, self.keys), self.values, strict=True))


class Files(NamedTuple):
    """A stream over files, one after the other."""

    paths: Sequence[str]


def digest_of(rounds: Iterator[Round], *, weighted: bool, boolean: bool, segment: bool) -> Generator[Round, None, str]:
    """The rounds, while their digest is made; it is what the generator returns.

    It begins with a line that names the format, and lines that say whether presence was taken for value, and whether this is a segment.

    Each round is its label (1, 0 or ?), its weight where rounds have weights, the names of its features in UTF-8, each followed by the byte
    FF, the byte FE, and their values in the same order; weights and values are little-endian float32.  Shorter names come first, then
    the order of their bytes decides.  Zeros are left out.
    """
    sha = hashlib.sha256(HEADER + b"boolean\n" * boolean + b"segment\n" * segment)
    update = sha.update
    for one in rounds:
        label = b"?" if one.y is None else b"1" if one.y else b"0"
        update(label + FLOAT.pack(one.c) + one.coded if weighted else label + one.coded)
        yield one
    return "sha256:" + sha.hexdigest()


def coded(names: Sequence[bytes], values: Sequence[float]) -> bytes:
    """Features as the digest takes them."""
    pairs = sorted((len(name), name, v) for name, v in zip(names, values, strict=True) if v)
    return b"".join([name + b"\xff" for _, name, _ in pairs]) + b"\xfe" + pack(f"<{len(pairs)}f", *[v for _, _, v in pairs])


def float32(value: Any, where: str) -> float:
    """The nearest float32, as a Python number."""
    try:
        found = FLOAT.unpack(pack("<f", value))[0]
    except (OverflowError, TypeError, ValueError, StructError):
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
    if hasattr(X, "labels"):
        return _from_blocks([X], boolean, weights)
    if isinstance(X, list | tuple) and X and hasattr(X[0], "labels"):
        require(y is None, "the blocks carry their own labels; y must be left out")
        return _from_blocks(X, boolean, weights)
    if hasattr(X, "tocsr"):
        X = X.tocsr()
        rows = _sparse(X.indptr.tolist(), X.indices.tolist(), X.data.tolist())
        return _from_rows(rows, _listed(y), boolean, weights)
    table = X.tolist() if hasattr(X, "tolist") else X
    require(isinstance(table, list | tuple), f"instances of type {type(X).__name__}: expected a path, a sparse matrix, a table or dicts")
    return _from_rows(map(_features, table), _listed(y), boolean, weights)


def _from_blocks(blocks: Sequence[Any], boolean: bool, weights: Any) -> Iterator[Round]:
    """Rounds as compressed rows (`Block`)."""
    rows = (
        row
        for block in blocks
        for row in _sparse(block.indptr.tolist(), block.indices.tolist(), None if block.values is None else block.values.tolist())
    )
    told = [None if code < 0 else code for block in blocks for code in block.labels.tolist()]
    return _from_rows(rows, told, boolean, weights)


def _listed(y: Any) -> list | None:
    return None if y is None else list(y.tolist() if hasattr(y, "tolist") else y)


def _sparse(indptr: list[int], indices: list[int], values: list | None) -> Iterator[dict]:
    for lo, hi in pairwise(indptr):
        keys = indices[lo:hi]
        row = dict.fromkeys(keys, 1.0) if values is None else dict(zip(keys, values[lo:hi], strict=True))
        require(len(row) == hi - lo, "a feature is given twice in one row; expected each once")
        yield row


def _features(row: Any) -> dict:
    if isinstance(row, Mapping):
        return dict(row)
    if isinstance(row, set | frozenset):
        return dict.fromkeys(sorted(row, key=lambda name: (isinstance(name, str), name)), 1.0)
    require(isinstance(row, list | tuple), f"an instance of type {type(row).__name__}: expected a row of numbers, a dict or a set")
    return {i: v for i, v in enumerate(row) if v}


def _from_rows(rows: Iterator[dict], y: list | None, boolean: bool, weights: Any) -> Iterator[Round]:
    told = iter([] if y is None else two_of(y))
    given = None if weights is None else iter(_listed(weights) or [])
    for t, row in enumerate(rows, 1):
        names = [str(name).encode("utf-8", "surrogatepass") for name, v in row.items() if v or not boolean]
        values = [1.0] * len(names) if boolean else [float32(v, f"row {t}: feature {name}") for name, v in row.items()]
        label = None if y is None else next(told, "none")
        require(label != "none", f"row {t} has no label: y is shorter than the instances")
        weight = 1.0 if given is None else float32(next(given, "nothing"), f"row {t}: its weight")
        keys = [name for name, v in row.items() if v or not boolean]
        yield Round(label, keys, values, coded(names, values), weight)  # type: ignore[arg-type]
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
    told: dict[bytes, bool | None] = {}
    try:
        with Path(path).open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        with gzip.open(path) if packed else Path(path).open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if number == 1 and line.startswith(b"\xef\xbb\xbf"):
                    line = line[3:]
                if b"#" in line:
                    line = line.partition(b"#")[0]
                parts = line.replace(b":", b" ").split()
                if not parts:
                    continue
                y = None
                if len(parts) % 2:  # an odd number: a label first
                    first = parts[0]
                    if first not in told:
                        told[first] = _label(first, negative, positive, path, number)
                    y = told[first]
                    names, texts = parts[1::2], parts[2::2]
                else:
                    names, texts = parts[0::2], parts[1::2]
                yield _row(y, names, texts, boolean, path, number, line)
    except (EOFError, gzip.BadGzipFile) as error:
        raise LittlestoneError(f"{path}: the gzip file is damaged or truncated ({error})") from None
    except OSError as error:
        raise LittlestoneError(f"{path}: cannot be read ({error.strerror})") from None


def _row(y: bool | None, names: list[bytes], texts: list[bytes], boolean: bool, path: str, number: int, line: bytes) -> Round:
    """A line's features. The usual line, indices growing and no zeros, is taken whole; any other feature by feature."""
    m = len(names)
    try:
        indices = list(map(int, names))
        values: Sequence[float] = list(map(float, texts))
        data = pack(f"<{m}f", *values)
    except (ValueError, OverflowError):
        raise _fault(names, texts, path, number, line) from None
    values = unpack(f"<{m}f", data)
    joined = b"\xff".join(names) + b"\xff" if m else b""
    total = sum(values)
    if total - total != 0 or b"_" in line or line.count(b":") != m or (indices and min(indices) < 0):
        raise _fault(names, texts, path, number, line)
    grown = all(map(lt, indices, indices[1:]))
    if boolean:
        values = [1.0 if v else 0.0 for v in values]
        data = pack(f"<{m}f", *values)
    if not grown or 0.0 in values or b"+" in joined or b"\xff0" in b"\xff" + joined:
        if len(set(indices)) != m:
            raise LittlestoneError(f"{path}, line {number}: a feature is given twice; expected each feature once in a row")
        if boolean:
            indices, values = [i for i, v in zip(indices, values, strict=True) if v], [v for v in values if v]
        return Round(y, indices, values, coded([str(i).encode() for i in indices], values))
    return Round(y, indices, values, joined + b"\xfe" + data)


def _fault(names: list[bytes], texts: list[bytes], path: str, number: int, line: bytes) -> LittlestoneError:
    """What is wrong with a line that is not label index:value index:value …"""
    for token in line.split():
        index, colon, text = token.partition(b":")
        if not colon and token == line.split()[0]:
            continue
        expected = ""
        if not colon or not index.isdigit():
            expected = "index:value"
        else:
            try:
                value = float(text) if b"_" not in text else float("nan")
                expected = "" if abs(value) < 3.5e38 else "a finite number after ':'"
            except ValueError:
                expected = "a finite number after ':'"
        if expected:
            return bad_input(path, number, line.find(token) + 1, repr(token.decode("utf-8", "replace")), expected)
    return bad_input(path, number, 1, "a line with an index or a value missing", "label index:value index:value ...")


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
