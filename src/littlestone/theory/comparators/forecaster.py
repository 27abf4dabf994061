"""One forecaster of a panel, by its name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from littlestone.theory.comparators._comparator import Comparator, record_of


@dataclass(frozen=True)
class OneForecaster(Comparator):
    """One forecaster of a panel: a member, a blend, a stack or its bins."""

    kind = "forecaster"
    shape = record_of("forecaster", name={"type": "string"})

    name: str

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Self:
        return cls(record["name"])

    def as_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "name": self.name}

    def in_words(self, names: Sequence[str], what: str) -> str:
        return f"the forecaster {self.name} (its log-loss in bits)"


KIND = OneForecaster
