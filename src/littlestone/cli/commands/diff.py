"""`littlestone diff`: in what two models differ."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from littlestone.cli.model_files import one_loaded
from littlestone.cli.options import AsJson, OwnLearner, Quiet
from littlestone.cli.terminal import put_json, put_wrapped
from littlestone.errors import one_line

RANK = 11


def diff(
    first: Annotated[Path, typer.Argument(metavar="A", help="A model file.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Another.")],
    learner: OwnLearner = None,
    most: Annotated[int, typer.Option("--top", help="How many differences of a kind to show.")] = 10,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Compare two models: settings, counts, weights, and the rounds that only one learned from.

    Example: littlestone diff monday.littlestone tuesday.littlestone
    """
    difference = one_loaded(first, learner).diff(one_loaded(second, learner))
    if as_json:
        put_json(asdict(difference))
    else:
        put_wrapped("\n".join(map(one_line, difference.lines(most))))
