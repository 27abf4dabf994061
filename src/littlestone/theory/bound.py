"""A theorem as a value: what it assumes, its formula as text and as code, its source; and what it says of one run."""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from math import ceil, inf, nextafter
from typing import Any

from littlestone.errors import LittlestoneError, require
from littlestone.theory.assumptions import ASSUMPTIONS
from littlestone.theory.numbers import DIGITS, Real, at_most, float_above, float_below, fraction, real, up


@dataclass(frozen=True)
class Bound:
    """A theorem about a count. `value` is the formula, executable; its argument names are the facts it needs."""

    name: str
    assumes: str
    kind: str
    formula: str
    value: Callable[..., Real]
    source: str
    counts: str = "mistakes"
    side: str = "at most"
    says: str = ""
    witness: str = ""  # in hindsight, the kind of witness it is measured with; "run" where only the run's own state tells,
    # "none" where no certificate states it
    every: bool = False  # is the witness measured on every labelled round, not on the updates alone?
    loss: str = ""  # in hindsight, the fact that is what the witness loses; "0" where it loses nothing; "" where no such fact is
    unit: str = ""  # the fact that says how much of that loss is one mistake; "" where it is counted in mistakes
    meter: Any = None  # meter(witness, ρ): what adds that fact up over all rounds (`theory.all_rounds`), where it is no usual one
    own: tuple[str, ...] = ()  # beside those of its witness, facts of the run that only a replay tells
    falling: tuple[str, ...] = ()  # measured facts that make the limit smaller as they grow
    among: str = ""  # a declared fact that speaks of all the stream's features: "at least r of them"
    least: tuple[str, ...] = ()  # facts of which a stream shows only the least they can be: of n columns some may never be on
    euclidean: bool = False  # does it assume a margin γ of some u with |u| = 1, in the usual length?
    chance: str = ""  # "in expectation" or "with probability 1-δ" over the rule's coin, where one run may exceed it

    def __post_init__(self) -> None:
        require(self.assumes in ASSUMPTIONS, f"assumes={self.assumes!r} must be one of {', '.join(ASSUMPTIONS)}")
        require(self.kind in ("a priori", "hindsight"), f"kind={self.kind!r} must be 'a priori' or 'hindsight'")

    @cached_property
    def needs(self) -> tuple[str, ...]:
        return tuple(inspect.signature(self.value).parameters)

    @cached_property
    def optional(self) -> dict[str, Any]:
        """Facts that need not be given, and what they are then."""
        return {name: p.default for name, p in inspect.signature(self.value).parameters.items() if p.default is not p.empty}

    @property
    def compares(self) -> bool:
        """Is its limit what a comparator loses over all rounds, and a price? Otherwise it is an account of the mistakes that were made.

        What was declared beforehand speaks of all rounds.  In hindsight the witness's loss must be a fact, and of every labelled round.
        """
        return self.kind == "a priori" or (self.every and bool(self.loss))

    def lost(self, facts: Mapping[str, Any]) -> Real | None:
        """What the comparator loses over all rounds; None of an account."""
        if not self.compares:
            return None
        name = self.loss if self.kind == "hindsight" else "m" if "m" in self.needs else "0"  # what is declared of an expert is its loss
        if name == "0" or not self.unit:
            return Fraction(0) if name == "0" else facts[name]
        with localcontext(DIGITS):
            return up(real(facts[name]) / real(facts[self.unit]))

    @property
    def assumption(self) -> str:
        if self.chance and self.kind == "hindsight":
            return f"nothing of the stream; it holds {self.chance}"
        return self.says or ASSUMPTIONS[self.assumes].says


def a_priori(name: str, assumes: str, formula: str, value: Callable[..., Real], source: str, **more: Any) -> Bound:
    """A theorem that assumes something of the stream beforehand."""
    return Bound(name, assumes, "a priori", formula, value, source, **more)


def hindsight(name: str, formula: str, value: Callable[..., Real], source: str, **more: Any) -> Bound:
    """A theorem that is true on every stream, whatever its witness."""
    return Bound(name, "none", "hindsight", formula, value, source, **more)


MEASURED_REGRET = "-regret-measured"  # ends the name of a bound whose price is the regret of this run: measured, and promised by no theorem


