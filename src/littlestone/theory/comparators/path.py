"""A sequence of experts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

from littlestone.errors import require
from littlestone.theory.advised import Advised
from littlestone.theory.comparators._comparator import WHOLES, Comparator, record_of, times


@dataclass(frozen=True)
class Path(Comparator):
    """From each row on (counted from 1) the expert that stands beside it."""

    kind = "path"
    shape = record_of("path", path={"type": "array", "items": WHOLES})

    path: Sequence[Sequence[int]]

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Self:
        path = record["path"]
        require(path and all(len(step) == 2 for step in path), "a path has steps [row, expert]")
        require(path[0][0] == 1, f"a path begins at row 1; this one at row {path[0][0]}")
        for (a, i), (b, j) in pairwise(path):
            require(a < b and i != j, f"a path goes on to later rows and to other experts: {[a, i]} then {[b, j]}")
        return cls([list(step) for step in path])

    def as_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "path": [list(step) for step in self.path]}

    def in_words(self, names: Sequence[str], what: str) -> str:
        return f"a sequence of {what}s that changes {times(len(self.path) - 1, 'time')}"

    def measured(self, table: Advised, rows: Sequence[int]) -> dict[str, Any]:
        strange = [i for _, i in self.path if not 0 <= i < table.n]
        require(not strange, f"its path names expert {strange[:1]}, and there are {table.n}, counted from 0")
        last = self.path[-1][0]
        require(last <= max(1, len(table.rows)), f"its path goes on to row {last}, and there are {len(table.rows)}")
        return {"m": table.loss_of_path(self.path, rows), "S": len(self.path) - 1}


KIND = Path
