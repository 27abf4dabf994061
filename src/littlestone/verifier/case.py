"""A certificate beside what it is about: the checks that certificates of every kind have in common.

A kind of certificate (a stream, advice, a panel, several classes) says how its facts are measured (`truth`), what its bounds count
(`check_observed`) and how the stream contradicts what was declared (`contradiction`).
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from types import MappingProxyType
from typing import Any

from littlestone.errors import LittlestoneError, Refused
from littlestone.theory import Bound, Claim, judge, parse_assumption
from littlestone.theory.certificate import COMPARING, exactly, number, record_of, same
from littlestone.theory.comparators import comparator_from
from littlestone.theory.contradictions import reason
from littlestone.theory.delay import WHY, Delay
from littlestone.theory.families import Family
from littlestone.theory.numbers import DIGITS, Real, real
from littlestone.theory.risk import of_certificate

MILLIONTH, TINY = Decimal("1.000001"), Decimal("1e-9")
ROUNDED = Decimal("1e-12")  # of a number that a run added up in doubles, and a replay in another order

Names = tuple[str, ...]


class Case(ABC):
    """A certificate whose bounds are theorems about one learner, and the family that the learner belongs to."""

    settings_say = ""  # what a message adds where a theorem depends on the settings
    aside: Names = ()  # whoever could not be replayed
    delayed: Delay | None = None  # that labels came late, where an update came between a prediction and its label
    unsure = ""  # why a replay does not settle it

    def __init__(self, content: Mapping[str, Any], family: Family) -> None:
        self.content, self.family = content, family
        try:
            self.kind, self.declared = parse_assumption(content["assume"]) if content["assume"] is not None else ("none", {})
        except LittlestoneError as error:
            raise Refused(str(error)) from None

    # ---- what a kind of certificate says for itself ----

    @abstractmethod
    def truth(self, bound: Bound, witness: Any) -> dict[str, Any]:
        """The facts of a bound, measured anew."""

    @abstractmethod
    def check_witness(self, bound: Bound, record: Mapping[str, Any], witness: Any) -> None:
        """Refuse a witness that the theorem, or the stream, does not know."""

    @abstractmethod
    def check_facts(self, bound: Bound, claimed: Mapping[str, Any], truth: Mapping[str, Any]) -> bool:
        """Refuse facts that are not so; False where a fact is the run's own, and there was no replay."""

    @abstractmethod
    def check_observed(self, record: Mapping[str, Any], bound: Bound, witness: Any) -> None:
        """Refuse a count that is not what the bound speaks of."""

    @abstractmethod
    def contradiction(self, bound: Bound, claimed: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Where the stream contradicts what was declared."""

    def met(self, bound: Bound, claimed: Mapping[str, Any]) -> bool:
        """Is the stream known to meet what was declared?"""
        return False

    def late(self, bound: Bound) -> tuple[Bound, str]:
        """The theorem as it reads where labels came late, and why it says nothing, where it does."""
        return (bound, "") if self.delayed is None else self.delayed.proved(bound)

    def says_late(self) -> bool:
        """Does it say that a bound is void since labels came late? Of a stream whose labels did, that claims less than it might."""
        stream = self.content["stream"]
        return bool({"delay", "order"} & set(stream)) and any(record["reason"] == WHY for record in self.content["bounds"])

    @property
    def theorems(self) -> Sequence[Bound]:
        """The theorems that a certificate of this kind may state."""
        return tuple(self.family.bounds.values())

    # ---- what all of them do ----

    def check_bounds(self) -> tuple[Names, Names]:
        """The names of the bounds whose facts were measured anew, and of those that only a replay can check."""
        done: list[str] = []
        left: list[str] = []
        for record in self.content["bounds"]:
            (done if self.check_bound(record) else left).append(record["name"])
        self.check_complete()
        check_risk(self.content)
        return tuple(done), tuple(left)

    def check_bound(self, record: Mapping[str, Any]) -> bool:
        """Refuse a bound that does not follow; False where its facts are the run's own, and there was no replay."""
        bound, void = self.theorem(record)
        name = bound.name
        if void:  # whatever its facts
            if record["facts"] or record["witness"] is not None or record["contradiction"] is not None:
                raise Refused(f"{name}: it says nothing of this run, and has facts, a witness or a contradiction")
            self.check_observed(record, bound, None)
            compare(record, judge(bound, record["observed"], {}, void))
            return True
        try:
            witness = comparator_from(record["witness"])
            claimed = {key: number(value) for key, value in record["facts"].items()}
            if odd := [key for key, value in claimed.items() if not same(exactly(value), record["facts"][key])]:
                raise Refused(f"{odd[0]} is {record['facts'][odd[0]]!r}, which is not how that number is written")
            self.check_witness(bound, record, witness)
            truth = self.truth(bound, witness)
        except LittlestoneError as error:
            raise Refused(str(error) if str(error).startswith(f"{name}:") else f"{name}: {error}") from None
        if bound.kind == "a priori":
            if bound.assumes != self.kind:
                raise Refused(f"{name}: the theorem assumes {bound.assumes!r}, and the certificate declares {self.content['assume']!r}")
            known = self.check_facts(bound, claimed, truth)
            row = self.contradiction(bound, claimed)
            if row != record["contradiction"]:
                says = "none" if row is None else f"row {row['row']}: {row['why']}"
                raise Refused(f"{name}: the certificate's contradiction is not the one that the stream has ({says})")
            void = reason(row) if row else ""
        else:
            if record["contradiction"] is not None:
                raise Refused(f"{name}: a bound in hindsight assumes nothing that could be contradicted")
            known = self.check_facts(bound, claimed, truth)
        self.check_observed(record, bound, witness)
        expected = judge(bound, record["observed"], claimed, void)
        passed = bound.kind == "a priori" and not void and expected.limit is None
        if passed and self.met(bound, claimed):
            expected = judge(bound, record["observed"], claimed, met=True)
        compare(record, expected)
        if expected.holds is False and not self.family.own:
            self._refuse_unless_broken(expected, bound, witness, truth, known=known)
        return known

    def _refuse_unless_broken(self, claim: Claim, bound: Bound, witness: Any, truth: Mapping[str, Any], *, known: bool) -> None:
        """Refuse a bound that does not hold only by numbers of the run that were edited within what rounding allows, or not replayed."""
        if not known:
            raise Refused(f"{bound.name}: as it is stated it does not hold, and only a replay tells whether its numbers are the run's")
        observed, facts = self.favourable(bound, witness, claim, truth)
        if judge(bound, observed, facts).holds:
            raise Refused(f"{bound.name}: it holds by the numbers of a replay, and does not by those stated")

    def favourable(self, bound: Bound, witness: Any, claim: Claim, truth: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Return the count and the facts; those that only a run tells as much to the bound's favour as rounding may have moved them."""
        own = [key for key in bound.needs if key in truth and (bound.witness == "run" or key in bound.own)]
        return claim.observed, {**claim.facts, **{key: outward(claim.facts[key], truth[key], key in bound.falling) for key in own}}

    def theorem(self, record: Mapping[str, Any]) -> tuple[Bound, str]:
        """The theorem of a record, as it reads where labels came late, and why it says nothing, where it does."""
        for bound in self.theorems:
            late, void = self.late(bound)
            if (late.name, late.kind) == (record["name"], record["kind"]):
                return late, void
        raise Refused(f"{record['name']!r} ({record['kind']}) is no theorem about {self.family.name}{self.settings_say}")

    def check_complete(self) -> None:
        """Nothing stands twice, nothing is missing, and the order is the one that readers expect."""
        records = self.content["bounds"]
        names = [(record["name"], record["kind"]) for record in records]
        marks = [(*name, repr(record["witness"])) for name, record in zip(names, records, strict=True)]
        if len(set(marks)) != len(marks):
            raise Refused("a bound stands twice with one witness")
        theorems = [self.late(bound) for bound in self.theorems]
        late = any(void for _, void in theorems)  # then nothing may be left to say
        if theorems and not late and not any(record["limit"] is not None for record in records):
            raise Refused("no bound of the certificate holds: a run is never left without one")
        for bound, _ in theorems:
            if bound.kind == "a priori" and bound.assumes == self.kind and (bound.name, bound.kind) not in names:
                raise Refused(f"the bound {bound.name} is missing, which assumes what was declared")
        check_order(records)

    def check_declared_facts(self, bound: Bound, claimed: Mapping, truth: Mapping, settings: Mapping) -> None:
        """Facts of an a priori bound on a stream: declared ones as declared, the others measured."""
        sizes, declared = {"R": "R2", "X": "X"}, self.declared
        for key in bound.needs:
            if key not in claimed:
                raise Refused(f"{bound.name}: the fact {key} is missing")
            if key in declared:
                if claimed[key] != declared[key]:
                    raise Refused(f"{bound.name}: {key} is {shown(claimed[key])}, and {shown(declared[key])} was declared")
                if key == "size" and bound.assumes == "class" and truth.get(key) is not None and declared[key] < truth[key]:
                    raise Refused(f"{bound.name}: {key} is {shown(declared[key])}, and the class has {shown(truth[key])} concepts")
            elif key in truth and truth[key] is not None:
                size = key in sizes.values() and any(sizes.get(name) == key for name in declared)
                if key in bound.least and settings.get(key) is None:
                    size = isinstance(claimed[key], int)
                if not size:
                    compare_fact(bound, key, claimed[key], truth[key], key in settings)
                elif claimed[key] < truth[key]:
                    raise Refused(f"{bound.name}: {key} is {shown(claimed[key])}, and the stream says {shown(truth[key])}")
            elif key in truth and claimed[key] is None:
                continue  # it cannot be measured on this stream, and the bound is void for that
            elif key not in bound.optional or claimed[key] != bound.optional[key]:
                raise Refused(f"{bound.name}: {key} is {shown(claimed[key])}, and nothing says so")
        if extra := set(claimed) - set(bound.needs):
            raise Refused(f"{bound.name}: {min(extra)} is no fact of this theorem")
        for key, value in declared.items():
            if key not in bound.needs and key not in sizes:
                raise Refused(f"{bound.name}: takes no {key}")
            if key in sizes and sizes[key] in claimed and claimed[sizes[key]] < (value**2 if key == "R" else value):
                raise Refused(f"{bound.name}: {sizes[key]} is below what {key}={value} declares")


# ---- comparing what is stated with what is so ----


def check_derived(stated: Sequence[Mapping[str, Any]], claims: Sequence[Claim], version: int) -> None:
    """The bounds that stand there are those that follow from certificates inside this one."""
    expected = expected_records(claims, version)
    names = [[record["name"] for record in records] for records in (stated, expected)]
    if names[0] != names[1]:
        raise Refused(f"bounds: they are {', '.join(names[0]) or 'none'}; from the members' certificates follow {', '.join(names[1])}")
    for record, other in zip(stated, expected, strict=True):
        for key, value in other.items():
            if not same(record[key], value):
                raise Refused(f"{record['name']}: {key} is {record[key]!r:.80}; from the members' certificates follows {value!r:.80}")


def expected_records(claims: Sequence[Claim], version: int) -> list[dict[str, Any]]:
    """Claims as a certificate of this version writes them: before 3, the smallest limit first, and not whether they compare."""
    records = [record_of(claim) for claim in claims]
    if version >= 3:
        return records
    records.sort(key=lambda record: (record["kind"] != "a priori", (record["limit"] or 0) if record["kind"] != "a priori" else 0))
    return [{key: value for key, value in record.items() if key not in COMPARING} for record in records]


def check_order(records: Sequence[Mapping[str, Any]]) -> None:
    """What was declared comes first, then hindsight: what compares, accounts (of versions 1 and 2 both together), what is void."""
    after = [(r["limit"] is None, not r.get("compares", True), r["limit"] or 0) for r in records if r["kind"] != "a priori"]
    declared = [record["kind"] != "a priori" for record in records]
    if declared != sorted(declared) or after != sorted(after):
        raise Refused("bounds: what was declared comes first, then hindsight, the smallest limit first")


def check_learner(content: Mapping[str, Any], expected: Mapping[str, Any], once: Mapping[Any, Any] = MappingProxyType({})) -> None:
    """What stands there of the learner is so, or in the words in which it `once` was said."""
    for key, value in expected.items():
        if content["learner"][key] != value and content["learner"][key] != once.get(value):
            raise Refused(f"learner.{key} is {content['learner'][key]!r}; expected {value!r}")


def written(settings: Mapping[str, Any], stated: Mapping[str, Any], where: str = "learner.settings") -> None:
    """Refuse a setting that is not written as certificates write it."""
    if odd := [key for key, value in settings.items() if not same(exactly(value), stated[key])]:
        raise Refused(f"{where}.{odd[0]} is not how that setting is written")


def check_needs(bound: Bound, claimed: Mapping[str, Any]) -> None:
    """The facts are those of the theorem."""
    if set(claimed) != set(bound.needs):
        odd = min(set(claimed) ^ set(bound.needs))
        raise Refused(f"{bound.name}: the fact {odd} is {'missing' if odd in bound.needs else 'none of this theorem'}")


def compare_fact(bound: Bound, key: str, stated: Any, true: Any, exact: bool = False, weight: Real | float = 0) -> None:
    """What is stated may err only to the side where the theorem says less, and there by a millionth: outward rounding, no more.

    `weight` is that of all rounds, where the fact adds up what each of them loses.  A loss is a small difference of large numbers, so that
    its rounding is no part of the loss itself, but of what the round weighs.
    """
    name = bound.name
    if isinstance(stated, bool) is not isinstance(true, bool):
        raise Refused(f"{name}: {key} is {stated!r}, and the stream and the witness say {shown(true)}")
    if exact or true is None or stated is None or isinstance(true, str | bool) or isinstance(stated, str | bool | Mapping):
        agree = stated == true
    else:
        low, high = (stated, true) if key in bound.falling else (true, stated)
        with localcontext(DIGITS):
            agree = real(low) <= real(high) <= real(low) * MILLIONTH + TINY * real(weight)
    if not agree:
        raise Refused(f"{name}: {key} is {shown(stated)}, and the stream and the witness say {shown(true)}")


def outward(stated: Any, true: Any, falling: bool) -> Any:
    """Return a fact of a run as far to the side where a theorem allows more as rounding may have moved it; whole numbers as they are."""
    if isinstance(stated, int | str | Mapping) or stated is None or true is None:
        return stated
    with localcontext(DIGITS):
        share = real(abs(true)) * ROUNDED
        return min(real(stated), real(true) - share) if falling else max(real(stated), real(true) + share)


def compare(record: Mapping[str, Any], expected: Claim) -> None:
    """The record says what the theorem and its facts say."""
    for key, value in expected.as_json().items():
        if key in ("facts", "witness") or (key in COMPARING and key not in record):  # (a certificate of versions 1 and 2)
            continue
        stated = record[key]
        if stated != value or type(stated) is not type(value):
            raise Refused(f"{record['name']}: {key} is {shown(stated)}; the theorem and its facts say {shown(value)}")


def compare_rows(where: str, stated: Sequence[int], true: Sequence[int], who: str, what: str = "mistake") -> None:
    """The rows that a replay gives are those that stand there."""
    if odd := set(stated) ^ set(true):
        row = min(odd)
        does = "made no" if row in set(stated) else "made an" if what == "update" else "made a"
        says = "says so" if row in set(stated) else "leaves it out"
        raise Refused(f"{where}: {who}, row {row} {does} {what}, and the certificate {says}")


def growing(rows: Sequence[int], last: int | None = None) -> bool:
    """Are these rows counted from 1, each after the one before, and none after the last?"""
    return not any(a >= b for a, b in pairwise(rows)) and not (rows and (rows[0] < 1 or (last is not None and rows[-1] > last)))


def check_counts(counts: Mapping[str, Any], expected: Mapping[str, Any], what: str) -> None:
    if set(counts) != {*expected, "observed"}:
        raise Refused(f"counts has {', '.join(sorted(counts))}; expected {', '.join(sorted({*expected, 'observed'}))}")
    for key, value in expected.items():
        if counts[key] != value:
            raise Refused(f"counts.{key} is {counts[key]}, and the {what} and the rows of the mistakes say {value}")


def check_risk(content: Mapping[str, Any]) -> None:
    stated = content["risk"]
    if stated is None:
        return
    try:
        true = of_certificate(content, stated["delta"]).as_json()
    except (LittlestoneError, ValueError, ZeroDivisionError) as error:
        raise Refused(f"risk: {error}") from None
    for key, value in true.items():
        if stated[key] != value or type(stated[key]) is not type(value):
            raise Refused(f"risk.{key} is {stated[key]!r}; from {true['M']} mistakes in {true['T']} rounds it is {value!r}")


def shown(value: Any) -> str:
    if isinstance(value, Fraction) and value.denominator != 1:
        return f"{float(value):.12g}"
    return repr(value) if isinstance(value, str) else str(value)
