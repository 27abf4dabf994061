"""`littlestone verify`: check a certificate against its stream."""

from __future__ import annotations

import shutil
import textwrap
from pathlib import Path
from typing import Annotated, Any

import typer

from littlestone.cli.terminal import put, put_json

RANK = 8
CONSISTENT = 3  # nothing contradicts it, and not all of it could be checked


def verify(
    certificate: Annotated[Path, typer.Argument(help="The certificate, a JSON file.")],
    streams: Annotated[list[str], typer.Argument(metavar="STREAM", help="The files that were played, in the same order.")],
    replay: Annotated[
        bool, typer.Option("--replay", help="Play the learner's definition again too, to see that these were its mistakes.")
    ] = False,
    learner: Annotated[
        str | None,
        typer.Option(metavar="FILE.py::NAME", help="Of your own learner: the file with its theorem and its definition."),
    ] = None,
    format: Annotated[
        str | None, typer.Option("--format", help="The format of the files, where neither names nor first rows tell it.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing; the exit code tells.")] = False,
) -> None:
    """Check a certificate: digests, counts, facts, limits, all from the stream itself, in exact arithmetic.

    Exit code 1 if it is refused; 3 if it is consistent but not verified, such as that of a learner that is not known here.

    Nothing that learned takes part in this: no learner, no compiled code. How rounds are made of a file stands in the certificate; the
    files may be in any format that `littlestone convert` makes of the stream, and a table of experts in any format of tables.

    Example: littlestone verify mail.cert.json mail.libsvm --replay
    """
    from littlestone.errors import Refused
    from littlestone.rounds.sources import Files
    from littlestone.verifier import verify as check

    try:
        verdict = check(certificate, Files(streams), replay=replay, format=format, learner=own_learner(learner))
    except Refused as refused:
        if quiet:
            raise typer.Exit(1) from None
        if as_json:
            put_json({"verified": False, "reason": str(refused)})
        else:
            put(textwrap.fill(f"REFUSED: {refused}", min(140, shutil.get_terminal_size((140, 24)).columns)))
        raise typer.Exit(1) from None
    code = 0 if verdict.verified else CONSISTENT
    if quiet:
        raise typer.Exit(code)
    if as_json:
        bounds = {"checked": list(verdict.claims), "unchecked": list(verdict.unchecked)}
        content = verdict.certificate.content
        stated = [{key: record[key] for key in ("name", "kind", "limit", "observed", "holds", "reason")} for record in content["bounds"]]
        rest = {key: content[key] for key in ("counts", "assume", "risk")}
        told = {"verified": verdict.verified, "status": verdict.status, "replayed": verdict.replayed}
        put_json({**told, **bounds, **rest, "bounds": stated})
    else:
        width = min(140, shutil.get_terminal_size((140, 24)).columns)
        put("\n".join(textwrap.fill(line, width, subsequent_indent="      ") for line in str(verdict).split("\n")))
    raise typer.Exit(code)


def own_learner(text: str | None) -> Any:
    """The learner of a file of the user's own; it is imported only where it is named here."""
    if text is None:
        return None
    from littlestone.cli.choose import learner_of_model

    return learner_of_model(text)
