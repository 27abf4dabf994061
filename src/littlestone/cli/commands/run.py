"""`littlestone run`: a stream in, mistakes and their bound out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from littlestone.cli.options import AsJson, Assume, Learner, Members, Quiet, ReadingOptions, takes_reading

RANK = 1


@takes_reading
def run(
    streams: Annotated[list[str], typer.Argument(metavar="STREAM", help="Files of any format, plain, gzip or zstd; - for standard input.")],
    given: ReadingOptions,
    learner: Learner = None,
    members: Members = None,
    n: Annotated[int | None, typer.Option(help="Number of features, where the learner needs it; counted if left out.")] = None,
    assume: Assume = None,
    alarm: Annotated[bool, typer.Option("--alarm", help="Stop, with exit code 1, where the rounds prove --assume false.")] = False,
    alarm_report: Annotated[bool, typer.Option("--alarm-report", help="Report that round, and go on.")] = False,
    restart_on_alarm: Annotated[bool, typer.Option("--restart-on-alarm", help="Begin a fresh segment after that round.")] = False,
    iid: Annotated[
        str | None, typer.Option(metavar="DELTA", help="The rounds are independent draws: bound the risk, with probability 1 - DELTA.")
    ] = None,
    passes: Annotated[int, typer.Option(metavar="K", help="Play the files K times, one pass after the other.")] = 1,
    delay: Annotated[int | None, typer.Option(metavar="K", help="The label of a round is told K rounds later.")] = None,
    predictions: Annotated[
        Path | None, typer.Option(help="Write each round's prediction to this file; .jsonl: with its score and id.")
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option(help="Write a certificate to this file: the bounds, with witnesses, for `littlestone verify`.")
    ] = None,
    model: Annotated[Path | None, typer.Option(help="Save the model to this file at the end, and when interrupted.")] = None,
    checkpoint_every: Annotated[int | None, typer.Option(metavar="N", help="Save it as it goes, too: about every N rounds.")] = None,
    from_model: Annotated[Path | None, typer.Option("--from", metavar="MODEL", help="Go on from a saved model.")] = None,
    skip: Annotated[int, typer.Option(metavar="N", help="Leave out the first N rounds of the stream.")] = 0,
    follow: Annotated[bool, typer.Option("--follow", help="Wait for more at the end of the file, until Ctrl-C.")] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Play a learner over a stream: predict each round, then learn its label.

    Example: littlestone run mail.libsvm --learner winnow --boolean --assume disjunction:r=5
    """
    from littlestone.cli.choose import alarm_mode
    from littlestone.cli.stream_run import RunOptions, carry_out

    wanted = RunOptions(
        streams=streams,
        given=given,
        learner=learner,
        members=members,
        n=n,
        assume=assume,
        alarm=alarm_mode(assume, stop=alarm, report=alarm_report, restart=restart_on_alarm),
        iid=iid,
        passes=passes,
        delay=delay,
        predictions=predictions,
        certificate=certificate,
        model=model,
        checkpoint_every=checkpoint_every,
        from_model=from_model,
        skip=skip,
        follow=follow,
        as_json=as_json,
        quiet=quiet,
    )
    raise typer.Exit(carry_out(wanted))
