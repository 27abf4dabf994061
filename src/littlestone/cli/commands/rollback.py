"""`littlestone rollback`: write the model as it stood after a round, counted from 1, those without a label included."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from littlestone.cli.options import AsJson, Quiet, ReadingOptions, takes_reading
from littlestone.cli.stream_again import Again, Delay, OwnLearner, Passes, as_played, opened, stream_for
from littlestone.cli.summary import print_wrapped

RANK = 13


@takes_reading
def rollback(
    path: Annotated[Path, typer.Argument(metavar="MODEL", help="A model file.")],
    round: Annotated[int, typer.Argument(metavar="ROUND", help="The last round to keep.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="OUT", help="Where to write the model.")],
    given: ReadingOptions,
    stream: Again = None,
    passes: Passes = 1,
    delay: Delay = None,
    learner: OwnLearner = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Write the model as it stood after a round, counted from 1, those without a label included.

    The rounds are those of its ledger; a model without one, of a learner that updates on every round, needs its whole stream again.

    Example: littlestone rollback spam.littlestone 1000 -o earlier.littlestone
    """
    model = opened(path, learner)
    again = model.rollback(round, stream_for(model, given, stream), **as_played(passes, delay))
    again.save(out)
    counts = {"rounds": again.rounds, "mistakes": again.mistakes, "unlabelled": again.unlabelled}
    if as_json:
        print(json.dumps({"model": str(out), "round": round, **counts}))
        return
    print_wrapped(f"Saved {out}: {path} as it stood after round {round:,}, {again.mistakes:,} mistakes in {again.rounds:,} rounds.")
