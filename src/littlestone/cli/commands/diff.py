"""`littlestone diff`: in what two models differ."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from littlestone.cli.options import Quiet

RANK = 11


def diff(
    first: Annotated[Path, typer.Argument(metavar="A", help="A model file.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Another.")],
    learner: Annotated[str | None, typer.Option(help="file.py::name, for models of your own learner.")] = None,
    most: Annotated[int, typer.Option("--top", help="How many differences of a kind to show.")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Quiet = False,
) -> None:
    """Compare two models: settings, counts, weights, and the rounds that only one learned from.

    Example: littlestone diff monday.littlestone tuesday.littlestone
    """
    from littlestone.cli.choose import learner_named
    from littlestone.models import load

    own = None if learner is None else learner_named(learner)
    found = load(first, own).diff(load(second, own))
    print(json.dumps(asdict(found), ensure_ascii=False) if as_json else "\n".join(found.lines(most)))
