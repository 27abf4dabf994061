"""The formats: what each is read by, and what its first rows settle."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from littlestone.errors import LittlestoneError, require
from littlestone.kernels.compiler import is_compiled
from littlestone.rounds.reading import LOOK_ROWS, Reading
from littlestone.streams import libsvm, named, text, vw
from littlestone.streams.codes import Test
from littlestone.streams.files import MARK, Input, shown
from littlestone.streams.readers import LineReader, Reader
from littlestone.streams.vocabulary import Hashed, Vocabulary

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
# what can be said of tables alone; VW text has namespaces to be left out and crossed, and tags, and text has words
COLUMNS = ("text", "categorical", "numeric", "bins", "header", "delimiter", "quotes", "weight")
NOT_OF = {
    "libsvm": (*COLUMNS, "id", "ignore", "cross", "ngrams"),
    "vw": COLUMNS,
    "text": (*COLUMNS, "id", "ignore", "cross"),
}
HAS = {"libsvm": "numbered features alone", "vw": "namespaces", "text": "words alone"}
KEPT = ("bits", "boolean", "sum_duplicates", "names", "named")  # of a reading, for a file whose features are made already
CONVERTED = {"label", "weight", "id", "|", "features", "names", "indices", "values"}
NAMES_LINE = re.compile(rb"#\s*littlestone names:\s*(.+?)\s*\Z")


def shape(reading: Reading) -> str:
    """What a file of this format is expected to hold."""
    return SHAPES.get(reading.format, "rows")


def settled(reading: Reading, source: Input) -> Reading:
    """The reading, with what the first rows say."""
    if reading.format in NOT_OF:
        said = reading.choices()
        for option in NOT_OF[reading.format]:
            if option in said:
                where = f"{shown(source.path)} is read as {reading.format}, which has {HAS[reading.format]}"
                raise LittlestoneError(f"{where}: --{option} ({option}=) does not apply; --format reads it as another", path=source.path)
    if reading.format == "libsvm":
        return reading.but(named=reading.named or reading.names or names_file(source) is not None)
    if reading.format == "vw":
        known = reading.named if reading.named is not None else reading.names or None
        found = reading.but(**(vw.guess(source.head(LOOK_ROWS).split(b"\n")[:LOOK_ROWS]) if known is None else {"named": known}))
        by_name = found.named or found.bits or found.ngrams == 1
        require(by_name, f"{shown(source.path)}: --ngrams joins names, and its features are numbers; {vw.KEEPS}")
        return found
    if reading.format == "text":
        return reading.but(named=True)
    look = _tables(reading).looked
    if not reading.settled:
        return look(reading, source)
    made = Reading(format=reading.format, labels=reading.labels, delimiter=reading.delimiter, **reading.chosen(KEPT))
    tried = _tried(look, made, source)
    if tried is None or tried.columns is None:
        return reading
    if set(reading.kinds or ()) <= set(tried.columns) or not set(tried.columns) <= CONVERTED:
        return reading.but(header=tried.header, delimiter=tried.delimiter, columns=tried.columns) if reading.header is None else reading
    return tried if "label" in tried.columns else reading  # `convert` wrote it: its features are made already


def _tried(look: Any, reading: Reading, source: Input) -> Reading | None:
    """What a look finds, with a label or without one; None where the file is no such table."""
    for labelled in (True, False):
        with suppress(LittlestoneError):
            return look(reading, source, labelled=labelled)
    return None


def apart(reading: Reading, format: str) -> Reading:
    """The reading of a model's stream, for a file in another format. Lines were written by `convert`: their features are made already."""
    if format not in LINES or not reading.settled or format == reading.format:
        return reading.but(format=format)
    kept = reading.chosen(KEPT)
    labels = reading.labels
    if format != "text" and any(isinstance(label, str) for label in labels or ()):
        labels = -1.0, 1.0  # these formats hold numbers, and convert writes these
    return Reading(format=format, labels=labels, **kept)


def _tables(reading: Reading) -> Any:
    """The module that reads a format of tables: pyarrow takes its time to load, and who has no tables need not wait for it."""
    if reading.format in ("parquet", "arrow"):
        from littlestone.streams import arrow

        return arrow
    from littlestone.streams import tables

    return tables


