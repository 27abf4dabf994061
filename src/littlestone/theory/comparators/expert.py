"""One expert."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from littlestone.errors import require
from littlestone.theory.advised import Advised
from littlestone.theory.comparators._comparator import COUNT, Comparator, record_of


@dataclass(frozen=True)
class One(Comparator):
    """One expert, counted from 0."""

    kind = "expert"
    shape = record_of("expert", expert=COUNT)

    expert: int

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Self:
        return cls(record["expert"])

    def as_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "expert": self.expert}

    def in_words(self, names: Sequence[str], what: str) -> str:
        return f"{what} {self.expert}" + (f", {names[self.expert]}" if self.expert < len(names) else "")

    def measured(self, table: Advised, rows: Sequence[int]) -> dict[str, Any]:
        require(self.expert < table.n, f"its witness is expert {self.expert}, and there are {table.n}, counted from 0")
        return {"m": table.loss(self.expert, rows)}


KIND = One