def by_chance(assumes: str) -> bool:
    """Does a bound that assumes this hold on average over a coin, or with some probability, so that one run may exceed it?

    >>> by_chance("nothing of the stream; it holds in expectation over the coin"), by_chance("nothing of the stream")
    (True, False)
    """
    return "it holds in expectation" in assumes or "it holds with probability" in assumes


@dataclass(frozen=True)
class Claim:
    """What one bound says of one run. `holds` is None, and `limit` too, when the assumption fails on the stream."""

    name: str
    assumes: str
    kind: str
    formula: str
    facts: Mapping[str, Any]
    limit: int | float | None
    limit_exact: str | None
    observed: int | float
    holds: bool | None
    source: str = ""
    reason: str = ""
    witness: str = ""  # whom a bound in hindsight compares with
    comparator: Any = None  # the same as a value, where the stream and it are enough to measure the facts
    contradiction: Mapping[str, Any] | None = None  # where the stream contradicts the assumption
    comparator_loss: int | float | None = None  # what the comparator loses over all rounds; None of an account, and of what is void
    price: int | float | None = None  # what the limit allows on top of that

    @property
    def compares(self) -> bool:
        """Does it compare with somebody over all rounds? Otherwise it is an account of the mistakes that were made, or void."""
        return self.comparator_loss is not None

    @property
    def by_chance(self) -> bool:
        """Does it hold on average over a coin only, so that one run may exceed it?"""
        return by_chance(self.assumes)

    def as_json(self) -> dict[str, Any]:
        record = {field.name: getattr(self, field.name) for field in fields(self) if field.name not in ("comparator", "contradiction")}
        whom = self.witness or (self.comparator.in_words((), "expert") if self.comparator is not None else "")
        facts = {name: _plain(value) for name, value in self.facts.items()}
        return {**record, "facts": facts, "compares": self.compares, "witness": whom}


@dataclass(frozen=True)
class Moment:
    """A run just after an update: what the lemmas of the proofs speak about. Every number in it is exact."""

    settings: Mapping[str, Any]
    state: Mapping[str, Mapping[int, Fraction]]
    promotions: int
    demotions: int
    sum_squares: Fraction  # Σ c²|x|² over the updates, c the weight of a round: 1 unless weights were given
    witness: Mapping[int, Fraction] | None
    margins: Fraction  # Σ c·y·(u·x) over the updates, u the witness
    weights: Fraction = Fraction(0)  # Σ c over the updates
    squared_weights: Fraction = Fraction(0)  # Σ c² over the updates
    errors: int = 0  # attribute errors of the witness as a set, over the updates
    slack: Fraction = Fraction(0)

    @property
    def updates(self) -> int:
        return self.promotions + self.demotions


@dataclass(frozen=True)
class Invariant:
    """A lemma of a proof, checked while the run goes: both sides of one inequality, left ≤ right."""

    name: str
    statement: str
    sides: Callable[[Moment], tuple[Real, Real]]
    needs_witness: bool = False
    source: str = ""


def limit_of(bound: Bound, facts: Mapping[str, Any], *, whole: bool = True) -> tuple[Real | None, int | float | None, str]:
    """What the theorem allows: exactly, rounded as a count or as a sum of weights and losses; or why it allows nothing at all."""
    lacking = [name for name in bound.needs if facts.get(name) is None]
    if lacking:
        return None, None, f"not known: {', '.join(lacking)}"
    try:
        exact = bound.value(**{name: facts[name] for name in bound.needs})
    except LittlestoneError as reason:  # outside the theorem's range of parameters
        return None, None, str(reason)
    limit, lost = at_most(exact) if whole else float_above(exact), bound.lost(facts) if bound.kind == "hindsight" else None
    if lost is not None and limit < (least := number_above(lost)):  # who compares with somebody allows no less than that one loses
        exact = Fraction(ceil(least)) if whole else lost
        limit = int(exact) if whole else least
    return exact, limit, ""