def names_file(source: Input) -> Path | None:
    """The file with the names of a libsvm file's features, where its first line tells of one."""
    first = NAMES_LINE.match(source.head(1).removeprefix(MARK).split(b"\n", 1)[0])
    return None if first is None else Path(source.path).parent / first[1].decode("utf-8", "replace")


def names_beside(source: Input) -> dict[str, Any]:
    """The names of a libsvm file's features, one JSON string a line."""
    path = None if source.path == "-" else names_file(source)
    if path is None:
        return {}
    try:
        lines = path.read_bytes().decode().removesuffix("\n").split("\n")  # nothing else ends a line: JSON may hold U+2028 as it is
    except OSError as error:
        raise LittlestoneError(f"{path}: {error.strerror}; {source.path} has the names of its features there", path=str(path)) from None
    except ValueError as error:  # not UTF-8, or a NUL in the path
        raise LittlestoneError(f"{str(path)!r}: {error}; {source.path} has the names of its features there", path=str(path)) from None
    names: dict[str, int] = {}
    for number, line in enumerate(lines if lines != [""] else [], 1):
        try:
            name = json.loads(line)
            name.encode()
        except (ValueError, RecursionError, AttributeError):
            name = None
        require(name is not None, f"{path}, line {number}: found {line[:40]!r}, expected the name of a feature as a JSON string")
        before = names.setdefault(name, number)
        require(before == number, f"{path}, line {number}: found {line[:40]!r}, which line {before} has too; expected each name once")
    return {"named": list(names)}


def names_for(reading: Reading, given: Iterable[str] | None) -> Any:
    """The names that the stream begins with; None where features are numbers."""
    if reading.bits is not None:
        return Hashed(reading.bits)
    return Vocabulary(given or ()) if reading.named else None


def reader(reading: Reading, skip: bool, names: Any, bare: bool = False) -> Reader:
    """What reads this format. `bare`: lines of text may have no label and no tab."""
    if reading.format == "libsvm":
        return LineReader(libsvm.ParsedLibsvm, libsvm.Scratch, reading, skip, names, names_beside if names is not None else None)
    if reading.format == "vw":
        return LineReader(vw.ParsedVW, named.Scratch, reading, skip, names)
    if reading.format == "text":
        return LineReader(text.ParsedText, named.Scratch, reading, skip, names, lambda _: {"bare": bare})
    return getattr(_tables(reading), TABLES[reading.format])(reading)


def test_of(reading: Reading) -> Test | None:
    """The test that makes labels of labels, where a format has no columns to choose from."""
    return Test(reading.label) if reading.label is not None and reading.format in LINES else None


def compiled(reading: Reading) -> bool:
    """Is what reads this format compiled already?"""
    if reading.format in TABLES:
        from littlestone.streams import gather, pages, records

        of_table = {"csv": records.scan, "tsv": records.scan, "parquet": pages.rows_in}
        return is_compiled(of_table.get(reading.format, gather.place)) and (reading.named is False or is_compiled(gather.place))
    of_vw = vw.parse_names if reading.named or reading.bits else vw.parse_numbers
    return is_compiled({"libsvm": libsvm.parse, "vw": of_vw, "text": text.fold_lines}[reading.format])


def warm_file(reading: Reading, source: Input) -> bool:
    """Read the first piece of a file for nothing: what is compiled for it depends on what it holds. Were all its values 1?

    What is wrong with it is told later.
    """
    if getattr(source, "packed", "") and reading.format in ("parquet", "arrow"):
        return False  # all of it would be unpacked twice
    names = names_for(reading, None)
    with suppress(LittlestoneError):
        for job in reader(reading, True, names).jobs(source):
            if job is not None:
                parsed = job[0]()
                parsed.settle(names)
                return parsed.values is None
    return False


def warm(reading: Reading) -> None:
    """Read a line, so that no clock runs while the parser is compiled or loaded."""
    line = {"libsvm": b"1 1:1\n", "vw": b"1 | 1:1\n", "text": b"1\tone\n"}[reading.format]
    names = names_for(reading, None)
    made = reader(reading.but(cross=(), ngrams=1, ignore=()), False, names)
    assert isinstance(made, LineReader)
    scratch = made.scratch(16)
    scratch.text[: len(line)], scratch.length = line, len(line)
    made.kind("", True, scratch, made.reading, names.snapshot() if names is not None else None).settle(names)
