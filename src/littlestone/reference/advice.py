"""Replaying a rule over advice: its definition by name and settings, its mistakes, its loss, and what only a run can tell."""

import sys
from array import array
from collections.abc import Container, Sequence
from fractions import Fraction
from functools import partial
from math import fsum
from typing import Any

from littlestone.reference.calls import called
from littlestone.reference.experts import Notes, coin, drawn
from littlestone.reference.regrets import loss_of
from littlestone.reference.replay import ASKED, AT_ONCE, TOLD, definition, played
from littlestone.reference.student import Student
from littlestone.theory.advised import ForecastTable
from littlestone.theory.families import RuleFamily
from littlestone.theory.regrets import UNITS, mean

GOLDEN = 0x9E3779B97F4A7C15
HALF = 0.5
CLOSE = 1e-9  # two ways to add up doubles may fall on either side of what is nearer than this


class Decision:
    """What was predicted in the round at hand, for a definition that learns from mistakes."""

    yhat = False

    def __call__(self, share: Any) -> bool:
        return self.yhat


class AdviceReplay:
    """A rule played again as its rounds come, and their truths.

    Where a prediction hangs on less than the rounding of doubles, either is the rule's; then it is taken as the certificate has it
    (`stated`, its rows of mistakes).  Weighted votes are exact, and leaders are found by the same sums: there nothing hangs.
    """

    def __init__(
        self,
        family: RuleFamily,
        stated: Container[int],
        *,
        late: bool = False,
        named: bool = False,
        forecasts: ForecastTable | None = None,
        confined: bool = True,
    ) -> None:
        self.forecasts = forecasts  # of a rule that is told these: a round is then (forecasts, what came true)
        self.family, self.settings, self.stated, self.named = family, family.values or {}, stated, named
        self.decide, self.notes = Decision(), Notes(confined=confined)
        self.rule = Student(partial(played, family), decide=self.decide, notes=self.notes)
        average = getattr(sys.modules[definition(family).__module__], "expected", None)  # over a coin that is tossed once, at the start
        self.average = None if average is None or late else Student(lambda rounds, **_: called(average, rounds, **self.settings))
        self.exact = family.arithmetic == "filtered" or (family.leads and not family.bandit)
        self.second = (self.settings.get("seed", 0) + 1) * GOLDEN % 2**63
        self.tossed = 0  # coins so far: one for each round that will be learned from
        self.waiting: dict[int, tuple[bool, bool, float, int | None]] = {}  # of rounds whose truths have not come: what was served
        self.mistakes: list[int] = []
        self.costs = array("d")  # |mean - truth| of each round with a truth; of a perturbed leader in expectation over its coin
        self.chosen = 0.0  # what the experts drawn lost

    @property
    def loss(self) -> float:
        return fsum(self.costs)

    def fact(self, name: str, shares: Sequence[Fraction]) -> float:
        """What only a replay can tell, for a comparator in which each expert has such a share."""
        if name in ("gaps", "F"):
            return self.notes.gaps if name == "gaps" else self.loss
        if name.startswith("gaps_"):
            return self.notes.more.get(name, 0.0)
        scale = 1 if self.forecasts is None else self.forecasts.scale ** UNITS[name]
        return float(Fraction(mean(self.notes.facts()[name], shares)) / scale)

    def _foretell(self, row: int, forecast: tuple[Sequence[float | None], float | None], y: bool | None) -> None:
        """A round of forecasts, whose truth comes with it: charged is what the rule's own forecast loses."""
        assert self.forecasts is not None
        own = self.rule.play(forecast[0], None if y is None else forecast[1])
        lost = 0.0
        if own is not None and y is not None:
            lost = min(1.0, loss_of(self.forecasts.loss, float(self.forecasts.quantile), own, forecast[1]) / float(self.forecasts.scale))  # type: ignore[arg-type]
        self._count(row, y, False, False, lost)

    def take(self, row: int, advice: Any, y: bool | None, when: str = AT_ONCE) -> None:
        """A round that is predicted, or learned from, or both."""
        if self.forecasts is not None:
            self._foretell(row, advice, y)
            return
        if when == TOLD:
            yhat, close, mean, expert = self.waiting.pop(row)
            self._count(row, y, yhat, close, mean)
            self._pay(advice, y, expert)
            if y is not None:  # the rule learns as if the round came now
                self.decide.yhat = self.rule.play(advice, int(y)) >= HALF
            return
        truth = None if y is None or when == ASKED else int(y)
        share = self.rule.play(advice, truth)
        mean = float(share if self.average is None else self.average.play(advice, truth))
        expert = self._drawn(advice)
        yhat, close = self._decided(advice, share, expert)
        self.tossed += y is not None or (self.named and when == ASKED)
        if when == ASKED:
            self.waiting[row] = (yhat, close, mean, expert)
            return
        self.decide.yhat = self._count(row, y, yhat, close, mean)
        self._pay(advice, y, expert)

    def _pay(self, advice: Sequence[float | None], y: bool | None, expert: int | None) -> None:
        """Add what the expert that was drawn has lost."""
        if y is not None and expert is not None:
            self.chosen += abs(float(advice[expert]) - y)  # type: ignore[arg-type]

    def end(self) -> None:
        """No more rounds: the last one is learned."""
        self.rule.close()

    def _drawn(self, advice: Sequence[float | None]) -> int | None:
        """The expert that is drawn, where one is."""
        draws = self.family.bandit or (self.family.advice == "loss" and self.notes.weights)
        return drawn(self.notes.weights, advice, coin(self.settings["seed"], self.tossed)) if draws else None

    def _decided(self, advice: Sequence[float | None], share: Any, expert: int | None) -> tuple[bool, bool]:
        """The prediction, and whether it hangs on rounding."""
        if self.family.advice == "loss":
            return False, False
        chance: Any = share if not self.family.bandit else 0.5 if expert is None else advice[expert]
        against = coin(self.second, self.tossed) if self.family.tossed else HALF
        close = not self.exact and abs(float(chance) - against) < CLOSE
        return against < chance if self.family.tossed else chance >= against, close

    def _count(self, row: int, y: bool | None, yhat: bool, close: bool, mean: float) -> bool:
        """Hold a prediction against its truth; the prediction."""
        if y is None:
            return yhat
        if close:
            yhat = y != (row in self.stated)
        self.costs.append(abs(mean - y))
        if self.family.advice != "loss" and yhat != y:
            self.mistakes.append(row)
        return yhat
