"""`littlestone dimension`: how hard a finite class is to learn, exactly."""

from __future__ import annotations

import shutil
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from littlestone.cli.options import AsJson, ClusterOptions, Quiet, takes_options
from littlestone.cli.terminal import note, put, put_json
from littlestone.errors import LittlestoneError, require
from littlestone.files import bytes_in

if TYPE_CHECKING:
    from littlestone.concepts.named import NamedClass

RANK = 16
MOST_BYTES = 2**28  # of a file of concepts


def offered(incomplete: str) -> list[str]:
    """What the shell offers for CLASS: names, and files."""
    from littlestone.concepts.named import CLASSES

    files = sorted(str(path) for path in Path(incomplete or ".").parent.glob("*") if str(path).startswith(incomplete))
    return [*(name for name in CLASSES if name.startswith(incomplete)), *files]


@takes_options
def dimension(
    name: Annotated[
        str,
        typer.Argument(
            metavar="CLASS",
            help="conjunctions, monotone_conjunctions, disjunctions, k_of_r, half_intervals, dictators, dictators_on_unit_vectors; or a "
            "file with a line of 0s and 1s for each concept (- is standard input).",
            autocompletion=offered,
        ),
    ],
    spread: ClusterOptions,
    n: Annotated[int | None, typer.Option(metavar="N", help="Variables; half_intervals have 2^N points and as many concepts.")] = None,
    k: Annotated[int | None, typer.Option(metavar="K", help="Of k_of_r: at least K of R variables.")] = None,
    r: Annotated[int | None, typer.Option(metavar="R", help="Of k_of_r; of disjunctions, those of exactly R variables.")] = None,
    satisfiable: Annotated[bool, typer.Option("--satisfiable", help="Conjunctions without the constant 0.")] = False,
    unit_vectors: Annotated[bool, typer.Option("--unit-vectors", help="Dictators on the N unit vectors only.")] = False,
    tree: Annotated[bool, typer.Option("--tree", help="Draw all of the tree of mistakes.")] = False,
    effort: Annotated[int, typer.Option(metavar="STATES", help="Version spaces a search may meet before it is given up.")] = 2**20,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Say how hard a finite class is to learn: VC, Littlestone, randomised and threshold dimension, halving's worst case. All exact.

    Example: littlestone dimension conjunctions --n 3
    """
    require(effort >= 1, f"--effort {effort}: expected a whole number, at least 1")
    from littlestone.concepts.named import CLASSES, named

    chosen = named(name, n, k, r, satisfiable, unit_vectors) if name in CLASSES else listed(name, n, k, r, satisfiable, unit_vectors)
    from littlestone.cli.progress import Log
    from littlestone.concepts.dimension import dimension as measure
    from littlestone.report import dimensions as report

    try:
        with spread.connected(Log(quiet)) as workers:
            dimensions = measure(chosen.concepts, effort=effort, partial=True, cluster=workers)
    except KeyboardInterrupt:
        note("Interrupted: nothing was settled.")
        raise typer.Exit(130) from None
    if as_json:
        put_json(report.as_json(dimensions, chosen))
    else:
        put("\n".join(report.lines(dimensions, chosen, shutil.get_terminal_size((140, 24)).columns, whole=tree)))
    if dimensions.unsettled:
        raise LittlestoneError("; ".join(dimensions.unsettled.values()))


def listed(path: str, *options: int | bool | None) -> NamedClass:
    """A class in a file."""
    from littlestone.concepts.class_file import read_table
    from littlestone.concepts.named import CLASSES, NamedClass
    from littlestone.rounds.files import standard_input

    near = get_close_matches(path, CLASSES, 1)
    meant = f" (did you mean {near[0]}?)" if near else ""
    for option, value in zip(("--n", "--k", "--r", "--satisfiable", "--unit-vectors"), options, strict=True):
        require(
            value is None or value is False,
            f"{path}: no class of that name{meant}; expected one of {', '.join(CLASSES)}, or a file, which takes no {option}",
        )
    try:
        text = standard_input().read() if path == "-" else bytes_in(path, MOST_BYTES, "a table of concepts").decode("utf-8", "replace")
    except FileNotFoundError:
        raise LittlestoneError(
            f"{path}: no such file, and no class of that name{meant}; expected a file or one of {', '.join(CLASSES)}"
        ) from None
    except OSError as error:
        raise LittlestoneError(f"{path}: cannot be read ({error.strerror})") from None
    table = read_table(text.splitlines(), path)
    return NamedClass(path, table.concepts, table.points.__getitem__, lambda c: f"line {table.lines[c]}")
