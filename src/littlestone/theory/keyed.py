"""The bounds of many keys, added up.

A run by key is one run for each key k, and its mistakes are M = Σ M_k.  If M_k ≤ B_k is true for every key, then M ≤ Σ B_k.  That is all
there is to prove, and it says much: the comparator of key k is free, so the sum compares with *a fixed rule for each key*, chosen in
hindsight, and not with one rule for all.  What it costs is that the price of not knowing the rule is paid once for each key: where keys
have few rounds each, the sum may exceed the rounds.

A bound of the sum is claimed where every key has it.  It is void where it is void of any key; it fails only where it fails of some key.
Since any true bound of a key will do, the smallest of each key's may be added up, too: `each-key`.

A stream has a digest for each key, that of the key's rounds alone.  The digest of the whole is a tree: of a bucket, that of its keys and
their digests, in the order of the keys' bytes; of all, that of the 256 buckets.  So any part can be made apart from the others.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import ceil
from typing import Any
from zlib import crc32

from littlestone.theory.bound import Claim

WHOM = "a rule of its own for each key"
EACH = "each-key"
BUCKETS = 256


def bytes_of_key(key: str) -> bytes:
    return key.encode("utf-8", "surrogatepass")


def bucket_of(key: str) -> int:
    """The bucket that a key belongs to, on every machine.

    >>> bucket_of("u17"), bucket_of("u18")
    (20, 133)
    """
    return buckets_of([key])[0]


def buckets_of(keys: Iterable[str]) -> bytes:
    """The same of many keys, a byte for each."""
    return bytes([crc32(key.encode("utf-8", "surrogatepass")) & (BUCKETS - 1) for key in keys])


def tree_digest(digests: Mapping[str, str]) -> str:
    """The digest of a stream by key, from the digests of its keys.

    >>> tree_digest({"ann": "sha256:1", "bob": "sha256:2"}) == tree_digest({"bob": "sha256:2", "ann": "sha256:1"})
    True
    """
    buckets = [hashlib.sha256() for _ in range(BUCKETS)]
    for key in sorted(digests, key=bytes_of_key):
        name, digest = bytes_of_key(key), digests[key].encode()
        buckets[bucket_of(key)].update(len(name).to_bytes(8, "little") + name + len(digest).to_bytes(8, "little") + digest)
    whole = hashlib.sha256(b"littlestone keys 1\n" + b"".join(bucket.digest() for bucket in buckets))
    return f"sha256:{whole.hexdigest()}"


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
        least = min(
            (claim for claim in claims if claim.limit is not None and claim.compares), key=lambda claim: claim.limit or 0, default=None
        )
        if least is not None and keys == 1:
            sums[EACH, ""] = Sum(least)
        elif least is not None and (EACH, "") in sums:
            sums[EACH, ""].add(least)
    return [total.claim(keys, EACH if name[0] == EACH else "") for name, total in sums.items() if total.keys == keys]


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

    def claim(self, keys: int, name: str) -> Claim:
        limit, lost = self.limit, self.lost if self.limit is not None else None
        return Claim(
            name=name or f"{self.first.name}-keys",
            assumes=f"{self.first.assumes}, of each key" if not name else "what each key's own bound assumes",
            kind=self.first.kind,
            formula="Σ over keys of the smallest bound of each" if name else f"Σ over keys of {self.first.formula}",
            facts={"keys": keys},
            limit=None if limit is None else _number(limit),
            limit_exact=None if limit is None else str(limit),
            observed=_number(self.observed),
            holds=None if limit is None else self.holds,
            source="a sum" if name else self.first.source,
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
