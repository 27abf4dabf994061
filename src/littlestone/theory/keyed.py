"""The bounds of many keys, added up.

A run by key is one run for each key k, and its mistakes are M = Σ M_k.  If M_k ≤ B_k is true for every key, then M ≤ Σ B_k.  That is all
there is to prove, and it says much: the comparator of key k is free, so the sum compares with *a fixed rule for each key*, chosen in
hindsight, and not with one rule for all.  What it costs is that the price of not knowing the rule is paid once for each key: where keys
have few rounds each, the sum may exceed the rounds.

A bound of the sum is claimed where every key has it.  It is void where it is void of any key; it fails only where it fails of some key.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import ceil
from typing import Any

from littlestone.theory.bound import Claim

WHOM = "a rule of its own for each key"


def summed(claims_of_keys: Iterable[Sequence[Claim]]) -> list[Claim]:
    """What the bounds of the keys say of all of them together; those that every key has, in the order of the first."""
    sums: dict[tuple[str, str], Sum] = {}
    keys = 0
    for claims in claims_of_keys:
        keys += 1
        for claim in _first_of_each(claims):
            name = claim.name, claim.kind
            if keys == 1:
                sums[name] = Sum(claim)
            elif name in sums:
                sums[name].add(claim)
    return [total.claim(keys) for total in sums.values() if total.keys == keys]


def _first_of_each(claims: Sequence[Claim]) -> Iterable[Claim]:
    """Of claims by one theorem with several witnesses, the smallest limit: it is true of any witness."""
    best: dict[tuple[str, str], Claim] = {}
    for claim in claims:
        name = claim.name, claim.kind
        known = best.get(name)
        if known is None or (claim.limit is not None and (known.limit is None or claim.limit < known.limit)):
            best[name] = claim
    return best.values()


class Sum:
    """One bound, over the keys so far."""

    def __init__(self, claim: Claim) -> None:
        self.first, self.keys = claim, 0
        self.limit: Fraction | None = Fraction(0)
        self.lost: Fraction | None = Fraction(0)
        self.observed, self.holds = Fraction(0), True
        self.reason = ""
        self.add(claim)

    def add(self, claim: Claim) -> None:
        self.keys += 1
        self.observed += Fraction(claim.observed)
        if claim.limit is None:
            self.limit, self.reason = None, self.reason or claim.reason
        elif self.limit is not None:
            self.limit += Fraction(claim.limit)
        self.lost = None if self.lost is None or claim.comparator_loss is None else self.lost + Fraction(claim.comparator_loss)
        self.holds = self.holds and claim.holds is not False

    def claim(self, keys: int) -> Claim:
        limit, lost = self.limit, self.lost if self.limit is not None else None
        return Claim(
            name=f"{self.first.name}-keys",
            assumes=f"{self.first.assumes}, of each key",
            kind=self.first.kind,
            formula=f"Σ over keys of {self.first.formula}",
            facts={"keys": keys},
            limit=None if limit is None else _number(limit),
            limit_exact=None if limit is None else str(limit),
            observed=_number(self.observed),
            holds=None if limit is None else self.holds,
            source=self.first.source,
            reason=self.reason,
            witness=WHOM if lost is not None else "",
            comparator_loss=None if lost is None else _number(lost),
            price=None if lost is None or limit is None else _number(limit - lost),
        )


def _number(value: Fraction) -> Any:
    """A whole number as such, and any other as a float that is no smaller."""
    if value.denominator == 1:
        return int(value)
    number = float(value)
    return number if Fraction(number) >= value else float(Fraction(ceil(value * 2**32), 2**32))
