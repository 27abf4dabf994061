"""Tab-separated values: as csv, with tabs between the cells."""

from littlestone.streams.formats.csv import TABLE, look

__all__ = ["TABLE", "look", "writer"]


def writer() -> type:
    from littlestone.streams.write.lines import TSV

    return TSV
