"""Parquet: a table whose columns have types. Only pyarrow is asked for help, to unpack it."""

from collections.abc import Iterator

from littlestone.rounds.files import PlainFile
from littlestone.rounds.formats import Format, Record
from littlestone.rounds.formats.arrow import Damage, bytes_of, counted
from littlestone.rounds.reading import Reading


def records(source: PlainFile, reading: Reading) -> tuple[list[str], Iterator[Record]]:
    """The columns and the rows of a file."""
    import pyarrow.parquet

    source.unit = "row"
    with Damage(source.path):
        file = pyarrow.parquet.ParquetFile(bytes_of(source, str))
        rows = sum(file.metadata.row_group(k).num_rows for k in range(file.metadata.num_row_groups))
        return file.schema_arrow.names, counted(source.path, file.iter_batches(1000), rows)


FORMAT = Format(shape="rows", records=records, endings=(".parquet", ".pq"), magic=(b"PAR1",))
