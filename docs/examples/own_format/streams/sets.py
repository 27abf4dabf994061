"""Sets, read line by line with the plain reader: nothing here is compiled."""

from __future__ import annotations

from typing import Any

from littlestone.rounds.reading import Reading
from littlestone.streams.files import Input
from littlestone.streams.plain_rows import PlainReader


def settled(reading: Reading, source: Input) -> Reading:
    """What the first rows say: features have names."""
    return reading.but(named=True)


def reader(reading: Reading, skip: bool, names: Any, bare: bool) -> PlainReader:
    return PlainReader(reading)
