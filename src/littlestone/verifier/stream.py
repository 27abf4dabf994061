"""Certificates about a stream of two classes: facts from the rows that taught, and the learner's definition played again."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from littlestone.errors import LittlestoneError, Refused
from littlestone.reference.panel import rule_of_panel
from littlestone.reference.replay import LearnerReplay, OverheardReplay, ToldReplay
from littlestone.rounds.digest import Round
from littlestone.theory import Bound, contradictions, floor
from littlestone.theory.all_rounds import ALL, HINGE, meter_of, metered
from littlestone.theory.certificate import number, same
from littlestone.theory.comparators import comparator_from
from littlestone.theory.comparators.feature_set import Features
from littlestone.theory.delay import LATE, Delay
from littlestone.theory.families import Family
from littlestone.theory.floor import FLOORS
from littlestone.theory.numbers import at_most, float_above, real
from littlestone.theory.panel import theorems_of
from littlestone.verifier.case import Case, Names, check_learner, check_needs, check_order, check_risk, compare_fact, compare_rows
from littlestone.verifier.look import Look

ULPS = 1 - Decimal("1e-13")  # a replay adds in the order of the definition; the run's own rounding, which the facts allow for, is larger


def witness_of(record: Mapping[str, Any]) -> Any:
    """Whom a bound compares with."""
    try:
        return comparator_from(record["witness"])
    except LittlestoneError as error:
        raise Refused(f"{record['name']}: {error}") from None


class StreamCase(Case):
    """A certificate of a stream, with the look at the stream and the replay that it needs."""

    def __init__(self, content: Mapping[str, Any], family: Family, *, replay: bool) -> None:
        super().__init__(content, family)
        records, stream = content["bounds"], content["stream"]
        self.settings = family.values or {}
        self.every = any(
            bound.every and not bound.meter and not bound.name.endswith(ALL)
            for r in records
            if (bound := family.bounds.get((r["name"], r["kind"])))
        )
        self.look = Look(content, keep_all=content["assume"] is not None or self.every)
        self.rho = floor.bias_of(family)
        self.losses: dict[tuple[str, Any], Any] = {}  # of a bound and its witness, over all rounds
        for bound in (late for known in self.theorems for late in {known, LATE.get(known.name, known)} if late.kind == "hindsight"):
            for witness in (witness_of(record) for record in records if record["name"] == bound.name):
                rho = self.rho if bound.name in FLOORS else Fraction(self.settings.get("bias") or 0)
                if (meter := meter_of(bound, witness, rho)) is not None:
                    self.losses[bound.name, repr(witness)] = meter
        self.look.meters += self.losses.values()
        late = bool({"delay", "order"} & set(stream))
        self.replay = LearnerReplay(family, self.look.wrong, self.look.first, late=late) if replay else None

    def overhear(self, seat: Callable[[], Any]) -> None:
        """Its learner is played again by somebody else, too: listen there."""
        if self.replay is not None:
            self.replay = OverheardReplay(self.family, self.look.wrong, self.look.first, seat)

    def be_told(self) -> ToldReplay:
        """Its learner is played again by somebody else, too, who tells what it predicts."""
        self.replay = replay = ToldReplay(self.family, self.look.wrong, self.look.first)
        return replay

    @property
    def theorems(self) -> Sequence[Bound]:
        """The floor is true of every learner of two classes; versions 1 and 2 know nothing of it."""
        return super().theorems if self.content["version"] < 3 else (*super().theorems, *floor.floors_of(self.family))

    def take(self, row: int, example: Round, when: str) -> None:
        self.look.take(row, example, when)
        if self.replay is not None:
            self.replay.take(row, example.x, example.y, example.c, when)

    def end(self) -> None:
        self.look.end()
        if self.look.overlap.most or self.says_late():
            self.delayed = Delay(self.look.overlap.most, len(self.look.kept), self.content["stream"]["weighted"])

    def check(self) -> tuple[Names, Names]:
        """After the look: the names of the bounds whose facts were measured anew, and of those that only a replay can check."""
        self.evidence = self.look.evidence(self.settings, self.family, self.every)
        self._check_learner()
        if self.replay is not None:
            self.evidence = replace(self.evidence, replayed=self._replayed(self.replay))
        return self.check_bounds()

    def _check_learner(self) -> None:
        content, family, e = self.content, self.family, self.evidence
        n = e.settings.get("n")
        if n is not None and e.features > n:
            raise Refused(f"the learner was made for n={n} features, and the stream has {e.features}")
        if e.weighted and not family.weighted:
            raise Refused(f"stream.weighted: {family.name} honours no weights")
        outside = {"boolean": not e.zero_one, "unit": e.largest > 1 or e.negative}
        if outside.get(family.domain, False):
            domain = "0 or 1" if family.domain == "boolean" else "from 0 to 1"
            raise Refused(f"the stream has values that {family.name} does not take: expected {domain}")
        check_learner(content, {"ties": family.ties, "arithmetic": family.arithmetic_on(e), "updates_on": family.updates_on})
        if (content["updates"] is None) != (family.updates_on == "always"):
            raise Refused("updates must be null where the learner updates always, and only there")
        if family.updates_on == "mistakes" and content["updates"]:
            raise Refused("updates must be empty: this learner updates on mistakes alone")
        if content["stream"]["experts"] is not None:
            raise Refused("stream.experts: there are none")
        if content["counts"]["observed"] != (content["bounds"][0]["observed"] if content["bounds"] else content["counts"]["mistakes"]):
            raise Refused(f"counts.observed is {content['counts']['observed']}, and the bounds speak of another count")

    def _replayed(self, replay: LearnerReplay) -> Mapping[str, Any]:
        """The learner's definition made these mistakes and these updates; and the facts only it can tell."""
        look, who = self.look, f"replaying {self.family.name}"
        try:
            again = replay.end()
        except LittlestoneError as error:
            raise Refused(f"{who}: {error}") from None
        if again.hangs is not None and again.mistakes != look.mistakes:
            odd = min(set(again.mistakes) ^ look.wrong)
            if odd >= again.hangs:
                self.unsure = f"from row {again.hangs} on {who} hangs on the rounding of doubles, and goes another way in row {odd}"
                return again.facts
        compare_rows("mistakes", look.mistakes, again.mistakes, who)
        if self.family.updates_on != "always":
            compare_rows("updates", look.also, again.also, who, "update")
        return again.facts

    def truth(self, bound: Bound, witness: Any) -> dict[str, Any]:
        e = self.evidence
        meter = self.losses.get((bound.name, repr(witness)))
        truth = self.family.measure(e, witness) if bound.name not in FLOORS else floor.measure(bound, e, witness, self.rho)
        if meter is not None:
            truth = {**truth, **metered(bound, meter)}
        again = {k: v for k, v in e.replayed.items() if bound.witness == "run" or k in bound.own}
        truth = truth | {k: v if isinstance(v, int | str) or v is None else real(v) * ULPS for k, v in again.items()}
        return truth if self.delayed is None else self.delayed.facts(truth)

    def check_witness(self, bound: Bound, record: Mapping[str, Any], witness: Any) -> None:
        kind = None if record["witness"] is None else record["witness"]["kind"]
        expected = bound.witness if bound.witness not in ("", "run") else None
        if kind != expected and not (kind is None and record["limit"] is None):
            raise Refused(f"{bound.name}: its witness is {kind or 'nothing'}; expected {expected or 'nothing'}")
        if isinstance(witness, Features) and witness.k != 1 and "k" not in bound.needs:
            raise Refused(f"{bound.name}: its witness has k={witness.k}; expected 1")
        if strange := (frozenset() if witness is None else witness.names) - self.look.sizes.names:
            raise Refused(f"{bound.name}: its witness has feature {min(strange)!r}, which the stream has not")

    def check_facts(self, bound: Bound, claimed: Mapping[str, Any], truth: Mapping[str, Any]) -> bool:
        known = (bound.witness != "run" and not bound.own) or bool(self.evidence.replayed)
        if bound.kind == "a priori":
            self.check_declared_facts(bound, claimed, truth, self.settings)
            return known
        check_needs(bound, claimed)
        for key in bound.needs:
            if key in truth:
                weight = self.look.weight if key in (bound.loss, HINGE) else 0.0
                compare_fact(bound, key, claimed[key], truth[key], key in self.settings, weight)
            elif known and not self.family.own:
                raise Refused(f"{bound.name}: {key} cannot be measured on this stream")
            else:
                known = False
        return known

    def check_observed(self, record: Mapping[str, Any], bound: Bound, witness: Any) -> None:
        truth = self.look.weighted_mistakes if not self.content["stream"]["weighted"] else float_above(self.look.weighted_mistakes)
        if not same(record["observed"], truth):
            raise Refused(f"{record['name']}: observed is {record['observed']}, and the mistakes are {truth}")

    def contradiction(self, bound: Bound, claimed: Mapping[str, Any]) -> Mapping[str, Any] | None:
        look, stream = self.look, self.content["stream"]
        return contradictions.find(
            bound, self.content["assume"], look.rows, look.mistakes, claimed, self.settings, weighted=stream["weighted"]
        )

    def met(self, bound: Bound, claimed: Mapping[str, Any]) -> bool:
        return contradictions.met(bound, self.content["assume"], self.look.rows, claimed, self.settings)


