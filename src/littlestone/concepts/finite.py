"""What a learner of a finite class asks of it: the class itself, however the user named it, and that every row is one of its instances."""

from typing import Any

import numpy as np

from littlestone.concepts.classes import ConceptClass
from littlestone.concepts.conjunctions import conjunctions
from littlestone.concepts.dictators import dictators
from littlestone.concepts.disjunctions import disjunctions
from littlestone.concepts.half_intervals import half_intervals
from littlestone.concepts.table import table
from littlestone.errors import LittlestoneError, require
from littlestone.protocol import Block
from littlestone.protocol.layout import Room

#: Classes that a text can name, with n alone.
NAMED = {
    "conjunctions": conjunctions,
    "dictators": dictators,
    "disjunctions": disjunctions,
    "half_intervals": half_intervals,
    "monotone_conjunctions": lambda n: conjunctions(n, monotone=True),
}

#: A class may come from a file that nobody should believe: to count its concepts must take no time.
MOST_LISTED, MOST_VARIABLES, FEW = 2**24, 2**12, 16

EMPTIED = "no concept of the class agrees with every label so far"


def finite(chosen: Any, n: int | None = None, r: int | None = None) -> ConceptClass:
    """The class the user means: an object of `littlestone.concepts`, the name of one with its n (and r), or a boolean matrix.

    >>> finite("disjunctions", n=5), finite("disjunctions", n=5, r=2), finite([[True, False], [False, False]])
    (disjunctions(n=5), disjunctions(n=5, r=2), table(2 concepts on 2 points))
    """
    if isinstance(chosen, str):
        require(chosen in NAMED, f"concepts={chosen!r} must be a class, a boolean matrix, or one of {', '.join(NAMED)}")
        require(n is not None, f"concepts={chosen!r} needs n, the number of its {'points' if chosen == 'half_intervals' else 'variables'}")
        require(r is None or chosen == "disjunctions", f"r={r!r}: only disjunctions take the number of their variables")
        most = MOST_LISTED if chosen in ("dictators", "half_intervals") or (r is not None and r <= FEW) else MOST_VARIABLES
        require(not isinstance(n, int) or n <= most, f"concepts={chosen!r}: n={n!r} is too large; expected at most {most:,}")
        return NAMED[chosen](n) if r is None else disjunctions(n, r)  # type: ignore[arg-type, operator]
    concepts = chosen if isinstance(chosen, ConceptClass) else table(chosen)
    require(concepts.size is not None, f"{concepts!r} has no end of concepts; expected a finite class")
    require(n is None or n == concepts.n, f"n={n!r}: {concepts!r} has n={concepts.n}")
    require(r is None, f"r={r!r} belongs to a class that is named; {concepts!r} is given whole")
    return concepts


def refuse_strangers(concepts: ConceptClass, block: Block) -> None:
    """Refuse the first row that is no instance of the class: none or several points for one, or a number beyond the last."""
    if concepts.domain == "points":
        (bad,) = np.nonzero(np.diff(block.indptr) != 1)
        if len(bad):
            t = int(bad[0])
            count = int(block.indptr[t + 1] - block.indptr[t])
            raise LittlestoneError(
                f"{block.round(t)}: {count} active features; an instance of {concepts!r} is one point, "
                "the row whose only active feature is its number"
            )
    (far,) = np.nonzero(block.indices >= concepts.n)
    if len(far):
        raise LittlestoneError(f"{block.place(int(far[0]))} is out of range: n={concepts.n}, and {concepts!r} counts from 0")


def strangers_refused(concepts: ConceptClass) -> Room | None:
    """What a learner of a class does before each block: rows that are no instances are refused, where not every row is one."""

    def prepare(state: tuple, block: Block) -> tuple:
        refuse_strangers(concepts, block)
        return state

    return None if concepts.symmetric else Room(prepare)
