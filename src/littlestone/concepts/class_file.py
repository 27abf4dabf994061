"""A class as it is listed in a file: a line of 0s and 1s for each concept, or CSV with a header that names the points."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from littlestone.concepts.classes import ConceptClass
from littlestone.concepts.table import table
from littlestone.concepts.version_spaces import MOST_BITS
from littlestone.errors import LittlestoneError, bad_input

SHOWN = 20  # characters of what was found


class Listing(NamedTuple):
    """A class and what the file calls its points and concepts."""

    concepts: ConceptClass
    points: list[str]
    lines: list[int]  # where each concept stands


def read_table(lines: Iterable[str], path: str) -> Listing:
    """The class of a file, given as its lines.

    Labels stand side by side, or between blanks or commas. A first line none of whose cells is a label names the points. Empty lines, and
    those that begin with #, are left out.

    >>> read_table(["0011", "0 1 1 1", "1,1,1,1"], "C.txt").concepts
    table(3 concepts on 4 points)
    >>> read_table(["a,b", "0,1"], "C.csv").points
    ['a', 'b']
    >>> read_table(["01", "0x"], "C.txt")
    Traceback (most recent call last):
    ...
    littlestone.errors.LittlestoneError: C.txt, line 2, column 2: found 'x', expected 0 or 1
    >>> read_table(["0,1,O", "1,1,0"], "C.csv")
    Traceback (most recent call last):
    ...
    littlestone.errors.LittlestoneError: C.csv, line 1, column 5: found 'O', expected 0 or 1
    """
    names: list[str] | None = None
    rows: list[np.ndarray] = []
    places: list[int] = []
    width, first = 0, 0
    for number, raw in enumerate(lines, 1):
        line = raw.rstrip("\r\n").removeprefix("\ufeff")
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not first and names_points(line):
            names, first = header(line, path, number), number
            width = len(names)
            continue
        row = labels(line, path, number)
        if not first:
            width, first = len(row), number
        if len(row) != width:
            raise bad_input(
                path,
                number,
                len(line) + 1,
                f"a line of {len(row)} labels",
                f"{width}, as line {first} {'names so many points' if names else 'has'}",
            )
        rows.append(np.array(row, np.uint8))
        places.append(number)
        if len(rows) * width > MOST_BITS:
            raise LittlestoneError(f"{path}: more than {MOST_BITS:,} labels; dimensions are worked out up to so many", path=path)
    if not rows:
        raise bad_input(path, first + 1, 1, "the end of the file", "a line of 0s and 1s for each concept")
    return Listing(table(np.array(rows)), names or [str(x) for x in range(width)], places)


def names_points(line: str) -> bool:
    """Is this a header? Not where some cell of it is a label, nor where labels and something else stand side by side: that is a slip."""
    cells = split(line)
    return not any(cell in ("0", "1") for cell in cells) and not (len(cells) == 1 and set(cells[0]) & {"0", "1"})


def split(line: str) -> list[str]:
    """The cells of a line, between commas, tabs or blanks."""
    comma = next((c for c in ",\t" if c in line), None)
    return [cell.strip().strip('"') for cell in line.split(comma)] if comma else line.split()


def header(line: str, path: str, number: int) -> list[str]:
    """The names of the points."""
    comma = next((c for c in ",\t" if c in line), None)
    cells = split(line)
    for place, cell in enumerate(cells, 1):
        if not cell or cell in cells[: place - 1]:
            column = 1 + sum(len(part) + 1 for part in line.split(comma)[: place - 1])
            fault = f"{cell!r} twice" if cell else "a point without a name"
            raise bad_input(path, number, column, fault, "a line of 0s and 1s, or a different name for each point")
    return cells


def labels(line: str, path: str, number: int) -> list[int]:
    """The labels of one line."""
    if "," in line:
        row, column = [], 1
        for cell in line.split(","):
            if cell.strip() not in ("0", "1"):
                at = column + len(cell) - len(cell.lstrip()) if cell.strip() else column
                raise bad_input(path, number, at, shown(cell.strip()), "0 or 1")
            row.append(int(cell))
            column += len(cell) + 1
        return row
    for column, character in enumerate(line, 1):
        if character not in "01 \t":
            raise bad_input(path, number, column, shown(line[column - 1 :].split()[0]), "0 or 1")
    return [int(character) for character in line if character in "01"]


def shown(text: str) -> str:
    return repr(text[:SHOWN]) if text else "an empty cell"
