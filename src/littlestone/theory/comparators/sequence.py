"""A sequence of vectors, one after the other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from math import inf
from typing import Any, Self

from littlestone.errors import require
from littlestone.theory.comparators._comparator import COUNT, WHOLE, Comparator, record_of, times
from littlestone.theory.comparators.vector import Vector
from littlestone.theory.evidence import Evidence
from littlestone.theory.numbers import DIGITS, root_up

PIECE = {
    "type": "object",
    "required": ["row", "exponent", "weights", "bias"],
    "additionalProperties": False,
    "properties": {"row": COUNT, "exponent": COUNT, "weights": {"type": "object", "additionalProperties": WHOLE}, "bias": WHOLE},
}


@dataclass(frozen=True)
class Vectors(Comparator):
    """From each row on (counted from 1) the vector that stands beside it."""

    kind = "sequence"
    shape = record_of("sequence", pieces={"type": "array", "items": PIECE})

    pieces: Sequence[tuple[int, Vector]]

    @property
    def biased(self) -> bool:
        return any(u.bias for _, u in self.pieces)

    def hinge(self, e: Evidence, rho: Fraction) -> Fraction:
        """Σ max(0, 1 - y·(u·x)) over all labelled rounds, each with the vector of its time."""
        total, rows = Fraction(0), e.every or ()
        ends = [*(row for row, _ in self.pieces[1:]), inf]
        for (first, u), after in zip(self.pieces, ends, strict=True):
            some = [row for row in rows if first <= row.round < after]
            total += sum((max(Fraction(0), 1 - m) for m in u.dots(e, rho, some)), Fraction(0))
        return total

    def moves(self) -> Decimal:
        """Σ|u_{j+1} - u_j|, rounded up."""
        with localcontext(DIGITS):
            return sum((length(difference(u, v)) for (_, u), (_, v) in pairwise(self.pieces)), Decimal(0))

    def longest(self) -> Decimal:
        """max|u_j|, rounded up."""
        with localcontext(DIGITS):
            return max(length(u) for _, u in self.pieces)

    @property
    def names(self) -> frozenset[str]:
        return frozenset().union(*(u.names for _, u in self.pieces))

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Self:
        pieces = record["pieces"]
        require(pieces and pieces[0]["row"] == 1, "a sequence of vectors begins at row 1")
        require(all(a["row"] < b["row"] for a, b in pairwise(pieces)), "a sequence of vectors goes on to later rows")
        require(all(piece["exponent"] <= 1100 for piece in pieces), "a vector of the sequence has an exponent above 1100")
        return cls([(piece["row"], Vector(piece["weights"], piece["exponent"], piece["bias"])) for piece in pieces])

    def as_json(self) -> dict[str, Any]:
        pieces = [{"row": row, "exponent": u.exponent, "weights": dict(u.weights), "bias": u.bias} for row, u in self.pieces]
        return {"kind": self.kind, "pieces": pieces}

    def in_words(self, names: Sequence[str], what: str) -> str:
        return f"a sequence of vectors that changes {times(len(self.pieces) - 1, 'time')}"


def length(u: Vector) -> Decimal:
    """|u|, rounded up; 0 where it is 0."""
    square = u.squared()
    return root_up(square) if square else Decimal(0)


def difference(u: Vector, v: Vector) -> Vector:
    """u - v."""
    e = max(u.exponent, v.exponent)
    a, b = 1 << e - u.exponent, 1 << e - v.exponent
    weights = {name: u.weights.get(name, 0) * a - v.weights.get(name, 0) * b for name in {*u.weights, *v.weights}}
    return Vector(weights, e, u.bias * a - v.bias * b)


KIND = Vectors
