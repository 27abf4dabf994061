"""Certificates about experts: the same checks, on a table of advice.

The table is looked at once, row by row: its digest, its counts, its exact losses.  Facts follow from it and the witness; what a rule lost
is the run's own claim until it is replayed.  A stated loss may lie above the true one by what the rounding of a run can add
(`theory.experts.slip`, which every limit has room for), never below it by more.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from decimal import localcontext
from fractions import Fraction
from itertools import pairwise
from os import PathLike
from struct import Struct
from struct import error as StructError
from typing import Any

from littlestone.errors import LittlestoneError, Refused, require
from littlestone.reference.advice import ReplayedAdvice, replayed_advice
from littlestone.rounds.expert_tables import reading_of, told_in
from littlestone.rounds.sources import two_of
from littlestone.theory import parse_assumption
from littlestone.theory.advised import Advised, Row
from littlestone.theory.bound import Bound, judge
from littlestone.theory.certificate import Certificate, exactly, number, same
from littlestone.theory.contradictions import reason
from littlestone.theory.evidence import witness_from
from littlestone.theory.numbers import DIGITS, real
from littlestone.theory.rules import RUN_FACTS, RuleFamily, check_declared, contradiction, margin_of, rule_family
from littlestone.verifier.look import no_collector

HEADER = b"littlestone advice 1\n"
NAN = float("nan")


def table_of(X: Any, y: Any, losses: bool) -> tuple[int, list[Row], str]:
    """The number of experts, the rows as float32, and the digest."""
    given = X.tolist() if hasattr(X, "tolist") else X
    require(isinstance(given, list | tuple), f"advice of type {type(X).__name__}: expected a table, rounds × experts")
    rows = [row.tolist() if hasattr(row, "tolist") else row for row in given]
    require(all(isinstance(row, list | tuple) for row in rows), "advice must be a table, rounds × experts")
    n = len(rows[0]) if rows else getattr(X, "shape", (0, 0))[1]
    require(all(len(row) == n for row in rows), "rows of advice must be equally long")
    if losses:
        if y is not None:
            raise Refused("the certificate is about losses, and there is a truth beside them")
        truths: list[bool | None] = [False] * len(rows)
    else:
        if y is None:
            raise Refused("the certificate is about advice with a truth for each round, and there is none")
        truths = two_of(y.tolist() if hasattr(y, "tolist") else list(y))
        require(len(truths) == len(rows), f"{len(rows)} rounds of advice and {len(truths)} truths")
    return n, *hashed(n, zip(truths, rows, strict=True))


def hashed(n: int, rounds: Iterable[tuple[bool | int | None, Sequence[Any]]]) -> tuple[list[Row], str]:
    """The rounds, each a truth and what n experts say, as rows of float32; and their digest.

    It begins with a line that names the format, and one with the number of experts.  A round is its truth (1, 0 or ?; 0 where the advice is
    losses) and, for each expert, a little-endian float32; NaN, an expert asleep, is 7fc00000.
    """
    sha = hashlib.sha256(HEADER + b"%d\n" % n)
    packed, found = Struct(f"<{n}f"), []
    for t, (truth, said) in enumerate(rounds, 1):
        try:
            raw = packed.pack(*[NAN if a is None or a != a else a for a in said])
        except (StructError, OverflowError, TypeError):
            raise LittlestoneError(f"round {t}: advice must be numbers, NaN where an expert is asleep") from None
        sha.update((b"?" if truth is None else b"1" if truth else b"0") + raw)
        found.append(Row(None if truth is None else bool(truth), [None if a != a else a for a in packed.unpack(raw)]))
    return found, "sha256:" + sha.hexdigest()


def of_stream(stream: Mapping[str, Any], family: RuleFamily, X: Any, y: Any, format: str | None) -> tuple[int, list[Row], str]:
    """The same of whatever X is: a table of experts, read as the certificate says, or the advice itself."""
    tabled = isinstance(X, str | PathLike) or hasattr(X, "paths") or hasattr(X, "__arrow_c_stream__")
    if "table" not in stream:
        require(not tabled, "the certificate does not say how advice is made of a table: it was made from arrays; expected these")
        return table_of(X, y, family.advice == "loss")
    reading = reading_of(stream["table"])
    if reading.played != family.advice:
        raise Refused(f"stream.table makes {reading.played} of the table, and the rule takes {family.advice}")
    if not tabled:
        return table_of(X, y, family.advice == "loss")
    require(y is None, "the table carries its own truth; y must be left out")
    n = len(reading.experts or ())
    return n, *hashed(n, told_in(X, reading, format))


def verify_advice(cert: Certificate, X: Any, y: Any, replay: bool, format: str | None = None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the bounds whose facts were measured anew, and of those that only a replay can check."""
    family = rule_of(cert.content)
    with no_collector():
        case = Case(cert.content, family, *of_stream(cert.content["stream"], family, X, y, format))
    return case.check(replay)


