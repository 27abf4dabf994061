"""`littlestone diff`: in what two models differ."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from littlestone.cli.model_files import loaded
from littlestone.cli.options import AsJson, OwnLearner, Quiet

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
    difference = loaded(first, learner).diff(loaded(second, learner))
    print(json.dumps(asdict(difference), ensure_ascii=False) if as_json else "\n".join(difference.lines(most)))
