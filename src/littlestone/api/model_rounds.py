"""Rounds for a model: whatever the user has, read as the model's own stream was."""

import os
from typing import Any

from littlestone.api.sources import Choices, Rounds, rounds_for
from littlestone.errors import require
from littlestone.protocol import AdviceModel
from littlestone.rounds.table_reading import TableReading
from littlestone.streams import open_stream
from littlestone.streams.expert_tables import ExpertTable


def rounds_of(model: Any, X: Any, y: Any = None, **how: Any) -> Rounds:
    """The rounds of a stream as that model plays them; X may be the path of a file, or several."""
    return rounds_for(model.learner, model, opened(model, X), y, Choices(**how))


def opened(model: Any, X: Any, *, truth_optional: bool = False) -> Any:
    """Paths as the stream or the table of experts that they are, a frame of experts as their table; anything else as it is."""
    paths = [] if model.reading.get("format") == "text" and not isinstance(X, os.PathLike) else paths_in(X)
    if model.kind != "advice":
        return open_stream(*paths) if paths else X
    return table_for(model, *(paths or [X]), truth_optional=truth_optional) if paths or hasattr(X, "__arrow_c_stream__") else X


def paths_in(X: Any) -> list[str]:
    """The files that are meant: one path, or a list of them; none where X is anything else."""
    paths = [X] if isinstance(X, str | os.PathLike) else X if isinstance(X, list | tuple) else []
    return [str(path) for path in paths] if all(isinstance(path, str | os.PathLike) for path in paths) else []


def table_for(model: AdviceModel, *tables: Any, truth_optional: bool = False) -> ExpertTable:
    """Return a table of experts, read as the model's own was: the same columns, the same loss, the same scale. With `truth_optional` the
    column of the truth may be missing, as it is in a table of tomorrow's forecasts; columns that the model's table did not use may be
    missing in any case."""
    require(model.reading, f"this model of {model.learner!r} was not made from a table; give an array of rounds × experts")
    reading = TableReading.from_json({name: value for name, value in model.reading.items() if name != "gradient"})
    measured = {"low": None, "high": None, "measured": False} if reading.measured else {}
    plain = reading.but(format="auto", delimiter=None, scale=None, ignore=(), **measured)
    table = ExpertTable(*tables, reading=plain, truth_optional=truth_optional)
    table.reading = reading.but(format=table.reading.format, delimiter=table.reading.delimiter, ignore=table.reading.ignore)
    return table