class FloorCase(StreamCase):
    """What a certificate of any kind of two classes says of its floor, and nothing else of it."""

    def __init__(self, content: Mapping[str, Any], family: Family) -> None:
        bounds = [record for record in content["bounds"] if record["name"] in FLOORS]
        super().__init__({**content, "bounds": bounds, "assume": None}, family, replay=False)

    @property
    def theorems(self) -> Sequence[Bound]:
        return tuple(FLOORS.values())

    def check(self) -> tuple[Names, Names]:
        self.evidence = self.look.evidence(self.settings, self.family)
        return tuple(record["name"] for record in self.content["bounds"] if self.check_bound(record)), ()


class LatePanelCase(StreamCase):
    """A certificate of a panel whose labels came late: its rule's theorems, which say nothing of it."""

    def __init__(self, content: Mapping[str, Any], family: Family, *, replay: bool) -> None:
        settings, weighted = content["learner"]["settings"], content["stream"]["weighted"]
        try:
            rule = rule_of_panel(**family.values or {})
            theorems = theorems_of(rule, family.values or {}, weighted=weighted)
        except LittlestoneError as error:
            raise Refused(f"learner.settings.rule: {settings['rule']!r}: {error}") from None
        super().__init__(content, replace(family, theorems=theorems), replay=replay)

    def check(self) -> tuple[Names, Names]:
        if not self.says_late():
            raise Refused("bounds: a panel's rest on its members' votes, and without those all that can be said is that labels came late")
        self.delayed = self.delayed or Delay(0, 0)
        return super().check()


