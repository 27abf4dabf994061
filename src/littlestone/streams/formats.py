"""The formats: what each is read by, and what its first rows settle."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from littlestone.errors import LittlestoneError, require
from littlestone.jit import is_compiled
from littlestone.reading import Reading
from littlestone.streams import libsvm
from littlestone.streams.codes import Test
from littlestone.streams.files import Input
from littlestone.streams.readers import LineReader, Reader
from littlestone.streams.vocabulary import Vocabulary

LINES = ("libsvm", "vw", "text")
SHAPES = {
    "libsvm": "lines of the form 'label index:value ...'",
    "vw": "lines of the form 'label |namespace feature:value ...'",
    "text": "lines of a label, a tab and text",
}
NAMES_LINE = re.compile(rb"#\s*littlestone names:\s*(.+?)\s*\Z")


def shape(reading: Reading) -> str:
    """What a file of this format is expected to hold."""
    return SHAPES.get(reading.format, "rows")


def settled(reading: Reading, source: Input) -> Reading:
    """The reading, with what the first rows say."""
    if reading.format == "libsvm":
        return reading.but(named=reading.named or reading.names or names_file(source) is not None)
    raise LittlestoneError(f"format {reading.format!r} cannot be read yet")


def names_file(source: Input) -> Path | None:
    """The file with the names of a libsvm file's features, where its first line tells of one."""
    first = NAMES_LINE.match(source.head(1).split(b"\n", 1)[0].rstrip(b"\r"))
    return None if first is None else Path(source.path).parent / first[1].decode("utf-8", "replace")


def names_beside(source: Input) -> dict[str, Any]:
    """The names of a libsvm file's features, one JSON string a line."""
    path = None if source.path == "-" else names_file(source)
    if path is None:
        return {}
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise LittlestoneError(f"{path}: cannot be read ({error}), and {source.path} has the names of its features there") from None
    names = []
    for number, line in enumerate(lines, 1):
        try:
            names.append(json.loads(line))
        except ValueError:
            names.append(None)
        require(isinstance(names[-1], str), f"{path}, line {number}: found {line[:40]!r}, expected the name of a feature as a JSON string")
    return {"named": names}


def names_for(reading: Reading, path: str, given: Iterable[str] | None) -> Any:
    """The names that the stream begins with; None where features are numbers."""
    if not reading.named:
        return None
    return Vocabulary(given or ())


def reader(reading: Reading, skip: bool, names: Any) -> Reader:
    if reading.format == "libsvm":
        return LineReader(libsvm.ParsedLibsvm, libsvm.Scratch, reading, skip, names, names_beside if reading.named else None)
    raise LittlestoneError(f"format {reading.format!r} cannot be read yet")


def test_of(reading: Reading) -> Test | None:
    """The test that makes labels of labels, where a format has no columns to choose from."""
    return Test(reading.label) if reading.label is not None and reading.format in LINES else None


def compiled(format: str) -> bool:
    return is_compiled(libsvm.parse)


def warm(reading: Reading) -> None:
    scratch = libsvm.Scratch(16)
    scratch.text[:6], scratch.length = b"1 1:1\n", 6
    libsvm.ParsedLibsvm("", False, scratch, reading)
