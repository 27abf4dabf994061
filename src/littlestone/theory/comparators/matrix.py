"""A vector for each class, in whole numbers over a power of two: sums and products with the values of a stream are exact."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

from littlestone.theory.comparators._comparator import COUNT, WHOLE, Comparator, record_of, times

ROW = {
    "type": "object",
    "required": ["weights", "bias"],
    "additionalProperties": False,
    "properties": {"weights": {"type": "object", "additionalProperties": WHOLE}, "bias": WHOLE},
}


@dataclass(frozen=True)
class Matrix(Comparator):
    """u_c has weights[i]/2^exponent for feature i and a weight for the feature of value 1 that stands in every row; a row for each class,
    in the order in which the classes appear."""

    kind = "matrix"
    shape = record_of("matrix", exponent=COUNT, rows={"type": "array", "items": ROW})

    rows: Sequence[tuple[Mapping[str, int], int]]  # the weights of a class, and that of the feature in every row
    exponent: int = 0

    def squared(self) -> Fraction:
        """|U|², over all classes."""
        return Fraction(sum(sum(w * w for w in weights.values()) + bias * bias for weights, bias in self.rows), 1 << 2 * self.exponent)

    @property
    def biased(self) -> bool:
        return any(bias for _, bias in self.rows)

    @cached_property
    def by_feature(self) -> dict[str, list[tuple[int, int]]]:
        """Of each feature the classes in which it has a weight, and these weights."""
        places: dict[str, list[tuple[int, int]]] = {}
        for c, (weights, _) in enumerate(self.rows):
            for name, w in weights.items():
                places.setdefault(name, []).append((c, w))
        return places

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self.by_feature)

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Self:
        return cls([(row["weights"], row["bias"]) for row in record["rows"]], record["exponent"])

    def as_json(self) -> dict[str, Any]:
        rows = [{"weights": dict(weights), "bias": bias} for weights, bias in self.rows]
        return {"kind": self.kind, "exponent": self.exponent, "rows": rows}

    def in_words(self, names: Sequence[str], what: str) -> str:
        return (
            f"a vector for each of {times(len(self.rows), 'class').replace('classs', 'classes')}, over {times(len(self.names), 'feature')}"
        )


KIND = Matrix
