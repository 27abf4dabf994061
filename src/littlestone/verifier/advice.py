"""Certificates about experts: the same checks, on a table of advice.

The table is looked at once, row by row: its digest, its counts, its exact losses.  Facts follow from it and the witness; what a rule lost
is the run's own claim until it is replayed.  A stated loss may lie above the true one by what the rounding of a run can add
(`theory.experts.slip`, which every limit has room for), never below it by more.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import chain, repeat
from os import PathLike
from struct import Struct, pack
from struct import error as StructError
from typing import Any, NamedTuple

from littlestone.errors import LittlestoneError, Refused, require
from littlestone.reference.advice import AdviceReplay
from littlestone.reference.regrets import loss_of
from littlestone.reference.replay import ASKED
from littlestone.rounds.expert_tables import advice_in, reading_of
from littlestone.rounds.sources import two_of
from littlestone.theory import Bound, Claim
from littlestone.theory.advised import Advised, AdvisedRow, ForecastTable
from littlestone.theory.certificate import same
from littlestone.theory.claims import Known, KnownOfExperts, declared_of_experts, refuse_unassumed
from littlestone.theory.delay import Delay
from littlestone.theory.experts import slip
from littlestone.theory.families import RuleFamily, rule_family
from littlestone.theory.numbers import DIGITS, real
from littlestone.verifier.case import (
    MILLIONTH,
    TINY,
    Case,
    Names,
    check_counts,
    check_learner,
    check_needs,
    check_risk,
    compare_fact,
    compare_rows,
    growing,
    written,
)
from littlestone.verifier.schedule import Event, Overlap, Schedule, name_of, refuse_beyond

RUN_FACTS = ("gaps", "F")  # what only the run, or a replay of it, can tell
HEADER = b"littlestone advice 1\n"
FORECASTS = b"littlestone forecasts 1\n"
NAN = float("nan")


class NamedRow(NamedTuple):
    """A round of advice with its name, where truths come by name."""

    y: bool | None
    advice: Sequence[float | None]
    id: str | None = None
    forecast: tuple[list[float | None], float | None] | None = None  # of forecasts, these and what came true


def rows_of_table(X: Any, y: Any, losses: bool, ids: Any = None) -> tuple[int, Iterator[NamedRow]]:
    """The number of experts, and the rows of advice that is there."""
    table = X.tolist() if hasattr(X, "tolist") else X
    require(isinstance(table, list | tuple), f"advice of type {type(X).__name__}: expected a table, rounds × experts")
    rows = [row.tolist() if hasattr(row, "tolist") else row for row in table]
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
    names = repeat(None, len(rows)) if ids is None else map(name_of, ids)
    return n, narrowed(n, zip(truths, rows, names, strict=True))


def narrowed(n: int, rounds: Iterable[tuple[Any, ...]]) -> Iterator[NamedRow]:
    """The rounds, each a truth, the advice of n experts, a name and of forecasts what was told, with numbers of advice as float32."""
    packed = Struct(f"<{n}f")
    for t, (truth, advice, name, *forecast) in enumerate(rounds, 1):
        try:
            numbers = packed.unpack(packed.pack(*[NAN if a is None or a != a else a for a in advice]))
        except (StructError, OverflowError, TypeError):
            raise LittlestoneError(f"round {t}: advice must be numbers, NaN where an expert is asleep") from None
        forecasts = forecasts_of(*forecast[0]) if forecast and forecast[0] is not None else None
        yield NamedRow(None if truth is None else bool(truth), [None if a != a else a for a in numbers], name, forecasts)


def forecasts_of(forecasts: Sequence[float], y: float) -> tuple[list[float | None], float | None]:
    """A round of forecasts: None while asleep, and where what came true is not known."""
    return [None if x != x else float(x) for x in forecasts], None if y != y else float(y)


def rows_of_forecasts(X: Any, y: Any, family: RuleFamily) -> tuple[int, Iterator[NamedRow]]:
    """The number of experts, and the rows of losses that arrays of forecasts and outcomes make."""
    table, outcomes = (part.tolist() if hasattr(part, "tolist") else list(part or ()) for part in (X, y))
    require(len(table) == len(outcomes), f"{len(table)} rounds of forecasts and {len(outcomes)} outcomes")
    loss, q = (family.values or {})["loss"], float((family.values or {})["quantile"] or 0)
    n = len(table[0]) if table else getattr(X, "shape", (0, 0))[1]
    require(all(len(row) == n for row in table), "rows of forecasts must be equally long")
    losses = [[loss_of(loss, q, float(a), float(truth)) for a in row] for row, truth in zip(table, outcomes, strict=True)]
    scale = max((x for row in losses for x in row if x == x), default=0.0) or 1.0
    lines = [(truth == truth, row, lost) for row, truth, lost in zip(table, outcomes, losses, strict=True)]
    cells = ([x / scale if known or a != a else 0.0 for a, x in zip(row, lost, strict=True)] for known, row, lost in lines)
    rounds = zip(lines, cells, zip(table, outcomes, strict=True), strict=True)
    return n, narrowed(n, ((False if known else None, cell, None, pair) for (known, _, _), cell, pair in rounds))


def digest_of_forecasts(rows: Iterable[NamedRow]) -> str:
    """A round is what came true and what each expert said, little-endian doubles; NaN, where there is none, is 7ff8000000000000."""
    sha = hashlib.sha256(FORECASTS)
    for row in rows:
        forecasts, y = row.forecast or ((), None)
        numbers = [NAN if x is None else x + 0.0 for x in (y, *forecasts)]
        sha.update(pack(f"<{len(numbers)}d", *numbers))
    return "sha256:" + sha.hexdigest()


def digest_of(n: int, rows: Iterable[AdvisedRow]) -> str:
    """It begins with a line that names the format, and one with the number of experts.  A round is its truth (1, 0 or ?; 0 where the
    advice is losses) and, for each expert, a little-endian float32; NaN, an expert asleep, is 7fc00000."""
    sha, packed = hashlib.sha256(HEADER + b"%d\n" % n), Struct(f"<{n}f")
    for row in rows:
        advice = packed.pack(*[NAN if a is None else a for a in row.advice])
        sha.update((b"?" if row.y is None else b"1" if row.y else b"0") + advice)
    return "sha256:" + sha.hexdigest()


def asleep(row: NamedRow) -> bool:
    """Does a row have no advice, so that its truth may be that of another?"""
    return all(a is None for a in row.advice)


def rows_of_stream(
    stream: Mapping[str, Any], family: RuleFamily, X: Any, y: Any, format: str | None, ids: Any = None
) -> tuple[int, Iterator[NamedRow]]:
    """The same of whatever X is: a table of experts, read as the certificate says, or the advice itself."""
    require(not isinstance(y, str), f"y={y!r}: expected the truth of each round, or a table that carries its own")
    tabled = isinstance(X, str | PathLike) or hasattr(X, "paths") or hasattr(X, "__arrow_c_stream__")
    losses = family.advice == "loss"
    if "table" not in stream:
        require(not tabled, "the certificate does not say how advice is made of a table: it was made from arrays; expected these")
        if gradient(family):
            return rows_of_forecasts(X, y, family)
        return rows_of_table(X, y, losses, ids)
    reading = reading_of(stream["table"])
    if gradient(family) and (reading.loss, reading.quantile or 0.0) != (family.values["loss"], float(family.values["quantile"] or 0)):  # type: ignore[index]
        raise Refused(f"stream.table has the {reading.loss} loss, and the rule is told the gradients of another")
    if reading.played != family.advice:
        raise Refused(f"stream.table makes {reading.played} of the table, and the rule takes {family.advice}")
    if not tabled:
        return rows_of_table(X, y, losses, ids)
    require(y is None, "the table carries its own truth; y must be left out")
    n = len(reading.experts or ())
    return n, narrowed(n, advice_in(X, reading, format))


def gradient(family: RuleFamily) -> bool:
    """Is the rule told forecasts and what came true?"""
    return (family.values or {}).get("loss") is not None


def rule_of(content: Mapping[str, Any]) -> RuleFamily:
    """The rule that the certificate is about."""
    name, settings = content["learner"]["name"], content["learner"]["settings"]
    try:
        family = rule_family(name, settings)
    except LittlestoneError as error:
        raise Refused(str(error)) from None
    written(family.values or {}, settings)
    return family


class AdviceCase(Case):
    """A certificate beside its table."""

    settings_say = " with these settings"
    family: RuleFamily

    def __init__(
        self,
        content: Mapping[str, Any],
        family: RuleFamily,
        n: int,
        rows: Iterable[Any],
        *,
        replay: bool,
        progress: Callable[[int, int], None] = lambda *_: None,
    ) -> None:
        super().__init__(content, family)
        stream, self.mistakes = content["stream"], content["mistakes"]
        self.rows, self.replay, self.progress = list(rows), replay, progress
        refuse_beyond(stream, len(self.rows))
        self.schedule = Schedule(stream, asleep)
        met = self._met()
        self.digest = digest_of(n, met[: len(met) // stream.get("passes", 1)])
        self.forecasts = self._forecasts() if gradient(family) else None
        self.table = Advised(n, met, self.forecasts)
        self.T = len(self.table.labelled)
        self.replayed: AdviceReplay | None = None
        self.slack = 2 * slip(self.T)  # what the rounding of a run and that of its replay may lie apart

    def _events(self) -> Iterator[Event]:
        return self.schedule.events(chain.from_iterable(repeat(self.rows, self.content["stream"].get("passes", 1))), self.progress)

    def _met(self) -> list[AdvisedRow]:
        """The rounds in the order in which their truths came; and how many updates came between."""
        met, overlap, wrong = [], Overlap(), set(self.mistakes)
        for row, example, when in self._events():
            if when == ASKED:
                overlap.asked(row)
                continue
            overlap.answered(row, when, example.y is not None and (self.family.updates_on == "always" or row in wrong))
            met.append(example if type(example) is AdvisedRow else AdvisedRow(example.y, example.advice))
        if overlap.most or self.says_late():
            self.delayed = Delay(overlap.most, overlap.made)
        return met

    def _forecasts(self) -> ForecastTable:
        """Of a rule that is told gradients: what it is told."""
        stream, values = self.content["stream"], self.family.values or {}
        if any(row.forecast is None for row in self.rows):
            raise Refused("the rule is told forecasts and what came true, and the advice has none")
        if stream.get("forecasts") != digest_of_forecasts(self.rows):
            raise Refused("the forecasts are not those of the certificate (forecasts): other numbers, or another order")
        rows, q = [row.forecast for row in self.rows] * stream.get("passes", 1), values["quantile"] or Fraction(0)
        if "table" in stream:
            scale = reading_of(stream["table"]).scale or 1.0
        else:
            lost = (loss_of(values["loss"], float(q), x, y) for xs, y in rows if y is not None for x in xs if x is not None)
            scale = max(lost, default=0.0) or 1.0
        return ForecastTable(rows, values["loss"], Fraction(q), Fraction(scale))

    def check(self) -> tuple[Names, Names]:
        """The names of the bounds whose facts were measured anew, and of those that only a replay can check."""
        family = self.family
        theorems = [bound for bound in family.bounds.values() if bound.kind == "a priori" and bound.assumes == self.kind]
        try:
            refuse_unassumed(Known(family.name, list(family.bounds.values())), self.kind)
            for bound in theorems:
                declared_of_experts(family.name, bound, self.declared, KnownOfExperts.needed)
        except LittlestoneError as error:
            raise Refused(str(error)) from None
        self._check_whole()
        try:
            return self._check_played()
        except Refused as error:
            if self.replayed is None or not family.run_facts:
                raise
            refused = error
        try:  # as rules by regret were played before: rounding could carry a mean beyond those that have weight
            return self._check_played(confined=False)
        except Refused:
            raise refused from None

    def _check_played(self, confined: bool = True) -> tuple[Names, Names]:
        """What the rule made of the table, played again where that is wanted; then its bounds."""
        content, family = self.content, self.family
        if self.replay:
            self._replay(confined)
        if content["risk"] is not None and family.advice == "loss":
            raise Refused("risk: it is about mistakes, and of losses there are none")
        if self.schedule.late and not content["bounds"]:  # truths came late, and no theorem is left
            check_risk(content)
            return (), ()
        return self.check_bounds()

    def check_complete(self) -> None:
        super().check_complete()
        names = [(record["name"], record["kind"]) for record in self.content["bounds"]]
        if not self.family.sleeps and len(set(names)) != len(names):
            raise Refused("a bound stands twice")

    def _check_whole(self) -> None:
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
        for t, (_, advice) in enumerate(table.rows, 1):
            if any(a is not None and (a not in (0, 1) if votes else not 0 <= a <= 1) for a in advice):
                raise Refused(f"row {t}: the advice is no {family.advice}, and the certificate says so")
        if family.ties is not None:
            check_learner(content, {"ties": family.ties, "arithmetic": family.arithmetic, "updates_on": family.updates_on})
        if content["updates"] != (None if family.updates_on == "always" else []):
            raise Refused("updates must be null where the rule updates always, else empty: it updates on mistakes alone")
        self._check_counts()

    def _check_counts(self) -> None:
        rows, wrong = self.table.rows, self.mistakes
        if not growing(wrong, len(rows)):
            raise Refused("mistakes: the rows must be numbers from 1 on that grow, and stand in the table")
        if untold := [t for t in wrong if rows[t - 1].y is None]:
            raise Refused(f"row {untold[0]} has no truth, and is said to be a mistake")
        if wrong and self.family.advice == "loss":
            raise Refused("mistakes: of losses there are none")
        missed = sum(bool(rows[t - 1].y) for t in wrong)
        expected = {
            "rounds": self.T, "positives": sum(bool(row.y) for row in rows), "mistakes": len(wrong),
            "false_positives": len(wrong) - missed, "false_negatives": missed,
        }  # fmt: skip
        check_counts(self.content["counts"], expected, "advice")
        observed = self.content["counts"]["observed"]
        whole = isinstance(observed, int) if self.family.ties is None else self.family.whole
        self._check_count("counts", "mistakes" if whole else "loss", observed, wrong)

    def _check_count(self, where: str, what: str, stated: Any, wrong: list[int]) -> None:
        """Mistakes are counted; a loss is a number between 0 and one a round."""
        if what == "mistakes":
            if type(stated) is not int or stated != len(wrong):
                raise Refused(f"{where}: observed is {stated}, and the mistakes are {len(wrong)}")
        elif type(stated) is not float or not 0 <= stated <= self.T + self.slack:
            raise Refused(f"{where}: observed is {stated!r}; expected a loss between 0 and one a round")

    def _replay(self, confined: bool) -> None:
        """Play the rule's definition again: its mistakes, and its loss."""
        self.schedule = Schedule(self.content["stream"], asleep)
        named = "order" in self.content["stream"]
        late, wrong = self.schedule.late, set(self.mistakes)
        self.replayed = AdviceReplay(self.family, wrong, late=late, named=named, forecasts=self.forecasts, confined=confined)
        for row, example, when in self._events():
            self.replayed.take(
                row, example.advice if self.forecasts is None or example.forecast is None else example.forecast, example.y, when
            )
        self.replayed.end()
        compare_rows("mistakes", self.mistakes, self.replayed.mistakes, f"replaying {self.family.name}")
        if not self.family.whole:
            self.compare_loss("counts.observed", self.content["counts"]["observed"], self.replayed.loss)

    def compare_loss(self, where: str, stated: Any, true: float) -> None:
        """Not below the replayed one by more than rounding, nor above it by more than that and a millionth."""
        with localcontext(DIGITS):
            slack = self.slack / 2
            if not real(true) <= real(stated) + slack <= real(true) * MILLIONTH + 4 * slack + TINY:
                raise Refused(f"{where} is {float(stated):.12g}, and replaying {self.family.name} gives {true:.12g}")

    def check_witness(self, bound: Bound, record: Mapping[str, Any], witness: Any) -> None:
        wanted = bound.witness if bound.kind == "hindsight" and bound.witness not in ("", "run") else None
        kind = None if witness is None else getattr(witness, "kind", "of another sort")
        if kind != wanted:
            raise Refused(f"its witness is {kind or 'nothing'}; expected {wanted or 'nothing'}")

    def truth(self, bound: Bound, witness: Any) -> dict[str, Any]:
        truth = self.family.measured(bound, self.table, self.mistakes, witness)
        self.shares = shares_of(witness, self.table.n)
        if bound.kind == "a priori":
            declared = {key: int(value) if value.denominator == 1 else value for key, value in self.declared.items()}
            return {"S": 0, **truth, **declared}
        if self.table.first_asleep and not self.family.sleeps and bound.witness not in ("", "run") and "Z" not in bound.needs:
            raise Refused(f"an expert slept in row {self.table.first_asleep[0]}, and this theorem is about experts always awake")
        return truth

    def contradiction(self, bound: Bound, claimed: Mapping[str, Any]) -> Mapping[str, Any] | None:
        return self.table.contradiction(self.declared)

    def met(self, bound: Bound, claimed: Mapping[str, Any]) -> bool:
        return True  # what each expert, and each sequence of them, lost is known

    def check_facts(self, bound: Bound, claimed: Mapping[str, Any], truth: Mapping[str, Any]) -> bool:
        check_needs(bound, claimed)
        declared = self.declared if bound.kind == "a priori" else {}
        known = True
        for key, stated in claimed.items():
            if isinstance(stated, Mapping | str | bool) or (stated is not None and not real(stated).is_finite()):
                raise Refused(f"{bound.name}: {key} is {stated!r}, which is no number")
            if key == "delta":
                if stated is None or not 0 < stated < 1 or not isinstance(stated, Fraction):
                    raise Refused(f"{bound.name}: delta is {stated}; expected a probability")
            elif key in RUN_FACTS or key in self.family.run_facts:
                known = self.replayed is not None
                if stated is None or stated < 0:
                    raise Refused(f"{bound.name}: {key} is {stated}; expected a number from 0 on")
                if self.replayed is not None:
                    self.compare_loss(f"{bound.name}: {key}", stated, self.replayed.fact(key, self.shares))
                elif key == "F" and not self.family.whole and stated > Decimal(self.content["counts"]["observed"] * (1 + 1e-6) + 1e-9):
                    raise Refused(f"{bound.name}: F is more than the rule is said to have lost")
            elif key not in truth:
                raise Refused(f"{bound.name}: {key} cannot be measured on this advice")
            else:
                compare_fact(bound, key, stated, truth[key], key not in ("m", "kl") or key in declared, self.T)
        return known

    def favourable(self, bound: Bound, witness: Any, claim: Claim, truth: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Return the loss and the facts of the run as the replay has them, the facts with what rounding may have taken from them."""
        assert self.replayed is not None
        facts = dict(claim.facts)
        with localcontext(DIGITS):
            for key in {*RUN_FACTS, *self.family.run_facts} & set(facts):
                true = real(self.replayed.fact(key, self.shares))
                falls = key in bound.falling
                facts[key] = min(real(facts[key]), true - self.slack) if falls else max(real(facts[key]), true + self.slack)
        return claim.observed if isinstance(claim.observed, int) else min(claim.observed, self._lost(bound, witness)), facts

    def _lost(self, bound: Bound, witness: Any) -> float:
        """Return what the replay lost of what a bound counts: in all rounds, in those of its witness, or by the experts drawn."""
        assert self.replayed is not None
        if witness is not None and self.family.own_rounds(bound):
            row_of = dict(zip(self.table.labelled, self.replayed.costs, strict=True))
            return sum(row_of[t] for t in self.table.awake(witness.expert, self.table.labelled))
        return self.replayed.chosen if self.family.observes(bound) == "chosen" else self.replayed.loss

    def check_observed(self, record: Mapping[str, Any], bound: Bound, witness: Any) -> None:
        name, family, stated = bound.name, self.family, record["observed"]
        what, table = family.observes(bound), self.table
        own = witness is not None and family.own_rounds(bound)
        wrong = table.awake(witness.expert, self.mistakes) if own else self.mistakes
        self._check_count(name, what, stated, wrong)
        if what == "mistakes":
            return
        if what == "chosen":
            others = {record["observed"] for record in self.content["bounds"] if self._counts(record) == "chosen"}
            if len(others) > 1:
                raise Refused(f"{name}: bounds on one draw speak of one draw")
        elif not own and stated != self.content["counts"]["observed"]:
            raise Refused(f"{name}: observed is {stated}, and counts.observed {self.content['counts']['observed']}")
        elif own and stated > self.content["counts"]["observed"] + float(self.slack):
            raise Refused(f"{name}: observed is {stated}, more than in all rounds together")
        if self.replayed is None:
            return
        self.compare_loss(f"{name}: observed", stated, self._lost(bound, witness))

    def _counts(self, record: Mapping[str, Any]) -> str:
        bound = self.family.bounds.get((record["name"], record["kind"]))
        return "" if bound is None else self.family.observes(bound)


def shares_of(witness: Any, n: int) -> list[Fraction]:
    """The share that each expert has in a witness."""
    if hasattr(witness, "weights"):
        return [Fraction(w, 1 << witness.exponent) for w in witness.weights]
    return [Fraction(int(i == getattr(witness, "expert", None))) for i in range(n)]


class UnknownAdvice(AdviceCase):
    """A certificate of a rule whose theorems are not known here: held against the table, and no further."""

    def check(self) -> tuple[Names, Names]:
        self._check_whole()
        check_risk(self.content)
        return (), tuple(record["name"] for record in self.content["bounds"])
