"""Tab-separated values: as csv, with tabs between the cells."""

from collections.abc import Iterator

from littlestone.rounds.files import PlainFile
from littlestone.rounds.formats import Format, Record, csv
from littlestone.rounds.reading import Reading


def records(source: PlainFile, reading: Reading) -> tuple[list[str] | None, Iterator[Record]]:
    """The columns and the rows of a file."""
    return csv.records_of(source, reading, "tsv")


def looks(lines: list[bytes]) -> int:
    sure = csv.looks(lines, (b"\t",))
    return sure + 1 if sure == 3 else sure  # a tab says more than a comma


FORMAT = Format(shape=csv.FORMAT.shape, records=records, likely_endings=(".tsv", ".tab"), looks=looks, texts=True)
