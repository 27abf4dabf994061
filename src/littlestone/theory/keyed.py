"""The bounds of many keys, added up.

A run by key is one run for each key k, and its mistakes are M = Σ M_k.  If M_k ≤ B_k is true for every key, then M ≤ Σ B_k.  That is all
there is to prove, and it says much: the comparator of key k is free, so the sum compares with *a fixed rule for each key*, chosen in
hindsight, and not with one rule for all.  What it costs is that the price of not knowing the rule is paid once for each key: where keys
have few rounds each, the sum may exceed the rounds.

A bound of the sum is claimed where every key has it.  It is void where it is void of any key; it fails only where it fails of some key.
Since any true bound of a key will do, the smallest of each key's may be added up, too: `each-key`.

A stream has a digest for each key, that of the key's rounds alone.  The digest of the whole is a tree: of a bucket, that of its keys and
their digests, in the order of the keys' bytes; of all, that of the 256 buckets.  So any part can be made apart from the others.

Beside each key's own learner there may be a shared one, which plays all rounds.  On the rounds of key k the own one makes O_k mistakes and
the shared one S_k; the rule follows whom has fewer so far, the shared one where both are even.  It makes M_k ≤ min(2·S_k, 2·O_k + 1).
Proof: let d be the shared one's mistakes so far less the own one's; it begins at 0.  Where both are right or both wrong, the rule is as
they are, and d stands.  Else d moves by one.  A mistake with d > 0 is one of the own learner alone, and d falls.  A mistake with d ≤ 0 is
one of the shared learner alone, and d rises.
- Against S_k: falls from d > 0 to d ≥ 0 are at most as many as rises from d ≥ 0, and those are mistakes of the shared one.  So mistakes
  of the first kind are at most S_k, and those of the second kind are at most S_k, since each is one of the shared learner's own.
- Against O_k: the second kind rises from d ≤ 0 to d ≤ 1.  Each such step is crossed upwards at most as often as downwards, and the step
  from 0 to 1 once more: so they are at most O_k + 1, and those of the first kind at most O_k.
Nothing is smaller for every rule without a coin: advisers that never agree, and a truth that always contradicts the rule, give
M_k = S_k + O_k, and one of the two has at most half of that.  Summed over keys, M ≤ 2·Σ S_k: however many keys there are, at most twice
what the shared learner alone would make.
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
BETTER = "the better of both learners for each key"
BUCKETS = 256
OF_PARTS = (
    "a run with a shared learner is certified in parts: each key's own without shared (M is at most the sum of 2·O_k + 1), the shared "
    "learner over all rounds without key (M is at most 2·S); docs/keys.md"
)


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
    keys = list(keys)
    try:
        sums = list(map(crc32, map(str.encode, keys)))  # nothing but calls that are compiled: there are millions of keys
    except UnicodeEncodeError:  # half of a pair of surrogates
        sums = list(map(crc32, map(bytes_of_key, keys)))
    return bytes([number & (BUCKETS - 1) for number in sums])


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


def led_limit(own: int, shared: int) -> int:
    """How many mistakes the rule can have made on a key on which its advisers made so many."""
    return min(2 * shared, 2 * own + 1)


def led_claims(counts: Iterable[tuple[int, int, int]]) -> list[Claim]:
    """What the theorem says of all keys, from the mistakes of each: its own learner's, the shared one's, the rule's.

    >>> [(claim.name, claim.limit, claim.observed) for claim in led_claims([(3, 1, 2), (0, 4, 1)])]
    [('twice-shared', 10, 3), ('better-adviser-keys', 3, 3)]
    """
    rows = list(counts)
    made, shared, better = (sum(column) for column in ([led for *_, led in rows], [s for _, s, _ in rows], [min(o, s) for o, s, _ in rows]))
    limits = sum(led_limit(own, other) for own, other, _ in rows)
    claims = [
        ("twice-shared", "2·S", {"S": shared}, 2 * shared, shared, "the shared learner"),
        ("better-adviser-keys", "Σ over keys of min(2·S_k, 2·O_k + 1)", {"keys": len(rows)}, limits, better, BETTER),
    ]
    return [
        Claim(
            name=name, assumes="nothing of the stream", kind="hindsight", formula=formula, facts=facts, limit=limit, limit_exact=str(limit),
            observed=made, holds=made <= limit, source="follow the leader of two", witness=whom, comparator_loss=lost, price=limit - lost,
        )
        for name, formula, facts, limit, lost, whom in claims
    ]  # fmt: skip


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
