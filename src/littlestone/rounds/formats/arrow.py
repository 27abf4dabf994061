"""Arrow IPC, as a file or a stream: a table whose columns have types. Only pyarrow is asked for help, to unpack it."""

from collections.abc import Iterator
from typing import Any, Self

from littlestone.errors import LittlestoneError
from littlestone.rounds.files import PlainFile, PlainFrame, comes_once, is_remote, shown
from littlestone.rounds.formats import Format, Record
from littlestone.rounds.reading import Reading
from littlestone.rounds.tables import Pairs


def records(source: PlainFile | PlainFrame, reading: Reading) -> tuple[list[str], Iterator[Record]]:
    """The columns and the rows of a file or a frame."""
    import pyarrow

    if isinstance(source, PlainFrame):
        reader = pyarrow.RecordBatchReader.from_stream(source.frame)
        return reader.schema.names, counted(source.path, reader, None)
    source.unit = "row"
    with Damage(source.path):
        whole = b"".join(source.look()[:1]).startswith(b"ARROW1")
        data = bytes_of(source, pyarrow.OSFile)
        opened = pyarrow.ipc.open_file(data) if whole else pyarrow.ipc.open_stream(data)
        batches = (opened.get_batch(i) for i in range(opened.num_record_batches)) if whole else iter(opened)
        return opened.schema.names, counted(source.path, batches, None)


def counted(path: str, batches: Iterator[Any], rows: int | None) -> Iterator[Record]:
    """The rows of record batches; they must be as many as the file says there are."""
    import pyarrow

    met = 0
    with Damage(path):
        for batch in batches:
            for _, record in batch_records(sound(batch)):
                met += 1
                yield met, record
        if rows not in (None, met):
            raise pyarrow.ArrowInvalid(f"it has {met} rows, and says that there are {rows}")


class Damage:
    """What pyarrow says of a file that is damaged, as an error a person can act on. `instead` is what to say where that is known better."""

    def __init__(self, path: str) -> None:
        self.path, self.instead = path, ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        import pyarrow

        if isinstance(error, pyarrow.ArrowException | OSError | EOFError | UnicodeError | MemoryError | OverflowError):
            why = str(error).split("\n")[0].split(". Detail")[0]
            if isinstance(error, MemoryError):
                self.instead = f"asks for more memory than there is, or is damaged ({why})"
            raise LittlestoneError(f"{shown(self.path)}: {self.instead or f'is damaged or cut off ({why})'}", path=self.path) from None


def bytes_of(source: PlainFile, opened: Any) -> Any:
    """The file itself where it can be, else what was unpacked."""
    import pyarrow

    there = not source.packed and not comes_once(source.path) and not is_remote(source.path)
    return opened(source.path) if there else pyarrow.BufferReader(source.whole())


def sound(batch: Any) -> Any:
    """The batch, once it is known that its lengths and offsets stay within it and its text is UTF-8: a damaged file says anything."""
    batch.validate(full=True)
    for field in batch.schema:
        check_names(field)
    return batch


def check_names(field: Any) -> None:
    """pyarrow does not look at the names of columns, and of what is in them, until it is asked for them: then they must be UTF-8."""
    field.name  # noqa: B018
    for k in range(field.type.num_fields):
        check_names(field.type.field(k))


def batch_records(batch: Any) -> Iterator[Record]:
    """The rows of a record batch, counted from 1."""
    names = batch.schema.names
    columns = [values_of(column, field.type) for column, field in zip(batch.columns, batch.schema, strict=True)]
    for number, cells in enumerate(zip(*columns, strict=True), 1):
        yield number, dict(zip(names, cells, strict=True))


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
    return [Pairs(pairs) if pairs is not None else None for pairs in listed] if types.is_map(kind) else listed


FORMAT = Format(
    shape="rows", records=records, endings=(".arrow", ".feather", ".ipc"), magic=(b"ARROW1", b"\xff\xff\xff\xff")
)  # the last bytes begin an Arrow stream
