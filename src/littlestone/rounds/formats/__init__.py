"""The formats, by walking this folder: a module here says in plain Python what one format means, as the value `FORMAT`.

What reads it fast is the module of the same name in `littlestone.streams.formats`. Folders that the environment variable
LITTLESTONE_FORMATS names may hold more of both, in `rounds` and in `streams`: docs/adding_a_format.md.
"""

from __future__ import annotations

import os
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from littlestone.rounds.faults import Fault
    from littlestone.rounds.features import PlainRow
    from littlestone.rounds.reading import Reading

#: A record of a table: the line in which it begins, and what each column holds, or what is wrong with it.
Record = tuple[int, "dict[str, Any] | Fault"]

VARIABLE = "LITTLESTONE_FORMATS"


def own_folders(room: str) -> list[str]:
    """Where the user keeps formats of their own; `room` is "rounds" or "streams"."""
    return [str(Path(folder) / room) for folder in os.environ.get(VARIABLE, "").split(os.pathsep) if folder]


__path__ += own_folders("rounds")

#: Their names.
FORMATS = tuple(sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_")))


def nothing_looks_so(lines: list[bytes]) -> int:
    return 0


@dataclass(frozen=True)
class Format:
    """What is known of a format. One whose rows are lines has `row_of`, a table `records`."""

    shape: str  # what a file holds, as messages say it
    row_of: Callable[[bytes, Reading], PlainRow | None] | None = None  # of one line; None where it is blank; raises Fault
    records: Callable[[Any, Reading], tuple[list[str] | None, Iterator[Record]]] | None = (
        None  # the columns, if they are known, and the rows
    )
    rows: Callable[[Any, Reading], Iterator[PlainRow]] | None = None  # of a file whose rows are not its lines alone
    rounds: Callable[..., Iterator[Any] | None] | None = None  # a shorter way from the file to its rounds; None where it does not serve
    has: str = ""  # what it has in place of columns
    lacks: tuple[str, ...] = ()  # choices of a reading that mean nothing here
    endings: tuple[str, ...] = ()  # of names of files, that say so beyond doubt
    likely_endings: tuple[str, ...] = ()  # that say so where the rows do not tell
    written_endings: tuple[str, ...] = ()  # that say so only where a file is written
    magic: tuple[bytes, ...] = ()  # what its first bytes are
    looks: Callable[[list[bytes]], int] = nothing_looks_so  # do these first lines look so? The higher, the surer; 0: no
    texts: bool = False  # are all cells text?
    plain_labels: bool = False  # may a label be a number alone?

    @property
    def is_table(self) -> bool:
        return self.records is not None


def format_named(name: str) -> Format:
    return import_module(f"{__name__}.{name}").FORMAT
