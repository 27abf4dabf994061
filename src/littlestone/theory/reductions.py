"""Several classes by binary learners: what the members' mistakes say of the whole.

One against the rest: member j is told "class j or not" from the round on in which class j first appears.  If no member errs, exactly
one says 1, that of the true class, and it is named, whatever scores there are.  So on a mistake either the class is new, or a member errs.
All pairs: member (i, j) is told "i or j" on the rounds of these two classes, from the first appearance of the later one on.  If no
member of the true class y errs, y has the votes of all its pairs, and every other class lacks that of its pair with y: y has most votes.
So on a mistake either the class is new, or a member that is told this round errs.
In both cases, with k classes and M_j mistakes of member j on its own stream:  M ≤ k + Σ_j M_j ≤ k + Σ_j (bound of member j).
With weights a round counts c times on both sides, k becomes the weights of the first appearances, and the slack covers sums in doubles.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

from littlestone.errors import require
from littlestone.theory import families
from littlestone.theory.assumptions import ASSUMPTIONS
from littlestone.theory.bound import Bound, Claim, a_priori, by_chance, hindsight, parse_assumption
from littlestone.theory.claims import Candidate, Known, match, tightest
from littlestone.theory.floor import FLOORS
from littlestone.theory.numbers import Exact

SOURCE = "proof in theory/reductions.py"


def together(first: Exact, members: Mapping[str, Exact | float], slack: Exact = 1) -> Fraction:
    """k + Σ over the members.

    >>> together(3, {"a": 5, "b": 1, "c": 2})
    Fraction(11, 1)
    """
    return (Fraction(first) + sum((Fraction(m) for m in members.values()), Fraction(0))) * slack


def of_mistakes(name: str) -> Bound:
    return hindsight(
        f"{name}-mistakes", "M ≤ k + Σ M_j,  k = classes that appeared, M_j = mistakes of member j on its own stream", together, SOURCE
    )


def of_bounds(name: str) -> Bound:
    return hindsight(
        f"{name}-bounds",
        "M ≤ k + Σ B_j,  k = classes that appeared, B_j = the least hindsight bound of member j on its own stream",
        together,
        SOURCE,
    )


def of_comparators(name: str) -> Bound:
    """The members' bounds that compare, added up: so are what their comparators lose, and what is charged for not knowing them."""
    return hindsight(
        f"{name}-comparators",
        "M ≤ k + Σ B_j,  k = classes that appeared, B_j = the least bound of member j that compares; lost = what their comparators lose",
        lambda first, members, lost, slack=1: together(first, members, slack),
        SOURCE,
        every=True,
        loss="lost",
    )


def beforehand(name: str, theorems: Iterable[Bound]) -> tuple[Bound, ...]:
    """For each theorem of the members that assumes something, the same of the whole."""
    return tuple(
        a_priori(
            f"{name}-{theorem.name}",
            theorem.assumes,
            f"M ≤ k + Σ B_j,  k = classes that appeared, B_j of member j: {theorem.formula}",
            together,
            f"{SOURCE}; {theorem.source}",
            says=f"of every member's own stream: {theorem.says or ASSUMPTIONS[theorem.assumes].says}",
        )
        for theorem in theorems
        if theorem.kind == "a priori"
    )


def theorems_of(name: str, theorems: Iterable[Bound]) -> tuple[Bound, ...]:
    """What the theorems of a learner say of a committee of such learners."""
    return (*beforehand(name, theorems), of_mistakes(name), of_bounds(name), of_comparators(name))


def text_of(label: Any) -> str:
    """A member by the label, or the labels, that it is about.

    >>> text_of("tea"), text_of(("tea", 3.0))
    ('tea', 'tea / 3')
    """
    if isinstance(label, tuple):
        return " / ".join(map(text_of, label))
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


@dataclass(frozen=True)
class CommitteeFamily(families.Family):
    """A reduction to a learner of two classes; its setting `learner` names that one, with its settings."""

    def of(self, inner: families.Family) -> Self:
        """The reduction to a family whose settings are chosen."""
        values = {"learner": {"name": inner.name, "settings": inner.values}}
        theirs = {"domain": inner.domain, "weighted": inner.weighted, "updates_on": inner.updates_on, "arithmetic": inner.arithmetic}
        return replace(self, theorems=theorems_of(self.name, inner.theorems), inner=inner, own=inner.own, values=values, **theirs)

    def stated(self, settings: Mapping[str, Any]) -> Self:
        learner = settings.get("learner")
        named = set(settings) == {"learner"} and isinstance(learner, Mapping) and set(learner) == {"name", "settings"}
        require(named, f"{self.name} has the setting learner, which has a name and settings")
        return self.of(families.family(learner["name"]).stated(learner["settings"]))  # type: ignore[index]


