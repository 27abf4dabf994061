"""The readers of tables: CSV and TSV, JSON lines, Parquet and Arrow; each gives the rows of one file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any

from littlestone.errors import LittlestoneError
from littlestone.rounds.features import BLANKS, NUMBER, Row, encoded
from littlestone.rounds.files import LONGEST_LINE, Fault, Source
from littlestone.rounds.reading import Reading
from littlestone.rounds.tables import Pairs, Table, check_sparse, is_converted, sparse

DELIMITERS = (",", ";", "\t", "|")
EMPTY = ("", "\n", "\r\n", "\r")  # lines without anything; blanks are a cell


# ---- CSV ----


def csv_rows(source: Source, reading: Reading, format: str) -> Iterator[Row]:
    """The rows of a CSV or TSV file. Its header and delimiter may be others than those of the first file; its columns may not."""
    texts = source.texts()
    first = next((text for text in texts if text not in EMPTY), "")
    if not first:
        return
    line = source.line
    quotes = reading.quotes is not False or format != reading.format
    delimiter = delimiter_of(first, reading, format, quotes)
    cells = record(first, texts, delimiter, None, quotes)
    columns, header = columns_of(cells, reading)
    source.line = line
    converted = is_converted(columns, reading)
    known = reading.columns
    if not converted and known is not None and set(columns) != set(known):
        raise Fault(None, ", ".join(columns), f"the columns {', '.join(known)}")
    table = Table(reading, columns if converted or known is None else known, converted=converted, cells=True)
    for begin, found in chain([] if header else [(line, cells)], records(source, texts, delimiter, columns, quotes or converted)):
        source.line = begin
        if len(found) != len(columns):
            raise Fault(None, f"{len(found)} cells", f"{len(columns)}, as there are columns")
        yield table.row(dict(zip(columns, found, strict=True)))


def delimiter_of(first: str, reading: Reading, format: str, quotes: bool) -> str:
    """The one of the reading, if it makes its columns of the first line; else the most frequent one there."""
    known = reading.delimiter
    if format == "tsv" and known is None:
        return "\t"
    if known is not None and (reading.columns is None or first.count(known) == len(reading.columns) - 1):
        return known
    outside = "".join(first.split('"')[::2]) if quotes else first
    best = max(DELIMITERS, key=outside.count)  # the first of those that are equally frequent
    return best if outside.count(best) else known or ","


def columns_of(cells: list[str], reading: Reading) -> tuple[list[str], bool]:
    """The columns of a file whose first record this is, and whether it is a header."""
    names = [cell.strip(BLANKS) for cell in cells]
    numbers = [str(i) for i in range(1, len(cells) + 1)]
    if reading.columns is not None and list(reading.columns) == numbers and reading.header is not True and not is_converted(names, reading):
        return numbers, False
    looks = all(names) and len(set(names)) == len(names) and not any(map(NUMBER.fullmatch, names))
    if reading.columns is not None and set(names) == set(reading.columns):
        looks = True
    elif reading.columns is not None and not is_converted(names, reading) and len(names) == len(reading.columns) and not looks:
        return list(reading.columns), False  # a part of a longer file
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise Fault(None, twice, "each column once in the header")
    return (names, True) if looks or reading.header else (numbers, False)


def records(source: Source, texts: Iterator[str], delimiter: str, columns: list[str], quotes: bool) -> Iterator[tuple[int, list[str]]]:
    """Each record with the line in which it begins; blank lines are left out."""
    for text in texts:
        begin = source.line
        if text not in EMPTY:
            try:
                cells = record(text, texts, delimiter, columns, quotes)
            except Fault:
                source.line = begin
                raise
            yield begin, cells


def record(text: str, more: Iterator[str], delimiter: str, columns: list[str] | None, quotes: bool = True) -> list[str]:
    """The cells of a record; lines are added to it while a quote is open. Without `quotes` it is a line, and a quote a character.

    >>> record('a,"b ""c"", d",\\r\\n', iter(()), ",", None)
    ['a', 'b "c", d', '']
    """
    if not quotes or '"' not in text:
        text = ended(text)
        return text.split(delimiter)
    cells: list[str] = []
    at = 0
    while True:
        column = columns[len(cells)] if columns is not None and len(cells) < len(columns) else None
        if text.startswith('"', at):
            begin, at = at, at + 1
            while True:
                close = text.find('"', at)
                if close < 0:
                    line = next(more, "")
                    if not line or len(text) > LONGEST_LINE:
                        raise Fault(column, text[begin : begin + 30], "a quote that is closed, or a reading without quotes")
                    at, text = len(text), text + line
                elif text.startswith('""', close):
                    at = close + 2
                else:
                    break
            cells.append(text[begin + 1 : close].replace('""', '"'))
            at = close + 1
        else:
            cells.append("")
        end = text.find(delimiter, at)  # what follows a closing quote belongs to its cell
        bare = text[at:end] if end >= 0 else ended(text[at:])
        if "\r" in bare:
            raise Fault(column, bare, "lines that end with \\n or \\r\\n")
        cells[-1] += bare
        at = end if end >= 0 else len(text)
        if not text.startswith(delimiter, at):
            return cells
        at += len(delimiter)


def ended(text: str) -> str:
    """A line without its end."""
    text = text.removesuffix("\n").removesuffix("\r")
    if "\r" in text:
        raise Fault(text.index("\r"), "\r", "lines that end with \\n or \\r\\n")
    return text


# ---- JSON lines ----


def json_rows(source: Source, reading: Reading) -> Iterator[Row]:
    """The rows of a file with one JSON object a line."""
    table = None
    for text in source.texts():
        if not text.strip(BLANKS):
            continue
        given = object_in(text.removesuffix("\n"))
        if table is None:
            converted = is_converted(given, reading)
            table = Table(reading, list(given) if converted else reading.columns or list(given), converted=converted, cells=False)
            table.open = True
        yield table.row(given)


def object_in(text: str) -> dict[str, Any]:
    """The JSON object that a line is: no key twice, no NaN."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise Fault(None, f"the key {twice} twice", "each key once in an object")
        return found

    def refuse(constant: str) -> Any:
        raise Fault(text.find(constant), constant, "a finite number")

    try:
        found = json.loads(text, object_pairs_hook=once, parse_constant=refuse)
    except json.JSONDecodeError as error:
        column = len(text[: error.pos].encode("utf-8", "surrogatepass"))
        raise Fault(column, text[error.pos : error.pos + 30] or "nothing", f"a JSON object ({error.msg})") from None
    except (RecursionError, ValueError):
        raise Fault(0, text, "a JSON object that is not nested too deeply, its numbers not too long") from None
    if "\\u" in text:
        encoded(json.dumps(found, ensure_ascii=False))  # half a surrogate pair is no text
    if not isinstance(found, dict):
        raise Fault(0, text, "a JSON object, {...}")
    return found


