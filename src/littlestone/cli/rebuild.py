"""What commands share that make a model again: replay, rollback and forget."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from littlestone.cli.model_files import one_loaded
from littlestone.cli.options import AsJson, OwnLearner, Quiet, ReadingOptions


@dataclass
class RemakeOptions:
    """Whose model it is, and its stream where there is no ledger."""

    stream: Annotated[
        list[str] | None, typer.Option("--stream", metavar="FILE", help="Its whole stream, read as before. Repeat for more files.")
    ] = None
    passes: Annotated[int, typer.Option(metavar="K", help="With --stream: it was played K times, one pass after the other.")] = 1
    delay: Annotated[int | None, typer.Option(metavar="K", help="With --stream: labels came K rounds late.")] = None
    learner: OwnLearner = None
    as_json: AsJson = False
    quiet: Quiet = False

    def open(self, path: Path, reading: ReadingOptions) -> tuple[Any, dict[str, Any]]:
        """The model; and its stream and how it was played, where that was not once, with labels at once."""
        model = one_loaded(path, self.learner)
        played: dict[str, Any] = {"stream": None}
        if self.stream and model.kind == "advice":
            reading.refuse_for_tables()
            played["stream"] = self.stream
        elif self.stream:
            played["stream"] = reading.open(self.stream, model)
        played |= {"passes": self.passes} if self.passes > 1 else {}
        return model, played | ({} if self.delay is None else {"delay": self.delay})


def counts_of(model: Any) -> dict[str, int]:
    return {"rounds": model.rounds, "mistakes": model.mistakes, "unlabelled": model.unlabelled}
