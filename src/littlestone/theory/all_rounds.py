"""Losses over all labelled rounds: what makes a bound in hindsight compare.

A bound over the updates, M ≤ f(L, ...) with L what its witness loses there, is an account: L moves with the mistakes, and u = 0 has L = M.
f never falls as L grows, and over all rounds the witness loses no less than over the updates.  So the same bound with L counted over all
rounds is true as well, and compares: this is what the theorem promised beforehand to whoever has such a witness.

A meter is shown every labelled round and is told nothing of predictions, so that what it adds up cannot depend on the mistakes.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from operator import mul
from typing import Any

from littlestone.theory.bound import Bound
from littlestone.theory.comparators.feature_set import Features
from littlestone.theory.comparators.vector import Vector

HINGE, ATTRIBUTES = "L", "A"  # facts that are a loss: the hinge loss of a vector, the attribute errors of a set
ALL = "-all"


def over_all(bound: Bound) -> Bound:
    """The same bound, with what its witness loses counted over all rounds."""
    return replace(bound, name=f"{bound.name}{ALL}", formula=f"{bound.formula}; {bound.loss} over all rounds", every=True)


def with_all(bounds: Iterable[Bound]) -> tuple[Bound, ...]:
    """The bounds, and those that compare once a loss is counted over all rounds."""
    bounds = tuple(bounds)
    return (*bounds, *(over_all(bound) for bound in bounds if bound.kind == "hindsight" and bound.loss in KINDS and not bound.every))


class _Weights(dict):
    """The weight of a feature by its key: a name, or a number that stands for its digits; 0 where none is written."""

    def __missing__(self, key: Any) -> int:
        self[key] = weight = self.get(str(key), 0)
        return weight


class HingeMeter:
    """Σ c·max(0, 1 - y·(u·x)) over the rounds it is shown, exactly; a feature of value ρ stands in each."""

    def __init__(self, u: Vector, rho: Fraction) -> None:
        self.u, self.rho = u, rho
        self.weights = _Weights(u.weights)
        self.exponent = 0
        self.sum: Any = 0  # over 2^exponent·2^(exponent of u)·(denominator of ρ)

    def add(self, keys: Iterable[Any], values: Iterable[float], y: bool, c: float, exponent: int) -> None:
        """A labelled round; its values are whole over 2^exponent, which grows only."""
        self.sum *= 1 << exponent - self.exponent
        self.exponent = exponent
        scale, ever = float(1 << exponent), self.rho.numerator * self.u.bias << exponent
        score = self.rho.denominator * sum(map(mul, map(self.weights.__getitem__, keys), map(int, map(scale.__mul__, values)))) + ever
        loss = self._unit() - score if y else self._unit() + score
        if loss > 0:
            self.sum += loss if c == 1.0 else Fraction(c) * loss

    def _unit(self) -> int:
        return self.rho.denominator << self.exponent + self.u.exponent

    @property
    def total(self) -> Fraction:
        return Fraction(self.sum) / self._unit()


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
    kind, meter = KINDS.get(bound.loss, (Vector, None))
    return meter(witness, rho) if meter is not None and bound.every and isinstance(witness, kind) else None
