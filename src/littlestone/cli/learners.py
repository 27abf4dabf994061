"""`littlestone learners`: the catalogue, with each theorem."""

from __future__ import annotations

import inspect
import json
import textwrap
from typing import Annotated, Any

import typer


def learners(as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False) -> None:
    """List every learner with its settings, its theorems and their sources.

    Example: littlestone learners --json
    """
    from littlestone import classes, reductions
    from littlestone import learners as binary

    catalogue = [describe(name, room.factory(name)) for room in (binary, classes, reductions) for name in room.names()]
    if as_json:
        print(json.dumps({"learners": catalogue}, indent=2, ensure_ascii=False))
        return
    for entry in catalogue:
        settings = ", ".join(f"{k}={v}" for k, v in entry["settings"].items())
        print(f"{entry['name']}({settings})")
        print(textwrap.indent(textwrap.fill(entry["summary"], 96), "  "))
        print(
            f"  features: {entry['domain']}; arithmetic: {entry['arithmetic']}; updates on {entry['updates_on']}; source: {entry['source']}"
        )
        for bound in entry["bounds"]:
            print(f"  * {bound['name']} ({bound['kind']}): {bound['formula']}")
            print(f"      assumes {bound['assumes']}; {bound['source']}")
        print()


def describe(name: str, make: Any) -> dict[str, Any]:
    """One learner of the catalogue, as plain values."""
    parameters = inspect.signature(make).parameters
    # a size only to have something to describe: the catalogue is about the rule
    if "learner" in parameters:
        from littlestone.learners import factory

        learner = make(factory("perceptron")())
    else:
        learner = make(n=16) if "n" in parameters else make()
    story = inspect.getdoc(inspect.getmodule(make)) or ""
    return {
        "name": name,
        "summary": story.split("\n")[0],
        "settings": {key: None if p.default in (None, p.empty) else str(p.default) for key, p in parameters.items()},
        "domain": learner.domain,
        "arithmetic": learner.arithmetic,
        "updates_on": learner.updates_on,
        "needs_n": learner.needs_n,
        "source": learner.source,
        "bounds": [
            {
                "name": b.name,
                "kind": b.kind,
                "assumes": b.assumption,
                "formula": b.formula,
                "source": b.source,
                "counts": b.counts,
            }
            for b in learner.bounds
        ],
    }
