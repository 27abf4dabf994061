"""A convex combination of forecasts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from littlestone.errors import require
from littlestone.theory.advised import Advised
from littlestone.theory.comparators._comparator import COUNT, WHOLES, record_of
from littlestone.theory.comparators.distribution import Mix


@dataclass(frozen=True)
class Combination(Mix):
    """The mean of the forecasts in which expert i has the share weights[i]/2^exponent."""

    kind = "combination"
    shape = record_of("combination", weights=WHOLES, exponent=COUNT)

    def in_words(self, names: Sequence[str], what: str) -> str:
        many = sum(w > 0 for w in self.weights)
        if many == 1:
            i = max(range(len(self.weights)), key=lambda k: self.weights[k])
            return f"{what} {i}" + (f", {names[i]}" if i < len(names) else "")
        return f"a convex combination of {many} {what}s"

    def measured(self, table: Advised, rows: Sequence[int]) -> dict[str, Any]:
        require(len(self.weights) == table.n, f"its combination is of {len(self.weights)} experts, and there are {table.n}")
        return {"m": table.loss_of_combination(self.weights, self.exponent, rows)}


KIND = Combination
