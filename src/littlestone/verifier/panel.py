"""Certificates about panels: two theorems, one after the other, each checked as it would be by itself.

The labels and the rows that each member got wrong are the table of votes; on it the rule's own certificate is checked, and the rule is
replayed, always: its majority must have made the vote's mistakes, which are the panel's where the vote makes the label.  The best member's
certificate speaks of the same stream, and is checked in the same pass over it.  What both say of the panel is derived anew
(`theory.panel.claims_of`) and must be what stands there.  With `replay` the members' definitions are played again too, where there are any
(a member may be the user's own), and, where all of them were, the blends and the forecaster, which learn from their scores: where the label
is the forecast's, that gives the panel's mistakes.
"""

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from littlestone.errors import LittlestoneError, Refused
from littlestone.reference.blend import BLENDS, voices
from littlestone.reference.forecast import forecasters
from littlestone.reference.panel import CLOSE
from littlestone.rounds.digest import Round
from littlestone.theory import families
from littlestone.theory.advised import AdvisedRow
from littlestone.theory.certificate import same
from littlestone.theory.floor import FLOORS
from littlestone.theory.forecast import LABEL_BOUNDS, Forecasts
from littlestone.theory.numbers import float_above
from littlestone.theory.panel import (
    CHAIN,
    FAMILY,
    FORECAST_TIES,
    FORECAST_TIES_ONCE,
    claims_of,
    factor_of,
    heeds_weights,
    in_losses,
    unit_of,
)
from littlestone.verifier.advice import AdviceCase, rule_of
from littlestone.verifier.case import Names, check_derived, check_learner, check_order, check_risk, compare_rows, growing
from littlestone.verifier.look import Look
from littlestone.verifier.panel_replay import PanelReplay
from littlestone.verifier.processes import Processes
from littlestone.verifier.seats import (
    chain_of,
    check_best,
    check_bins,
    check_called,
    check_forecasts,
    check_members,
    label_of,
    left_of_best,
    loss_of,
    nested,
    vote_rows,
)
from littlestone.verifier.stream import FloorCase, StreamCase

LABELS = (False, True, None)


class PanelLook(Look):
    """A look that remembers every weight, and every label that the rule hears: what weighs nothing teaches nothing."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        super().__init__(content, keep_all=False)
        self.codes = bytearray()  # of the labels: places in LABELS
        self.weights = array("f")

    def take(self, row: int, example: Round, when: str) -> None:
        super().take(row, example, when)
        self.codes.append(LABELS.index(example.y if example.c > 0 else None))
        self.weights.append(example.c)

    def note(self, example: Round) -> None:
        """No theorem about a panel speaks of features; the best member's look sees to them."""