@dataclass
class KnownOfCertificates(Known):
    """What the members' own certificates say of the committee."""

    name: str = ""
    members: Mapping[str, Mapping[str, Any]] | None = None  # by what they are about

    def declared(self, bound: Bound, declared: Mapping[str, Fraction]) -> tuple[Mapping[str, Any], str]:
        theirs = {}
        for label, member in (self.members or {}).items():
            theirs[label] = next(r for r in member["bounds"] if r["kind"] == "a priori" and f"{self.name}-{r['name']}" == bound.name)
        void = next((f"member {label!r}: {record['reason']}" for label, record in theirs.items() if record["limit"] is None), "")
        return self._facts({label: record["limit"] or 0 for label, record in theirs.items()}), void

    def candidates(self, bound: Bound) -> Iterable[Candidate]:
        members = self.members or {}
        if bound.name == of_mistakes(self.name).name:
            yield None, self._facts({label: member["counts"]["observed"] for label, member in members.items()})
            return
        if bound.name == of_comparators(self.name).name:
            chosen = {label: rests_on(member) for label, member in members.items() if member["version"] >= 3}
            if len(chosen) == len(members) and None not in chosen.values():
                facts = self._facts({label: record["limit"] for label, record in chosen.items() if record is not None})
                lost = sum((Fraction(record["comparator_loss"]) for record in chosen.values() if record is not None), Fraction(0))
                yield None, {**facts, "lost": lost}
            return
        held = {label: [r["limit"] for r in own_theorems(member)] for label, member in members.items()}
        if all(any(limit is not None for limit in limits) for limits in held.values()):
            yield None, self._facts({label: min(limit for limit in limits if limit is not None) for label, limits in held.items()})

    def _facts(self, members: Mapping[str, Any]) -> dict[str, Any]:
        exact = {label: v if isinstance(v, int) else Fraction(v) for label, v in members.items()}
        return {**self.facts, "members": exact}


def rests_on(certificate: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The bound of a member's certificate that a bound on the whole may rest on: the smallest limit that compares, and no account.

    Nor one that holds on average over a coin: a member's run may exceed it.

    (Certificates before version 3 do not say which compare: of those, the smallest limit.)
    """
    held = [record for record in certificate["bounds"] if record["holds"] and record["kind"] == "hindsight"]
    comparing = [record for record in held if record.get("compares", True) and not by_chance(record["assumes"])]
    return min(comparing, key=lambda record: (record["limit"], record["name"]), default=None)


def own_theorems(certificate: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The bounds in hindsight that a member owes to its own theorems."""
    return [record for record in certificate["bounds"] if record["kind"] == "hindsight" and record["name"] not in FLOORS]


def claims_of(
    family: families.Family, members: Sequence[tuple[str, Mapping[str, Any]]], observed: Any, assume: str | None, *, first: Exact
) -> list[Claim]:
    """What follows for the committee from its members' certificates; `first` are the first appearances, or their weights added up."""
    bounds = [bound for bound in family.theorems if bound.kind == "hindsight"]
    if not members:  # nobody compares with anybody
        bounds = [bound for bound in bounds if not bound.compares]
    before = [record for record in members[0][1]["bounds"] if record["kind"] == "a priori"] if members else []
    if before and assume is not None:  # the theorems of members are known by what their certificates say of them
        bounds = [*(_stated(family.name, record, parse_assumption(assume)[0]) for record in before), *bounds]
    known = KnownOfCertificates(family.inner.name, bounds, {"first": first, "slack": 1}, observed, name=family.name, members=dict(members))
    return tightest(match(known, assume))


def _stated(name: str, record: Mapping[str, Any], kind: str) -> Bound:
    """A theorem of a member, as its certificate has it, said of the whole."""
    theorem = a_priori(record["name"], kind, record["formula"], together, record["source"], says=record["assumes"])
    return beforehand(name, [theorem])[0]
