"""Replaying: a learner's definition, by its name and the settings that a certificate states."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from littlestone import reference
from littlestone.errors import LittlestoneError
from littlestone.reference.halving import halving_in_bits
from littlestone.reference.optimal import optimal_in_bits
from littlestone.theory import families
from littlestone.theory.classes import PlainClass, refuse_unknown

NUMBER = re.compile(r"-?[0-9]+(/[0-9]+)?\Z")


@dataclass
class Book:
    """What a twin writes down while it plays: the rounds it learned from, counted from 0, and what else its theorems speak of."""

    updates: list[int] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    scores: list[float] | None = None  # a list, where somebody wants to know the scores

    def hear(self, score: Any) -> None:
        """The score of a round, as its prediction is made."""
        if self.scores is not None:
            self.scores.append(float(score))


@dataclass(frozen=True)
class Replayed:
    """Rows of the mistakes, rows of the updates without one, facts that only a replay can tell, and the scores if asked for."""

    mistakes: list[int]
    also: list[int]
    facts: Mapping[str, Any]
    scores: Sequence[float] = ()


def _perceptron(rounds: Iterable, s: Mapping[str, Any], book: Book, weights: Iterable) -> Iterator[bool]:
    return reference.perceptron(rounds, bias=s["bias"], margin=s["margin"], weights=weights, book=book)


def _winnow(rounds: Iterable, s: Mapping[str, Any], book: Book, weights: Iterable) -> Iterator[bool]:
    return reference.winnow(rounds, n=s["n"], alpha=s["alpha"], theta=s["theta"])


def _passive_aggressive(rounds: Iterable, s: Mapping[str, Any], book: Book, weights: Iterable) -> Iterator[bool]:
    return reference.passive_aggressive(rounds, C=s["C"], variant=s["variant"], bias=s["bias"], weights=weights, book=book)


def _arow(rounds: Iterable, s: Mapping[str, Any], book: Book, weights: Iterable) -> Iterator[bool]:
    return reference.arow(rounds, r=s["r"], bias=s["bias"], weights=weights, book=book)


def _arow_full(rounds: Iterable, s: Mapping[str, Any], book: Book, weights: Iterable) -> Iterator[bool]:
    return reference.arow_full(rounds, r=s["r"], dense=s["dense"], bias=s["bias"], weights=weights, book=book)


def _adaptive(rounds: Iterable, s: Mapping[str, Any], book: Book, weights: Iterable) -> Iterator[bool]:
    return reference.adaptive(rounds, eta=s["eta"], bias=s["bias"], weights=weights, book=book)


def _coin(rounds: Iterable, s: Mapping[str, Any], book: Book, weights: Iterable) -> Iterator[bool]:
    return reference.coin(rounds, wealth=s["wealth"], bias=s["bias"], weights=weights, book=book)


def _naive_bayes(rounds: Iterable, s: Mapping[str, Any], book: Book, weights: Iterable) -> Iterator[bool]:
    return reference.naive_bayes(rounds, alpha=s["alpha"], weights=weights, book=book)


def _normalized(rounds: Iterable, s: Mapping[str, Any], book: Book, weights: Iterable) -> Iterator[bool]:
    return reference.normalized(rounds, eta=s["eta"], loss=s["loss"], bias=s["bias"], weights=weights, book=book)


def _pairs(rounds: Iterable, s: Mapping[str, Any], book: Book, weights: Iterable) -> Iterator[bool]:
    return reference.pairs(rounds, eta=s["eta"], most=s["most"], room=s["room"], bias=s["bias"], weights=weights, book=book)


def _alma(rounds: Iterable, s: Mapping[str, Any], book: Book, weights: Iterable) -> Iterator[bool]:
    return reference.alma(rounds, alpha=s["alpha"], bias=s["bias"], book=book)


def _balanced_winnow(rounds: Iterable, s: Mapping[str, Any], book: Book, weights: Iterable) -> Iterator[bool]:
    return reference.balanced_winnow(rounds, eta=s["eta"], margin=s["margin"], book=book)


def _pnorm(rounds: Iterable, s: Mapping[str, Any], book: Book, weights: Iterable) -> Iterator[bool]:
    return reference.pnorm(rounds, p=s["p"], weights=weights, book=book)


def _winnow_real(rounds: Iterable, s: Mapping[str, Any], book: Book, weights: Iterable) -> Iterator[bool]:
    return reference.winnow_real(rounds, n=s["n"], alpha=s["alpha"], complement=s["complement"], book=book)


def _sized(twin: Callable, *names: str) -> Callable[..., Iterator[bool]]:
    """A twin that takes these settings by their names."""
    return lambda rounds, s, book, weights: twin(rounds, **{name: s[name] for name in names})


def _halving(rounds: Iterable, s: Mapping[str, Any], book: Book, weights: Iterable) -> Iterator[bool]:
    return halving_in_bits(rounds, PlainClass.of(s["concepts"]), s["updates"])


def _optimal(rounds: Iterable, s: Mapping[str, Any], book: Book, weights: Iterable) -> Iterator[bool]:
    return optimal_in_bits(rounds, PlainClass.of(s["concepts"]))


NOTHING = type(None)
#: What a setting may be, where it is not simply a number.
KINDS: dict[str, tuple[type, ...]] = {
    "n": (int, NOTHING),
    "k": (int, NOTHING),
    "averaged": (bool,),
    "largest": (int,),
    "complement": (bool,),
    "concepts": (Mapping,),
    "updates": (str,),
    "C": (int, Fraction, NOTHING),
    "variant": (str,),
    "loss": (str,),
    "p": (int,),
    "dense": (int,),
    "most": (int,),
    "room": (int,),
}

#: By name: the twin with these settings, the settings there must be, and whether a feature of value 0 counts as absent.
TWINS: dict[str, tuple[Callable[..., Iterator[bool]], tuple[str, ...], bool]] = {
    "adaptive": (_adaptive, ("n", "eta", "bias"), False),
    "alma": (_alma, ("n", "alpha", "bias"), False),
    "arow": (_arow, ("n", "r", "bias"), False),
    "arow_full": (_arow_full, ("n", "r", "dense", "bias"), False),
    "balanced_winnow": (_balanced_winnow, ("n", "eta", "margin"), False),
    "coin": (_coin, ("n", "wealth", "bias"), False),
    "naive_bayes": (_naive_bayes, ("n", "alpha"), False),
    "normalized": (_normalized, ("n", "eta", "loss", "bias"), False),
    "pairs": (_pairs, ("n", "eta", "most", "room", "bias"), False),
    "passive_aggressive": (_passive_aggressive, ("n", "C", "variant", "bias"), False),
    "pnorm": (_pnorm, ("n", "p"), False),
    "perceptron": (_perceptron, ("n", "bias", "margin", "averaged"), False),
    "winnow": (_winnow, ("n", "k", "alpha", "theta"), True),
    "winnow_elimination": (_sized(reference.winnow_elimination, "n", "theta"), ("n", "theta"), True),
    "winnow_doubling": (_sized(reference.winnow_doubling, "n", "largest"), ("n", "largest"), True),
    "winnow_real": (_winnow_real, ("n", "delta", "complement", "alpha"), False),
    "conjunctions": (_sized(reference.conjunctions), ("n",), True),
    "disjunctions": (_sized(reference.disjunctions), ("n",), True),
    "memorizer": (_sized(reference.memorizer), (), True),
    "halving": (_halving, ("concepts", "updates"), True),
    "optimal": (_optimal, ("concepts",), True),
}

#: Those whose votes are all there is to hear of them: their learners have no scores.
VOTERS = {"balanced_winnow", "winnow", "winnow_doubling", "winnow_elimination", "conjunctions", "disjunctions", "memorizer"}
VOTERS |= {"halving", "optimal"}

#: By name: what its settings must fulfil, for theorem and definition to speak of them at all.
RANGES: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "winnow": lambda s: s["n"] is not None and s["alpha"] >= 1 + Fraction(1, 10_000) and Fraction(1, 2**500) < s["theta"] < 2**53,
    "winnow_elimination": lambda s: s["n"] is not None and 0 < s["theta"] < 2**31,
    "winnow_doubling": lambda s: s["n"] is not None and 1 <= s["largest"] <= 4096,
    "winnow_real": lambda s: s["n"] is not None and 0 < s["delta"] <= 1 and 1 + Fraction(1, 10**6) <= s["alpha"] <= 1024,
    "halving": lambda s: s["updates"] in ("always", "mistakes"),
}


def settings_of(name: str, stated: Mapping[str, Any]) -> dict[str, Any]:
    """The settings as numbers: "3/2" is a fraction, "I" stays text. Others than the learner's are refused.

    >>> settings_of("winnow", {"n": 4, "k": None, "alpha": "3/2", "theta": 4})["alpha"]
    Fraction(3, 2)
    """
    if name not in TWINS:
        raise LittlestoneError(f"learner {name!r} has no definition here to replay")
    wanted = TWINS[name][1]
    if set(stated) != set(wanted):
        raise LittlestoneError(f"{name} has the settings {', '.join(wanted)}; found {', '.join(stated)}")
    for key, v in stated.items():
        absurd = len(v) > 100 or re.search("/0+$", v) if isinstance(v, str) else type(v) is int and abs(v) >= 2**63
        if absurd:
            raise LittlestoneError(f"{name}: the setting {key} is nothing it can be")
    found: dict[str, Any] = {key: Fraction(v) if isinstance(v, str) and NUMBER.match(v) else v for key, v in stated.items()}
    for key, value in found.items():
        kinds = KINDS.get(key, (int, Fraction))
        if (
            not isinstance(value, kinds)
            or (isinstance(value, bool) and bool not in kinds)
            or (key in ("n", "k") and isinstance(value, int) and value < 1)
        ):
            raise LittlestoneError(f"{name}: the setting {key} is {stated[key]!r}, which is nothing it can be")
    if "concepts" in found:
        refuse_unknown(found["concepts"])
    if name in RANGES and not RANGES[name](found):
        raise LittlestoneError(f"{name}: no learner has the settings {', '.join(f'{key}={value}' for key, value in stated.items())}")
    return found


def known_here(name: str, stated: Mapping[str, Any], weighted: bool) -> bool:
    """Are there a definition of the learner and theorems about it, with these settings, and with weights where rounds carry some?"""
    try:
        family = families.family(name).chosen(settings_of(name, stated))
    except LittlestoneError:
        return False
    return bool(family.bounds) and (family.weighted or not weighted)


def replayed(name: str, settings: Mapping[str, Any], rounds: Sequence[Any], first: int = 1, scores: bool = False) -> Replayed:
    """Play the definition over rows, each with features x and a label y; rows are counted from `first`.

    With `scores` they are kept too; of a learner without any, its votes, as ±1.
    """
    twin, _, drop_zeros = TWINS[name]
    book = Book(scores=[] if scores and name not in VOTERS else None)
    plain = ((({i: v for i, v in one.x.items() if v} if drop_zeros else one.x), one.y) for one in rounds)
    weights = [one.c for one in rounds]
    says = list(twin(plain, settings, book, weights))
    mistakes = [t for t, (one, yhat) in enumerate(zip(rounds, says, strict=True)) if one.y is not None and one.y != yhat]
    wrong = set(mistakes)
    also = [first + t for t in book.updates if t not in wrong]
    told = array("d", ([1.0 if yhat else -1.0 for yhat in says] if book.scores is None else book.scores) if scores else ())
    return Replayed([first + t for t in mistakes], also, book.facts, told)
