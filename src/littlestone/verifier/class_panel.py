"""Certificates about panels of several classes: the rule's theorem about who erred, and the best member's about the stream.

The rows that each member got wrong are the table of losses; on it the rule's own certificate is checked, and the rule is replayed, always:
where the vote erred, at least half of the weight must have.  The certificate of a member with a theorem about several classes speaks of
the same stream, and is checked in the same pass over it.  What both say is derived anew (`theory.panel.claims_of`).  With `replay`
members, blends and rule are played again by their definitions: the rows that each got wrong, and the class predicted at every mistake.
"""

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from littlestone.errors import LittlestoneError, Refused
from littlestone.reference.class_blend import CLASS_BLENDS
from littlestone.reference.class_discriminant import LOGS, NAME
from littlestone.reference.class_forecast import FORECASTERS
from littlestone.reference.class_panel import PlainTable
from littlestone.reference.panel import CLOSE, family_of
from littlestone.reference.replay import AT_ONCE
from littlestone.rounds.digest import Round
from littlestone.theory import class_panel, families
from littlestone.theory.advised import AdvisedRow
from littlestone.theory.certificate import exactly, same
from littlestone.theory.families import Family
from littlestone.theory.forecast import LABEL_BOUNDS, Forecasts
from littlestone.theory.panel import CHAIN, claims_of, heeds_weights, in_losses, unit_of
from littlestone.verifier.advice import AdviceCase
from littlestone.verifier.case import Names, check_derived, check_learner, check_risk, compare_rows, growing
from littlestone.verifier.classes import ClassesCase, ClassReplay
from littlestone.verifier.seats import (
    chain_of,
    check_best,
    check_forecasts,
    check_members,
    label_of,
    left_of_best,
    loss_of,
    nested,
    vote_rows,
)

PLACE = "classes.panel"


class ClassPanelReplay(ClassReplay):
    """The panel played again by its definition; of each voter the rows that it got wrong.

    Where a vote of a blend hangs on rounding, it is taken as the certificate has it.
    """

    def __init__(
        self,
        family: Family,
        members: Sequence[Mapping[str, Any]],
        vote_mistakes: Sequence[int],
        predicted: Mapping[int, int],
        first: int,
        classes: int,
    ) -> None:
        super().__init__(family, predicted, first, late=False)
        values = family.values or {}
        seated = [family_of(text, values["n"]) for text in values["members"].split()]
        how = {name: bool(values.get(name)) for name in ("blend", "discriminant", "logs", "weigh")}
        self.by_forecast = values.get("label_by") == "forecast"
        self.table = PlainTable(seated, **how, classes=classes)
        self.errors = [frozenset(member["mistakes"]) for member in members]
        self.wrong = [array("q") for _ in members]
        self.vote_stated, self.vote_wrong = frozenset(vote_mistakes), array("q")  # of the vote, where the label is the forecast's

    def take(self, row: int, x: Mapping, y: Any, weight: float, when: str = AT_ONCE) -> None:
        if self.fault is not None:
            return
        try:
            table, winner = self.table, self.table.play(x, y, weight)
            if self.by_forecast:
                self.count(row, y, table.likeliest, False)
            else:
                self.count(row, y, winner, table.close)
            if y is not None and weight > 0:
                if row in self.vote_stated if table.close else winner != y:
                    self.vote_wrong.append(row)
                for k, (vote, near) in enumerate(zip(self.table.votes, self.table.near, strict=True)):
                    if row in self.errors[k] if near else vote != y:
                        self.wrong[k].append(row)
            self.table.learn(y, weight)
        except LittlestoneError as error:
            self.fault = error