def rule_of(content: Mapping[str, Any]) -> RuleFamily:
    """The rule that the certificate is about."""
    name, settings = content["learner"]["name"], content["learner"]["settings"]
    try:
        family = rule_family(name, settings)
    except LittlestoneError as error:
        raise Refused(str(error)) from None
    if odd := [key for key, value in family.settings.items() if not same(exactly(value), settings[key])]:
        raise Refused(f"learner.settings.{odd[0]} is not how that setting is written")
    return family


class Case:
    """A certificate beside its table."""

    def __init__(self, content: Mapping[str, Any], family: RuleFamily, n: int, rows: list[Row], digest: str) -> None:
        self.content, self.family, self.digest = content, family, digest
        self.table = Advised(n, rows)
        self.T = len(self.table.told)
        self.mistakes: list[int] = content["mistakes"]
        self.found: ReplayedAdvice | None = None

    def check(self, replay: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names of the bounds whose facts were measured anew, and of those that only a replay can check."""
        from littlestone.verifier import check_risk

        content, family = self.content, self.family
        try:
            kind, declared = parse_assumption(content["assume"]) if content["assume"] is not None else ("none", {})
            if kind != "none":
                check_declared(family.name, family.bounds, kind, declared)
        except LittlestoneError as error:
            raise Refused(str(error)) from None
        self.check_whole()
        if replay:
            self.replay()
        done: list[str] = []
        left: list[str] = []
        for record in content["bounds"]:
            (done if self.check_bound(record, kind, declared) else left).append(record["name"])
        self.check_complete(kind)
        check_risk(content)
        if content["risk"] is not None and family.advice == "loss":
            raise Refused("risk: it is about mistakes, and of losses there are none")
        return tuple(done), tuple(left)

    def check_whole(self) -> None:
        """The table is the one of the certificate, what stands there of the rule is so, and the counts follow."""
        content, family, table = self.content, self.family, self.table
        expected = {
            "digest": self.digest, "rows": [1, len(table.rows)], "segment": False, "boolean": False, "weighted": False, "labels": None,
            "experts": table.n,
        }  # fmt: skip
        for key, value in expected.items():
            if not same(content["stream"][key], value):
                why = ": other rounds, other truths, or another order" if key == "digest" else ""
                raise Refused(f"the advice is not that of the certificate ({key}){why}")
        if family.n != table.n:
            raise Refused(f"the rule was made for n={family.n} experts, and the advice has {table.n}")
        votes = family.advice == "vote"
        for t, (_, said) in enumerate(table.rows, 1):
            if any(a is not None and (a not in (0, 1) if votes else not 0 <= a <= 1) for a in said):
                raise Refused(f"row {t}: the advice is no {family.advice}, and the certificate says so")
        for key, value in (("ties", family.ties), ("arithmetic", family.arithmetic), ("updates_on", family.updates_on)):
            if content["learner"][key] != value:
                raise Refused(f"learner.{key} is {content['learner'][key]!r}; expected {value!r}")
        if content["updates"] != (None if family.updates_on == "always" else []):
            raise Refused("updates must be null where the rule updates always, else empty: it updates on mistakes alone")
        self._check_counts()

    def _check_counts(self) -> None:
        rows, wrong = self.table.rows, self.mistakes
        if any(a >= b for a, b in pairwise(wrong)) or (wrong and (wrong[0] < 1 or wrong[-1] > len(rows))):
            raise Refused("mistakes: the rows must be numbers from 1 on that grow, and stand in the table")
        if untold := [t for t in wrong if rows[t - 1].y is None]:
            raise Refused(f"row {untold[0]} has no truth, and is said to be a mistake")
        if wrong and self.family.advice == "loss":
            raise Refused("mistakes: of losses there are none")
        missed = sum(bool(rows[t - 1].y) for t in wrong)
        found = {
            "rounds": self.T, "positives": sum(bool(row.y) for row in rows), "mistakes": len(wrong),
            "false_positives": len(wrong) - missed, "false_negatives": missed,
        }  # fmt: skip
        counts = self.content["counts"]
        for key, value in found.items():
            if counts[key] != value:
                raise Refused(f"counts.{key} is {counts[key]}, and the advice and the rows of the mistakes say {value}")
        self._check_observed("counts", "mistakes" if self.family.whole else "loss", counts["observed"], wrong)

    def _check_observed(self, where: str, what: str, stated: Any, wrong: list[int]) -> None:
        """Mistakes are counted; a loss is a number between 0 and one a round."""
        if what == "mistakes":
            if type(stated) is not int or stated != len(wrong):
                raise Refused(f"{where}: observed is {stated}, and the mistakes are {len(wrong)}")
        elif type(stated) is not float or not 0 <= stated <= self.T + margin_of(self.T):
            raise Refused(f"{where}: observed is {stated!r}; expected a loss between 0 and one a round")

    def replay(self) -> None:
        """Play the rule's definition again: its mistakes and its loss."""
        family = self.family
        self.found = replayed_advice(
            family.name, family.settings, self.table.rows, tossed=family.tossed, bandit=family.bandit, said_wrong=self.mistakes
        )
        if self.mistakes != self.found.mistakes:
            row = min(set(self.mistakes) ^ set(self.found.mistakes))
            did, said = ("made no", "says so") if row in set(self.mistakes) else ("made a", "leaves it out")
            raise Refused(f"mistakes: replaying {family.name}, row {row} {did} mistake, and the certificate {said}")
        if not family.whole:
            self.compare_loss("counts.observed", self.content["counts"]["observed"], self.found.loss)

    def compare_loss(self, where: str, stated: Any, true: float, *, facts: bool = False) -> None:
        """Not below the replayed one by more than rounding, nor above it by more than that and a millionth."""
        from littlestone.verifier import MILLIONTH, TINY

        with localcontext(DIGITS):
            slack = margin_of(self.T) / 2
            if not real(true) <= real(stated) + slack <= real(true) * MILLIONTH + 4 * slack + TINY:
                raise Refused(f"{where} is {float(stated):.12g}, and replaying {self.family.name} gives {true:.12g}")

    def check_bound(self, record: Mapping[str, Any], kind: str, declared: Mapping[str, Fraction]) -> bool:
        """Refuse a bound that does not follow; False where a fact is the run's own, and there was no replay."""
        from littlestone.verifier import _compare

        name, family = record["name"], self.family
        bound = family.bounds.get((name, record["kind"]))
        if bound is None:
            raise Refused(f"{name!r} ({record['kind']}) is no theorem about {family.name} with these settings")
        try:
            witness = witness_from(record["witness"])
            claimed = {key: number(value) for key, value in record["facts"].items()}
            if odd := [key for key, value in claimed.items() if not same(exactly(value), record["facts"][key])]:
                raise Refused(f"{odd[0]} is {record['facts'][odd[0]]!r}, which is not how that number is written")
            wanted = bound.witness if bound.kind == "hindsight" and bound.witness not in ("", "run") else None
            if (found := None if witness is None else witness.kind if hasattr(witness, "kind") else "of another sort") != wanted:
                raise Refused(f"its witness is {found or 'nothing'}; expected {wanted or 'nothing'}")
            truth = family.measure(bound, self.table, self.mistakes, witness)
        except LittlestoneError as error:
            raise Refused(f"{name}: {error}") from None
        void = ""
        if bound.kind == "a priori":
            void = self._check_declared(record, bound, kind, declared)
            truth |= {key: int(value) if value.denominator == 1 else value for key, value in declared.items()}
            truth.setdefault("S", 0)
        elif record["contradiction"] is not None:
            raise Refused(f"{name}: a bound in hindsight assumes nothing that could be contradicted")
        elif self.table.first_asleep and not family.sleeps and bound.witness not in ("", "run") and "Z" not in bound.needs:
            raise Refused(f"{name}: an expert slept in row {self.table.first_asleep[0]}, and this theorem is about experts always awake")
        known = self._check_facts(bound, claimed, truth, declared if bound.kind == "a priori" else {})
        self._check_what_was_observed(record, bound, witness)
        _compare(record, judge(bound, record["observed"], claimed, void))
        if bound.kind == "hindsight" and record["holds"] is not True:
            raise Refused(f"{name}: a bound in hindsight that does not hold says nothing")
        return known

    def _check_declared(self, record: Mapping[str, Any], bound: Bound, kind: str, declared: Mapping[str, Fraction]) -> str:
        if bound.assumes != kind:
            raise Refused(f"{bound.name}: the theorem assumes {bound.assumes!r}, and the certificate declares {self.content['assume']!r}")
        found = contradiction(self.table, declared)
        if found != record["contradiction"]:
            says = "none" if found is None else f"row {found['row']}: {found['why']}"
            raise Refused(f"{bound.name}: the certificate's contradiction is not the one that the advice has ({says})")
        return reason(found) if found else ""

    def _check_facts(self, bound: Bound, claimed: Mapping[str, Any], truth: Mapping[str, Any], declared: Mapping[str, Any]) -> bool:
        from littlestone.verifier import compare_fact

        if set(claimed) != set(bound.needs):
            odd = min(set(claimed) ^ set(bound.needs))
            raise Refused(f"{bound.name}: the fact {odd} is {'missing' if odd in bound.needs else 'none of this theorem'}")
        known = True
        for key, stated in claimed.items():
            if isinstance(stated, Mapping | str | bool) or (stated is not None and not real(stated).is_finite()):
                raise Refused(f"{bound.name}: {key} is {stated!r}, which is no number")
            if key == "delta":
                if stated is None or not 0 < stated < 1 or not isinstance(stated, Fraction):
                    raise Refused(f"{bound.name}: delta is {stated}; expected a probability")
            elif key in RUN_FACTS:
                known = self.found is not None
                if stated is None or stated < 0:
                    raise Refused(f"{bound.name}: {key} is {stated}; expected a number from 0 on")
                if self.found is not None:
                    self.compare_loss(f"{bound.name}: {key}", stated, self.found.gaps if key == "gaps" else self.found.loss)
                elif key == "F" and not self.family.whole and stated > self.content["counts"]["observed"] * (1 + 1e-6) + 1e-9:
                    raise Refused(f"{bound.name}: F is more than the rule is said to have lost")
            elif key not in truth:
                raise Refused(f"{bound.name}: {key} cannot be measured on this advice")
            else:
                compare_fact(bound, key, stated, truth[key], key not in ("m", "kl") or key in declared)
        return known

    def _check_what_was_observed(self, record: Mapping[str, Any], bound: Bound, witness: Any) -> None:
        name, family, stated = bound.name, self.family, record["observed"]
        what, table = family.observes(bound), self.table
        own = family.own_rounds(bound)
        wrong = table.awake(witness.expert, self.mistakes) if own else self.mistakes
        self._check_observed(name, what, stated, wrong)
        if what == "mistakes":
            return
        if what == "chosen":
            others = {one["observed"] for one in self.content["bounds"] if self._counts(one) == "chosen"}
            if len(others) > 1:
                raise Refused(f"{name}: bounds on one draw speak of one draw")
        elif not own and stated != self.content["counts"]["observed"]:
            raise Refused(f"{name}: observed is {stated}, and counts.observed {self.content['counts']['observed']}")
        elif own and stated > self.content["counts"]["observed"] + float(margin_of(self.T)):
            raise Refused(f"{name}: observed is {stated}, more than in all rounds together")
        if self.found is None:
            return
        true = self.found.chosen if what == "chosen" else self.found.loss
        if own:
            row_of = dict(zip(table.told, self.found.costs, strict=True))
            true = sum(row_of[t] for t in table.awake(witness.expert, table.told))
        self.compare_loss(f"{name}: observed", stated, true)

    def _counts(self, record: Mapping[str, Any]) -> str:
        bound = self.family.bounds.get((record["name"], record["kind"]))
        return "" if bound is None else self.family.observes(bound)

    def check_complete(self, assumed: str) -> None:
        records = self.content["bounds"]
        names = [(record["name"], record["kind"]) for record in records]
        marks = [(*name, str(record["witness"]) if self.family.sleeps else "") for name, record in zip(names, records, strict=True)]
        if len(set(marks)) != len(marks):
            raise Refused("a bound stands twice")
        if not any(record["limit"] is not None for record in records):
            raise Refused("no bound of the certificate holds: a run is never left without one")
        for (name, kind), bound in self.family.bounds.items():
            if kind == "a priori" and bound.assumes == assumed and (name, kind) not in names:
                raise Refused(f"the bound {name} is missing, which assumes what was declared")
        order = [(record["kind"] != "a priori", record["limit"] if record["kind"] == "hindsight" else 0) for record in records]
        if order != sorted(order):
            raise Refused("bounds: what was declared comes first, then hindsight, the smallest limit first")
