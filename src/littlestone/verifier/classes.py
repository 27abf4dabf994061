"""Certificates about several classes.

Of a reduction to learners of two classes: each member's own certificate is checked on the member's own stream, and what all of them say
of the whole is derived anew (`theory.reductions.claims_of`).  Of the Perceptron over several classes: facts from the mistakes and from
what was predicted there.  With `replay` the members, or the rule itself, are played again, and the class they name in every round.
"""

import sys
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from hashlib import sha256
from struct import pack
from typing import Any

from littlestone.errors import LittlestoneError, Refused
from littlestone.reference.committee import Election
from littlestone.reference.replay import ASKED, AT_ONCE, LearnerReplay, defined, definition
from littlestone.rounds.digest import Round, StreamDigest, in_one_go, kind_of
from littlestone.theory import Bound, contradictions
from littlestone.theory.certificate import same
from littlestone.theory.class_floor import CLASS_FLOOR, MatrixMeter, measure
from littlestone.theory.comparators.matrix import Matrix
from littlestone.theory.delay import Delay
from littlestone.theory.evidence import Evidence, Taught
from littlestone.theory.families import Family
from littlestone.theory.numbers import float_above
from littlestone.theory.reductions import claims_of, text_of
from littlestone.verifier.case import (
    Case,
    Names,
    check_counts,
    check_derived,
    check_learner,
    check_needs,
    check_risk,
    compare_fact,
    compare_rows,
    growing,
)
from littlestone.verifier.look import Sizes, kept, rows_of
from littlestone.verifier.schedule import Overlap
from littlestone.verifier.stream import witness_of

HEADER = b"littlestone classes 1\n"


class ClassReplay(LearnerReplay):
    """A learner of several classes played again; where the election hangs on rounding, either class may have been named."""

    def __init__(self, family: Family, predicted: Mapping[int, int], first: int, *, late: bool) -> None:
        super().__init__(family, predicted, first, late=late)
        self.predicted = predicted  # the class named at each mistake

    def seat(self, about: tuple) -> Any:
        """Where the member about these classes sits, which has played the row that came last."""
        if self.fault is not None:
            raise self.fault
        seats = getattr(self.student, "seats", {})
        if about not in seats:
            raise LittlestoneError("no member about these classes has joined")
        return seats[about]

    def count(self, row: int, y: int | None, yhat: Any, close: bool) -> None:
        winner, close = (yhat.winner, yhat.close) if isinstance(yhat, Election) else (yhat, close)
        super().count(row, y, winner, close)
        named = -1 if winner is None else winner
        if y is not None and y != winner and not close and self.predicted.get(row, named) != named and self.fault is None:
            self.fault = Refused(f"classes.predicted: replaying {self.family.name}, row {row} was predicted otherwise")


