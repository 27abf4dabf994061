"""The alarms that need no assumption: has the stream changed?

The exact test freezes hypotheses as the run goes, and judges them on the rounds after (theory/change_alarm.py). The approximate one watches
the run's own mistakes, and allows for runs of them (protocol/detector.py).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from littlestone.protocol.alarm import AlarmedRunner, AlarmReason
from littlestone.protocol.detector import Detector, Rise, autocorrelation
from littlestone.theory.anytime import chance_of
from littlestone.theory.change_alarm import Judge, Sign, frozen_after, next_frozen

BEFORE = 1000  # losses of advice that are looked back at when a hypothesis is frozen
LARGE = 0.9  # where advice is losses, a round is bad whose loss exceeds this part of them
LEARNT = 200  # losses of advice that tell the approximate test which are large
SURELY = 3.0  # standard deviations by which errors must depend on each other for a message to say so


@dataclass
class Frozen:
    """A hypothesis: after how many labelled rounds of the segment it was frozen, and what is known of it since."""

    runner: Any
    after: int
    judge: Judge
    large: float | None  # where advice is losses: a loss above this is a bad one

    def errs(self, block: Any) -> np.ndarray:
        """On which labelled rounds of a block it errs; where advice is losses, on which its loss is large."""
        labelled = block.labels >= 0
        if self.runner.learner.kind != "advice":
            return (self.runner.take(block.silent()) != block.labels)[labelled]
        mix = np.empty(len(block))
        self.runner.take(block.labelled(-1), mix)
        mix = losses_of(self.runner, block, mix)  # without a truth its forecast loses nothing
        self.runner.parts.clear()
        self.runner.served.clear()
        return (mix > self.large if self.large is not None else (mix >= 0.5) != (block.labels == 1))[labelled]


def losses_of(runner: Any, block: Any, scores: np.ndarray) -> np.ndarray:
    """What a rule lost in each round of a block that it has just played with these scores, where advice is losses."""
    rule = runner.learner
    return rule.lost_by(runner.served[-1], block.outcomes, block.scale) if rule.gradient else scores


class DriftGuard(AlarmedRunner):
    """Watches whether the rounds change. On exchangeable rounds there is an alarm with probability at most `delta`, in each segment."""

    def __init__(self, open_segment: Callable[[], Any], delta: Any, mode: str, *, keep: bool = True) -> None:
        self.delta = chance_of(delta)
        super().__init__(open_segment, mode, keep=keep)

    def _begin(self) -> None:
        super()._begin()
        learner = self.watched.learner
        self.losses = np.empty(0) if learner.kind == "advice" and learner.advice == "loss" else None  # the last ones
        self.at_once = self.watched.resumed or self.watched.rows > 0  # was something learned before this segment?
        self.labelled = 0  # rounds of this segment
        self.places: list[np.ndarray] = [np.empty(0, np.int64)]  # their rows in the stream
        self.frozen: list[Frozen] = []
        self._freeze()

    @property
    def watched(self) -> Any:
        """Whose hypotheses are frozen."""
        return self.runner

    def _freeze(self) -> None:
        """Freeze the hypothesis of this moment, where it is time for one."""
        j = frozen_after(self.labelled, at_once=self.at_once)
        if j is None or self.alarm is not None or (self.losses is not None and not len(self.losses)):
            return
        runner = self.watched.copy()
        runner.ledger = runner.marks = None
        large = None if self.losses is None else float(np.quantile(self.losses, LARGE))
        self.frozen = [frozen for frozen in self.frozen if frozen.judge.rounds < frozen.judge.last]
        self.frozen.append(Frozen(runner, self.labelled, Judge(j, self.delta), large))

    def _advance(self, block: Any, scores: np.ndarray | None, updates: np.ndarray | None, made: list[np.ndarray]) -> int:
        """Play until a hypothesis is to be frozen, or the end; or through the round of an alarm. How many rows that is."""
        (rounds,) = np.nonzero(block.labels >= 0)
        due = next_frozen(self.labelled) - self.labelled
        stop = int(rounds[due - 1]) + 1 if due <= len(rounds) else len(block)
        block, rounds = block.cut(0, stop), rounds[:due]
        sign, hypothesis = self._judged(block)
        if sign is not None and hypothesis is not None:
            stop = int(rounds[hypothesis.after + sign.n - self.labelled - 1]) + 1
            block, rounds = block.cut(0, stop), rounds[rounds < stop]
        theirs = [None if array is None else array[:stop] for array in (scores, updates)]
        if self.losses is not None and theirs[0] is None:
            theirs[0] = np.empty(stop)
        predictions = self.runner.take(block, *theirs)
        if self.losses is not None and theirs[0] is not None:
            self.losses = np.concatenate([self.losses, theirs[0][rounds]])[-BEFORE:]
        if self.frozen or self.alarm is None:
            self.places.append(rounds + self.played)
        self.labelled += len(rounds)
        self._note(predictions, made, None if scores is None else theirs[0])
        if sign is not None and hypothesis is not None:
            self._raise(block, stop - 1, self._reason(hypothesis, sign))
            if self.mode == "report":
                self.frozen = []
        else:
            self._freeze()
        return stop

    def _judged(self, block: Any) -> tuple[Sign | None, Frozen | None]:
        """The first sign of a change in these rounds, and the hypothesis that shows it."""
        signs = [(sign, frozen) for frozen in self.frozen if (sign := frozen.judge.add(frozen.errs(block).tolist())) is not None]
        return min(signs, key=lambda pair: pair[1].after + pair[0].n, default=(None, None))

    def _reason(self, frozen: Frozen, sign: Sign) -> AlarmReason:
        """The change in words."""
        places = np.concatenate(self.places)
        since = int(places[frozen.after + sign.change]) + 1
        old = f"round {int(places[frozen.after - 1]) + 1:,}" if frozen.after else "the beginning"
        what = "erred" if frozen.large is None else "lost much"
        reason = (
            f"the hypothesis of {old} {what} in {sign.k:,} of the last {sign.W:,} rounds and in {sign.K - sign.k:,} of the "
            f"{sign.n - sign.W:,} before: the stream has changed, likeliest at round {since:,} "
            f"(where nothing changes, such an alarm has probability {sign.chance:.1g} at most)"
        )
        if (rho := dependence(frozen.judge.errors[: sign.n + 1], sign.change)) is not None:
            reason += (
                f"; its errors come in runs (autocorrelation {rho:.2f}), and this test takes such rounds for a change as well: "
                "--alarm-test drift (alarm_test='drift') allows for runs"
            )
        return AlarmReason(reason, self.runner.mistakes, name="exchangeable", chance=sign.chance, since=since)


def dependence(errors: Sequence[int], change: int) -> float | None:
    """By how much likelier an error is right after an error, where that is no chance; `errors` are those after 0, 1, ... rounds.

    The rates before a change and after it may differ.

    >>> in_turns, in_a_row = [t // 5 for t in range(201)], [min(t, 40) for t in range(201)]
    >>> dependence(in_turns, 0), round(dependence(in_a_row, 0), 2), dependence(in_a_row, 40)
    (None, 0.95, None)
    """
    n, K = len(errors) - 1, errors[-1]
    if K < 2:
        return None
    pairs = sum(1 for t in range(2, n + 1) if errors[t] > errors[t - 1] > errors[t - 2])
    parts = ((errors[change], change), (K - errors[change], n - change))
    rho = autocorrelation(pairs, K, parts)
    return rho if rho * sqrt(n) >= SURELY else None


class RateGuard(AlarmedRunner):
    """Watches whether the run's own mistakes become more frequent, allowing for runs of them. No theorem bounds how often it is wrong."""

    def __init__(self, open_segment: Callable[[], Any], delta: Any, mode: str, *, keep: bool = True) -> None:
        self.delta = chance_of(delta)
        super().__init__(open_segment, mode, keep=keep)

    def _begin(self) -> None:
        super()._begin()
        learner = self.runner.learner
        self.losing = learner.kind == "advice" and learner.advice == "loss"
        self.detector = Detector(float(self.delta))
        self.large: float | None = None  # where advice is losses: a loss above this is a bad one
        self.losses: list[float] = []  # the first ones, which tell that
        self.places: list[np.ndarray] = [np.empty(0, np.int64)]  # rows in the stream of the rounds that are watched

    def _advance(self, block: Any, scores: np.ndarray | None, updates: np.ndarray | None, made: list[np.ndarray]) -> int:
        """Play until the end, or through the round of an alarm; how many rows that is."""
        wanted = scores is not None
        if self.losing and scores is None:
            scores = np.empty(len(block))
        before = None if self.alarm is not None else self.runner.copy()
        predictions = self.runner.take(block, scores, updates)
        rise, rows = (None, np.empty(0, np.int64)) if before is None else self._watch(block, predictions, scores)
        stop = len(block)
        if rise is not None:
            watched = np.concatenate([*self.places, rows + self.played])
            stop = int(watched[rise.n - 1]) - self.played + 1
        if stop < len(block):
            self._go_back(before)
            block = block.cut(0, stop)
            scores, updates = (None if array is None else array[:stop] for array in (scores, updates))
            predictions = self.runner.take(block, scores, updates)
        self.places.append(rows[rows < stop] + self.played)
        self._note(predictions, made, scores if wanted else None)
        if rise is not None:
            self._raise(block, stop - 1, self._reason(rise))
        return stop

    def _watch(self, block: Any, predictions: np.ndarray, scores: np.ndarray | None) -> tuple[Rise | None, np.ndarray]:
        """The first rise of the rate in these rounds, and the rows of those that are watched."""
        (rows,) = np.nonzero(block.labels >= 0)
        if not self.losing or scores is None:
            return self.detector.add((predictions != block.labels)[rows].tolist()), rows
        losses = self._lost(block, scores)[rows]
        first = min(len(rows), LEARNT - len(self.losses))
        self.losses += losses[:first].tolist()
        if self.large is None and len(self.losses) == LEARNT:
            self.large = float(np.quantile(self.losses, LARGE))
        rows, losses = rows[first:], losses[first:]
        return (self.detector.add((losses > self.large).tolist()) if len(rows) else None), rows

    def _lost(self, block: Any, scores: np.ndarray) -> np.ndarray:
        """What was lost in each round of a block that has just been played."""
        return losses_of(self.runner, block, scores)

    def _reason(self, rise: Rise) -> AlarmReason:
        """The rise in words."""
        places = np.concatenate(self.places)
        since = int(places[rise.change]) + 1
        what = "lost much" if self.losing else "erred"
        runs = f"errors come in runs, so that {rise.V:.1f} were taken for one" if rise.V >= 1.05 else "errors hardly come in runs"
        reason = (
            f"it {what} in {rise.k:,} of the last {rise.w:,} rounds and in {rise.K - rise.k:,} of the {rise.n - rise.w:,} before: "
            f"the stream has changed, likeliest at round {since:,} (an approximate test, no theorem: {runs})"
        )
        return AlarmReason(reason, self.runner.mistakes, name="drift", since=since)
