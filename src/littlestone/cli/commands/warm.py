"""`littlestone warm`: compile beforehand what a first run would compile."""

from functools import cache, partial
from typing import Annotated

import typer

from littlestone.cli.options import Members, Quiet
from littlestone.cli.progress import BOOLEAN, Log

RANK = 19


def told() -> bool:
    """Are the rows of presence alone? Who began this process says so once it has read some. Where it has gone, nobody needs the rest."""
    from littlestone.rounds.files import standard_input

    line = standard_input().readline()
    if not line:
        raise SystemExit(0)
    return line == BOOLEAN


def warm(
    learner: Annotated[list[str] | None, typer.Option("--learner", help="For this learner; repeat for more. Else for the panel.")] = None,
    members: Members = None,
    boolean: Annotated[
        bool | None, typer.Option("--boolean/--values", help="Only for rows of presence alone, or only for rows with values; else both.")
    ] = None,
    ask: Annotated[bool, typer.Option("--ask", hidden=True, help="Which of the two, a line on standard input says later.")] = False,
    quiet: Quiet = False,
) -> None:
    """Compile what a first run would compile, and keep it in the cache: when an image is made, say.

    Example: littlestone warm --learner arow --learner panel
    """
    from littlestone.api.warm import warm as compile_kernels
    from littlestone.cli.choose import learner_named

    chosen = [learner_named(text, members=members) for text in learner or ["panel"]]
    if ask:
        answer = cache(told)
        for each in chosen:
            compile_kernels(each, boolean=answer)
        return
    for each in chosen:
        for presence in (False, True) if boolean is None else (boolean,):
            compile_kernels(each, boolean=partial(bool, presence))
    Log(quiet)(f"Compiled: {', '.join(each.name for each in chosen)}.")
