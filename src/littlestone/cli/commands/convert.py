"""`littlestone convert`: a stream in one format, the same rounds in another."""

from dataclasses import asdict
from typing import Annotated

import typer

from littlestone.cli.options import AsJson, Quiet, ReadingOptions, takes_options
from littlestone.cli.terminal import note, put_json

RANK = 5


@takes_options
def convert(
    paths: Annotated[
        list[str], typer.Argument(metavar="IN... OUT", help="What to read, and where it goes; - is standard input or output.")
    ],
    reading: ReadingOptions,
    to: Annotated[
        str | None, typer.Option(metavar="FORMAT", help="libsvm, vw, csv, tsv, jsonl, parquet, arrow or text; else by the name of OUT.")
    ] = None,
    drop: Annotated[
        list[str] | None, typer.Option(metavar="weights|ids", help="Leave these out, where the format cannot hold them. Repeat for both.")
    ] = None,
    classes: Annotated[bool, typer.Option("--classes", help="Take any number of labels, not two.")] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Write a stream in another format. Reading it gives the same rounds, so the same mistakes and the same digest.

    Example: littlestone convert mail.csv mail.parquet --label spam
    """
    from littlestone.api.convert import convert as write
    from littlestone.errors import require

    require(len(paths) >= 2, f"convert {paths[0]}: expected at least two paths, what to read and where it goes")
    *streams, out = paths
    require(not (as_json and out == "-"), "--json and the rounds cannot both go to standard output; expected a file for one of them")
    stream = reading.open(streams)
    try:
        done = write(stream, out, to, drop=drop or (), classes=classes)
    except KeyboardInterrupt:
        left = "the rounds so far are on standard output" if out == "-" else f"{out} is as it was before"
        note(f"Interrupted: {left}.")
        raise typer.Exit(130) from None
    if as_json:
        put_json({**asdict(done), "streams": streams, "bad_lines": stream.bad_lines})
    elif not quiet:
        say = [f"{done.rows:,} rows, {done.features:,} features to {'standard output' if out == '-' else out} ({done.format})"]
        say += [f"digest {done.digest}"] if done.digest else []
        say += [f"note: {note}" for note in done.notes]
        say += [stream.left_out] if stream.left_out else []
        note("\n".join(say))
