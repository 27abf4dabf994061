"""What a table of many columns costs: names are compared about once a column, however many there are."""

import pyarrow as pa
import pytest

from littlestone.rounds.formats.csv import no_header
from littlestone.rounds.reading import Reading
from littlestone.rounds.tables import TableRows, check_columns
from littlestone.streams.first_rows import settled_on
from littlestone.streams.formats.arrow import ArrowReader


class Counted(str):
    """A name that counts how often one is compared with another, and stays one when it is stripped."""

    comparisons = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Counted.comparisons += 1
        return str.__eq__(self, other)

    def strip(self, chars: str | None = None) -> "Counted":
        return self


def settled(names: list[str]) -> Reading:
    return settled_on(Reading(format="csv", ignore=tuple(map(Counted, names[1 : len(names) // 2]))), names, {name: ["1"] for name in names})


def row(format: str) -> object:
    def read(names: list[str]) -> object:
        kinds = dict.fromkeys(names[1:], "numeric")
        reading = Reading(format=format, label="label", columns=tuple(map(Counted, names)), kinds=kinds, named=True)
        rows = TableRows(reading, list(map(Counted, names)), texts=format == "csv", path="a table", open=format == "jsonl")
        return rows.row({Counted(name): "1" if format == "csv" else 1 for name in names})

    return read


@pytest.mark.parametrize(
    "work",
    [
        settled,
        no_header,
        lambda names: check_columns(names, Reading(kinds=dict.fromkeys(map(Counted, names), "numeric")), "a table"),
        row("csv"),
        row("jsonl"),
    ],
    ids=["first rows", "header", "columns", "row of csv", "row of jsonl"],
)
def test_names_of_columns_are_compared_about_once_each(work):
    def comparisons(width: int) -> int:
        names = [Counted(name) for name in ("label", *(f"c{k}" for k in range(width)))]
        Counted.comparisons = 0
        work(names)
        return Counted.comparisons

    assert comparisons(800) <= 20 * 800


def test_the_names_of_an_arrow_schema_are_listed_once():
    lists = []

    class Schema:
        """Counts how often all names are asked for."""

        def __init__(self, schema: pa.Schema) -> None:
            self.schema, self.types = schema, schema.types

        @property
        def names(self) -> list[str]:
            lists.append(1)
            return self.schema.names

        def field(self, k: int) -> pa.Field:
            return self.schema.field(k)

    columns = [f"c{k}" for k in range(100)]
    reading = Reading(format="arrow", label="c0", columns=tuple(columns), kinds=dict.fromkeys(columns[1:], "numeric"), named=True)
    ArrowReader(reading).check(Schema(pa.schema([(name, pa.float64()) for name in columns])), "a table")
    assert len(lists) == 1