# ---- Parquet and Arrow ----


def arrow_rows(source: Source, reading: Reading, format: str) -> Iterator[Row]:
    """The rows of a Parquet file, or of an Arrow file or stream."""
    with unpacked(source, format) as (schema, batches):
        for row in batch_rows(schema, batches, reading):
            source.line += 1
            yield row()


@contextmanager
def unpacked(source: Source, format: str) -> Iterator[tuple[Any, Iterator[Any]]]:
    """The schema and the record batches of a Parquet file, or of an Arrow file or stream; they must be all that it says there are."""
    import pyarrow

    source.unit = "row"
    direct = not source.packed and source.path != "-"
    met = 0

    def counted(batches: Iterator[Any]) -> Iterator[Any]:
        nonlocal met
        for batch in batches:
            met += len(batch)
            yield sound(batch)

    try:
        if format == "parquet":
            import pyarrow.parquet

            file = pyarrow.parquet.ParquetFile(source.path if direct else pyarrow.BufferReader(source.whole()))
            rows = sum(file.metadata.row_group(k).num_rows for k in range(file.metadata.num_row_groups))
            yield file.schema_arrow, counted(file.iter_batches(1000))
            if met != rows:
                raise pyarrow.ArrowInvalid(f"it has {met} rows, and says that there are {rows}")
        else:
            whole = b"".join(source.look()[:1]).startswith(b"ARROW1")
            data = pyarrow.OSFile(source.path) if direct else pyarrow.BufferReader(source.whole())
            opened = pyarrow.ipc.open_file(data) if whole else pyarrow.ipc.open_stream(data)
            yield opened.schema, counted((opened.get_batch(i) for i in range(opened.num_record_batches)) if whole else iter(opened))
    except (pyarrow.ArrowException, OSError, UnicodeError, MemoryError, OverflowError) as error:
        why = str(error).split("\n")[0]
        raise LittlestoneError(f"{source.shown}: is no {format} file, or it is damaged or cut off ({why})", path=source.path) from None


