"""Certificates about several classes.

Of a reduction to learners of two classes: each member's own certificate is checked on the member's own stream, and what all of them say
of the whole is derived anew (`theory.reductions.claims_of`).  Of the Perceptron over several classes: facts from the mistakes and from
what was predicted there.  With `replay` the members, or the rule itself, are played again, and the class they name in every round.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from math import frexp
from struct import pack
from typing import Any

from littlestone.errors import LittlestoneError, Refused
from littlestone.reference.committee import elections, first_rounds
from littlestone.reference.replay import defined, definition, played, replayed
from littlestone.rounds.digest import Round, digest_of
from littlestone.theory import Bound, contradictions
from littlestone.theory.certificate import record_of, same
from littlestone.theory.evidence import ClassEvidence, Taught
from littlestone.theory.families import Family
from littlestone.theory.numbers import float_above
from littlestone.theory.reductions import claims_of, text_of
from littlestone.verifier.case import Case, Names, check_counts, check_needs, check_risk, compare_fact, compare_rows, growing
from littlestone.verifier.look import in_segment, look_together, rows_of

HEADER = b"littlestone classes 1\n"


@dataclass
class Codes:
    """A stream of several classes as it was read: its rounds, the class of each (None without a label), its digest."""

    rounds: Sequence[Round]
    codes: Sequence[int | None]
    digest: str

    @staticmethod
    def of(rounds: Iterator[Round], told: Mapping[str, Any]) -> Codes:
        """The digest is that of the rounds without their labels, followed by the classes as little-endian int32, -1 for none."""
        codes: list[int | None] = []

        def bare() -> Iterator[Round]:
            for one in rounds:
                codes.append(one.y)
                one.y = None
                yield one

        kept, stream = [], digest_of(bare(), **{key: told[key] for key in ("weighted", "boolean", "segment")})
        while True:
            try:
                kept.append(next(stream))
            except StopIteration as end:
                numbers = [-1 if code is None else code for code in codes]
                return Codes(kept, codes, "sha256:" + sha256(HEADER + end.value.encode() + pack(f"<{len(codes)}i", *numbers)).hexdigest())


class ClassesCase(Case):
    """A certificate of a stream of several classes."""

    def __init__(self, content: Mapping[str, Any], family: Family, member_case: Callable[..., Any], *, replay: bool) -> None:
        super().__init__(content, family, replay=replay)
        self.member_case, self.part = member_case, content["classes"]
        self.came_late = bool({"delay", "order"} & set(content["stream"]))
        memberless = self.part["members"] is None
        fits = memberless == (family.inner is None) or (memberless and self.came_late)
        if family.ties is not None and not fits:
            raise Refused("classes.members: a reduction has members, and no other learner has any")

    def look(self, rounds: Iterator[Round]) -> None:
        """Read the stream: the counts and the mistakes must be possible on it."""
        content, stream = self.content, self.content["stream"]
        first, last = rows_of(content)
        self.read = Codes.of(in_segment(rounds, first, last, stream["segment"]), stream)
        codes, rows = self.read.codes, self.read.rounds
        expected = {"digest": self.read.digest, "rows": [first, first - 1 + len(codes)], "experts": None}
        for key, value in expected.items():
            if not same(stream[key], value):
                why = ": other rounds, other labels, or another order" if key == "digest" else ""
                raise Refused(f"the stream is not the one of the certificate ({key}){why}")
        if any(one.c != 1.0 for one in rows) and not stream["weighted"]:
            raise Refused("a row has a weight, and the certificate says that rounds carry none")
        self.born = first_rounds(codes)
        if list(self.born) != list(range(len(stream["labels"]))):
            raise Refused("stream.labels: the classes must stand in the order in which they appear, and each must appear")
        wrong = self.wrong = [row - first + 1 for row in content["mistakes"]]  # as rows of what was played
        if not growing(wrong, len(codes)):
            raise Refused("mistakes: the rows must be numbers from 1 on that grow, and stand in the stream")
        if untold := [t for t in wrong if codes[t - 1] is None]:
            raise Refused(f"row {untold[0]} has no label, and is said to be a mistake")
        if missing := {t + 1 for t in self.born.values()} - set(wrong):
            raise Refused(f"row {min(missing)} is the first of its class, which nobody can name, and is not said to be a mistake")
        check_counts(content["counts"], {"rounds": sum(code is not None for code in codes), "mistakes": len(wrong)}, "stream")
        if content["updates"] is not None:
            raise Refused("updates must be null: a certificate of several classes names the mistakes alone")
        self.weights = [Fraction(one.c) for one in rows]
        total = sum((self.weights[t - 1] for t in wrong), Fraction(0))
        self.observed = float_above(total) if stream["weighted"] else len(wrong)
        if not same(content["counts"]["observed"], self.observed):
            raise Refused(f"counts.observed is {content['counts']['observed']}, and the mistakes are {self.observed}")

    def _check_predicted(self) -> None:
        """What was predicted at a mistake was wrong, and could be named: its class had appeared (or its label had come) before."""
        predicted, codes = self.part["predicted"], self.read.codes
        if len(predicted) != len(self.wrong):
            raise Refused("classes.predicted: there must be a class for every mistake")
        for row, code in zip(self.wrong, predicted, strict=True):
            seen = sum(t < row - 1 for t in self.born.values())
            possible = 0 <= code < seen or (code == -1 and (not seen or self.came_late))
            if code == codes[row - 1] or not possible:
                raise Refused(f"classes.predicted: in row {row} class {code} was not a mistake that could be made")

    def check(self) -> tuple[Names, Names]:
        self._check_predicted()
        if self.content["stream"]["weighted"] and not self.family.weighted:
            raise Refused(f"stream.weighted: {self.family.name} honours no weights")
        if self.came_late and not self.content["bounds"]:  # labels came late, and no theorem is left
            check_risk(self.content)
            return (), ()
        return self._check_members() if self.family.inner is not None else self._check_own()

    # ---- a reduction ----

    def stream_of(self, member: tuple[int, ...]) -> list[Round]:
        """The stream of a member: what it is told from the first appearance of its last class on."""
        begin, told = self.born[member[-1]], self.definition.told
        rows = zip(self.read.rounds[begin:], self.read.codes[begin:], strict=True)
        return [Round(None if y is None else told(member, y), one.keys, one.values, one.coded, one.c) for one, y in rows]

    def _check_members(self) -> tuple[Names, Names]:
        """Each member's certificate on its own stream; then what follows from them."""
        content, family, stream = self.content, self.family, self.content["stream"]
        self.check_said({"ties": family.ties, "arithmetic": family.arithmetic, "updates_on": family.updates_on})
        self.definition = sys.modules[definition(family).__module__]
        k, scores, members, left = len(stream["labels"]), {}, [], set()
        wanted = [member for c in range(k) for member in self.definition.recruits(range(c + 1))]
        if [tuple(member["about"]) for member in self.part["members"]] != wanted:
            raise Refused("classes.members: there must be one for each class, or for each pair, in the order in which they join")
        for place, (member, about) in enumerate(zip(self.part["members"], wanted, strict=True)):
            where = f"classes.members[{place}].certificate"
            try:
                case, rounds = self.member_case(member["certificate"], where, family.inner, self.replay), self.stream_of(about)
                self._check_stream(case.content)
                look_together(case.looks, iter(rounds))
                left |= set(case.check()[1])
                if self.replay and defined(family.inner):
                    scores[about] = replayed(family.inner, rounds, scores=True).scores
            except Refused as error:
                raise Refused(str(error) if str(error).startswith(where) else f"{where}: {error}") from None
            names = tuple(stream["labels"][c] for c in about)
            members.append((text_of(names if len(names) > 1 else names[0]), case.content))
        if len(scores) == len(wanted):
            self._replay(scores)
        elif self.replay:
            self.aside = (f"the members of {family.name}",)
        first = sum((self.weights[t] for t in self.born.values()), Fraction(0))
        claims = claims_of(family, members, self.observed, content["assume"], first=first if stream["weighted"] else k)
        expected = [record_of(claim) for claim in claims]
        if len(expected) != len(content["bounds"]):
            raise Refused(f"bounds: from the members' certificates follow {', '.join(one['name'] for one in expected)}")
        for record, other in zip(content["bounds"], expected, strict=True):
            for key, value in other.items():
                if not same(record[key], value):
                    raise Refused(f"{record['name']}: {key} is {record[key]!r:.80}; from the members' certificates follows {value!r:.80}")
        check_risk(content)
        stated = [record["name"] for record in content["bounds"]]
        open_ones = tuple(name for name in stated if left and name == f"{family.name}-bounds")
        return tuple(name for name in stated if name not in open_ones), open_ones

    def _check_stream(self, member: Mapping[str, Any]) -> None:
        """A member's certificate declares what the whole declares, and is of the same kind of rounds."""
        if member["assume"] != self.content["assume"] or member["risk"] is not None:
            raise Refused("it must declare what the certificate of all members does, and say nothing of risk")
        for key in ("boolean", "weighted"):
            if member["stream"][key] != self.content["stream"][key]:
                raise Refused(f"stream.{key} is another than that of the certificate of all members")

    def _replay(self, scores: Mapping[Any, Sequence[float]]) -> None:
        """Let the members elect a class in every round. Where scores differ by less than rounding either class may have been named."""
        stated, codes, made = dict(zip(self.wrong, self.part["predicted"], strict=True)), self.read.codes, []
        for t, (named, close) in enumerate(elections(self.definition.elect, scores, self.born, len(codes)), 1):
            if codes[t - 1] is not None and (t in stated if close else named != codes[t - 1]):
                made.append(t)
                if t in stated and not close and stated[t] != (-1 if named is None else named):
                    raise Refused(f"classes.predicted: replaying {self.family.name}, row {t} was predicted otherwise")
        compare_rows("mistakes", self.wrong, made, f"replaying {self.family.name}")

    # ---- the Perceptron over several classes ----

    def _check_own(self) -> tuple[Names, Names]:
        predicted = self.part["predicted"]
        self.evidence = self._evidence(dict(zip(self.wrong, predicted, strict=True)))
        n = (self.family.values or {}).get("n")
        met = {str(key) for one in self.read.rounds for key, v in zip(one.keys, one.values, strict=True) if v}
        if n is not None and len(met) > n:
            raise Refused(f"the learner was made for n={n} features, and the stream has {len(met)}")
        self.check_said(
            {"ties": self.family.ties, "arithmetic": self.family.arithmetic_on(self.evidence), "updates_on": self.family.updates_on}  # type: ignore[arg-type]
        )
        if self.replay:
            self._replay_own(predicted)
        return self.check_bounds()

    def _evidence(self, predicted: Mapping[int, int]) -> ClassEvidence:
        rounds, codes, births = self.read.rounds, self.read.codes, set(self.born.values())
        sizes = [abs(v) for one in rounds for v in one.values if v]
        exponent = max(0, min(149, 24 - frexp(min(sizes, default=1.0))[1]))
        scale = float(1 << exponent)
        taught = []
        for row, yhat in predicted.items():
            if row - 1 not in births:
                one = rounds[row - 1]
                x = {str(key): int(scale * v) for key, v in zip(one.keys, one.values, strict=True)}
                taught.append(Taught(row, x, codes[row - 1], yhat, self.weights[row - 1]))
        return ClassEvidence(
            settings=self.family.values or {},
            taught=taught,
            first=[self.weights[t] for t in self.born.values()],
            exponent=exponent,
            widest=max((len(one.keys) for one in rounds), default=0),
            largest=Fraction(max(sizes, default=0.0)),
            whole=all(float(v).is_integer() for v in sizes),
            weighted=self.content["stream"]["weighted"],
        )

    def _replay_own(self, predicted: Sequence[int]) -> None:
        rounds, codes = self.read.rounds, self.read.codes
        try:
            plain = ((one.x, code) for one, code in zip(rounds, codes, strict=True))
            named = list(played(self.family, plain, weights=[one.c for one in rounds]))
        except LittlestoneError as error:
            raise Refused(f"replaying {self.family.name}: {error}") from None
        wrong = [t for t, (yhat, y) in enumerate(zip(named, codes, strict=True), 1) if y is not None and yhat != y]
        compare_rows("mistakes", self.wrong, wrong, f"replaying {self.family.name}")
        if odd := [t for t, code in zip(wrong, predicted, strict=True) if (-1 if named[t - 1] is None else named[t - 1]) != code]:
            raise Refused(f"classes.predicted: replaying {self.family.name}, row {odd[0]} was predicted otherwise")

    def truth(self, bound: Bound, witness: Any) -> dict[str, Any]:
        return self.family.measure(self.evidence, None)  # type: ignore[arg-type]

    def check_witness(self, bound: Bound, record: Mapping[str, Any], witness: Any) -> None:
        if witness is not None:
            raise Refused("its witness is written down; expected nothing: it follows from the mistakes")

    def check_facts(self, bound: Bound, claimed: Mapping[str, Any], truth: Mapping[str, Any]) -> bool:
        if bound.kind == "a priori":
            self.check_declared_facts(bound, claimed, truth, self.family.values or {})
            return True
        check_needs(bound, claimed)
        for key in bound.needs:
            compare_fact(bound, key, claimed[key], truth[key])
        return True

    def check_observed(self, record: Mapping[str, Any], bound: Bound, witness: Any) -> None:
        if not same(record["observed"], self.observed):
            raise Refused(f"{bound.name}: observed is {record['observed']}, and the mistakes are {self.observed}")

    def contradiction(self, bound: Bound, claimed: Mapping[str, Any]) -> Mapping[str, Any] | None:
        return class_contradiction(bound, self.content, self.read.rounds, self.read.codes, claimed)


class UnknownClasses(ClassesCase):
    """A certificate of a learner whose theorems are not known here: held against the stream, and no further."""

    def check(self) -> tuple[Names, Names]:
        check_risk(self.content)
        return (), tuple(record["name"] for record in self.content["bounds"])


def class_contradiction(
    bound: Bound, content: Mapping[str, Any], rounds: Sequence[Any], codes: Sequence[int | None], claimed: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    """Where the stream contradicts what was declared of several classes. With one class alone every row has every margin."""
    rows = contradictions.Rows([Row(code, one.x) for one, code in zip(rounds, codes, strict=True)], content["stream"]["rows"][0])
    settings = {} if len({code for code in codes if code is not None}) > 1 else {"bias": 1}
    return contradictions.find(
        bound, content["assume"], rows, content["mistakes"], claimed, settings, weighted=content["stream"]["weighted"]
    )


@dataclass
class Row:
    """A round of several classes, for whoever looks for contradictions."""

    y: int | None
    x: Mapping[str, float]
