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
from littlestone.theory.bound import Bound, judge, parse_assumption
from littlestone.theory.certificate import exactly, number, same
from littlestone.theory.contradictions import Rows
from littlestone.theory.families import Family
from littlestone.theory.mixing import ShardRounds
from littlestone.verifier.case import Names, check_needs, compare_fact, shown, written
from littlestone.verifier.classes import Row


@dataclass(frozen=True)
class MixingVerdict:
    """What was checked of a certificate of mixing; whatever is off raises `Refused`."""

    certificate: theory.MixingCertificate
    replayed: bool
    unchecked: Names = ()  # bounds whose facts only a replay can tell, and there was none

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
            lines.append(f"  {theory.in_words(record, content['assume'])}")
            lines[-1] += "; not checked without a replay" if record["name"] in self.unchecked else ""
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        content = self.certificate.content
        rest = {key: content[key] for key in ("about", "learner", "mixing", "assume", "bounds")}
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
    refuse_strange(family, content["witness"], {str(i) for x, _ in taken for i in x})
    last = replayed(family, content, rounds_of_shards) if replay else None
    try:
        return MixingVerdict(record, replay, check_bounds(family, content, rounds_of_shards, last))
    except LittlestoneError as error:
        raise Refused(str(error)) from None


def refuse_strange(family: Family, witness: Mapping[str, Any], features: set[str]) -> None:
    """Refuse a witness that is none of those with which this learner is compared."""
    key = family.mixing.witness
    if set(witness) != ({key} if key else set()):
        raise Refused(f"witness: it states {', '.join(witness) or 'nothing'}; expected {key or 'nothing'}")
    value = witness.get(key)
    if key == "times" and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise Refused(f"witness.times is {value!r}; expected a number")
    if key == "features" and (not isinstance(value, list) or any(type(name) is not str for name in value) or len(set(value)) < len(value)):
        raise Refused("witness.features: expected names, each of them once")
    if strange := sorted(set(value) - features) if key == "features" and value else []:
        raise Refused(f"witness.features: {strange[0]!r} is no feature of the stream")


def cut(rounds: list, sizes: list[int]) -> list[list]:
    """The rounds of each shard."""
    starts = [sum(sizes[:k]) for k in range(len(sizes))]
    return [rounds[start : start + size] for start, size in zip(starts, sizes, strict=True)]


def family_of(content: Mapping[str, Any]) -> Family:
    """The record of the learner that was mixed, with its settings."""
    name, settings = content["learner"]["name"], content["learner"]["settings"]
    if not families.known(name) or families.family(name).mixing is None:
        raise Refused(f"{name}, mixed, is not known")
    try:
        family = families.family(name).stated(settings)
    except LittlestoneError as error:
        raise Refused(str(error)) from None
    written(family.values or {}, settings)
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


def check_bounds(family: Family, content: Mapping[str, Any], rounds: ShardRounds, last: Any) -> Names:
    """Every bound is made anew from the stream, the counts and the witness; the names of those that only a replay can check."""
    assume, theorems = content["assume"], family.mixing
    kind, declared = ("none", {}) if assume is None else parse_assumption(assume)
    sums = [[sum(pair) for pair in epoch] for epoch in content["mixing"]["counts"]]
    widest = max((len(x) for shard in rounds.shards for x, _ in shard), default=0)
    measured = theorems.measured(rounds, content["witness"], last)
    exact = {"S": len(rounds.shards), "E": len(sums), "P": sum(map(max, sums)), "d": widest, **measured.exactly}
    known = [bound for bound in theorems.bounds_of(family.values) if bound.kind == "hindsight" or bound.assumes == kind]
    named = [[(each["name"], each["kind"]) for each in content["bounds"]], [(bound.name, bound.kind) for bound in known]]
    if named[0] != named[1] or (assume is not None and known[0].kind != "a priori"):
        stated, true = (", ".join(name for name, _ in names) or "none" for names in named)
        raise Refused(f"bounds: they are {stated}; of {family.name}, mixed, with assume={assume!r} they are {true}")
    rows = [Row(y, x) for shard in rounds.shards for x, y in shard]
    left = []
    for bound, record in zip(known, content["bounds"], strict=True):
        facts = {key: number(value) for key, value in record["facts"].items()}
        check_needs(bound, facts)
        so = exact if bound.kind == "hindsight" else {**bound.optional, **exact, **declared}
        own = [key for key in facts if not compared(bound, key, facts[key], so, measured.at_least, len(rows) * len(sums))]
        if own and last is not None:
            raise Refused(f"{bound.name}: {own[0]} is {shown(facts[own[0]])}, and nothing says so")
        left += [bound.name] * bool(own)
        if bound.kind == "hindsight":
            claim = judge(bound, sum(map(sum, sums)), facts)
        else:
            all_known = {**measured.at_least, **so, **facts}
            claim = theory.judged(bound, sum(map(sum, sums)), assume, all_known, Rows(rows, 1), theorems, family.values or {})
        if own and claim.holds is False:
            raise Refused(f"{bound.name}: as it is stated it does not hold, and only a replay tells whether its numbers are the run's")
        if claim.limit is None and record["limit"] is not None:
            raise Refused(f"{bound.name}: {claim.reason}")
        for key, value in theory.record_of(claim).items():
            if not same(record[key], value):
                raise Refused(f"{bound.name}: {key} is {record[key]!r:.80}; the theorem and its facts say {value!r:.80}")
    return tuple(left)


def compared(bound: Bound, key: str, stated: Any, so: Mapping[str, Any], least: Mapping[str, Any], weight: int) -> bool:
    """Refuse a fact that is not so; False where only a replay tells it."""
    if key in bound.least and key not in so and type(stated) is int and stated >= least[key]:
        return True  # of so many columns some were never on
    if key not in so and key not in least:
        return False
    compare_fact(bound, key, stated, so.get(key, least.get(key)), key in so, weight if key == bound.loss else 0)
    return True
