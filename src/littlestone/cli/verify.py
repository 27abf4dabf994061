"""`littlestone verify`: check a certificate against its stream."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def verify(
    certificate: Annotated[Path, typer.Argument(help="The certificate, a JSON file.")],
    streams: Annotated[list[str], typer.Argument(metavar="STREAM", help="The files that were played, in the same order.")],
    replay: Annotated[
        bool, typer.Option("--replay", help="Play the learner's definition again too, to see that these were its mistakes.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Check a certificate: digests, counts, facts, limits, all from the stream itself, in exact arithmetic. Exit code 1 if it is refused.

    Nothing that learned takes part in this: no learner, no compiled code.

    Example: littlestone verify mail.cert.json mail.libsvm --replay
    """
    from littlestone.errors import Refused
    from littlestone.verifier import verify as check
    from littlestone.verifier.rounds import Files

    try:
        verdict = check(certificate, Files(streams), replay=replay)
    except Refused as refused:
        if as_json:
            print(json.dumps({"verified": False, "reason": str(refused)}, ensure_ascii=False))
        else:
            print(f"REFUSED: {refused}")
        raise typer.Exit(1) from None
    if as_json:
        bounds = {"checked": list(verdict.claims), "unchecked": list(verdict.unchecked)}
        print(json.dumps({"verified": True, "replayed": replay, **bounds, "counts": verdict.certificate.content["counts"]}))
    else:
        print(verdict)
