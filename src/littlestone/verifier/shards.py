"""Check a certificate of mixing: its stream, the play of every shard in every epoch by its definition, and each limit."""

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from littlestone.errors import LittlestoneError, Refused
from littlestone.reference.replay import definition
from littlestone.rounds.digest import Round, StreamDigest, in_one_go
from littlestone.theory import families
from littlestone.theory import mixing as theory
from littlestone.theory.bound import judge, parse_assumption
from littlestone.theory.certificate import exactly, number
from littlestone.theory.families import Family
from littlestone.theory.mixing import ShardRounds


@dataclass(frozen=True)
class MixingVerdict:
    """What was checked of a certificate of mixing; whatever is off raises `Refused`."""

    certificate: theory.MixingCertificate
    replayed: bool

    @property
    def status(self) -> str:
        if any(record["holds"] is False for record in self.certificate.content["bounds"]):
            return "broken"
        return "verified" if self.replayed else "consistent"

    @property
    def verified(self) -> bool:
        return self.status == "verified"

    def __str__(self) -> str:
        content, mixing = self.certificate.content, self.certificate.content["mixing"]
        how = "verified and replayed" if self.replayed else "consistent, not replayed"
        size = f"{len(mixing['shards'])} shards, {mixing['epochs']} epochs, {mixing['weights']} weights, {mixing['mean']} mean"
        lines = [f"{how}: {content['learner']['name']}, mixed, made {self.certificate.mistakes:,} mistakes ({size})"]
        for record in content["bounds"]:
            limit = "void: " + record["reason"] if record["limit"] is None else f"at most {record['limit']:,}"
            lines.append(f"  {limit} by {record['name']}{'' if record['holds'] is not False else ': BROKEN'}")
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        content = self.certificate.content
        rest = {key: content[key] for key in ("about", "learner", "mixing", "bounds")}
        return {"verified": self.verified, "status": self.status, "replayed": self.replayed, **rest}


def verified(
    record: theory.MixingCertificate,
    rounds: Callable[[Mapping[str, Any]], Iterator[Round]],
    replay: bool,
    progress: Callable[[int, int], None],
) -> MixingVerdict:
    """The verdict on a record; `rounds` gives the rounds of the stream as a certificate says that they are read."""
    content, mixing, stream = record.content, record.content["mixing"], record.content["stream"]
    family = family_of(content)
    refuse_odd(family, mixing)
    digest = StreamDigest(weighted=False, boolean=stream["boolean"], segment=False, whole=in_one_go(stream["digest"]))
    taken = []
    total = sum(mixing["shards"])
    for round in rounds({"stream": {**stream, "rows": [1, total]}, "about": "stream"}):
        digest.add(round.y, round)
        taken.append(({i: v for i, v in round.x.items() if v} if family.drops_zeros else round.x, round.y))
        if not len(taken) & 127:
            progress(len(taken), total)
    if digest.text() != stream["digest"] or len(taken) != total:
        raise Refused("the stream is not the one of the certificate: other rounds, other labels, or another order")
    rounds_of_shards = ShardRounds(family.values or {}, cut(taken, mixing["shards"]), shares_of(mixing))
    last = replayed(family, content, rounds_of_shards) if replay else None
    check_bounds(family, content, rounds_of_shards, last)
    return MixingVerdict(record, replay)


def cut(rounds: list, sizes: list[int]) -> list[list]:
    """The rounds of each shard."""
    starts = [sum(sizes[:k]) for k in range(len(sizes))]
    return [rounds[start : start + size] for start, size in zip(starts, sizes, strict=True)]


def family_of(content: Mapping[str, Any]) -> Family:
    """The record of the learner that was mixed, with its settings."""
    name, settings = content["learner"]["name"], content["learner"]["settings"]
    if not families.known(name) or families.family(name).mixing is None:
        raise Refused(f"{name}, mixed, is not known")
    family = families.family(name).stated(settings)
    reason = family.mixing.refuses(family.values)
    if reason:
        raise Refused(f"{name}: {reason}")
    return family


