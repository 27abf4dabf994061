"""Evidence: what the facts of a bound are measured from, in whole numbers, and the witnesses they are measured with.

The values of a stream are float32, so each is a whole number over a power of two.  A stream's evidence keeps them over one power for all,
and a vector of a certificate is written the same way: sums and products of both are exact, and as quick as Python's integers.

A theorem in hindsight is a statement about every witness; `measure(evidence, witness)` of its family's file says what the witness makes of
this stream.  A certificate may claim no less than that (or no more, where the limit falls as the fact grows).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from operator import mul
from typing import Any, NamedTuple

from littlestone.errors import require
from littlestone.theory.advised import WITNESSES


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
    """What a stream and a list of rounds say, exactly."""

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
    whole: bool = True  # are all values whole numbers?
    negative: bool = False  # is any value below 0?
    weighted: bool = False
    arithmetic: str = "float"
    replayed: Mapping[str, Any] = field(default_factory=dict)  # facts that only a replay of the learner can tell

    @property
    def mistakes(self) -> int:
        return self.P + self.N

    @property
    def zero_one(self) -> bool:
        """Is every value 0 or 1?"""
        return self.whole and self.largest <= 1 and not self.negative

    def value(self, v: int) -> Fraction:
        return Fraction(v, 1 << self.exponent)

    def met(self) -> int:
        """Features that are on in some labelled round."""
        return len({name for row in self.every or () for name, v in row.x.items() if v})

    def square(self, row: Taught) -> Fraction:
        """|x|² of a row."""
        return Fraction(sum(v * v for v in row.x.values()), 1 << 2 * self.exponent)

    @cached_property
    def squares(self) -> list[int]:
        """|x|² of each round that taught, over 4^exponent: whole numbers, so that many of them are soon added up."""
        return [sum(map(mul, values := row.x.values(), values)) for row in self.taught]


@dataclass(frozen=True)
class ClassEvidence:
    """What a stream of several classes and a list of mistakes say, exactly. Labels and predictions are classes by their numbers."""

    settings: Mapping[str, Any]
    taught: Sequence[Taught]  # mistakes that are not first appearances
    first: Sequence[Fraction] = ()  # the weights of the first appearances
    exponent: int = 0
    widest: int = 0
    largest: Fraction = Fraction(0)
    whole: bool = True
    weighted: bool = False

    @property
    def mistakes(self) -> int:
        return len(self.taught) + len(self.first)


class Zeros(dict):
    """A weight for every feature: 0 where none is written."""

    def __missing__(self, name: str) -> int:
        return 0


@dataclass(frozen=True)
class Vector:
    """u_i = weights[i]/2^exponent; `bias` is the weight of the feature that stands in every instance."""

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
        product, one = self.products, 1 << self.exponent + e.exponent
        ever = rho * Fraction(self.bias, 1 << self.exponent)
        sums = (product(row.x) for row in rows)
        return [(Fraction(s, one) + ever) * (1 if row.y else -1) for s, row in zip(sums, rows, strict=True)]

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
            product, one, total = self.products, 1 << self.exponent + e.exponent, 0
            for row in e.taught:
                s = product(row.x)
                loss = one - s if row.y else one + s
                if loss > 0:
                    total += loss
            return Fraction(total, one)
        margins = self.dots(e, rho)
        return sum((row.c * max(Fraction(0), level - m) for row, m in zip(e.taught, margins, strict=True)), Fraction(0))

    def as_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {"kind": "vector", "exponent": self.exponent, "weights": dict(self.weights), "bias": self.bias}
        return found | ({} if self.level == 1 else {"level": str(self.level)})


@dataclass(frozen=True)
class Features:
    """A set of features: a disjunction, or the r of "k of r"."""

    features: frozenset[str]
    k: int = 1

    def __bool__(self) -> bool:
        """Does it compare with anything? (The empty disjunction costs nothing and tells nothing: then the limit rests on the missed 1s.)"""
        return bool(self.features)

    def errors(self, e: Evidence) -> int:
        """Attribute errors: what is lacking to k active members on missed 1s, what is too much for k-1 on false 1s."""
        total = 0
        for row in e.taught:
            active = sum(i in self.features for i in row.x)
            total += max(0, self.k - active) if row.y else max(0, active - self.k + 1)
        return total

    def as_json(self) -> dict[str, Any]:
        return {"kind": "set", "features": sorted(self.features, key=lambda name: (len(name), name)), "k": self.k}


@dataclass(frozen=True)
class Literals:
    """A conjunction: features that must be on, and features that must be off."""

    on: frozenset[str]
    off: frozenset[str]

    def __call__(self, x: Mapping[str, Any]) -> bool:
        return self.on <= x.keys() and self.off.isdisjoint(x)

    def as_json(self) -> dict[str, Any]:
        return {"kind": "conjunction", "on": sorted(self.on), "off": sorted(self.off)}


def witness_from(record: Mapping[str, Any] | None) -> Any:
    """The witness that a certificate has written down."""
    if record is None:
        return None
    kind = record["kind"]
    require(record.get("exponent", 0) <= 1100, f"the witness has exponent {record.get('exponent')}; expected at most 1100")
    if kind in WITNESSES:
        return WITNESSES[kind].read(record)
    if kind == "vector":
        return Vector(record["weights"], record["exponent"], record["bias"], level_from(record.get("level", "1")))
    if kind == "set":
        names = record["features"]
        require(len(set(names)) == len(names), "the set of the witness names a feature twice")
        return Features(frozenset(names), record["k"])
    require(kind == "conjunction", f"witness of kind {kind!r} is not known")
    names = [*record["on"], *record["off"]]
    require(len(set(names)) == len(names), "the conjunction of the witness names a feature twice")
    return Literals(frozenset(record["on"]), frozenset(record["off"]))


def level_from(text: str) -> Fraction:
    """The level that a certificate has written down, a positive fraction."""
    try:
        level = Fraction(text if len(text) <= 400 and not set(text) & set("eE") else 0)
    except (ValueError, ZeroDivisionError):
        level = Fraction(0)
    require(level > 0 and str(level) == text, f"the level of the witness is {text!r}; expected a positive fraction in lowest terms")
    return level


def features_of(witness: Any) -> frozenset[str]:
    """The features that a witness speaks of."""
    if isinstance(witness, Vector):
        return frozenset(witness.weights)
    if isinstance(witness, Features):
        return witness.features
    return witness.on | witness.off if isinstance(witness, Literals) else frozenset()
