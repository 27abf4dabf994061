"""`littlestone verify`: check a certificate against its stream."""

from __future__ import annotations

import math
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from littlestone.cli.replays import WITHOUT, as_time
from littlestone.cli.terminal import note, note_over, put_json, put_wrapped

RANK = 8
FIRST, LONG = 2.0, 10.0  # seconds before a word is said, and what is worth a word
CONSISTENT = 3  # nothing contradicts it, and not all of it could be checked


def verify(
    certificate: Annotated[Path, typer.Argument(help="The certificate, a JSON file.")],
    streams: Annotated[list[str], typer.Argument(metavar="STREAM", help="The files that were played, in the same order.")],
    replay: Annotated[
        bool,
        typer.Option(
            "--replay/--no-replay", help="Play the learner's definition again, to see that these were its mistakes; without it exit code 3."
        ),
    ] = True,
    learner: Annotated[
        str | None,
        typer.Option(metavar="FILE.py::NAME", help="Of your own learner: the file with its theorem and its definition."),
    ] = None,
    model: Annotated[Path | None, typer.Option(help="Of a certificate of a model's error (watch, run --keep): that model.")] = None,
    format: Annotated[
        str | None, typer.Option("--format", help="The format of the files, where neither names nor first rows tell it.")
    ] = None,
    key: Annotated[str | None, typer.Option(metavar="COLUMN=KEY", help="Of a run by key: check the certificate of that key alone.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing; the exit code tells.")] = False,
) -> None:
    """Check a certificate: digests, counts, facts, limits, all from the stream itself, in exact arithmetic.

    The learner's definition is played again in plain Python, and these must be its mistakes and updates.

    Exit code 1 if it is refused, or a theorem is broken; 3 if it is consistent but not verified: not replayed, or of an unknown learner.

    Nothing that learned takes part in this: no learner, no compiled code; only `--model` lets a model predict its rows again. How rounds
    are made of a file stands in the certificate; the files may be in any format that `littlestone convert` makes of the stream, and a
    table of experts in any format of tables.

    Example: littlestone verify mail.cert.json mail.libsvm
    """
    from littlestone.cli.model_files import loaded
    from littlestone.errors import Refused
    from littlestone.rounds.sources import Files
    from littlestone.verifier import verify as check

    who = {"learner": own_learner(learner)} if model is None else {"model": loaded(model, learner)}
    try:
        with Estimate(quiet) as estimate:
            verdict = check(certificate, Files(streams), replay=replay, format=format, key=key, progress=estimate.progress, **who)
    except Refused as refused:
        if quiet:
            raise typer.Exit(1) from None
        if as_json:
            put_json({"verified": False, "reason": str(refused)})
        else:
            put_wrapped(f"REFUSED: {refused}")
        raise typer.Exit(1) from None
    code = {"verified": 0, "broken": 1}.get(verdict.status, CONSISTENT)
    if quiet:
        raise typer.Exit(code)
    if as_json:
        put_json(verdict.as_json())
    else:
        put_wrapped(str(verdict), indent=6)
    raise typer.Exit(code)


class Estimate:
    """How far a replay has come, and how long it will take, on standard error: a line that changes on a terminal, else one line."""

    def __init__(self, quiet: bool) -> None:
        self.quiet, self.begun, self.spoken = quiet, time.perf_counter(), 0.0
        self.changing = sys.stderr.isatty()

    def __enter__(self) -> Estimate:
        return self

    def __exit__(self, *_: Any) -> None:
        if self.changing and self.spoken:
            note_over()

    def progress(self, done: int, rounds: int) -> None:
        seconds = time.perf_counter() - self.begun
        left = seconds * max(0, rounds - done) / done
        if self.quiet or seconds < FIRST or seconds - self.spoken < (0.5 if self.changing else math.inf if self.spoken else 0):
            return
        line = f"{done:,} of {rounds:,} rounds replayed, about {as_time(left)} left"
        if not self.spoken and left > LONG:
            note(f"{line}. {WITHOUT}")
        elif self.changing:
            note_over(line)
        self.spoken = seconds


def own_learner(text: str | None) -> Any:
    """The learner of a file of the user's own; it is imported only where it is named here."""
    if text is None:
        return None
    from littlestone.cli.choose import learner_of_model

    return learner_of_model(text)
