"""`littlestone rollback`: write the model as it stood after a round, counted from 1, those without a label included."""

from pathlib import Path
from typing import Annotated

import typer

from littlestone.cli.options import ModelPath, ReadingOptions, takes_options
from littlestone.cli.outputs import refuse_outputs
from littlestone.cli.rebuild import RemakeOptions, counts_of
from littlestone.cli.terminal import put_json, put_wrapped

RANK = 13


@takes_options
def rollback(
    path: ModelPath,
    round: Annotated[int, typer.Argument(metavar="ROUND", help="The last round to keep.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="OUT", help="Where to write the model.")],
    options: RemakeOptions,
    reading: ReadingOptions,
) -> None:
    """Write the model as it stood after a round, counted from 1, those without a label included.

    The rounds are those of its ledger; a model without one, of a learner that updates on every round, needs its whole stream again.

    Example: littlestone rollback spam.littlestone 1000 -o earlier.littlestone
    """
    refuse_outputs({"--out": out}, options.stream or (), {"--learner": options.learner})
    model, played = options.open(path, reading)
    again = model.rollback(round, **played)
    again.save(out)
    if options.as_json:
        put_json({"model": str(out), "round": round, **counts_of(again)})
        return
    put_wrapped(f"Saved {out}: {path} as it stood after round {round:,}, {again.mistakes:,} mistakes in {again.rounds:,} rounds.")
