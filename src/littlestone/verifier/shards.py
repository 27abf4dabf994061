"""Check a certificate of mixing: its stream, the play of every shard in every epoch by its definition, and each limit."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from littlestone.errors import Refused
from littlestone.reference import mixing as definition
from littlestone.rounds.digest import Round, StreamDigest, in_one_go
from littlestone.theory import mixing as theory
from littlestone.theory.bound import judge, parse_assumption
from littlestone.theory.certificate import exactly, number


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
    refuse_odd(content)
    digest = StreamDigest(weighted=False, boolean=stream["boolean"], segment=False, whole=in_one_go(stream["digest"]))
    taken = []
    total = sum(mixing["shards"])
    for round in rounds({"stream": {**stream, "rows": [1, total]}, "about": "stream"}):
        digest.add(round.y, round)
        taken.append((round.x, round.y))
        if not len(taken) & 127:
            progress(len(taken), total)
    if digest.text() != stream["digest"] or len(taken) != total:
        raise Refused("the stream is not the one of the certificate: other rounds, other labels, or another order")
    weights: dict[Any, float] = {}
    if replay:
        weights = replayed(content, cut(taken, mixing["shards"]))
    check_bounds(content, cut(taken, mixing["shards"]), weights if replay else None)
    return MixingVerdict(record, replay)


def cut(rounds: list, sizes: list[int]) -> list[list]:
    """The rounds of each shard."""
    starts = [sum(sizes[:k]) for k in range(len(sizes))]
    return [rounds[start : start + size] for start, size in zip(starts, sizes, strict=True)]


def refuse_odd(content: Mapping[str, Any]) -> None:
    """What does not fit together, whatever the stream."""
    mixing, name = content["mixing"], content["learner"]["name"]
    means = {"perceptron": ("arithmetic",), "winnow": theory.MEANS, "disjunctions": ("intersection",)}
    if name not in means or mixing["mean"] not in means[name] or mixing["weights"] not in theory.WEIGHTS or mixing["arithmetic"] != "float":
        raise Refused(f"{name} mixed by weights {mixing['weights']!r} and mean {mixing['mean']!r} is not known")
    whole = len(mixing["counts"]) == mixing["epochs"] and all(len(epoch) == len(mixing["shards"]) for epoch in mixing["counts"])
    if not whole or not mixing["shards"] or any(len(pair) != 2 for epoch in mixing["counts"] for pair in epoch):
        raise Refused("mixing.counts: expected two numbers for each epoch and shard")
    true = [[exactly(share) for share in theory.shares(mixing["weights"], [sum(pair) for pair in epoch])] for epoch in mixing["counts"]]
    if true != mixing["shares"]:
        raise Refused("mixing.shares: the mistakes and the rule give other shares")


def replayed(content: Mapping[str, Any], shards: list[list]) -> dict[Any, float]:
    """The shards played again by the definition; the last mixture."""
    mixing, settings = content["mixing"], {key: number(value) for key, value in content["learner"]["settings"].items()}
    name = content["learner"]["name"]
    if name == "perceptron":
        play: Any = partial(definition.perceptron, rho2=float(Fraction(settings["bias"]) ** 2))
    elif name == "winnow":
        play = partial(definition.winnow, alpha=float(Fraction(settings["alpha"])), theta=float(Fraction(settings["theta"])))
    else:
        play = definition.disjunctions
    first, shares = 0.0 if name == "perceptron" else 1.0, partial(theory.shares, mixing["weights"])
    last: dict[Any, float] = {}
    epochs = definition.play(shards, mixing["epochs"], first, mixing["mean"], play, shares)
    for epoch, ((counts, mixture), stated) in enumerate(zip(epochs, mixing["counts"], strict=True), 1):
        last = mixture
        made = [list(pair) for pair in counts]
        if made != stated:
            raise Refused(f"replaying epoch {epoch}: the shards make {made} mistakes; stated are {stated}")
    return last


def check_bounds(content: Mapping[str, Any], shards: list[list], weights: dict[Any, float] | None) -> None:
    """Every fact follows from the stream, the counts and the witness, and every limit from the facts."""
    mixing, name = content["mixing"], content["learner"]["name"]
    settings = {key: number(value) for key, value in content["learner"]["settings"].items()}
    sums = [[sum(pair) for pair in epoch] for epoch in mixing["counts"]]
    shares = [theory.shares(mixing["weights"], epoch) for epoch in sums]
    rounds = [example for shard in shards for example in shard]
    features = {i for x, _ in rounds for i in x}
    exact: dict[str, Any] = {"S": len(shards), "E": len(sums), "P": sum(map(max, sums)), "d": max((len(x) for x, _ in rounds), default=0)}
    at_least: dict[str, Any] = {}
    if name == "perceptron":
        rho2 = Fraction(settings["bias"]) ** 2
        at_least["R2"] = max((sum(Fraction(v) ** 2 for v in x.values()) + rho2 for x, y in rounds if y is not None), default=Fraction(0))
    if name == "winnow":
        exact |= {"n": settings["n"], "alpha": Fraction(settings["alpha"]), "theta": Fraction(settings["theta"])}
    if name == "disjunctions" or name == "winnow":
        n = content["learner"]["settings"].get("n")
        if n is not None and len(features) > n:
            raise Refused(f"{name} was made for n={n} features, and the stream has {len(features)}")
    declared = {} if content["assume"] is None else dict(parse_assumption(content["assume"])[1])
    known = {(bound.name, bound.kind): bound for bound in theory.BOUNDS[name]}
    for record in content["bounds"]:
        bound = known.get((record["name"], record["kind"]))
        if bound is None:
            raise Refused(f"{record['name']} is no theorem of {name}, mixed")
        facts = {key: number(value) for key, value in record["facts"].items()}
        true, least = dict(exact), dict(at_least)
        if bound.kind == "hindsight" and name == "winnow":
            chosen = set(content["witness"]["features"])
            true["r"], least["A"] = len(chosen), weighed(shares, [attribute_errors(shard, chosen) for shard in shards])
        elif bound.kind == "hindsight" and weights is not None:
            times, bias = Fraction(content["witness"]["times"]), Fraction(settings["bias"]) ** 2
            u = {i: times * Fraction(w) for i, w in weights.items()}
            least["u2"] = sum(v * v * (bias if i is None else 1) for i, v in u.items())
            least["L"] = weighed(shares, [hinge(shard, u, bias) for shard in shards])
        elif bound.kind == "a priori":
            true |= {key: value for key, value in declared.items() if key in bound.needs}
            if name == "disjunctions":
                least["n"] = len(features)
        for key, value in facts.items():
            low = least.get(key)
            if (key in true and value != true[key]) or (low is not None and Fraction(value) < low):
                raise Refused(f"{record['name']}: {key} is {value}; the stream and the counts say {true.get(key, low)}")
        claim = judge(bound, sum(map(sum, sums)), facts, record["reason"] if record["limit"] is None else "")
        if (claim.limit, claim.observed, claim.holds) != (record["limit"], record["observed"], record["holds"]):
            raise Refused(f"{record['name']}: its limit is {record['limit']}, and the theorem says {claim.limit}")


def weighed(shares: list[list[Fraction]], losses: list[Fraction]) -> Fraction:
    """What a witness loses in all epochs, each shard as often as it counts."""
    return sum((mu * lost for epoch in shares for mu, lost in zip(epoch, losses, strict=True)), Fraction(0))


def attribute_errors(shard: list, chosen: set) -> Fraction:
    """What a disjunction of these features loses."""
    active = ((len(chosen & set(x)), y) for x, y in shard if y is not None)
    return Fraction(sum((0 if count else 1) if y else count for count, y in active))


def hinge(shard: list, u: dict[Any, Fraction], rho2: Fraction) -> Fraction:
    lost = Fraction(0)
    for x, y in shard:
        if y is not None:
            score = sum((u.get(i, Fraction(0)) * Fraction(v) for i, v in x.items()), rho2 * u.get(None, Fraction(0)))
            lost += max(Fraction(0), 1 - (score if y else -score))
    return lost
