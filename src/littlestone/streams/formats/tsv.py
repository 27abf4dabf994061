"""Tab-separated values: as csv, with tabs between the cells."""

from __future__ import annotations

from littlestone.streams.formats.csv import compiled, look, reader, table_reader

__all__ = ["compiled", "look", "reader", "table_reader", "writer"]


def writer() -> type:
    from littlestone.streams.write.lines import TSV

    return TSV