class ClassesCase(Case):
    """A certificate of a stream of several classes."""

    def __init__(self, content: Mapping[str, Any], family: Family, member_case: Callable[..., Any], *, replay: bool) -> None:
        super().__init__(content, family)
        self.part, stream = content["classes"], content["stream"]
        self.came_late = bool({"delay", "order"} & set(stream))
        memberless = self.part["members"] is None
        fits = memberless == (family.inner is None) or (memberless and self.came_late)
        if family.ties is not None and not fits:
            raise Refused("classes.members: a reduction has members, and no other learner has any")
        self.first, self.last = rows_of(content)
        self.row, self.rounds, self.total_weight = self.first - 1, 0, 0.0
        self.fault: Refused | None = None  # whether this is the stream of the certificate at all is known at its end
        self.born: list[int] = []  # the row in which each class first appears
        self.first_weights: list[Fraction] = []  # of these rows
        self.weight = Fraction(0)  # of all mistakes
        self.sizes = Sizes()
        self.overlap = Overlap()
        how = {key: stream[key] for key in ("weighted", "boolean", "segment")}
        self.digest = StreamDigest(**how, whole=in_one_go(stream["digest"]))
        self.codes = array("i")
        self.all: list[tuple[Round, int | None]] | None = [] if content["assume"] is not None else None
        self.taught: list[tuple[Round, int, int]] = []  # mistakes that are no first appearances: the row, its class, and the one named
        self.longest = Fraction(0)  # |x|² of a labelled row
        witnesses = {repr(witness): witness for witness in map(witness_of, content["bounds"]) if isinstance(witness, Matrix)}
        self.meters = {text: MatrixMeter(witness) for text, witness in witnesses.items()}  # what these lose over all rounds
        self._check_mistakes()
        self.replay = self._replay() if replay else None
        self.members: list[Member] = []
        if self.part["members"] is not None and family.ties is not None:
            self.members = [Member(self, place, member_case, replay) for place in range(len(self.part["members"]))]

    def _check_mistakes(self) -> None:
        content, predicted = self.content, self.part["predicted"]
        if not growing(content["mistakes"], self.last) or (content["mistakes"] and content["mistakes"][0] < self.first):
            raise Refused("mistakes: the rows must be numbers from 1 on that grow, and stand in the stream")
        if len(predicted) != len(content["mistakes"]):
            raise Refused("classes.predicted: there must be a class for every mistake")
        if content["updates"] is not None:
            raise Refused("updates must be null: a certificate of several classes names the mistakes alone")
        self.predicted = dict(zip(content["mistakes"], predicted, strict=True))

    def _replay(self) -> ClassReplay | None:
        return ClassReplay(self.family, self.predicted, self.first, late=self.came_late) if defined(self.family) else None

    def take(self, row: int, example: Round, when: str) -> None:
        """A row of the stream; it counts once its label has come."""
        if self.replay is not None:
            self.replay.take(row, example.x, example.y, example.c, when)
        if when == ASKED:
            self.overlap.asked(row)
            return
        self.row, y = row, example.y
        self.digest.add(None, example)
        self.codes.append(-1 if y is None else y)
        if example.c != 1.0 and not self.content["stream"]["weighted"]:
            raise Refused(f"row {row} has weight {example.c:g}, and the certificate says that rounds carry none")
        self.sizes.add(example.keys, example.values)
        if self.all is not None:
            self.all.append((kept(example), y))
        try:
            self._count(row, example, y)
            for member in self.members:
                member.take(example, y)
        except Refused as refused:
            self.fault = self.fault or refused
        alone = self.family.inner is None
        always = self.family.updates_on == "always"
        teaches = always or self.predicted.get(row, -1) >= 0 if alone else any(member.teaches(y) for member in self.members)
        born = self.born[-1:] == [row]  # it can be named from then on
        self.overlap.answered(row, when, y is not None and ((example.c > 0 and teaches) or born), row in self.predicted)

    def _count(self, row: int, example: Round, y: int | None) -> None:
        seen, yhat = len(self.born), self.predicted.get(row)
        if y is None:
            if yhat is not None:
                raise Refused(f"row {row} has no label, and is said to be a mistake")
            return
        self.rounds += 1
        self.total_weight += example.c
        if self.family.inner is None and sum(v * v for v in example.values) * (1 + 2.0**-20) > self.longest:
            self.longest = max(self.longest, sum((Fraction(v) ** 2 for v in example.values), Fraction(0)))
        for meter in self.meters.values():
            meter.add(example.keys, example.values, y, example.c, self.sizes.exponent)
        if y > seen:
            raise Refused("stream.labels: the classes must stand in the order in which they appear, and each must appear")
        if yhat is not None:
            self.weight += Fraction(example.c)
            # what was predicted was wrong, and could be named: its class had appeared (or its label had come) before
            if yhat == y or not (0 <= yhat < seen or (yhat == -1 and (not seen or self.came_late))):
                raise Refused(f"classes.predicted: in row {row} class {yhat} was not a mistake that could be made")
        if y == seen:
            self.born.append(row)
            self.first_weights.append(Fraction(example.c))
            if yhat is None:
                raise Refused(f"row {row} is the first of its class, which nobody can name, and is not said to be a mistake")
        elif yhat is not None:
            self.taught.append((kept(example), y, yhat))

    def end(self) -> None:
        """The counts and the mistakes must be those of the stream."""
        content, stream = self.content, self.content["stream"]
        inner, codes = self.digest.text(), pack(f"<{len(self.codes)}i", *self.codes)
        digest = kind_of(inner) + sha256(HEADER + inner.encode() + codes).hexdigest()
        expected = {"digest": digest, "rows": [self.first, self.row], "experts": None}
        for key, value in expected.items():
            if not same(stream[key], value):
                why = ": other rounds, other labels, or another order" if key == "digest" else ""
                raise Refused(f"the stream is not the one of the certificate ({key}){why}")
        if self.fault is not None:
            raise self.fault
        if len(self.born) != len(stream["labels"]):
            raise Refused("stream.labels: the classes must stand in the order in which they appear, and each must appear")
        check_counts(content["counts"], {"rounds": self.rounds, "mistakes": len(self.predicted)}, "stream")
        self.observed = float_above(self.weight) if stream["weighted"] else len(self.predicted)
        if not same(content["counts"]["observed"], self.observed):
            raise Refused(f"counts.observed is {content['counts']['observed']}, and the mistakes are {self.observed}")
        for member in self.members:
            member.end()

    def check(self) -> tuple[Names, Names]:
        if self.content["stream"]["weighted"] and not self.family.weighted:
            raise Refused(f"stream.weighted: {self.family.name} honours no weights")
        if self.replay is not None:
            self._check_replay(self.replay)
        if self.came_late and not self.content["bounds"]:  # labels came late, and no theorem is left
            check_risk(self.content)
            return (), ()
        if self.overlap.most or self.says_late():
            self.delayed = Delay(self.overlap.most, self.overlap.made, self.content["stream"]["weighted"])
            if self.part["members"] is not None:
                raise Refused("classes.members: labels came late, and what members do when they come at once says nothing of that")
        if self.delayed is not None and self.family.inner is not None:
            family = self.family
            check_learner(self.content, {"ties": family.ties, "arithmetic": family.arithmetic, "updates_on": family.updates_on})
            return self.check_bounds()
        return self._check_members() if self.family.inner is not None else self._check_own()

    def _check_replay(self, replay: ClassReplay) -> None:
        try:
            made = replay.end().mistakes
        except Refused:
            raise
        except LittlestoneError as error:
            raise Refused(f"replaying {self.family.name}: {error}") from None
        compare_rows("mistakes", self.content["mistakes"], made, f"replaying {self.family.name}")

    # ---- a reduction ----

    def _check_members(self) -> tuple[Names, Names]:
        """Each member's certificate on its own stream; then what follows from them."""
        content, family, stream = self.content, self.family, self.content["stream"]
        check_learner(content, {"ties": family.ties, "arithmetic": family.arithmetic, "updates_on": family.updates_on})
        left, members = set[str](), []
        joined = [member for c in range(len(stream["labels"])) for member in definition_of(family).recruits(range(c + 1))]
        if [member.about for member in self.members] != joined:
            raise Refused("classes.members: there must be one for each class, or for each pair, in the order in which they join")
        for member in self.members:
            left |= set(member.check())
            names = tuple(stream["labels"][c] for c in member.about)
            members.append((text_of(names if len(names) > 1 else names[0]), member.case.content))
        first = sum(self.first_weights, Fraction(0)) if stream["weighted"] else len(self.born)
        claims = claims_of(family, members, self.observed, content["assume"], first=first)
        check_derived(content["bounds"], claims, content["version"])
        check_risk(content)
        stated = [record["name"] for record in content["bounds"]]
        open_ones = tuple(name for name in stated if left and name in (f"{family.name}-bounds", f"{family.name}-comparators"))
        return tuple(name for name in stated if name not in open_ones), open_ones

    # ---- the Perceptron over several classes ----

    def _check_own(self) -> tuple[Names, Names]:
        family, sizes, scale = self.family, self.sizes, float(1 << self.sizes.exponent)
        n = (family.values or {}).get("n")
        if n is not None and len(sizes.names) > n:
            raise Refused(f"the learner was made for n={n} features, and the stream has {len(sizes.names)}")
        self.evidence = Evidence(
            settings=family.values or {},
            taught=[
                Taught(0, {key: int(scale * v) for key, v in example.x.items()}, y, yhat, Fraction(example.c))
                for example, y, yhat in self.taught
            ],
            first=self.first_weights,
            exponent=sizes.exponent,
            rounds=self.rounds,
            widest=sizes.widest,
            largest=Fraction(sizes.largest),
            longest=self.longest,
            whole=sizes.whole,
            weighted=self.content["stream"]["weighted"],
        )
        arithmetic = family.arithmetic_on(self.evidence)
        check_learner(self.content, {"ties": family.ties, "arithmetic": arithmetic, "updates_on": family.updates_on})
        return self.check_bounds()

    @property
    def theorems(self) -> Sequence[Bound]:
        """The floor is true of every learner; versions 1 and 2 know nothing of it."""
        floor = self.content["version"] >= 3 and self.family.inner is None and not self.came_late
        return (*super().theorems, CLASS_FLOOR) if floor else super().theorems

    def truth(self, bound: Bound, witness: Any) -> dict[str, Any]:
        facts = (measure if bound is CLASS_FLOOR else self.family.measure)(self.evidence, witness)
        return facts if witness is None else {**facts, bound.loss: self.meters[repr(witness)].total}

    def check_witness(self, bound: Bound, record: Mapping[str, Any], witness: Any) -> None:
        if not bound.every or bound.kind == "a priori":
            if witness is not None:
                raise Refused("its witness is written down; expected nothing: it follows from the mistakes")
            return
        classes = len(self.content["stream"]["labels"])
        if not isinstance(witness, Matrix) or len(witness.rows) != classes:
            raise Refused(f"its witness must be a matrix with a row for each of the {classes} classes")
        if strange := witness.names - self.sizes.names:
            raise Refused(f"its witness has feature {min(strange)!r}, which the stream has not")

    def check_facts(self, bound: Bound, claimed: Mapping[str, Any], truth: Mapping[str, Any]) -> bool:
        if bound.kind == "a priori":
            self.check_declared_facts(bound, claimed, truth, self.family.values or {})
            return True
        check_needs(bound, claimed)
        for key in bound.needs:
            weight = self.total_weight if key == bound.loss else 0.0
            compare_fact(bound, key, claimed[key], truth[key], key in (self.family.values or {}), weight)
        return True

    def check_observed(self, record: Mapping[str, Any], bound: Bound, witness: Any) -> None:
        if not same(record["observed"], self.observed):
            raise Refused(f"{bound.name}: observed is {record['observed']}, and the mistakes are {self.observed}")

    def contradiction(self, bound: Bound, claimed: Mapping[str, Any]) -> Mapping[str, Any] | None:
        return class_contradiction(bound, self.content, [Row(y, example.x) for example, y in self.all or ()], claimed)