def shares_of(mixing: Mapping[str, Any]) -> list[list[Fraction]]:
    return [theory.shares(mixing["weights"], [sum(pair) for pair in epoch]) for epoch in mixing["counts"]]


def refuse_odd(family: Family, mixing: Mapping[str, Any]) -> None:
    """What does not fit together, whatever the stream."""
    able = mixing["mean"] in family.mixing.means and mixing["weights"] in theory.WEIGHTS
    if not able or mixing["arithmetic"] not in (family.mixing.arithmetic, "float"):  # what is exact was once called float, too
        raise Refused(f"{family.name} mixed by weights {mixing['weights']!r} and mean {mixing['mean']!r} is not known")
    whole = len(mixing["counts"]) == mixing["epochs"] and all(len(epoch) == len(mixing["shards"]) for epoch in mixing["counts"])
    if not whole or not mixing["shards"] or any(len(pair) != 2 for epoch in mixing["counts"] for pair in epoch):
        raise Refused("mixing.counts: expected two numbers for each epoch and shard")
    if [[exactly(share) for share in epoch] for epoch in shares_of(mixing)] != mixing["shares"]:
        raise Refused("mixing.shares: the mistakes and the rule give other shares")


def replayed(family: Family, content: Mapping[str, Any], rounds: ShardRounds) -> Any:
    """The shards played again by the definition; what all of them know in the end."""
    mixing, over_shards = content["mixing"], sys.modules[definition(family).__module__].over_shards
    shares = partial(theory.shares, mixing["weights"])
    try:
        epochs = list(over_shards.epochs(rounds.shards, mixing["epochs"], mixing["mean"], shares, **(family.values or {})))
    except LittlestoneError as error:
        raise Refused(f"replaying: {error}") from None
    for epoch, ((counts, _), stated) in enumerate(zip(epochs, mixing["counts"], strict=True), 1):
        made = [list(pair) for pair in counts]
        if made != stated:
            raise Refused(f"replaying epoch {epoch}: the shards make {made} mistakes; stated are {stated}")
    return epochs[-1][1] if epochs else None


def check_bounds(family: Family, content: Mapping[str, Any], rounds: ShardRounds, last: Any) -> None:
    """Every fact follows from the stream, the counts and the witness, and every limit from the facts."""
    sums = [[sum(pair) for pair in epoch] for epoch in content["mixing"]["counts"]]
    widest = max((len(x) for shard in rounds.shards for x, _ in shard), default=0)
    try:
        measured = family.mixing.measured(rounds, content["witness"], last)
    except LittlestoneError as error:
        raise Refused(str(error)) from None
    true = {"S": len(rounds.shards), "E": len(sums), "P": sum(map(max, sums)), "d": widest, **measured.exactly}
    declared = {} if content["assume"] is None else dict(parse_assumption(content["assume"])[1])
    known = {(bound.name, bound.kind): bound for bound in family.mixing.bounds_of(family.values)}
    for record in content["bounds"]:
        bound = known.get((record["name"], record["kind"]))
        if bound is None:
            raise Refused(f"{record['name']} is no theorem of {family.name}, mixed")
        facts = {key: number(value) for key, value in record["facts"].items()}
        exactly_so = dict(true)
        if bound.kind == "a priori":
            exactly_so |= {**bound.optional, **{key: value for key, value in declared.items() if key in bound.needs}}
            against = family.mixing.contradicted({**measured.at_least, **measured.exactly}, declared)
            if against and record["limit"] is not None:
                raise Refused(f"{record['name']}: {against}")
        for key, value in facts.items():
            low = measured.at_least.get(key)
            if (key in exactly_so and value != exactly_so[key]) or (low is not None and Fraction(value) < low):
                raise Refused(f"{record['name']}: {key} is {value}; the stream and the counts say {exactly_so.get(key, low)}")
        claim = judge(bound, sum(map(sum, sums)), facts, record["reason"] if record["limit"] is None else "")
        if (claim.limit, claim.observed, claim.holds) != (record["limit"], record["observed"], record["holds"]):
            raise Refused(f"{record['name']}: its limit is {record['limit']}, and the theorem says {claim.limit}")