class UnknownCase(StreamCase):
    """A certificate of a learner whose theorems are not known here: held against itself and against the stream, and no further."""

    def check(self) -> tuple[Names, Names]:
        if self.content["stream"]["experts"] is not None:
            raise Refused("stream.experts: there are none")
        self.evidence = self.look.evidence(self.settings, self.family)
        for record in self.content["bounds"]:
            if record["name"] in FLOORS:
                self.check_bound(record)
            else:
                self._check_record(record)
        check_order(self.content["bounds"])
        check_risk(self.content)
        names = [record["name"] for record in self.content["bounds"]]
        done = tuple(name for name in names if name in FLOORS)
        return done, tuple(name for name in names if name not in FLOORS)

    def _check_record(self, record: Mapping[str, Any]) -> None:
        """The count is the stream's, and the limit is what its exact form says; how that follows from the facts only its theorem tells."""
        self.check_observed(record, None, None)  # type: ignore[arg-type]
        limit, exact, name = record["limit"], record["limit_exact"], record["name"]
        if limit is None:
            if record["holds"] is not None or not record["reason"] or exact is not None:
                raise Refused(f"{name}: it is void, and does not say why, or has a limit all the same")
            return
        if exact is not None:
            fraction = number(exact) if exact.lstrip("-").replace("/", "").isdigit() else None
            if fraction is None or not same(limit, at_most(fraction) if isinstance(record["observed"], int) else float_above(fraction)):
                raise Refused(f"{name}: limit is {limit}, and exactly it is {exact}")
        if record["holds"] is not (record["observed"] <= limit) or record["holds"] is False:
            raise Refused(f"{name}: {record['observed']} mistakes and a limit of {limit} do not go with holds={record['holds']}")
