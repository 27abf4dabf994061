"""libsvm text: `label index:value index:value ...`; a line that begins with a feature has no label; a comment after '#'.

The usual line, indices growing and no zeros, is taken whole, because streams of millions of lines are verified; any other one feature by
feature.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from math import inf
from operator import lt
from pathlib import Path
from struct import pack, unpack

from littlestone.errors import LittlestoneError
from littlestone.rounds.digest import Round, coded
from littlestone.rounds.features import LARGEST, LARGEST_INDEX, NUMBER, Condition, Labels, Row, encoded, label_of, narrow, number_in
from littlestone.rounds.files import MARK, Fault, Source, decoded

NAMES_LINE = re.compile(rb"#\s*littlestone names:\s*(.+?)\s*")
LINE = re.compile(rb"[ \t\r\n]*+(?:[-+.0-9eE]++(?:[ \t\r\n]++|\Z))?+(?:[0-9]++:[-+.0-9eE]++(?:[ \t\r\n]++|\Z))*+")
TOKEN = re.compile(rb"[^ \t\r\n]+")


def rounds(source: Source, told: Labels, test: Condition | None, boolean: bool) -> Iterator[Round]:
    """The rounds of a file whose features are numbers."""
    known: dict[bytes, bool | None] = {}
    for line in source.lines():
        if b"#" in line:
            line = line.partition(b"#")[0]
        parts = line.replace(b":", b" ").split()
        if not LINE.fullmatch(line):
            raise fault_in(line)
        if not parts:
            continue
        y = None
        if len(parts) % 2:  # an odd number: a label first
            first = parts[0]
            if first not in known:
                known[first] = told.of(label(first, line, test))
            y = known[first]
            names, texts = parts[1::2], parts[2::2]
        else:
            names, texts = parts[0::2], parts[1::2]
        yield round_of(y, names, texts, boolean, line)


def round_of(y: bool | None, names: list[bytes], texts: list[bytes], boolean: bool, line: bytes) -> Round:
    m = len(names)
    try:
        indices = list(map(int, names))
        values: Sequence[float] = list(map(float, texts))
        data = pack(f"<{m}f", *values)
    except (ValueError, OverflowError):
        raise fault_in(line) from None
    values = unpack(f"<{m}f", data)
    joined = b"\xff".join(names) + b"\xff" if m else b""
    if m and (max(indices) > LARGEST_INDEX or max(values) > 1e38 or min(values) < -1e38):
        list(features(line))  # the careful way, which finds what is too large
    grown = all(map(lt, indices, indices[1:]))
    if boolean:
        values = [1.0 if v else 0.0 for v in values]
        data = pack(f"<{m}f", *values)
    if not grown or 0.0 in values or b"\xff0" in b"\xff" + joined:
        if len(set(indices)) != m:
            raise fault_in(line)
        if boolean:
            indices, values = [i for i, v in zip(indices, values, strict=True) if v], [v for v in values if v]
        return Round(y, indices, values, coded([str(i).encode() for i in indices], values))
    return Round(y, indices, values, joined + b"\xfe" + data)


def label(text: bytes, line: bytes, test: Condition | None) -> float:
    if not NUMBER.fullmatch(text.decode("latin-1")):
        raise Fault(line.find(text), text, "a label: a number, such as 1, 0 or -1")
    value = label_of(text.decode())
    if value in (inf, -inf):
        raise Fault(line.find(text), text, "a label: a finite number, such as 1, 0 or -1")
    return value if test is None else test.of(value)  # type: ignore[arg-type,return-value]


def rows(source: Source, names: Sequence[str] | None) -> Iterator[Row]:
    """The same with features by name, one by one; `names` are those of a file beside, None where features are named by their digits."""
    for line in source.lines():
        line = line.partition(b"#")[0]
        first = TOKEN.search(line)
        if first is None:
            continue
        told = None if b":" in first[0] else label(first[0], line, None)
        found = []
        for at, index, value in features(line):
            if names is not None and index >= len(names):
                raise Fault(at, str(index), f"a feature that has a name: there are {len(names)}")
            found.append((str(index) if names is None else names[index], value))
        yield Row(told, 1.0, [("", found)])


def features(line: bytes) -> Iterator[tuple[int, int, float]]:
    """Each feature: where it stands, its number, its value."""
    for i, found in enumerate(TOKEN.finditer(line)):
        at, token = found.start(), found[0]
        name, colon, text = token.partition(b":")
        if not colon and not i:
            continue  # the label
        if not colon or not name.isdigit():
            raise Fault(at, token, "index:value, the index a whole number of 0 or more")
        if len(name) > 4000 or int(name) > LARGEST_INDEX:
            raise Fault(at, token, f"a feature index of at most {LARGEST_INDEX}")
        number = number_in(text.decode("latin-1"), at + len(name) + 1, f"a finite number after ':', of size at most {LARGEST:.6g}")
        yield at, int(name), narrow(number)


def fault_in(line: bytes) -> Fault:
    """What is wrong with a line that is not label index:value index:value …"""
    seen = set()
    try:
        first = TOKEN.search(line)
        if first is not None and b":" not in first[0]:
            label(first[0], line, None)
        for at, index, _ in features(line):
            if index in seen:
                return Fault(at, str(index), "each feature once in a row: a feature is given twice")
            seen.add(index)
    except Fault as fault:
        return fault
    return Fault(0, line, "label index:value index:value ...")


def names_beside(source: Source) -> list[str] | None:
    """The names of the features, where the first line tells of a file that has them: line i is a JSON string, the name of feature i."""
    first = NAMES_LINE.fullmatch((source.look() or [b""])[0].removeprefix(MARK))
    if first is None:
        return None
    path = Path(source.path).parent / decoded(first[1])
    found = []
    with Source(str(path)) as beside:
        for text in beside.texts():
            try:
                name = json.loads(text)
            except (ValueError, RecursionError):
                name = None
            if not isinstance(name, str):
                raise Fault(0, text.strip(), "a name, as a JSON string")
            encoded(name)
            found.append(name)
    if len(set(found)) != len(found):
        raise LittlestoneError(f"{path}: a name stands twice; expected each once", path=str(path))
    return found