class ClassPanelCase(ClassesCase):
    """A certificate of a panel of several classes whose labels came at once."""

    def __init__(self, content: Mapping[str, Any], family: Family, member_case: Callable[..., Any], *, replay: bool) -> None:
        if "panel" not in content["classes"]:
            raise Refused(f"{PLACE}: a panel has members, and a certificate of one names them")
        self.panel = content["classes"]["panel"]
        self.voters: Sequence[Mapping[str, Any]] = self.panel["members"]
        self.weights = array("f")
        self.heeds = content["stream"]["weighted"] and heeds_weights(class_panel.RULE, family.values or {})
        self.unit: Fraction | None = None  # what a loss of 1 stands for, where the rule heeds the weights
        self.rule = class_panel.rule_of(max(1, len(self.voters)), "loss" if self.heeds else "vote")
        super().__init__(content, family, member_case, replay=replay)
        self._check_named()
        self.advice = nested(self.panel["advice"], f"{PLACE}.advice", "advice")
        if self.advice["risk"] is not None:
            raise Refused(f"{PLACE}.advice: it must say nothing of risk")
        self.best: ClassesCase | None = None
        if self.panel["best"] is not None:
            own = nested(self.panel["best"]["certificate"], f"{PLACE}.best.certificate", "classes")
            check_best(PLACE, self.panel["best"]["member"], own, self.voters, content["stream"])
            if own["learner"]["name"] != class_panel.ALONE:
                raise Refused(f"{PLACE}.best.certificate: of the members only {class_panel.ALONE} has a theorem about several classes")
            stated = families.family(own["learner"]["name"]).stated(own["learner"]["settings"])
            self.best = ClassesCase(own, stated, member_case, replay=replay)

    def _replay(self) -> ClassReplay | None:
        votes, labels = self.panel.get("vote_mistakes", ()), self.content["stream"]["labels"]
        return ClassPanelReplay(self.family, self.voters, votes, self.predicted, self.first, len(labels))

    def take(self, row: int, example: Round, when: str) -> None:
        super().take(row, example, when)
        self.weights.append(example.c)
        if self.best is not None:
            self.best.take(row, example, when)

    def end(self) -> None:
        super().end()
        if self.best is not None:
            self.best.end()

    def _check_named(self) -> None:
        """Its settings say who its members are."""
        settings = self.family.values or {}
        check_members(PLACE, self.voters, settings["members"])
        blends = [[voter["text"], voter["name"], voter["settings"]] for voter in self.voters if not voter["alone"]]
        known: list[list] = [[blend.name, blend.name, blend.stated()] for blend in CLASS_BLENDS] if settings["blend"] else []
        known += [[name, name, {}] for name, sits in ((NAME, "discriminant"), (LOGS, "logs")) if settings.get(sits)]
        if not same(blends, known):
            raise Refused(f"{PLACE}.members: blends and discriminant must be those of a panel, in their order and with their own settings")

    def _check_own(self) -> tuple[Names, Names]:
        content, family = self.content, self.family
        expected = {"ties": family.ties, "arithmetic": family.arithmetic, "updates_on": family.updates_on}
        check_learner(content, expected, {class_panel.FORECAST_TIES: class_panel.FORECAST_TIES_ONCE})
        for voter in self.voters:
            rows = voter["mistakes"]
            self._check_rows(voter["text"], rows)
        errors = [row for row in content["mistakes"] if self._heard(row)]
        self.vote_errors = vote_rows(PLACE, content, self.panel, errors)
        self._check_rows(f"{PLACE}.vote_mistakes", self.vote_errors)
        case = self._check_advice()
        unchecked: Names = ()
        if self.best is not None:
            k, made = self.panel["best"]["member"], [row for row in self.best.content["mistakes"] if self._heard(row)]
            unchecked = left_of_best(PLACE, k, self.best, made, self.voters[k]["mistakes"])
        if isinstance(self.replay, ClassPanelReplay):
            for k, wrong in enumerate(self.replay.wrong):
                name = self.voters[k]["text"]
                compare_rows(f"{PLACE}.members[{k}]", self.voters[k]["mistakes"], wrong, f"replaying {name}")
            if self.replay.by_forecast:
                compare_rows(f"{PLACE}.vote_mistakes", self.vote_errors, self.replay.vote_wrong, "replaying the votes")
        forecasts = self._check_forecasts(len(self._told()))
        rest = self._check_bounds_of_panel(case, forecasts, errors)
        check_risk(content)
        names = [record["name"] for record in content["bounds"]]
        about = [] if forecasts is None else [claim.name for claim in forecasts.bounds]
        open_ones = [name for name in names if (name == CHAIN and rest in unchecked) or (name in LABEL_BOUNDS and self.replay is None)]
        open_ones += about if self.replay is None else []
        return tuple(name for name in (*names, *about) if name not in open_ones), tuple(open_ones)

    def _check_rows(self, whose: str, rows: Sequence[int]) -> None:
        if not growing(rows, self.last) or any(row < self.first or not self._heard(row) for row in rows):
            raise Refused(f"{whose}: the rows of its mistakes must grow, and have labels that weigh something")

    def _heard(self, row: int) -> bool:
        """Has the row a label that weighs anything?"""
        return self.codes[row - self.first] >= 0 and self.weights[row - self.first] > 0

    def _told(self) -> list[int]:
        """The rows that are heard."""
        return list(filter(self._heard, range(self.first, self.first + len(self.codes))))

    def _losses(self) -> Iterator[AdvisedRow]:
        """A vote of 1 says that a voter erred, and the truth is 0: what is not wrong loses nothing; what is loses its weight, where the
        rule heeds that."""
        wrong = [set(voter["mistakes"]) for voter in self.voters]
        for row in range(self.first, self.first + len(self.codes)):
            cost = 1.0 if self.unit is None else self.weights[row - self.first] / float(self.unit)
            yield AdvisedRow(False if self.heeds or self._heard(row) else None, [cost if row in rows else 0.0 for rows in wrong])

    def _check_advice(self) -> AdviceCase:
        """The rule's certificate on who erred, and the rule replayed; where the panel erred at least half of the weight did."""
        if self.heeds:
            self.unit = unit_of(max((self.weights[row - self.first] for row in self._told()), default=0.0))
        declared = self.content["assume"] if self.unit is None else in_losses(self.content["assume"], self.unit)
        if self.advice["assume"] != declared:
            raise Refused(f"{PLACE}.advice: it must declare what the panel's certificate does, in its units")
        try:
            if self.advice["learner"]["name"] != self.rule.name or not same(self.advice["learner"]["settings"], exactly(self.rule.values)):
                raise Refused(f"it is about another rule than {self.rule.name} over {len(self.voters)} voters")
            case = AdviceCase(self.advice, self.rule, len(self.voters), self._losses(), replay=True)
            case.check()
        except LittlestoneError as error:
            raise Refused(f"{PLACE}.advice: {error}") from None
        assert case.replayed is not None
        mistakes = set(self.vote_errors)
        for k, cost in zip(case.table.labelled, case.replayed.costs, strict=True):
            row = self.first - 1 + k  # the rule counts its rounds from 1
            if row not in mistakes or not self._heard(row):
                continue
            if self.unit is not None:
                cost *= float(self.unit) / self.weights[row - self.first]
            if cost < 0.5 - CLOSE:
                where, who = ("mistakes", "panel") if "vote_mistakes" not in self.panel else (f"{PLACE}.vote_mistakes", "vote")
                raise Refused(f"{where}: in row {row} less than half of the weight erred, and the {who} is said to have")
        return case

    def _check_bounds_of_panel(self, case: AdviceCase, forecasts: Forecasts | None, errors: Sequence[int]) -> str:
        """Every bound is what follows; the name of the best member's bound that the chain rests on."""
        content, best, rest = self.content, None, ""
        if self.best is not None:
            k = self.panel["best"]["member"]
            best, rest = chain_of(PLACE, k, self.best.content, self._weight(min, self.voters[k]["mistakes"]))
        c = self._weight(max, self.vote_errors) if content["stream"]["weighted"] else None
        known: dict[str, Any] = {"T": case.T, "c": c, "best": best, "first": self.first, "unit": self.unit}
        known["label"] = label_of(PLACE, content, forecasts, errors, self.vote_errors, lambda row: self.weights[row - self.first])
        F, records = loss_of(content, case, self.unit), self.advice["bounds"]
        claims = claims_of(self.rule, records, self.observed, content["assume"], F=F, **known)
        check_derived(content["bounds"], claims, content["version"])
        return rest

    def _check_forecasts(self, T: int) -> Forecasts | None:
        """What stands there of its forecasts."""
        stated = self.panel.get("forecasts")
        if (stated is not None) != (self.family.values or {})["blend"]:
            raise Refused(f"{PLACE}.forecasts: a panel forecasts where it has blends, and only there")
        if stated is None:
            return None
        forecaster = self.replay.table.forecaster if isinstance(self.replay, ClassPanelReplay) else None
        return check_forecasts(PLACE, stated, FORECASTERS, 1, T, forecaster)

    def _weight(self, choose: Any, rows: Sequence[int]) -> Fraction:
        """The least or the largest weight of these rounds; 1 where there are none."""
        return Fraction(choose((self.weights[row - self.first] for row in rows), default=1.0))
