"""`littlestone forget`: take the label of one round out of a model, as if it had never been told, and say what that changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from littlestone.cli.options import AsJson, Quiet, ReadingOptions, takes_reading
from littlestone.cli.stream_again import Again, Delay, OwnLearner, Passes, as_played, opened, stream_for
from littlestone.cli.summary import print_wrapped

RANK = 14


@takes_reading
def forget(
    path: Annotated[Path, typer.Argument(metavar="MODEL", help="A model file.")],
    round: Annotated[int, typer.Argument(metavar="ROUND", help="The round to forget, counted from 1.")],
    given: ReadingOptions,
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="OUT", help="Where to write the model without it.")] = None,
    stream: Again = None,
    passes: Passes = 1,
    delay: Delay = None,
    learner: OwnLearner = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Take the label of one round out of a model, as if it had never been told, and say what that changes.

    The rounds are those of its ledger; a model without one, of a learner that updates on every round, needs its whole stream again.

    Example: littlestone forget spam.littlestone 17 -o without.littlestone
    """
    model = opened(path, learner)
    gone = model.forget(round, stream_for(model, given, stream), **as_played(passes, delay))
    if out is not None:
        gone.model.save(out)
    if as_json:
        print(json.dumps({"model": None if out is None else str(out), **gone.as_json()}, ensure_ascii=False))
        return
    print_wrapped(repr(gone))
    if out is not None:
        print_wrapped(f"Saved {out}.")
