"""A mixture of experts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from littlestone.errors import require
from littlestone.theory.advised import Advised
from littlestone.theory.comparators._comparator import COUNT, WHOLES, Comparator, record_of
from littlestone.theory.experts import mixed


@dataclass(frozen=True)
class Mix(Comparator):
    """Expert i has the share weights[i]/2^exponent; together they have all of it."""

    kind = "distribution"
    shape = record_of("distribution", weights=WHOLES, exponent=COUNT)

    weights: Sequence[int]
    exponent: int

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Self:
        weights, exponent = record["weights"], record["exponent"]
        require(exponent <= 1000 and all(w >= 0 for w in weights), "a distribution has weights that are not negative, over a power of two")
        require(sum(weights) == 1 << exponent, f"the weights of the distribution must add up to 2^{exponent}, which is all")
        return cls(list(weights), exponent)

    def as_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "exponent": self.exponent, "weights": list(self.weights)}

    def in_words(self, names: Sequence[str], what: str) -> str:
        return f"a mixture of {what}s"

    def measured(self, table: Advised, rows: Sequence[int]) -> dict[str, Any]:
        require(len(self.weights) == table.n, f"its distribution is over {len(self.weights)} experts, and there are {table.n}")
        m, kl = mixed(self.weights, [table.loss(i, rows) if w else Fraction(0) for i, w in enumerate(self.weights)])
        return {"m": m, "kl": kl}


KIND = Mix
