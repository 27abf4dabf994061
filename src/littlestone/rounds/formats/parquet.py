"""Parquet: a table whose columns have types. Only pyarrow is asked for help, to unpack it."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from littlestone.rounds.files import PlainFile
from littlestone.rounds.formats import Format, Record
from littlestone.rounds.formats.arrow import Damage, bytes_of, counted
from littlestone.rounds.reading import Reading


def records(source: PlainFile, reading: Reading) -> tuple[list[str], Iterator[Record]]:
    """The columns and the rows of a file."""

    source.unit = "row"
    with Damage(source.path):
        file = opened(bytes_of(source, str))
        rows = rows_in(file.metadata)
        groups = (batches_of(file, 1000, [k]) for k in range(len(rows)))  # each by itself: a damaged one says nothing of the next
        return file.schema_arrow.names, counted(source.path, chain.from_iterable(groups), sum(rows))


def rows_in(metadata: Any) -> list[int]:
    """How many rows each row group has."""
    rows = [metadata.row_group(k).num_rows for k in range(metadata.num_row_groups)]
    if min(rows, default=0) < 0:
        raise OSError(f"row group {rows.index(min(rows)) + 1} of {len(rows)} says that it has {min(rows)} rows")
    return rows


def opened(stored: Any, **more: Any) -> Any:
    """The file, whose pages are held against their checksums, where they have any."""
    import pyarrow.parquet

    return pyarrow.parquet.ParquetFile(stored, page_checksum_verification=True, **more)


def batches_of(
    file: Any, size: int, groups: Sequence[int] | None = None, columns: Sequence[str] | None = None, **how: Any
) -> Iterator[Any]:
    """The rows of a file, or of some groups and columns of it; where a checksum is wrong it is said of which group and column."""
    groups = range(file.num_row_groups) if groups is None else groups
    try:
        yield from file.iter_batches(size, row_groups=list(groups), columns=columns, **how)
    except OSError as error:
        if "CRC" not in str(error):
            raise
        for group in groups:
            for name in file.schema_arrow.names if columns is None else columns:
                try:
                    file.read_row_group(group, columns=[name], use_threads=False)
                except OSError:
                    place = f"column {name!r} of row group {group + 1} of {file.num_row_groups}"
                    raise OSError(f"{place}: the bytes of a page are not those that its checksum was made of") from None
        raise


FORMAT = Format(shape="rows", records=records, endings=(".parquet", ".pq"), magic=(b"PAR1",))
