"""What commands share that make a model again: its learner where that is the user's own, and its stream where there is no ledger."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from littlestone.cli.options import ReadingOptions
from littlestone.errors import require

Again = Annotated[
    list[str] | None, typer.Option("--stream", metavar="FILE", help="Its whole stream, read as before. Repeat for more files.")
]
Passes = Annotated[int, typer.Option(metavar="K", help="With --stream: it was played K times, one pass after the other.")]
Delay = Annotated[int | None, typer.Option(metavar="K", help="With --stream: labels came K rounds late.")]
OwnLearner = Annotated[str | None, typer.Option(help="file.py::name, for a model of your own learner.")]


def opened(path: Path, learner: str | None) -> Any:
    from littlestone.cli.choose import learner_named
    from littlestone.models import load

    return load(path, None if learner is None else learner_named(learner))


def stream_for(model: Any, given: ReadingOptions, files: list[str] | None) -> Any:
    """The files as the stream of that model; None where none are given."""
    if not files:
        return None
    if model.kind == "advice":
        said = ", ".join(given.choices)
        require(not said, f"{said}: a table of experts is read as the model's own was")
        return files
    return given.open(files, model)


def as_played(passes: int, delay: int | None) -> dict[str, Any]:
    """How the stream was played, where that was not once, with labels at once."""
    return ({"passes": passes} if passes > 1 else {}) | ({} if delay is None else {"delay": delay})
