"""Evidence: what the facts of a bound are measured from, in whole numbers.

The values of a stream are float32, so each is a whole number over a power of two.  A stream's evidence keeps them over one power for all,
and a vector of a certificate (comparators/vector.py) is written the same way: sums and products of both are exact, and as quick as Python's
integers.

A theorem in hindsight is a statement about every witness; `measure(evidence, witness)` of its family's file says what the witness makes of
this stream.  A certificate may claim no less than that (or no more, where the limit falls as the fact grows).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from operator import mul
from typing import Any, NamedTuple


class Taught(NamedTuple):
    """A round on which the learner updated. Values are whole numbers over 2^exponent of the evidence."""

    round: int  # the row of the stream, counted from 1
    x: Mapping[str, int]
    y: Any  # True or False; of several classes, a number
    yhat: Any
    c: Fraction = Fraction(1)  # the weight of the round

    @property
    def mistake(self) -> bool:
        return self.y != self.yhat


@dataclass(frozen=True)
class Evidence:
    """What a stream and a list of rounds say, exactly. Of several classes labels and predictions are classes by their numbers."""

    settings: Mapping[str, Any]
    taught: Sequence[Taught]
    every: Sequence[Taught] | None = None  # all labelled rounds, where a bound speaks of them
    exponent: int = 0
    rounds: int = 0  # labelled
    P: int = 0  # missed 1s
    N: int = 0  # false 1s
    features: int = 0  # distinct, with a value that is not 0
    widest: int = 0  # features of the longest row
    largest: Fraction = Fraction(0)  # max|x_i|
    longest: Fraction = Fraction(0)  # of several classes, max|x|² over all labelled rounds
    whole: bool = True  # are all values whole numbers?
    negative: bool = False  # is any value below 0?
    weighted: bool = False
    arithmetic: str = "float"
    replayed: Mapping[str, Any] = field(default_factory=dict)  # facts that only a replay of the learner can tell
    first: Sequence[Fraction] = ()  # of several classes, the weights of the first appearances, which are mistakes that teach nothing

    @property
    def mistakes(self) -> int:
        return self.P + self.N

    @property
    def zero_one(self) -> bool:
        """Is every value 0 or 1?"""
        return self.whole and self.largest <= 1 and not self.negative

    def value(self, v: int) -> Fraction:
        return Fraction(v, 1 << self.exponent)

    @cached_property
    def met(self) -> set[str]:
        """Features that are on in some labelled round."""
        return {name for row in self.every or () for name, v in row.x.items() if v}

    def square(self, row: Taught) -> Fraction:
        """|x|² of a row."""
        return Fraction(sum(v * v for v in row.x.values()), 1 << 2 * self.exponent)

    @cached_property
    def squares(self) -> list[int]:
        """|x|² of each round that taught, over 4^exponent: whole numbers, so that many of them are soon added up."""
        return [sum(map(mul, values := row.x.values(), values)) for row in self.taught]
