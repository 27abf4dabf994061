"""libsvm text: `label index:value index:value ...`, blanks between; a line that begins with a feature has no label; a comment after '#'."""

import json
import re
from collections.abc import Iterator, Sequence
from math import inf
from operator import lt
from pathlib import Path
from stat import S_ISREG
from struct import pack, unpack
from typing import Any

from littlestone.errors import LittlestoneError, require
from littlestone.rounds.digest import Round, coded
from littlestone.rounds.faults import ONCE, Fault, shown
from littlestone.rounds.features import LARGEST_INDEX, NUMBER, Condition, Labels, PlainRow, narrow, number_in
from littlestone.rounds.files import MARK, PlainFile, is_remote
from littlestone.rounds.formats import Format
from littlestone.rounds.reading import COLUMN_CHOICES, Reading

NAMES_LINE = re.compile(rb"#\s*littlestone names:\s*(.+?)\s*")
TOKEN = re.compile(rb"[^ \t\r\n]+")
#: The usual line. What it does not match is read token by token.
USUAL = re.compile(rb"[ \t\r\n]*+(?:[-+.0-9eE]++(?:[ \t\r\n]++|\Z))?+(?:[0-9]++:[-+.0-9eE]++(?:[ \t\r\n]++|\Z))*+")
DIGITS = rb"[+-]?(?:\d++\.?+\d*+|\.\d++)(?:[eE][+-]?\d++)?+"  # possessive: a long run of digits must not be tried in every way
LOOKS = re.compile(rb"[ \t]*(?:" + DIGITS + rb"(?![^ \t#]))?(?:[ \t]*+\d++:[^ \t#]*+)*+[ \t]*+(?:#.*)?\Z")
LABEL_FIRST = re.compile(rb"[ \t]*" + DIGITS + rb"([ \t]|\Z)")


def row_of(line: bytes, reading: Reading) -> PlainRow | None:
    """One line, its features named by their digits.

    >>> row_of(b"+1 3:0.5 7:2e0 # a comment", Reading(format="libsvm"))
    PlainRow(label=1.0, weight=1.0, id=None, groups=[('', [('3', 0.5), ('7', 2.0)])], converted=False, key=None)
    """
    tokens = [(token.start(), token[0]) for token in TOKEN.finditer(line.partition(b"#")[0])]
    if not tokens:
        return None
    label = None
    if b":" not in tokens[0][1]:
        column, token = tokens.pop(0)
        label = label_in(token, column)
    pairs: list[tuple[str, float]] = []
    seen: set[str] = set()
    for column, token in tokens:
        pairs.append(feature_in(token, column))
        if pairs[-1][0] in seen and not reading.adds_up:
            raise Fault(column, token, ONCE)
        seen.add(pairs[-1][0])
    return PlainRow(label, 1.0, None, [("", pairs)])


def label_in(token: bytes, column: int) -> float:
    text = token.decode("latin-1")
    if not NUMBER.fullmatch(text):
        raise Fault(column, token, "a label: a number, such as 1, 0 or -1")
    if float(text) in (inf, -inf):
        raise Fault(column, token, "a label: a finite number, such as 1, 0 or -1")
    return float(text)


def feature_in(token: bytes, column: int) -> tuple[str, float]:
    """The digits of a feature's number, and its value."""
    name, colon, text = token.partition(b":")
    if not name.isdigit():
        raise Fault(column, token, "a feature index: a whole number, 0 or more")
    if not colon:
        raise Fault(column, token, "':' and a value after the feature index")
    if len(name) > 4000 or int(name) > LARGEST_INDEX:
        raise Fault(column, token, f"a feature index of at most {LARGEST_INDEX}")
    return str(int(name)), number_in(text.decode("latin-1"), column + len(name) + 1, "a finite number after ':'")


def rows(source: PlainFile, reading: Reading) -> Iterator[PlainRow]:
    """The rows of a file; a file beside it may have names for its features."""
    names = names_beside(source)
    for line in source.lines():
        row = row_of(line, reading)
        if row is not None:
            yield row if names is None else renamed(row, names)


def renamed(row: PlainRow, names: Sequence[str]) -> PlainRow:
    """The row with names in place of numbers."""
    ((_, pairs),) = row.groups
    for name, _ in pairs:
        if int(name) >= len(names):
            raise unnamed(int(name), len(names))
    return row._replace(groups=[("", [(names[int(name)], value) for name, value in pairs])])


def unnamed(index: int, count: int) -> Fault:
    return Fault(None, f"feature {index}", f"one of the {count:,} features that the names file has, from 0 on")


def rounds(source: PlainFile, reading: Reading, labels: Labels, test: Condition | None) -> Iterator[Round] | None:
    """The same where features are numbers and stand once in a row: the usual line, indices growing and no zeros, is taken whole, because
    streams of millions of lines are verified."""
    if names_beside(source) is not None or reading.adds_up:
        return None
    return _quick_rounds(source, reading, labels, test)