class Member:
    """The certificate of a member of a committee, beside the member's own stream: from the first appearance of its last class on."""

    def __init__(self, whole: ClassesCase, place: int, member_case: Callable[..., Any], replay: bool) -> None:
        record = whole.part["members"][place]
        self.whole, self.where = whole, f"classes.members[{place}].certificate"
        self.about, self.heard, self.row = tuple(record["about"]), definition_of(whole.family).heard, 0
        with self._named():
            self.case = member_case(record["certificate"], self.where, whole.family.inner, replay)
            if whole.replay is not None and not whole.came_late and hasattr(self.case, "overhear"):
                self.case.overhear(partial(whole.replay.seat, self.about))
            own, stated = self.case.content, whole.content
            self.updating = {*own["mistakes"], *(own["updates"] or ())}
            if own["assume"] != stated["assume"] or own["risk"] is not None:
                raise Refused("it must declare what the certificate of all members does, and say nothing of risk")
            for key in ("boolean", "weighted"):
                if own["stream"][key] != stated["stream"][key]:
                    raise Refused(f"stream.{key} is another than that of the certificate of all members")

    @contextmanager
    def _named(self) -> Iterator[None]:
        """What is refused is refused with the place of this certificate in the whole."""
        try:
            yield
        except Refused as error:
            raise Refused(str(error) if str(error).startswith(self.where) else f"{self.where}: {error}") from None

    def take(self, example: Round, y: int | None) -> None:
        """A round of the whole stream, with what this member hears of its label."""
        if len(self.whole.born) <= self.about[-1]:
            return
        self.row += 1
        label = None if y is None else self.heard(self.about, y)
        with self._named():
            self.case.take(self.row, Round(label, example.keys, example.values, example.coded, example.c), AT_ONCE)

    def teaches(self, y: int | None) -> bool:
        """Does it update on the round just taken, by its own certificate?"""
        if not self.row or y is None or self.heard(self.about, y) is None:
            return False
        content = self.case.content
        return content["updates"] is None or self.row in self.updating

    def end(self) -> None:
        with self._named():
            self.case.end()

    def check(self) -> Names:
        """The names of its bounds that only a replay can check."""
        with self._named():
            return self.case.check()[1]


class UnknownClasses(ClassesCase):
    """A certificate of a learner whose theorems are not known here: held against the stream, and no further."""

    def check(self) -> tuple[Names, Names]:
        check_risk(self.content)
        return (), tuple(record["name"] for record in self.content["bounds"])


def definition_of(family: Family) -> Any:
    """The file of a reduction's definition, which says who joins, who hears what, and how a class is elected."""
    return sys.modules[definition(family).__module__]


@dataclass
class Row:
    """A round of several classes, for whoever looks for contradictions."""

    y: int | None
    x: Mapping[str, float]


def class_contradiction(
    bound: Bound, content: Mapping[str, Any], rows: Sequence[Row], claimed: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    """Where the stream contradicts what was declared of several classes. With one class alone every row has every margin."""
    settings = {} if len({row.y for row in rows if row.y is not None}) > 1 else {"bias": 1}
    looks, stream = contradictions.Rows(rows, content["stream"]["rows"][0]), content["stream"]
    return contradictions.find(bound, content["assume"], looks, content["mistakes"], claimed, settings, weighted=stream["weighted"])
