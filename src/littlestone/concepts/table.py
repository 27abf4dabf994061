"""Any finite class: a table that tells what each concept says of each point."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from littlestone.concepts.classes import Concept, ConceptClass, Row, present
from littlestone.errors import LittlestoneError, require


@dataclass(frozen=True, eq=False)
class Listed(Concept):
    """A row of a table."""

    labels: np.ndarray
    domain: str
    number: int

    def __call__(self, row: Row) -> bool:
        here = present(row)
        if self.domain == "cube":
            return bool(self.labels[sum(1 << i for i in here)])
        (x,) = here
        return bool(self.labels[x])

    def __repr__(self) -> str:
        return f"concept {self.number}"

    @property
    def witness(self) -> dict[int, int] | None:
        """A weight for each point, where an instance is one point."""
        return {x: 1 if y else -1 for x, y in enumerate(self.labels.tolist())} if self.domain == "points" else None


@dataclass(frozen=True, eq=False, repr=False)
class TableClass(ConceptClass):
    labels: np.ndarray
    domain: str = "points"

    symmetric = False

    @property
    def n(self) -> int:  # type: ignore[override]
        return self.labels.shape[1] if self.domain == "points" else self.labels.shape[1].bit_length() - 1

    @property
    def size(self) -> int:
        return len(self.labels)

    def _concept(self, c: int) -> Listed:
        return Listed(self.labels[c], self.domain, c)

    def answers(self, point: int) -> np.ndarray:
        return self.labels[:, point]

    def __repr__(self) -> str:
        return f"table({self.size} concepts on {self.points} points)"


def table(concepts: Any, points: Sequence | None = None, *, domain: str = "points") -> TableClass:
    """Any finite class: a boolean matrix with a row for each concept and a column for each point, or a list of functions and one of points.

    The row of a stream whose only active feature is i is point i; with domain="cube", point Σ 2^i over its active features. A concept that
    is listed twice counts twice.

    >>> even, large = (lambda x: x % 2 == 0), (lambda x: x >= 10)
    >>> C = table([even, large], points=[3, 8, 10, 11])
    >>> C, [[c([x]) for x in range(4)] for c in C]
    (table(2 concepts on 4 points), [[False, True, True, False], [False, False, True, True]])
    """
    if points is not None:
        functions: list[Callable] = list(concepts)
        require(all(map(callable, functions)), "with points, concepts must be a list of functions of a point")
        concepts = [[bool(c(x)) for x in points] for c in functions]
    try:
        labels = np.array(concepts)
    except ValueError:
        raise LittlestoneError("a table with rows of different lengths: expected a column for each point in every row") from None
    require(
        labels.ndim == 2 and labels.size > 0 and ((labels == 0) | (labels == 1)).all(),
        f"a table of shape {labels.shape} and type {labels.dtype}: expected True or False, a row for each concept and a column for each "
        "point",
    )
    require(domain in ("points", "cube"), f"domain={domain!r} must be 'points' or 'cube'")
    width = labels.shape[1]
    require(domain == "points" or width & (width - 1) == 0, f"{width} points are no cube {{0,1}}^n; expected a power of 2")
    labels = labels.astype(np.bool_)
    labels.flags.writeable = False
    return TableClass(labels, domain)
