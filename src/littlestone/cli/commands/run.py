"""`littlestone run`: a stream in, mistakes and their bound out."""

import typer

from littlestone.cli.options import ReadingOptions, Streams, takes_options
from littlestone.cli.stream_run import RunOptions, carry_out

RANK = 1


@takes_options
def run(streams: Streams, options: RunOptions, reading: ReadingOptions) -> None:
    """Play a learner over a stream: predict each round, then learn its label.

    Example: littlestone run mail.libsvm --learner winnow --boolean --assume disjunction:r=5
    """
    raise typer.Exit(carry_out(streams, reading, options))
