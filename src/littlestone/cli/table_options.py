"""How a table of experts is to be read: the options that every command with such a table has."""

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from littlestone.cli import complete
from littlestone.cli.options import Columns, delimiter
from littlestone.errors import LittlestoneError, require


@dataclass
class AdviceOptions:
    """Which columns are whose, and what the advice means: keywords of `ls.experts`."""

    truth: Annotated[str | None, typer.Option(metavar="COLUMN", help="Of a table of experts: the column of the truth.")] = None
    advice: Annotated[str | None, typer.Option(metavar="KIND", help="vote, probability, forecast, loss or gain.")] = None
    loss: Annotated[str | None, typer.Option(metavar="LOSS", help="Of forecasts: squared, absolute, pinball or zero_one.")] = None
    quantile: Annotated[float | None, typer.Option(metavar="Q", help="Of the pinball loss.")] = None
    threshold: Annotated[float | None, typer.Option(metavar="T", help="Forecasts are votes: is it T or more?")] = None
    range: Annotated[
        str | None, typer.Option(metavar="LOW:HIGH", help="The range of forecasts and truths, or of losses; measured if left out.")
    ] = None
    layout: Annotated[str | None, typer.Option(metavar="LAYOUT", help="wide: a column an expert; long: a row a forecast.")] = None
    round: Annotated[str | None, typer.Option(metavar="COLUMN", help="Of the long layout: the round.")] = None
    expert: Annotated[str | None, typer.Option(metavar="COLUMN", help="Of the long layout: the expert's name.")] = None
    forecast: Annotated[str | None, typer.Option(metavar="COLUMN", help="Of the long layout: what the expert says.")] = None
    experts: Annotated[Columns, typer.Option(metavar="A,B,...", help="These experts; else the columns of numbers after the truth.")] = None

    def keywords(self) -> dict[str, Any]:
        """What the user chose; an option that was left out is not among it."""
        chosen = {name: value for name, value in vars(self).items() if value is not None and value not in ((), [])}
        if self.range is not None:
            chosen["range"] = two_ends(self.range)
        return chosen | {name: names_in(chosen[name]) for name in ("experts", "ignore") if name in chosen}


@dataclass
class TableOptions(AdviceOptions):
    """The same with how the file is cut into cells."""

    ignore: Annotated[Columns, typer.Option(metavar="A,B,...", help="Columns that are no experts; all others of numbers are.")] = None
    format: Annotated[str, typer.Option(help="auto, csv, tsv, jsonl, parquet or arrow.", autocompletion=complete.formats)] = "auto"
    delimiter: Annotated[str | None, typer.Option(metavar="CHARACTER", help="What parts the cells of a table; 'tab' for a tab.")] = None

    def keywords(self) -> dict[str, Any]:
        return super().keywords() | ({} if self.delimiter is None else {"delimiter": delimiter(self.delimiter)})


def names_in(texts: Iterable[str]) -> list[str]:
    """Names with commas between them, in one text or several; a name that has a comma itself stands in quotes.

    >>> names_in(['SurveyUSA,"Research, Inc."', "Gallup"])
    ['SurveyUSA', 'Research, Inc.', 'Gallup']
    """
    return [name.strip() for row in csv.reader(texts, skipinitialspace=True) for name in row if name.strip()]


def two_ends(text: str) -> tuple[float, float]:
    """
    >>> two_ends("-1:2.5")
    (-1.0, 2.5)
    """
    low, colon, high = text.partition(":")
    try:
        require(colon, "")
        return float(low), float(high)
    except ValueError:
        raise LittlestoneError(f"--range {text!r}: expected two numbers, LOW:HIGH") from None