def _quick_rounds(source: PlainFile, reading: Reading, labels: Labels, test: Condition | None) -> Iterator[Round]:
    known: dict[bytes, bool | None] = {}  # by the text of the label

    def label_of(token: bytes, line: bytes) -> bool | None:
        if token not in known:
            label = label_in(token, line.find(token))
            known[token] = labels.of(label if test is None else test.of(label))
        return known[token]

    for line in source.lines():
        if b"#" in line:
            line = line.partition(b"#")[0]
        parts = line.replace(b":", b" ").split()
        labelled = len(parts) % 2
        indices, values, coded_row = (
            _usual(parts[labelled::2], parts[1 + labelled :: 2], reading.boolean) if USUAL.fullmatch(line) else NOT_USUAL
        )
        if coded_row:
            if parts:
                yield Round(label_of(parts[0], line) if labelled else None, indices, values, coded_row)
            continue
        row = row_of(line, reading)
        if row is not None:
            small = [(name, narrow(value)) for name, value in row.groups[0][1]]
            pairs = [(name, 1.0 if reading.boolean else value) for name, value in small if value or not reading.boolean]
            numbers, values = [int(name) for name, _ in pairs], [value for _, value in pairs]
            y = None if row.label is None else label_of(line.split()[0], line)
            yield Round(y, numbers, values, coded([name.encode() for name, _ in pairs], values))


NOT_USUAL: tuple[list[int], list[float], bytes] = ([], [], b"")


def _usual(names: list[bytes], texts: list[bytes], boolean: bool) -> tuple[list[int], Sequence[float], bytes]:
    """Indices, values, and both as the digest takes them; nothing of the last where that needs more care."""
    m = len(names)
    try:
        indices = list(map(int, names))
        data = pack(f"<{m}f", *map(float, texts))
    except (ValueError, OverflowError):
        return NOT_USUAL
    values: Sequence[float] = unpack(f"<{m}f", data)
    joined = b"\xff".join(names) + b"\xff" if m else b""
    grown = all(map(lt, indices, indices[1:]))
    if (
        not grown
        or 0.0 in values
        or b"\xff0" in b"\xff" + joined
        or (m and (indices[-1] > LARGEST_INDEX or not -1e38 <= min(values) <= max(values) <= 1e38))
    ):
        return NOT_USUAL
    if boolean:
        values = [1.0] * m
        data = pack(f"<{m}f", *values)
    return indices, values, joined + b"\xfe" + data


def names_beside(source: Any) -> list[str] | None:
    """The names of the features, where the first line tells of a file that has them: line i is a JSON string, the name of feature i."""
    return names_in(source.path, (source.look() or [b""])[0])


def names_in(path: str, first: bytes) -> list[str] | None:
    """The same of a file with this first line. What it names is a regular file beside it, and what that holds is never told."""
    comment = NAMES_LINE.fullmatch(first.removeprefix(MARK).removesuffix(b"\n"))
    if comment is None or path == "-":
        return None
    name = comment[1].decode("utf-8", "replace")
    bare = Path(name).name == name and name != ".." and not set("\\\0") & set(name)
    expected = "the bare name of a file beside this one, which has the names of its features"
    require(bare, f"{path}, line 1: found {shown(name)!r}, expected {expected}")
    if is_remote(path):
        return _names_at(f"{path.rpartition('/')[0]}/{name}", path)
    beside = Path(path).parent / name
    plain = not beside.exists() or S_ISREG(beside.lstat().st_mode)
    require(plain, f"{beside}: is no regular file; {path} has the names of its features there")
    return _names_at(str(beside), path)


def _names_at(beside: str, path: str) -> list[str]:
    there = f"; {path} has the names of its features there"
    names: dict[str, int] = {}
    try:
        with PlainFile(beside) as source:
            for line in source.lines():
                name = _name(line)
                before = None if name is None else names.setdefault(name, source.line)
                expected = "the name of a feature as a JSON string" if before is None else f"each name once, and line {before} has it too"
                if before != source.line:
                    raise LittlestoneError(f"{beside}, line {source.line}: expected {expected}", line=source.line)
    except LittlestoneError as error:
        raise LittlestoneError(f"{error}{there}", path=beside, line=error.line) from None
    return list(names)


def _name(line: bytes) -> str | None:
    """The name that a line has; None where it has none."""
    try:
        name = json.loads(line.decode())
        name.encode()
    except (ValueError, RecursionError, AttributeError):
        return None
    return name


def looks(lines: list[bytes]) -> int:
    many = sum(LOOKS.match(line) is not None for line in lines) >= (len(lines) + 1) // 2  # the others may be what is wrong with the file
    if many and any(b":" in line for line in lines):
        return 7
    return int(all(map(LABEL_FIRST.match, lines[:10])))


FORMAT = Format(
    shape="lines of the form 'label index:value ...'",
    row_of=row_of,
    rows=rows,
    rounds=rounds,
    has="numbered features alone",
    lacks=(*COLUMN_CHOICES, "id", "ignore", "cross", "ngrams", "chars"),
    endings=(".libsvm", ".svm", ".svmlight"),
    looks=looks,
    plain_labels=True,
)
