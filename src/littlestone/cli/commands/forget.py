"""`littlestone forget`: take the label of one round out of a model, as if it had never been told, and say what that changes."""

from pathlib import Path
from typing import Annotated

import typer

from littlestone.cli.options import ModelPath, ReadingOptions, takes_options
from littlestone.cli.outputs import refuse_outputs
from littlestone.cli.rebuild import RemakeOptions
from littlestone.cli.terminal import put_json, put_wrapped

RANK = 14


@takes_options
def forget(
    path: ModelPath,
    round: Annotated[int, typer.Argument(metavar="ROUND", help="The round to forget, counted from 1.")],
    options: RemakeOptions,
    reading: ReadingOptions,
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="OUT", help="Where to write the model without it.")] = None,
) -> None:
    """Take the label of one round out of a model, as if it had never been told, and say what that changes.

    The rounds are those of its ledger; a model without one, of a learner that updates on every round, needs its whole stream again.

    Example: littlestone forget spam.littlestone 17 -o without.littlestone
    """
    refuse_outputs({"--out": out}, options.stream or (), {"--learner": options.learner})
    model, played = options.open(path, reading)
    gone = model.forget(round, **played)
    if out is not None:
        gone.model.save(out)
    if options.as_json:
        put_json({"model": None if out is None else str(out), **gone.as_json()})
        return
    put_wrapped(repr(gone))
    if out is not None:
        put_wrapped(f"Saved {out}.")
