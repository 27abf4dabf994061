"""The command line: one file a command; parse, call, print. Heavy imports wait until a command runs."""

from __future__ import annotations

import signal
import sys

import typer

from littlestone._version import __version__
from littlestone.cli import (
    certify,
    compare,
    convert,
    demo,
    diff,
    dimension,
    duel,
    experts,
    explain,
    fit,
    forget,
    learners,
    predict,
    replay,
    rollback,
    run,
    show,
    verify,
)

app = typer.Typer(
    name="littlestone",
    help="Online learning that shows its proof: the mistakes made, beside the theorem's bound on them.",
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command("run")(run.run)
app.command("predict")(predict.predict)
app.command("compare")(compare.compare)
app.command("fit")(fit.fit)
app.command("convert")(convert.convert)
app.command("experts")(experts.experts)
app.command("certify")(certify.certify)
app.command("verify")(verify.verify)
app.command("show")(show.show)
app.command("explain")(explain.explain)
app.command("diff")(diff.diff)
app.command("replay")(replay.replay)
app.command("rollback")(rollback.rollback)
app.command("forget")(forget.forget)
app.command("duel")(duel.duel)
app.command("dimension")(dimension.dimension)
app.command("learners")(learners.learners)
app.command("demo")(demo.demo)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"littlestone {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version and stop."),
) -> None:
    pass


def main() -> None:
    """Exit codes: 0 done, 1 a claim does not hold, 2 bad usage or bad input, 130 interrupted."""
    from littlestone.errors import LittlestoneError, Refused

    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that cannot show ≤ shows ? instead of stopping
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # who reads our output may stop reading: then we stop, as other tools do
    try:
        app()
    except LittlestoneError as error:
        from littlestone.cli.said import wrapped

        said = f"littlestone: {error}"
        print(wrapped(said) if sys.stderr.isatty() else said, file=sys.stderr)
        sys.exit(1 if isinstance(error, Refused) else 2)
    except OSError as error:
        print(f"littlestone: the output cannot be written ({error.strerror or error})", file=sys.stderr)
        sys.exit(2)
