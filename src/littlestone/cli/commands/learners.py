"""`littlestone learners`: the catalogue, with each theorem."""

import inspect
import textwrap
from typing import Annotated, Any

import typer

from littlestone.cli.options import Quiet
from littlestone.cli.terminal import put, put_json, put_wrapped, width

RANK = 17
FLOOR_ALONE = "In hindsight it has no theorem of its own that compares: only the floor, which every learner of two classes has."
HEADINGS = {
    "two classes": "Learners on instances, two classes",
    "several classes": "Learners on instances, several classes",
    "advice": "Rules over the advice of experts",
}


def learners(
    which: Annotated[bool, typer.Option("--which", help="Only say which learner to use when.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    quiet: Quiet = False,
) -> None:
    """List every learner with its settings, its theorems and their sources; at the end, which learner when.

    Example: littlestone learners --which
    """
    from littlestone import learners as binary
    from littlestone.learners import experts, reductions
    from littlestone.learners import multiclass as classes

    two = reductions.of_two_classes()
    rooms = {"two classes": (binary, reductions), "several classes": (classes, reductions), "advice": (experts,)}
    catalogue = [
        describe(name, room.factory(name)) | {"learns": kind}
        for kind, folders in rooms.items()
        for room in folders
        for name in room.names()
        if room is not reductions or (name in two) == (kind == "two classes")
    ]
    heading = ""
    if as_json:
        put_json({"learners": catalogue}, indent=2)
        return
    for entry in [] if which else catalogue:
        if entry["learns"] != heading:
            heading = entry["learns"]
            put(f"{HEADINGS[heading]}\n{'=' * len(HEADINGS[heading])}\n")
        settings = ", ".join(f"{k}={v}" for k, v in entry["settings"].items())
        put(f"{entry['name']}({settings})")
        put_wrapped(f"  {entry['summary']}", indent=2)
        takes = "advice" if heading == "advice" else "features"
        how = f"arithmetic: {entry['arithmetic']}; it updates: {entry['updates_on']}"
        put_wrapped(f"  {takes}: {entry['domain']}; {how}; source: {entry['source']}")
        for bound in entry["bounds"]:
            kind = bound["kind"] if bound["compares"] else f"{bound['kind']}, an account"
            put_wrapped(f"  * {bound['name']} ({kind}): {bound['formula']}", indent=6)
            holds = f"; holds {bound['chance']}" if bound["chance"] else ""
            put_wrapped(f"      assumes {bound['assumes']}{holds}; {bound['source']}", indent=8)
        if entry["compares_by"] == "floor":
            put_wrapped(f"  {FLOOR_ALONE}")
        put()
    put(which_when(catalogue, min(100, width())))


def which_when(catalogue: list[dict[str, Any]], columns: int) -> str:
    """A table: the learner, when to use it, what features it takes, what its theorems assume."""
    lines = [f"Which learner when\n{'=' * 18}"]
    room = max(len(entry["name"]) for entry in catalogue)
    for kind, heading in HEADINGS.items():
        lines.append(f"\n{heading}")
        for entry in catalogue:
            if entry["learns"] == kind:
                assumes = sorted({bound["assumption"] for bound in entry["bounds"]} - {"none"})
                proved = f"theorems about {', '.join(assumes)}" if assumes else "a theorem for any stream"
                line = f"{entry['when']} ({entry['domain']} {'advice' if kind == 'advice' else 'features'}; {proved})"
                lines.append(
                    textwrap.fill(line, columns, initial_indent=f"  {entry['name']:<{room}}  ", subsequent_indent=" " * (room + 4))
                )
    return "\n".join(lines)


def describe(name: str, make: Any) -> dict[str, Any]:
    """One learner of the catalogue, as plain values."""
    from littlestone.theory.floor import stands_alone

    parameters = inspect.signature(make).parameters
    # a size only to have something to describe: the catalogue is about the rule
    if "learner" in parameters:
        from littlestone.learners import factory

        learner = make(factory("perceptron")())
    elif "members" in parameters:
        learner = make()
    else:
        learner = make(n=16) if "n" in parameters else make()
    story = inspect.getdoc(inspect.getmodule(make)) or ""
    advice, floor = hasattr(learner, "takes"), "floor" if learner.kind == "two classes" else ""
    return {
        "name": name,
        "summary": story.split("\n")[0],
        "when": vars(inspect.getmodule(make))["WHEN"],
        "settings": {
            key: None if p.default in (None, p.empty) else str(p.default) for key, p in parameters.items() if p.kind != p.VAR_KEYWORD
        },
        "domain": ", ".join(learner.takes) if advice else learner.domain,
        "arithmetic": learner.arithmetic,
        "updates_on": learner.settings.get("updates", "always") if advice else learner.updates_on,
        "needs_n": advice or learner.needs_n,
        "source": learner.source,
        "bounds": [
            {
                "name": b.name,
                "kind": b.kind,
                "assumption": b.assumes,
                "assumes": b.assumption,
                "formula": b.formula,
                "source": b.source,
                "counts": b.counts,
                "chance": b.chance,
                "compares": b.compares,
            }
            for b in learner.bounds
        ],
        "compares_by": floor if name != "panel" and stands_alone(learner.family) else "theorem",
    }
