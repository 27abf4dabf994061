"""`littlestone certify`: play a stream and write down the proof."""

from pathlib import Path
from typing import Annotated

import typer

from littlestone.cli.options import ClusterOptions, ReadingOptions, Streams, takes_options
from littlestone.cli.stream_run import PlayOptions, RunOptions, carry_out

RANK = 7


@takes_options
def certify(
    streams: Streams,
    options: PlayOptions,
    reading: ReadingOptions,
    spread: ClusterOptions,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where the certificate goes.")] = Path("certificate.json"),
) -> None:
    """Play a learner over a stream and write the certificate of the run; `run --certificate` does the same on the side.

    Example: littlestone certify mail.libsvm --learner winnow --boolean -o mail.cert.json
    """
    from littlestone.cli.outputs import refuse_outputs

    refuse_outputs({"--output": output}, streams, {})
    raise typer.Exit(carry_out(streams, reading, RunOptions(**vars(options), **vars(spread), certificate=output)))
