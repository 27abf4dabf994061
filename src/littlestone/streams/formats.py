"""The formats: what each is read by, and what its first rows settle."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from littlestone.errors import LittlestoneError
from littlestone.jit import is_compiled
from littlestone.reading import Reading
from littlestone.streams import libsvm
from littlestone.streams.codes import Test
from littlestone.streams.files import Input
from littlestone.streams.readers import LineReader, Reader
from littlestone.streams.vocabulary import Vocabulary

LINES = ("libsvm", "vw", "text")
TABLES = {"csv": "Csv", "tsv": "Csv", "jsonl": "Jsonl", "parquet": "Parquet", "arrow": "Arrow"}  # and what reads them
SHAPES = {
    "libsvm": "lines of the form 'label index:value ...'",
    "vw": "lines of the form 'label |namespace feature:value ...'",
    "csv": "a table with a row for each round",
    "tsv": "a table with a row for each round",
    "jsonl": "a JSON object on every line",
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
    if reading.format in TABLES:
        return reading if reading.settled else _tables(reading).looked(reading, source)
    raise LittlestoneError(f"format {reading.format!r} cannot be read yet")


def _tables(reading: Reading) -> Any:
    """The module that reads a format of tables: pyarrow takes its time to load, and who has no tables need not wait for it."""
    if reading.format in ("parquet", "arrow"):
        from littlestone.streams import arrow

        return arrow
    from littlestone.streams import tables

    return tables


def names_file(source: Input) -> Path | None:
    """The file with the names of a libsvm file's features, where its first line tells of one."""
    first = NAMES_LINE.match(source.head(1).split(b"\n", 1)[0].rstrip(b"\r"))
    return None if first is None else Path(source.path).parent / first[1].decode("utf-8", "replace")


def names_for(reading: Reading, path: str, given: Iterable[str] | None) -> Any:
    """The names that the stream begins with; None where features are numbers."""
    if not reading.named:
        return None
    return Vocabulary(given or ())


def reader(reading: Reading, skip: bool, names: Any) -> Reader:
    if reading.format == "libsvm":
        return LineReader(libsvm.ParsedLibsvm, libsvm.Scratch, reading, skip, names)
    if reading.format in TABLES:
        return getattr(_tables(reading), TABLES[reading.format])(reading)
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
