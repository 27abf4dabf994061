"""`littlestone dimension`: how hard a finite class is to learn, exactly."""

from __future__ import annotations

import shutil
import sys
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from littlestone.cli.options import AsJson, Quiet
from littlestone.cli.terminal import note, put, put_json
from littlestone.errors import LittlestoneError, require

if TYPE_CHECKING:
    from littlestone.report.dimensions import NamedClass

#: The classes that have a name, with the numbers they need.
RANK = 16
CLASSES = {
    "conjunctions": "n",
    "monotone_conjunctions": "n",
    "disjunctions": "n",
    "k_of_r": "nkr",
    "half_intervals": "n",
    "thresholds": "n",
    "dictators": "n",
    "dictators_on_unit_vectors": "n",
}


def offered(incomplete: str) -> list[str]:
    """What the shell offers for CLASS: names, and files."""
    files = sorted(str(path) for path in Path(incomplete or ".").parent.glob("*") if str(path).startswith(incomplete))
    return [*(name for name in CLASSES if name.startswith(incomplete)), *files]


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
    chosen = named(name, n, k, r, satisfiable, unit_vectors) if name in CLASSES else listed(name, n, k, r, satisfiable, unit_vectors)
    from littlestone.concepts.dimension import dimension as measure
    from littlestone.report import dimensions as report

    try:
        dimensions = measure(chosen.concepts, effort=effort, partial=True)
    except KeyboardInterrupt:
        note("Interrupted: nothing was settled.")
        raise typer.Exit(130) from None
    if as_json:
        put_json(report.as_json(dimensions, chosen))
    else:
        put("\n".join(report.lines(dimensions, chosen, shutil.get_terminal_size((140, 24)).columns, whole=tree)))
    if dimensions.unsettled:
        raise LittlestoneError("; ".join(dimensions.unsettled.values()))


def named(name: str, n: int | None, k: int | None, r: int | None, satisfiable: bool, unit_vectors: bool) -> NamedClass:
    """A class by its name and numbers."""
    from littlestone import concepts
    from littlestone.report.dimensions import NamedClass

    need = CLASSES[name]
    for letter, value, taken, example in (("n", n, True, 4), ("k", k, "k" in need, 2), ("r", r, "r" in need or name == "disjunctions", 3)):
        require(letter not in need or value is not None, f"{name} needs --{letter}, such as --{letter} {example}")
        require(taken or value is None, f"--{letter} {value}: {name} takes no such number")
    assert n is not None
    require(not satisfiable or name == "conjunctions", f"--satisfiable is for conjunctions; {name} has no constant 0 to leave out")
    require(not unit_vectors or name.startswith("dictators"), f"--unit-vectors is for dictators, not for {name}")
    alone = unit_vectors or name == "dictators_on_unit_vectors"
    most = 4096 if alone else 64
    require(1 <= n <= most, f"--n {n}: expected a number from 1 to {most}; larger classes are beyond what can be searched")
    if alone:
        unit = concepts.table([[i == x for x in range(n)] for i in range(n)])
        return NamedClass(f"dictators_on_unit_vectors(n={n})", unit, lambda x: f"e{x}", lambda c: f"x{c}")
    if name in ("half_intervals", "thresholds"):
        line = concepts.half_intervals(2**n, empty=False)
        return NamedClass(f"half_intervals(2^{n} points)", line, str, lambda c: f"x ≥ {c}")
    if name == "conjunctions":
        C = concepts.conjunctions(n, contradictory=not satisfiable)
        title = f"conjunctions(n={n}){'' if satisfiable else ' and the constant 0'}"
        return NamedClass(title, C, lambda x: bits(x, n), lambda c: repr(C.concept(c)), written(n))
    made: concepts.ConceptClass = {
        "monotone_conjunctions": lambda: concepts.conjunctions(n, monotone=True),
        "disjunctions": lambda: concepts.disjunctions(n, r),
        "k_of_r": lambda: concepts.k_of_r(n, k or 0, r or 0),
        "dictators": lambda: concepts.dictators(n),
    }[name]()
    return NamedClass(repr(made), made, lambda x: bits(x, n), lambda c: repr(made.concept(c)), written(n))


def bits(point: int, n: int) -> str:
    """A point of the cube, x0 first."""
    return "".join(str(point >> i & 1) for i in range(n))


def written(n: int) -> str:
    """How a point of the cube is written, as a part of a sentence."""
    return f", written {''.join(f'x{i}' for i in range(n)) if n <= 3 else f'x0x1...x{n - 1}'}"


def listed(path: str, *options: int | bool | None) -> NamedClass:
    """A class in a file."""
    from littlestone.concepts.class_file import read_table
    from littlestone.report.dimensions import NamedClass

    near = get_close_matches(path, CLASSES, 1)
    meant = f" (did you mean {near[0]}?)" if near else ""
    for option, value in zip(("--n", "--k", "--r", "--satisfiable", "--unit-vectors"), options, strict=True):
        require(
            value is None or value is False,
            f"{path}: no class of that name{meant}; expected one of {', '.join(CLASSES)}, or a file, which takes no {option}",
        )
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text("utf-8", errors="replace")
    except FileNotFoundError:
        raise LittlestoneError(
            f"{path}: no such file, and no class of that name{meant}; expected a file or one of {', '.join(CLASSES)}"
        ) from None
    except OSError as error:
        raise LittlestoneError(f"{path}: cannot be read ({error.strerror})") from None
    table = read_table(text.splitlines(), path)
    return NamedClass(path, table.concepts, table.points.__getitem__, lambda c: f"line {table.lines[c]}")
