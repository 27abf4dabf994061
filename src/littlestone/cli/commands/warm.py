"""`littlestone warm`: compile beforehand what a first run would compile."""

from typing import Annotated

import typer

from littlestone.cli.options import Members, Quiet
from littlestone.cli.progress import Log

RANK = 19


def warm(
    learner: Annotated[list[str] | None, typer.Option("--learner", help="For this learner; repeat for more. Else for the panel.")] = None,
    members: Members = None,
    boolean: Annotated[
        bool | None, typer.Option("--boolean/--values", help="Only for rows of presence alone, or only for rows with values; else both.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Compile what a first run would compile, and keep it in the cache: when an image is made, say.

    Example: littlestone warm --learner arow --learner panel
    """
    from littlestone.api.warm import warm as compile_kernels
    from littlestone.cli.choose import learner_named
    from littlestone.rounds.reading import Reading
    from littlestone.streams import formats

    chosen = [learner_named(text, members=members) for text in learner or ["panel"]]
    if boolean is None:
        for name in ("libsvm", "vw", "text"):
            formats.warm(Reading(format=name, named=name != "libsvm"))
    for each in chosen:
        for presence in (False, True) if boolean is None else (boolean,):
            compile_kernels(each, boolean=presence)
    Log(quiet)(f"Compiled: {', '.join(each.name for each in chosen)}.")