def frame_rows(frame: Any, reading: Reading, *, labelled: bool) -> Iterator[Row]:
    """The rows of anything that gives itself as an Arrow stream: a table of pandas, polars or pyarrow, a reader of record batches."""
    import pyarrow

    reader = pyarrow.RecordBatchReader.from_stream(frame)
    for t, row in enumerate(batch_rows(reader.schema, map(sound, reader), reading, labelled), 1):
        try:
            yield row()
        except Fault as fault:
            raise fault.error("the table", "row", t) from None


def sound(batch: Any) -> Any:
    """The batch itself: lengths and offsets of a damaged one may point anywhere."""
    batch.validate(full=True)
    return batch


def batch_rows(schema: Any, batches: Iterator[Any], reading: Reading, labelled: bool = True) -> Iterator[Any]:
    """For each row something to call that gives it, so that whoever counts the rows can tell where a fault is."""
    columns = schema.names
    converted = is_converted(columns, reading)
    known = reading.columns
    if not converted and known is not None and set(columns) != set(known):
        raise Fault(None, ", ".join(columns), f"the columns {', '.join(known)}")
    if len(set(columns)) != len(columns):
        raise LittlestoneError("a column stands twice in the table; expected each once")
    table = Table(reading, columns if converted or known is None else known, converted=converted, cells=False, labelled=labelled)
    holder = sparse_holder(schema)
    if holder:
        check_sparse(table, holder)
    for batch in batches:
        lists = [values_of(column, field.type) for column, field in zip(batch.columns, schema, strict=True)]
        for cells in zip(*lists, strict=True):
            given = dict(zip(columns, cells, strict=True))
            yield (lambda given=given: sparse(table, given, holder)) if holder else (lambda given=given: table.row(given))


def sparse_holder(schema: Any) -> str:
    """The column of a sparse layout that says which features a row has; nothing where it is a table."""
    from pyarrow import types

    for name, fits in (("indices", types.is_integer), ("names", is_text)):
        if name in schema.names:
            kind = schema.field(name).type
            if is_list(kind) and fits(kind.value_type):
                return name
    return ""


def is_list(kind: Any) -> bool:
    from pyarrow import types

    return types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)


def is_text(kind: Any) -> bool:
    from pyarrow import types

    if types.is_dictionary(kind):
        kind = kind.value_type
    return types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)


def values_of(column: Any, kind: Any) -> list[Any]:
    """A column as Python values; maps as pairs, dates and times with microseconds."""
    import pyarrow
    from pyarrow import types

    if types.is_timestamp(kind) or types.is_time64(kind):  # Python's own have microseconds
        column = column.cast(pyarrow.timestamp("us", kind.tz) if types.is_timestamp(kind) else pyarrow.time64("us"), safe=False)
    if types.is_duration(kind):
        column = column.cast(pyarrow.int64())
    if types.is_float16(kind):
        column = column.cast(pyarrow.float32())
    listed = column.to_pylist()
    return [Pairs(one) if one is not None else None for one in listed] if types.is_map(kind) else listed
