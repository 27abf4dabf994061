"""A vector over the features, in whole numbers over a power of two: sums and products with the values of a stream are exact."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from operator import mul
from typing import Any, Self

from littlestone.errors import require
from littlestone.theory.comparators._comparator import COUNT, WHOLE, Comparator, record_of, times
from littlestone.theory.evidence import Evidence, Taught


class Zeros(dict):
    """A weight for every feature: 0 where none is written."""

    def __missing__(self, name: str) -> int:
        return 0


@dataclass(frozen=True)
class Vector(Comparator):
    """u_i = weights[i]/2^exponent; `bias` is the weight of the feature that stands in every instance."""

    kind = "vector"
    shape = record_of(
        "vector", {"level": {"type": "string"}}, exponent=COUNT, weights={"type": "object", "additionalProperties": WHOLE}, bias=WHOLE
    )

    weights: Mapping[str, int]
    exponent: int = 0
    bias: int = 0
    level: Fraction = Fraction(1)  # the margin that is wanted of it, where a bound lets the witness choose

    def squared(self) -> Fraction:
        """|u|²."""
        return Fraction(sum(w * w for w in self.weights.values()) + self.bias * self.bias, 1 << 2 * self.exponent)

    def absolute(self) -> Fraction:
        """|u|₁."""
        return Fraction(sum(map(abs, self.weights.values())) + abs(self.bias), 1 << self.exponent)

    @cached_property
    def products(self) -> Callable[[Mapping[str, int]], int]:
        """u·x of a row, in whole numbers over 2^exponent of both."""
        weight = Zeros(self.weights).__getitem__
        return lambda x: sum(map(mul, map(weight, x), x.values()))

    def dots(self, e: Evidence, rho: Fraction = Fraction(0), rows: Sequence[Taught] | None = None) -> list[Fraction]:
        """y·(u·x) for each round of the evidence (or these), a feature of value ρ standing in each."""
        rows = e.taught if rows is None else rows
        product, unit = self.products, 1 << self.exponent + e.exponent
        ever = rho * Fraction(self.bias, 1 << self.exponent)
        sums = (product(row.x) for row in rows)
        return [(Fraction(s, unit) + ever) * (1 if row.y else -1) for s, row in zip(sums, rows, strict=True)]

    def least(self, e: Evidence, rho: Fraction = Fraction(0)) -> Fraction | None:
        """The smallest y·(u·x) of all labelled rounds; None where there are none."""
        if not e.every:
            return None
        if rho:
            return min(self.dots(e, rho, e.every))
        product = self.products
        sums = ((product(row.x), row.y) for row in e.every)
        return Fraction(min(s if y else -s for s, y in sums), 1 << self.exponent + e.exponent)

    def hinge(self, e: Evidence, rho: Fraction = Fraction(0), level: Fraction = Fraction(1)) -> Fraction:
        """Σ c·max(0, level - y·(u·x)) over the rounds of the evidence."""
        if not rho and not e.weighted and level == 1:  # the usual case, in whole numbers throughout
            product, unit, total = self.products, 1 << self.exponent + e.exponent, 0
            for row in e.taught:
                s = product(row.x)
                loss = unit - s if row.y else unit + s
                if loss > 0:
                    total += loss
            return Fraction(total, unit)
        margins = self.dots(e, rho)
        return sum((row.c * max(Fraction(0), level - m) for row, m in zip(e.taught, margins, strict=True)), Fraction(0))

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self.weights)

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Self:
        return cls(record["weights"], record["exponent"], record["bias"], level_from(record.get("level", "1")))

    def as_json(self) -> dict[str, Any]:
        level = {} if self.level == 1 else {"level": str(self.level)}
        return {"kind": self.kind, "exponent": self.exponent, "weights": dict(self.weights), "bias": self.bias, **level}

    def in_words(self, names: Sequence[str], what: str) -> str:
        return f"a vector over {times(len(self.weights), 'feature')}"


def level_from(text: str) -> Fraction:
    """The level that a certificate has written down, a positive fraction."""
    try:
        level = Fraction(text if len(text) <= 400 and not set(text) & set("eE") else 0)
    except (ValueError, ZeroDivisionError):
        level = Fraction(0)
    require(level > 0 and str(level) == text, f"the level of the witness is {text!r}; expected a positive fraction in lowest terms")
    return level


KIND = Vector
