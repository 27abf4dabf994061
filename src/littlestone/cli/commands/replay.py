"""`littlestone replay`: make a model again from the rounds it learned from, and see that it is the same bit for bit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from littlestone.cli.options import AsJson, Quiet, ReadingOptions, takes_reading
from littlestone.cli.stream_again import Again, Delay, OwnLearner, Passes, as_played, opened, stream_for
from littlestone.cli.summary import print_wrapped

RANK = 12


@takes_reading
def replay(
    path: Annotated[Path, typer.Argument(metavar="MODEL", help="A model file.")],
    given: ReadingOptions,
    stream: Again = None,
    passes: Passes = 1,
    delay: Delay = None,
    learner: OwnLearner = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Make a model again from the rounds it learned from, and see that it is the same bit for bit.

    The rounds are those of its ledger; a model without one, of a learner that updates on every round, needs its whole stream again.

    Example: littlestone replay spam.littlestone
    """
    model = opened(path, learner)
    again = model.replay(stream_for(model, given, stream), **as_played(passes, delay))
    counts = {"rounds": again.rounds, "mistakes": again.mistakes, "unlabelled": again.unlabelled}
    if as_json:
        print(json.dumps({"model": str(path), "same": True, **counts}))
        return
    source = "its ledger" if not stream else ", ".join(stream)
    print_wrapped(f"{path}: the same, bit for bit, made again from {source}: {again.mistakes:,} mistakes in {again.rounds:,} rounds.")
