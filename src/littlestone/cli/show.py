"""`littlestone show`: what is in a model file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from littlestone.cli.options import Quiet
from littlestone.cli.said import print_wrapped


def show(
    path: Annotated[Path, typer.Argument(metavar="MODEL", help="A model file.")],
    top: Annotated[int, typer.Option(help="How many of the largest weights to show.")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Quiet = False,
) -> None:
    """Show a model: its learner, its counts, how its stream was read, its largest weights and the size of its ledger.

    Example: littlestone show spam.littlestone --top 20
    """
    said = summary(path, top)
    if as_json:
        print(json.dumps(said, ensure_ascii=False))
        return
    told = {name: value for name, value in said["settings"].items() if not (name == "members" and said["members"])}  # listed below
    settings = ", ".join(f"{name}={value}" for name, value in told.items() if value is not None)
    print_wrapped(f"{said['learner']}({settings}), {said['rounds']:,} rounds, {said['mistakes']:,} mistakes")
    print_wrapped(
        f"  features met: {said['features']:,}{', with names' if said['named'] else ''}; written by littlestone {said['library']}"
    )
    print_wrapped("\n".join(f"  {line}" for line in how_read(said["reading"])))
    kept = said["ledger"]
    print_wrapped(
        f"  ledger: {kept['rounds']:,} rounds" if kept else "  ledger: none; it updates on every round, or began from a bare state"
    )
    if said["members"]:
        print_wrapped("\n".join(["  members, by weight:", *member_lines(said["members"])]))
    if said["weights"]:
        print(f"  {said['weights_are']}, the largest of {said['nonzero']:,}:")
        width = max(len(str(name)) for name, _ in said["weights"])
        for name, weight in said["weights"]:
            print(f"    {name!s:<{width}}  {weight:g}")


def member_lines(members: list[dict[str, Any]]) -> list[str]:
    """A line for each member, the most trusted first."""
    width = max(len(one["name"]) for one in members)
    ranked = sorted(members, key=lambda one: (-one["weight"], one["mistakes"]))
    return [f"    {one['name']:<{width}}  weight {one['weight']:.3f}, {one['mistakes']:,} mistakes" for one in ranked]


def how_read(plain: dict[str, Any]) -> list[str]:
    """How rounds were made of the stream, in words.

    >>> print("\\n".join(how_read({"format": "csv", "label": "late", "bits": 18, "kinds": {"hour": "numeric", "from": "categorical"}})))
    read from csv; label: column late
    features: hashed into 2^18 columns; numeric: hour; categorical: from
    """
    from littlestone.cli.options import label_texts
    from littlestone.rounds.reading import Reading

    reading = Reading.from_json(plain)
    source = [f"read from {reading.format}" if reading.format != "auto" else "made by events, or read before formats were kept"]
    source += [f"label: column {reading.label}"] if reading.label else []
    source += ["labels: {} (negative), {} (positive)".format(*label_texts(reading))] if reading.labels else []
    source += [f"{name}: column {column}" for name in ("weight", "id") if (column := getattr(reading, name))]
    made = [f"hashed into 2^{reading.bits} columns"] if reading.bits else []
    kinds = reading.kinds or {}
    for kind in dict.fromkeys(kinds.values()):
        made.append(f"{kind}: {', '.join(column for column in kinds if kinds[column] == kind)}")
    made += [f"in {len(ends) + 1} ranges: {column}" for column, ends in reading.edges.items()]
    made += [f"words and up to {reading.ngrams} of them in a row"] if reading.ngrams > 1 else []
    made += [f"crosses: {', '.join(reading.cross)}"] if reading.cross else []
    made += ["presence only"] if reading.boolean else []
    made += [f"left out: {', '.join(reading.ignore)}"] if reading.ignore else []
    return ["; ".join(source)] + ([f"features: {'; '.join(made)}"] if made else [])


def summary(path: Path, top: int) -> dict[str, Any]:
    """What there is to show. A learner of the user's own is not run: then its first array of numbers stands for the weights."""
    import numpy as np

    from littlestone.models.compare import weights_of
    from littlestone.models.file import load, read

    head, arrays = read(path)
    known = head["learner"]
    model = None if known["file"] else load(path)
    raw = [arrays[f"state/{name}"] for name in head["state"]]
    weights = raw[0] if model is None else weights_of(model.learner, model.state)
    scored = model is not None and model.learner.kernels.score is not None
    weights_are = "weights" if scored else head["state"][0]
    members = None
    if model is not None and hasattr(model.learner, "seats"):
        members = [seat._asdict() for seat in model.learner.seats(model.state)]
        weights_are = f"weights of {model.learner.chosen(model.state)[0]}, the most trusted of those with weights of their own"
    names = head["features"] or []
    largest = [] if weights is None else [i for i in np.argsort(-np.abs(weights), kind="stable")[:top].tolist() if weights[i]]
    return {
        "learner": known["name"],
        "settings": known["settings"],
        "file": known["file"],
        "rounds": head["rounds"],
        "mistakes": head["mistakes"],
        "unlabelled": head["unlabelled"],
        "features": len(names) or head["largest_index"] + 1,
        "named": bool(head["named"]),
        "reading": head["reading"],
        "library": head["library"],
        "version": head["version"],
        "ledger": {"rounds": len(arrays["ledger/rounds"]), "features": len(arrays["ledger/indices"])} if head["ledger"] else None,
        "weights_are": weights_are,
        "members": members,
        "nonzero": 0 if weights is None else int(np.count_nonzero(weights)),
        "weights": [[names[i] if i < len(names) else i, weights[i].item()] for i in largest] if weights is not None else [],
    }
