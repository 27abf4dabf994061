"""`littlestone certify`: play a stream and write down the proof."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from littlestone.cli.options import AsJson, Assume, Learner, Members, Quiet, ReadingOptions, takes_reading

RANK = 7


@takes_reading
def certify(
    streams: Annotated[list[str], typer.Argument(metavar="STREAM", help="Files of any format, plain, gzip or zstd.")],
    given: ReadingOptions,
    learner: Learner = None,
    members: Members = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the certificate goes.")] = Path("certificate.json"),
    n: Annotated[int | None, typer.Option(help="Number of features, where the learner needs it; counted if left out.")] = None,
    assume: Assume = None,
    iid: Annotated[str | None, typer.Option(metavar="DELTA", help="Declare the rounds independent draws: bound the risk too.")] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Play a learner over a stream and write the certificate of the run; `run --certificate` does the same on the side.

    Example: littlestone certify mail.libsvm --learner winnow --boolean -o mail.cert.json
    """
    from littlestone.cli.stream_run import RunOptions, carry_out

    options = {
        "learner": learner,
        "members": members,
        "n": n,
        "assume": assume,
        "certificate": output,
        "iid": iid,
        "as_json": as_json,
        "quiet": quiet,
    }
    raise typer.Exit(carry_out(RunOptions(streams, given, **options)))  # type: ignore[arg-type]