def judge(bound: Bound, observed: int | float, facts: Mapping[str, Any], void: str = "", *, met: bool = False) -> Claim:
    """Evaluate one bound on one run's facts. `void` says why its assumption fails, if it does; `met`, that it is known not to fail."""
    exact, limit = None, None
    if not void:
        exact, limit, void = limit_of(bound, facts, whole=isinstance(observed, int))
    if limit is not None and observed > limit:
        if bound.chance:
            void = f"{observed:g} exceed the limit {limit:g}: the theorem holds {bound.chance}, and this time the coin fell badly"
        elif bound.kind == "a priori" and not met:
            # The theorem is proved, so more mistakes than it allows prove the assumption false on this stream.
            void = f"{observed} {bound.counts} exceed the limit {limit}, so the assumption is false on this stream"
    stated = exact is not None and not void
    lost = bound.lost(facts) if stated else None
    comparator_loss = None if lost is None else number_above(lost)
    return Claim(
        name=bound.name,
        assumes=bound.assumption,
        kind=bound.kind,
        formula=bound.formula,
        facts={k: v for k, v in facts.items() if k in bound.needs},
        limit=limit if stated else None,
        limit_exact=None if not stated or isinstance(exact, Decimal) else str(Fraction(exact)),  # type: ignore[arg-type]
        observed=observed,
        holds=observed <= limit if stated else None,  # type: ignore[operator]
        source=bound.source,
        reason=void,
        witness=facts.get("witness", "") if stated and bound.kind == "hindsight" else "",
        comparator_loss=comparator_loss,
        price=None if comparator_loss is None else price_of(limit, comparator_loss),  # type: ignore[arg-type]
    )


def price_of(limit: int | float, lost: int | float) -> int | float:
    """Return what a limit allows on top of a loss, 0 ≤ lost ≤ limit; the two add up to the limit at most, as doubles too.

    Of two doubles a ≤ b the difference is exact where a ≥ b/2, and else rounded by half an ulp of b at most: one step down makes it good.

    >>> price_of(31, 11), price_of(95, 1.8), price_of(2**60 + 1, 0.5) <= 2**60, price_of(2**53 + 1, 2.0**53)
    (20, 93.2, True, 0.0)
    """
    if isinstance(limit, int) and isinstance(lost, int):
        return limit - lost
    most, least = float_below(limit), float_above(lost)
    price = max(0.0, most - least)
    return price if least + price <= most else max(0.0, nextafter(price, -inf))


def number_above(x: Real) -> int | float:
    """A number for JSON: whole as it is, else the next double above."""
    return int(x) if x == int(x) else float_above(x)


FAULT = "it is a fault of the learner or of the theorem"  # more mistakes than a bound allows that the stream gives no cause for


def looked_for(assume: str) -> str:
    """What it means that no row of a stream was found to contradict a declaration.

    >>> looked_for("disjunction"), looked_for("disjunction:r=2")
    ('this stream meets it', 'no contradiction was found, and not every one is looked for')
    """
    kind, declared = parse_assumption(assume)
    met = ASSUMPTIONS[kind].settled(declared)
    return "this stream meets it" if met else "no contradiction was found, and not every one is looked for"


def parse_assumption(text: str) -> tuple[str, dict[str, Fraction]]:
    """`disjunction:r=5` or `margin:gamma=0.1,R=1`, as a kind and its facts.

    >>> parse_assumption("margin:gamma=0.1,R=1")
    ('margin', {'gamma': Fraction(1, 10), 'R': Fraction(1, 1)})
    >>> parse_assumption("class:1024")
    ('class', {'size': Fraction(1024, 1)})
    """
    require(isinstance(text, str), f"assumption {text!r} must be text, such as 'disjunction:r=5'")
    kind, _, rest = text.partition(":")
    if kind not in ASSUMPTIONS or kind == "none":
        known = ", ".join(k for k in ASSUMPTIONS if k != "none")
        raise LittlestoneError(f"assumption {text!r}: {kind!r} is not known; expected one of {known}")
    facts = {}
    for part in filter(None, re.split("[:,]", rest)):
        key, equals, value = part.partition("=")
        if not equals and ASSUMPTIONS[kind].bare:  # class:1024 says how many concepts there are
            key, equals, value = ASSUMPTIONS[kind].bare, "=", part
        require(equals and key, f"assumption {text!r}: {part!r} must have the form key=value")
        require(key not in facts, f"assumption {text!r}: {key} is given twice")
        facts[key] = fraction(value, key)
    return kind, facts


def _plain(value: Any) -> Any:
    """A fact as JSON has it; some are lists, or numbers by name.

    >>> _plain({"M": (Fraction(3, 2), Fraction(2))})
    {'M': [1.5, 2]}
    """
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else float(value)
    return float(value) if isinstance(value, Decimal) else value
