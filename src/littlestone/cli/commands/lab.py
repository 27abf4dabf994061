"""`littlestone lab`: a page on this machine, to play with learners, adversaries and the trees of small classes."""

from __future__ import annotations

from typing import Annotated

import typer

from littlestone.cli.options import Quiet
from littlestone.cli.terminal import note, put
from littlestone.errors import LittlestoneError, require

RANK = 17
PORT = 8737


def lab(
    link: Annotated[str, typer.Argument(metavar="LINK", help="A game as the lab's link has it, or what stands behind its #.")] = "",
    port: Annotated[int | None, typer.Option(metavar="P", help=f"Listen on this port of 127.0.0.1 (else {PORT}, or a free one).")] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print the URL.")] = False,
    quiet: Quiet = False,
) -> None:
    """Open a page on this machine where learners meet adversaries, your rows, or you: step by step, with the proof beside the game.

    Example: littlestone lab
    """
    require(port is None or 0 <= port <= 65535, f"--port {port}: expected a number from 0 to 65535 (0 is any that is free)")
    try:
        from littlestone.service import local
    except ImportError as error:
        raise LittlestoneError(f"the lab needs starlette and uvicorn: install the extra 'lab' ({error})") from None
    import webbrowser

    from littlestone.service import lab as here
    from littlestone.service.worker import Worker

    game = link.rpartition("#")[2]

    def ready(url: str) -> None:
        put(f"The lab: {url}{'#' if game else ''}{game}")
        if not quiet:
            note("Only this machine can open it, and only with this token. Ctrl-C ends it.")
        if not no_browser:
            webbrowser.open(f"{url}{'#' if game else ''}{game}")

    worker = Worker(here.answer)
    worker.start()
    try:
        local.serve(lambda token, hosts: local.application(here.page(), worker.ask, here.VERBS, token, hosts), port, PORT, ready)
    finally:
        worker.stop()
    raise typer.Abort  # it ends by Ctrl-C alone
