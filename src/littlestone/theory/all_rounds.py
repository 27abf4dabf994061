"""Losses over all labelled rounds: what makes a bound in hindsight compare.

A bound over the updates, M ≤ f(L, ...) with L what its witness loses there, is an account: L moves with the mistakes, and u = 0 has L = M.
f never falls as L grows, and over all rounds the witness loses no less than over the updates.  So the same bound with L counted over all
rounds is true as well, and compares: this is what the theorem promised beforehand to whoever has such a witness.

A meter is shown every labelled round and is told nothing of predictions, so that what it adds up cannot depend on the mistakes.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from operator import mul
from typing import Any

from littlestone.theory.bound import Bound
from littlestone.theory.comparators.feature_set import Features
from littlestone.theory.comparators.sequence import Vectors
from littlestone.theory.comparators.vector import Vector
from littlestone.theory.numbers import DIGITS, real, up

THIRTY = Context(prec=30, Emax=999_999, Emin=-999_999)
HINGE, ATTRIBUTES = "L", "A"  # facts that are a loss: the hinge loss of a vector, the attribute errors of a set
ALL = "-all"


def over_all(bound: Bound) -> Bound:
    """The same bound, with what its witness loses counted over all rounds."""
    return replace(bound, name=f"{bound.name}{ALL}", formula=f"{bound.formula}; {bound.loss} over all rounds", every=True)


def with_all(bounds: Iterable[Bound]) -> tuple[Bound, ...]:
    """The bounds, and those that compare once a loss is counted over all rounds."""
    bounds = tuple(bounds)
    return (*bounds, *(over_all(b) for b in bounds if b.kind == "hindsight" and not b.every and b.loss and (b.meter or b.loss in KINDS)))


class _Weights(dict):
    """The weight of a feature by its key: a name, or a number that stands for its digits; 0 where none is written."""

    def __missing__(self, key: Any) -> int:
        self[key] = weight = self.get(str(key), 0)
        return weight


class HingeMeter:
    """Σ c·max(0, 1 - y·(u·x)) over the rounds it is shown, exactly; a feature of value ρ stands in each."""

    power = 1

    def __init__(self, u: Vector, rho: Fraction) -> None:
        self.u, self.rho = u, rho
        self.weights = _Weights(u.weights)
        self.exponent = 0
        self.sum: Any = 0  # over 2^exponent·2^(exponent of u)·(denominator of ρ), to the power

    def add(self, keys: Iterable[Any], values: Iterable[float], y: bool, c: float, exponent: int) -> None:
        """A labelled round; its values are whole over 2^exponent, which grows only."""
        self.sum *= 1 << self.power * (exponent - self.exponent)
        score = self._score(keys, values, exponent)
        loss = self._unit() - score if y else self._unit() + score
        if loss > 0:
            lost = loss**self.power
            self.sum += lost if c == 1.0 else Fraction(c) * lost

    def margin(self, keys: Iterable[Any], values: Iterable[float], y: bool, exponent: int) -> Fraction:
        """y·(u·x)."""
        score = self._score(keys, values, exponent)
        return Fraction(score if y else -score, self._unit())

    def _score(self, keys: Iterable[Any], values: Iterable[float], exponent: int) -> int:
        self.exponent = exponent
        scale, ever = float(1 << exponent), self.rho.numerator * self.u.bias << exponent
        return self.rho.denominator * sum(map(mul, map(self.weights.__getitem__, keys), map(int, map(scale.__mul__, values)))) + ever

    def _unit(self) -> int:
        return self.rho.denominator << self.exponent + self.u.exponent

    @property
    def total(self) -> Fraction:
        return Fraction(self.sum) / self._unit() ** self.power


class SequenceMeter:
    """The hinge loss of vectors one after the other, each over the rounds of its time; `row` is the row of the round that comes."""

    def __init__(self, u: Vectors, rho: Fraction) -> None:
        self.begins = [row for row, _ in u.pieces]
        self.meters = [HingeMeter(piece, rho) for _, piece in u.pieces]
        self.row = 0

    def add(self, keys: Iterable[Any], values: Iterable[float], y: bool, c: float, exponent: int) -> None:
        self.meters[bisect_right(self.begins, self.row) - 1].add(keys, values, y, c, exponent)

    @property
    def total(self) -> Fraction:
        return sum((meter.total for meter in self.meters), Fraction(0))


class SquaredHingeMeter(HingeMeter):
    """Σ c·max(0, 1 - y·(u·x))², likewise."""

    power = 2


class RowMeter:
    """Adds up what a function says of each round, rounded up: `loss(y·(u·x), |x|²)`, a feature of value ρ standing in each row.

    Each counts as much as its round weighs, or, not `weighed`, once where it weighs anything.
    """

    def __init__(self, u: Vector, rho: Fraction, loss: Callable[[Fraction, Fraction], Decimal], *, weighed: bool = True) -> None:
        self.u, self.rho, self.loss, self.weighed = u, rho, loss, weighed
        self.weights, self.sum = _Weights(u.weights), Decimal(0)

    def add(self, keys: Iterable[Any], values: Sequence[float], y: bool, c: float, exponent: int) -> None:
        numbers = list(map(Fraction, values))
        product = sum(map(mul, map(self.weights.__getitem__, keys), numbers), self.rho * self.u.bias) / (1 << self.u.exponent)
        square = sum((v * v for v in numbers), self.rho * self.rho)
        with localcontext(DIGITS):
            self.sum += real(Fraction(c if self.weighed else c > 0)) * self.loss(product if y else -product, square)

    @property
    def total(self) -> Decimal:
        return up(self.sum)


class LogLossMeter:
    """Σ c·log2(1 + e^(-y·u·x)) over the rounds it is shown, in bits, rounded up; a feature of value ρ stands in each."""

    def __init__(self, u: Vector, rho: Fraction) -> None:
        self.hinge, self.sum = HingeMeter(u, rho), Decimal(0)

    def add(self, keys: Iterable[Any], values: Iterable[float], y: bool, c: float, exponent: int) -> None:
        margin = self.hinge.margin(keys, values, y, exponent)
        with localcontext(THIRTY):
            against = -Decimal(margin.numerator) / margin.denominator
            likely = Decimal(1) + (-abs(against)).exp()
            self.sum += Decimal(c) * (likely.ln() + max(against, Decimal(0)))

    @property
    def total(self) -> Decimal:
        with localcontext(THIRTY):
            return self.sum / Decimal(2).ln() * (1 + Decimal("1e-20"))


class CoverMeter:
    """Of a set of features, each dropped by the first 0 that has it on, and read as a rule that says 1 where one of those left is on.

    `errors` rounds are labelled otherwise, `drops` of them 0s, which drop a member.  `living` members that were met are left at the end,
    and `met` features are on in some round.
    """

    def __init__(self, chosen: Features, rho: Fraction = Fraction(0)) -> None:
        self.alive, self.met = set(chosen.features), set[str]()
        self.misses = self.drops = 0

    def add(self, keys: Sequence[Any], values: Sequence[float], y: bool, c: float, exponent: int) -> None:
        active = {str(key) for key, v in zip(keys, values, strict=True) if v}
        self.met |= active
        if y:
            self.misses += self.alive.isdisjoint(active)
        else:
            self.drops += not self.alive.isdisjoint(active)
            self.alive -= active

    @property
    def facts(self) -> dict[str, int]:
        living = len(self.alive & self.met)
        return {"errors": self.misses + self.drops, "drops": self.drops, "living": living, "met": len(self.met)}


class AttributeMeter:
    """Attribute errors of a set over the rounds it is shown: what is lacking to k active members on 1s, what is too much on the others."""

    def __init__(self, chosen: Features, rho: Fraction = Fraction(0)) -> None:
        self.chosen, self.total = chosen, 0
        self.member = _Weights(dict.fromkeys(chosen.features, 1))

    def add(self, keys: Sequence[Any], values: Sequence[float], y: bool, c: float, exponent: int) -> None:
        active = sum(map(self.member.__getitem__, keys if all(values) else [key for key, v in zip(keys, values, strict=True) if v]))
        self.total += max(0, self.chosen.k - active) if y else max(0, active - self.chosen.k + 1)


#: By the fact that is the loss: the kind of witness that has one, and what adds it up.
KINDS: Mapping[str, tuple[type, Any]] = {HINGE: (Vector, HingeMeter), ATTRIBUTES: (Features, AttributeMeter)}


def meter_of(bound: Bound, witness: Any, rho: Fraction) -> Any:
    """What adds up the loss of this witness over all rounds; None where the bound has no such loss, or the witness is of another kind."""
    kind, meter = KINDS.get(bound.loss, (object, None))
    fits = bound.every and (getattr(witness, "kind", "") == bound.witness if bound.meter else isinstance(witness, kind))
    return (bound.meter or meter)(witness, rho) if fits and (bound.meter or meter) else None


def metered(bound: Bound, meter: Any) -> dict[str, Any]:
    """The facts that a meter has added up."""
    return getattr(meter, "facts", None) or {bound.loss: meter.total}