class PanelCase:
    """A certificate of a panel, and the looks at the stream that it needs."""

    unsure = ""

    def __init__(
        self,
        content: Mapping[str, Any],
        *,
        replay: bool,
        processes: Processes | None = None,
        progress: Callable[[int, int], None] = lambda done, rounds: None,
    ) -> None:
        self.content = content
        self.unit: Fraction | None = None  # what a loss of 1 stands for, where the rule heeds the weights
        self.scale = 1.0
        part = content["panel"]
        self.members: Sequence[Mapping[str, Any]] = part["members"]
        self.advice = nested(part["advice"], "panel.advice", "advice")
        try:
            self.rule = rule_of(self.advice)
            factor_of(self.rule)
        except LittlestoneError as error:
            raise Refused(f"panel.advice: {error}") from None
        self.heeds = content["stream"]["weighted"] and heeds_weights(self.rule.name, content["learner"]["settings"])
        if (self.rule.advice == "loss") != self.heeds:
            heard = "losses" if self.heeds else "votes"
            raise Refused(f"panel.advice: it is about advice of the kind {self.rule.advice}, and the panel's rule hears {heard}")
        self.calibrate = content["learner"]["settings"].get("calibrate") is True
        self.by_forecast = content["learner"]["settings"].get("label_by") == "forecast"  # is the label the forecast's, and not the vote's?
        self._check_said()
        self.look = PanelLook(content)
        self.floor = FloorCase(content, FAMILY)
        self.best: Any = None
        if part["best"] is not None:
            own = nested(part["best"]["certificate"], "panel.best.certificate", "stream")
            check_best("panel", part["best"]["member"], own, self.members, content["stream"])
            self.best = StreamCase(own, families.family(own["learner"]["name"]).stated(own["learner"]["settings"]), replay=replay)
        self.replay: PanelReplay | None = None
        if replay:
            how = {"forecast": "forecasts" in part, "weigh": self.heeds, "calibrate": self.calibrate}
            best = None if self.best is None else (part["best"]["member"], self.best.be_told())
            counted = lambda done: progress(done, content["stream"]["rows"][1])  # noqa: E731
            self.replay = PanelReplay(self.members, processes or Processes(1), best=best, progress=counted, **how)
        self.aside = self.replay.aside if self.replay is not None else ()

    def take(self, row: int, example: Round, when: str) -> None:
        self.look.take(row, example, when)
        if self.floor.content["bounds"]:
            self.floor.take(row, example, when)
        if self.replay is not None:
            self.replay.take(row, example)
        if self.best is not None:
            self.best.take(row, example, when)

    def end(self) -> None:
        self.look.end()
        if self.floor.content["bounds"]:
            self.floor.end()
        if self.best is not None:
            self.best.end()

    def check(self) -> tuple[Names, Names]:
        """After the look: the names of the bounds that were checked, and of those that rest on what only a replay can check."""
        for member in self.members:
            self._check_rows(member["text"], member["mistakes"])
        self.vote_errors = vote_rows("panel", self.content, self.content["panel"], self._heard(self.look.mistakes))
        if self.by_forecast:
            self._check_rows("panel.vote_mistakes", self.vote_errors)
        case = self._check_advice()
        self._check_mistakes(case)
        if self.replay is not None:
            self.replay.end()
        unchecked: Names = ()
        if self.best is not None:
            k = self.content["panel"]["best"]["member"]
            unchecked = left_of_best("panel", k, self.best, self._heard(self.best.look.mistakes), self.members[k]["mistakes"])
        if self.replay is not None:
            self._check_replay(self.replay)
        forecasts, replayed = self._check_forecasts(len(self.look.codes) - self.look.codes.count(LABELS.index(None)))
        if self.by_forecast and self.replay is not None and self.replay.mixture is not None:
            compare_rows("mistakes", self.content["mistakes"], self.replay.label_wrong, "replaying the forecasts")
        rests_on = self._check_bounds(case, forecasts)
        self.floor.check()
        check_order(self.content["bounds"])
        check_risk(self.content)
        names = [record["name"] for record in self.content["bounds"]]
        left = [name for name in names if (name == CHAIN and rests_on in unchecked) or (name in LABEL_BOUNDS and not replayed)]
        about = [] if forecasts is None else [claim.name for claim in forecasts.bounds]
        names, left = [*names, *about], [*left, *(() if replayed else about)]
        return tuple(name for name in names if name not in left), tuple(left)

    def _check_said(self) -> None:
        """What stands there of the panel: its settings say who its members are, and by which rule they are heard."""
        content, learner, members = self.content, self.content["learner"], self.members
        settings, family = learner["settings"], FAMILY.chosen(learner["settings"])
        expected = {key: getattr(family, key) for key in ("name", "ties", "arithmetic", "updates_on")}
        check_learner(content, expected, {FORECAST_TIES: FORECAST_TIES_ONCE})
        if set(settings) - {"forecast", "weigh", "calibrate", "label_by"} != {"members", "n", "rule", "blend"}:
            raise Refused(
                f"panel has the settings members, n, rule, blend, forecast, weigh, calibrate, label_by; found {', '.join(settings)}"
            )
        forecast = settings.get("forecast", False)
        if type(forecast) is not bool or forecast != ("forecasts" in content["panel"]):
            raise Refused("learner.settings.forecast must say whether there are forecasts")
        if type(settings.get("weigh", not forecast)) is not bool or settings.get("weigh", not forecast) == forecast:
            raise Refused("learner.settings.weigh must be true or false, and stands there where it is not as forecast is")
        if settings.get("calibrate", True) is not True or (self.calibrate and not forecast):
            raise Refused("learner.settings.calibrate must be true, and stands there where forecasts are put right by bins")
        if settings.get("label_by", "forecast") != "forecast" or ("label_by" in settings and not forecast):
            raise Refused("learner.settings.label_by must be 'forecast', and stands there where the label is the forecast's")
        check_members("panel", members, settings["members"])
        if settings["blend"] is all(member["alone"] for member in members):
            raise Refused("learner.settings.blend must say whether there are blends")
        blends = [member for member in members if not member["alone"]]
        known = [*(blend.stated() for blend in BLENDS), {}]  # the mean has no settings
        theirs = [member["settings"] for member in blends]
        if blends and not (tuple(member["name"] for member in blends) == voices(BLENDS) and all(map(same, theirs, known))):
            raise Refused(f"panel.members: the blends must be {', '.join(voices(BLENDS))}, in this order and with their own settings")
        rule = self.advice["learner"]
        heard = {**rule["settings"], **({"advice": "vote"} if self.heeds else {})}
        check_called("learner.settings.rule", settings["rule"], rule["name"], heard)
        n = settings["n"]
        if n is not None and (type(n) is not int or n < 1):
            raise Refused(f"learner.settings.n is {n!r}, which is nothing it can be")
        if content["updates"] is not None:
            raise Refused("updates must be null: a panel updates always")
        if content["stream"]["experts"] is not None:
            raise Refused("stream.experts: a panel has no experts but its members")
        declared = self.heeds or self.advice["assume"] == content["assume"]
        if not declared or self.advice["risk"] is not None:
            raise Refused("panel.advice: it must declare what the panel's certificate does, and say nothing of risk")

    def _heard(self, rows: Sequence[int]) -> list[int]:
        """Those of them whose label the rule hears."""
        return [t for t in rows if self._label(t) is not None]

    def _label(self, row: int) -> bool | None:
        """The label of a row as the rule hears it."""
        return LABELS[self.look.codes[row - self.look.first]]

    def _check_rows(self, whose: str, rows: Sequence[int]) -> None:
        look = self.look
        if not growing(rows, look.last) or (rows and rows[0] < look.first):
            raise Refused(f"{whose}: the rows of its mistakes must be numbers from 1 on that grow, and stand in the stream")
        if untold := [t for t in rows if self._label(t) is None]:
            raise Refused(f"{whose}: row {untold[0]} has no label that weighs anything, and is said to be a mistake")

    def _votes(self) -> Iterator[AdvisedRow]:
        """A vote is the label, but where the member was wrong; where there is no label, 0. Rows that are alike are one object.

        Where the rule heeds weights, the row is what everybody loses: what the round weighs, in units, where the member was wrong.
        """
        wrong = [set(member["mistakes"]) for member in self.members]
        somewhere, nobody = set().union(*wrong), (False,) * len(wrong)
        known: dict[tuple, AdvisedRow] = {}
        for t, code in enumerate(self.look.codes, self.look.first):
            which = tuple([t in rows for rows in wrong]) if t in somewhere else nobody
            weight = self.look.weights[t - self.look.first] if self.heeds and t in somewhere else 0.0
            row = known.get((code, which, weight))
            if row is None:
                y = LABELS[code]
                if self.heeds:  # what is wrong loses its weight
                    row = AdvisedRow(False, [weight / self.scale if astray else 0.0 for astray in which])
                else:
                    row = AdvisedRow(y, [float(y != astray) if y is not None else 0.0 for astray in which])
                known[code, which, weight] = row
            yield row

    def _check_advice(self) -> AdviceCase:
        """The rule's certificate, on these votes, and the rule replayed."""
        n, heard = len(self.members), self._heard(range(self.look.first, self.look.first + len(self.look.codes)))
        if self.heeds:
            self.unit = unit_of(max((self.look.weights[t - self.look.first] for t in heard), default=0.0))
            self.scale = float(self.unit)
            if self.advice["assume"] != in_losses(self.content["assume"], self.unit):
                raise Refused("panel.advice: it must declare what the panel's certificate does, in its units")
        try:
            case = AdviceCase(self.advice, self.rule, n, self._votes(), replay=True)
            case.check()
        except LittlestoneError as error:
            raise Refused(f"panel.advice: {error}") from None
        return case

    def _check_mistakes(self, case: AdviceCase) -> None:
        """The vote's mistakes are those of the rule's majority; within 10⁻⁹ of a tie either is, as the certificate has it."""
        stated = set(self.vote_errors)
        if not self.rule.tossed:
            made = {self.look.first - 1 + t for t in self.advice["mistakes"]}
        else:
            assert case.replayed is not None
            made = set()
            for k, cost in zip(case.table.labelled, case.replayed.costs, strict=True):
                t = self.look.first - 1 + k  # the rule counts its rounds from 1
                if self.heeds:
                    if self._label(t) is None:
                        continue
                    cost *= self.scale / self.look.weights[t - self.look.first]
                if t in stated if abs(cost - 0.5) < CLOSE else cost > 0.5:
                    made.add(t)
        if stated != made:
            row = min(stated ^ made)
            did, says = ("made no", "says so") if row in stated else ("made a", "leaves it out")
            where, who = ("panel.vote_mistakes", "vote") if self.by_forecast else ("mistakes", "panel")
            raise Refused(f"{where}: by the votes of its members the {who} {did} mistake in row {row}, and the certificate {says}")

    def _check_replay(self, replay: PanelReplay) -> None:
        """The rows that the members got wrong are those that stand there."""
        if replay.fault is not None:
            raise Refused(f"replaying the members: {replay.fault}")
        for k, wrong in zip(replay.seats, replay.wrong, strict=True):
            compare_rows(f"panel.members[{k}]", self.members[k]["mistakes"], wrong, f"replaying {self.members[k]['text']}")

    def _check_forecasts(self, T: int) -> tuple[Forecasts | None, bool]:
        """What stands there of its forecasts; were the forecasts made anew?"""
        stated = self.content["panel"].get("forecasts")
        if stated is None:
            return None, True
        alone = [member["text"] for member in self.members if member["alone"]]
        names = forecasters(alone, BLENDS if len(alone) < len(self.members) else (), self.calibrate)
        mixture, bins = (None, None) if self.replay is None else (self.replay.mixture, self.replay.bins)
        forecasts = check_forecasts("panel", stated, names, len(alone), T, mixture, calibrate=self.calibrate)
        if self.calibrate:
            check_bins("panel", stated["bins"], self.look.codes.count(LABELS.index(True)), bins)
        return forecasts, mixture is not None

    def _check_bounds(self, case: AdviceCase, forecasts: Forecasts | None) -> str:
        """Every bound is what follows; the name of the best member's bound that the chain rests on."""
        content, look = self.content, self.look
        weighted = content["stream"]["weighted"]
        observed = float_above(look.weighted_mistakes) if weighted else len(look.mistakes)
        if not same(content["counts"]["observed"], observed):
            raise Refused(f"counts.observed is {content['counts']['observed']}, and the mistakes are {observed}")
        best, rests_on = None, ""
        if self.best is not None:
            k = content["panel"]["best"]["member"]
            best, rests_on = chain_of("panel", k, self.best.content, self._weight(min, self.members[k]["mistakes"]))
        c = self._weight(max, self.vote_errors) if weighted else None
        F = loss_of(content, case, self.unit)
        known: dict[str, Any] = {"F": F, "T": case.T, "c": c, "best": best, "first": look.first, "unit": self.unit}
        errors = self._heard(look.mistakes)
        known["label"] = label_of("panel", content, forecasts, errors, self.vote_errors, lambda row: look.weights[row - look.first])
        claims = claims_of(self.rule, self.advice["bounds"], observed, content["assume"], **known)
        check_derived([record for record in content["bounds"] if record["name"] not in FLOORS], claims, content["version"])
        return rests_on

    def _weight(self, choose: Any, rows: Sequence[int]) -> Fraction:
        """The least or the largest weight of these rounds; 1 where there are none."""
        return Fraction(choose((self.look.weights[t - self.look.first] for t in rows), default=1.0))
