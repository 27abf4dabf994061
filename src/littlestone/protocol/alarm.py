"""The alarm: the first round that proves a declared assumption false.

A theorem bounds the mistakes on every stream that meets its assumption, and a stream that meets it does so on every prefix. So the first
round at which the mistakes exceed the bound, evaluated with what the rounds so far have shown, is a proof: no later round can take it
back, and where the assumption holds there is none. Three more things contradict an assumption: a row larger than was declared, a mistake of
a kind that the learner never makes under it (`Learner.never`), and a round that leaves a learner nothing to go on with (`Contradiction`).

The round does not depend on how rounds are cut into blocks. Facts only grow (the largest row, the features met, what rounding may have
done), and a bound grows with them: where the mistakes at the end of a block are within the bound at its beginning, no round of it can raise
an alarm. Otherwise the block is played again from a copy, half by half, down to the one round that needs a fresh look.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from littlestone.errors import Contradiction, LittlestoneError, require
from littlestone.protocol.allowance import Allowance, Limit
from littlestone.protocol.around import RunnerAround
from littlestone.protocol.block import Block
from littlestone.protocol.expert_allowance import ExpertAllowance
from littlestone.protocol.recent import Recent, WithRecent
from littlestone.protocol.run_claims import RoundCounts, WithRisk
from littlestone.theory import Claim

MODES = ("stop", "report", "restart")
TESTS = ("exchangeable", "drift")  # of whether the stream changes
FALSE = "the assumption is false on the rounds so far"


@dataclass(frozen=True)
class Alarm:
    """A proof that the declared assumption is false on the rounds from the segment's first to this one; or that they changed."""

    row: int  # of the stream, counted from 0
    where: str  # the same as messages have it: the round counted from 1, or the line of a file
    mistakes: int | float  # of the segment (or of a member), this round included unless it was refused
    limit: int | float | None  # what the theorem allows; None where it says nothing
    reason: str
    bound: str = ""
    refused: bool = False  # the learner could not take the round: it is predicted, and neither counted nor learned
    chance: float | None = None  # of an alarm as strong as this one on a stream that does not change, where a theorem bounds it
    since: int | None = None  # the round, counted from 1, with which the change is likeliest to have come

    @property
    def round(self) -> int:
        """Counted from 1."""
        return self.row + 1

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}"

    def as_json(self) -> dict[str, Any]:
        proof = {
            "round": self.round,
            "where": self.where,
            "mistakes": self.mistakes,
            "limit": self.limit,
            "reason": self.reason,
            "bound": self.bound,
            "refused": self.refused,
        }
        return proof if self.since is None else proof | {"chance": self.chance, "since": self.since}


class AlarmReason(NamedTuple):
    """What contradicts the assumption."""

    reason: str
    count: Any
    most: int | float | None = None
    name: str = ""
    refused: bool = False
    chance: float | None = None
    since: int | None = None


@dataclass(frozen=True, eq=False, repr=False)
class SegmentedRun(WithRisk, WithRecent):
    """What a run that began anew after each alarm leaves: one run a segment. The last one's state is the state."""

    learner: Any
    segments: tuple[Any, ...]
    predictions: Any  # of all rounds, refused ones included; None when they were not kept
    seconds: float = 0.0
    make_model: Callable[..., Any] | None = None
    passes: int = 1
    recent: Recent | None = None

    def __repr__(self) -> str:
        return f"<{self.learner!r}: {self.mistakes:,} mistakes in {self.rounds:,} rounds, {len(self.segments)} segments>"

    @property
    def read_by(self) -> Any:
        """What was said of how its rows are read; None where that is not known."""
        return self.segments[-1].read_by

    def with_reading(self, read_by: Any) -> Any:
        """Return the run, whose parts know how their rows were read."""
        return replace(self, segments=tuple(replace(run, read_by=read_by) for run in self.segments))

    @property
    def rounds(self) -> int:
        return sum(run.rounds for run in self.segments)

    @property
    def mistakes(self) -> int:
        return sum(run.mistakes for run in self.segments)

    @property
    def refused(self) -> int:
        """Labelled rounds that the learner could not take. They are in no segment, and none of its predictions was right there."""
        return sum(alarm.refused for alarm in self.alarms)

    @property
    def part(self) -> RoundCounts:
        """A refused round is a mistake: its label was none that the hypothesis of that moment has."""
        parts = [run.part for run in self.segments]
        return RoundCounts(sum(part.rounds for part in parts) + self.refused, sum(part.mistakes for part in parts) + self.refused)

    @property
    def total(self) -> RoundCounts:
        first, rest = self.segments[0], self.segments[1:]
        totals = [first.total, *(run.part for run in rest)]
        return RoundCounts(sum(part.rounds for part in totals) + self.refused, sum(part.mistakes for part in totals) + self.refused)

    @property
    def unlabelled(self) -> int:
        return sum(run.unlabelled for run in self.segments)

    @property
    def alarm(self) -> Alarm | None:
        """The first one."""
        return next(iter(self.alarms), None)

    @property
    def alarms(self) -> tuple[Alarm, ...]:
        return tuple(run.alarm for run in self.segments if run.alarm)

    @property
    def state(self) -> Any:
        return self.segments[-1].state

    @cached_property
    def model(self) -> Any:
        """What the last segment has made."""
        return self.segments[-1].model if self.make_model is None else self.make_model()

    @property
    def hypothesis(self) -> Any:
        return self.segments[-1].hypothesis if self.make_model is None else self.make_model(ledger=False).uncounted().hypothesis

    def bounds(self, assume: str | None = None) -> list[Claim]:
        raise LittlestoneError("each segment has bounds of its own: run.segments[0].bounds(...)")


class AlarmedRunner(RunnerAround, ABC):
    """A runner around a runner that watches: plays blocks as that one does, and stops, reports or begins anew at an alarm.

    `open_segment()` gives the runner of a segment. What is watched is the affair of those made of this.
    """

    def __init__(self, open_segment: Callable[[], Any], mode: str, *, keep: bool = True) -> None:
        require(mode in MODES, f"alarm={mode!r} must be one of {', '.join(MODES)}")
        self.open_segment, self.mode, self.keep = open_segment, mode, keep
        self.segments: list[Any] = []
        self.stopped = False
        self.alarm: Alarm | None = None
        self.played = 0  # rows of the stream so far
        self.made: list[np.ndarray] = []  # predictions of all of them
        self.before = (0, 0)  # rounds and mistakes of earlier segments
        self._begin()
        self.learner = self.runner.learner

    def _begin(self) -> None:
        """A fresh segment."""
        self.runner = self._opened()
        self.first, self.alarm = self.played, None
        self.kept: list[np.ndarray] = []
        self.scored: list[np.ndarray] = []

    def _opened(self) -> Any:
        """The runner of a fresh segment."""
        return self.open_segment()

    @property
    def rounds(self) -> int:
        return self.before[0] + self.runner.rounds

    @property
    def mistakes(self) -> int:
        return self.before[1] + self.runner.mistakes

    @property
    def rows(self) -> int:
        """Rounds of all segments, with a label or without."""
        return self.played

    def segment(self, seconds: float = 0.0, *, lent: bool = False) -> Any:
        """The segment so far, as a value."""
        made = np.concatenate([np.empty(0, self.runner.prediction_type), *self.kept])
        scores = np.concatenate(self.scored) if self.scored else None
        return replace(self._value(self.runner, made if self.keep else None, scores, lent), seconds=seconds)

    def _ended_segment(self) -> Any:
        """The segment that an alarm has just ended, as a value."""
        return self.segment()

    def _value(self, runner: Any, made: np.ndarray | None = None, scores: np.ndarray | None = None, lent: bool = False) -> Any:
        return replace(runner.run(made, scores=scores, lent=lent), first_round=self.first, alarm=self.alarm)

    def run(self, predictions: Any = None, seconds: float = 0.0, **_: Any) -> Any:
        """What the whole run leaves: a run, or the runs of its segments where it was to begin anew."""
        if self.mode != "restart":
            return self.segment(seconds)
        last = self.segment()
        segments = (*self.segments, *([last] if last.rounds + last.unlabelled or last.alarm or not self.segments else []))
        made = np.concatenate([np.empty(0, self.runner.prediction_type), *self.made])
        return SegmentedRun(self.learner, segments, self.runner.in_labels(made) if self.keep else None, seconds)

    def take(self, block: Block, scores: np.ndarray | None = None, updates: np.ndarray | None = None) -> np.ndarray:
        """Play a block, or as much of it as comes before the run stops; the predictions made."""
        made: list[np.ndarray] = [np.empty(0, self.runner.prediction_type)]
        start = 0
        while start < len(block) and not self.stopped:
            part = block.cut(start, len(block)) if start else block
            start += self._advance(part, None if scores is None else scores[start:], None if updates is None else updates[start:], made)
        if self.keep:
            self.made += made
        return np.concatenate(made)

    @abstractmethod
    def _advance(self, block: Block, scores: np.ndarray | None, updates: np.ndarray | None, made: list[np.ndarray]) -> int:
        """Play until the end, or through the round of an alarm; how many rows that is."""

    def _go_back(self, before: Any) -> None:
        """To where a copy of the runner stands. (Copies share the ledger.)"""
        self.runner = before
        before.rewind()

    def _note(self, predictions: np.ndarray, made: list[np.ndarray], scores: np.ndarray | None = None) -> None:
        self.played += len(predictions)
        if self.keep:
            self.kept.append(predictions)
            if scores is not None:
                self.scored.append(scores)
        made.append(predictions)

    def _raise(self, block: Block, t: int, why: AlarmReason) -> None:
        """Raise the alarm at row t of a block, the last that was played."""
        where = f"round {self.played}" if block.lines is None else block.round(t)
        self.alarm = self.alarm or Alarm(
            self.played - 1, where, why.count, why.most, why.reason, why.name, why.refused, why.chance, why.since
        )
        self.stopped = self.mode == "stop" or (self.mode == "report" and why.refused)
        if self.mode == "restart":
            self.segments.append(self._ended_segment())
            self.before = (self.rounds, self.mistakes)
            self._begin()


class Guard(AlarmedRunner):
    """Watches an assumption. `settled` says that the number of features is known, and not still being counted."""

    def __init__(self, open_segment: Callable[[], Any], assume: str, mode: str, *, settled: bool = False, keep: bool = True) -> None:
        super().__init__(open_segment, mode, keep=keep)
        self.settled = settled or self.runner.learner.n is not None
        self.watched: Any = (ExpertAllowance if self.learner.of_experts else Allowance)(self.learner, assume)
        self._look(self.runner)  # refuses what was declared in vain

    def _begin(self) -> None:
        super()._begin()
        self.limits: dict[str, Limit] = {}
        self.looked = -1  # how many rows had been played when the limits were evaluated

    def _advance(self, block: Block, scores: np.ndarray | None, updates: np.ndarray | None, made: list[np.ndarray]) -> int:
        """Play until the end, or through the round of an alarm; how many rows that is."""
        last, larger = self.watched.too_large(block) if self.alarm is None else (len(block), "")
        end = min(last + 1, len(block))
        done, bad = 0, end + 1  # where bad ≤ end, some round before it needs a look of its own
        while done < end:
            bad = min(bad, done + 1) if self._unmeasured() else bad
            stop = end if bad > end else max(done + 1, (done + bad) // 2)
            part = block.cut(done, stop)
            theirs = [None if array is None else array[done:stop] for array in (scores, updates)]
            before, failed, predictions = self.runner.copy(), None, None
            try:
                predictions = self.runner.take(part, *theirs)
            except LittlestoneError as error:
                failed = error
            if predictions is None or not self._within(before):
                bad = stop
                if stop - done > 1:
                    self._go_back(before)
                    continue
            if predictions is None:
                self._go_back(before)
                if not isinstance(failed, Contradiction):
                    raise failed or AssertionError
                self._refused(part, str(failed), made)
                return stop
            self._note(predictions, made, theirs[0])
            done = stop
            if done == bad:
                bad = end + 1
                self._look(self.runner)
                if exceeded := next((name for name, limit in self.limits.items() if limit.exceeded), ""):
                    self._raise(part, len(part) - 1, self._excess(exceeded))
                    return done
        if last < len(block):
            self._raise(block, last, AlarmReason(f"{larger}: {FALSE}", self.runner.mistakes))
        return end

    def _excess(self, name: str) -> AlarmReason:
        """A count above its limit, in words."""
        limit = self.limits[name]
        if isinstance(self.watched, ExpertAllowance):
            return AlarmReason(f"{self.watched.excess(name, limit)}: {FALSE}", self.runner.mistakes, limit.most, name)
        if limit.counts != "mistakes":
            most = next((other.most for other in self.limits.values() if other.counts == "mistakes"), None)
            why = f"a {limit.counts}, which {self.watched.member.name} never makes where the assumption holds: {FALSE}"
            return AlarmReason(why, self.runner.mistakes, most)
        count = limit.count if isinstance(limit.count, int) else float(limit.count)
        what = "mistake exceeds" if count == 1 else "mistakes exceed"
        return AlarmReason(f"{count:,} {what} the limit {limit.most:,} of {name}: {FALSE}", count, limit.most, name)

    def _within(self, before: Any) -> bool:
        """Is every count within what was allowed before these rounds? An old limit is too small, so a fresh one is asked only then."""
        if self.alarm is not None:  # reported already: there is nothing more to watch for
            return True
        count = self.watched.counts(self._value(self.runner))
        for _ in range(2):
            if all(name in self.limits and not self.limits[name]._replace(count=n).exceeded for name, n in count.items()):
                return True
            if self.looked == self.played:
                return False
            self._look(before)
        return False

    def _unmeasured(self) -> bool:
        """Before a first feature is met a limit goes by what it takes for granted, and may fall: rounds are then looked at one by one."""
        return self.alarm is None and self.runner.largest_value == 0.0

    def _look(self, runner: Any) -> None:
        self.limits, self.looked = self.watched.limits(self._value(runner), self.settled), self.played

    def _refused(self, row: Block, why: str, made: list[np.ndarray]) -> None:
        """The learner could not take this row: it stays where it stood, and what it predicted is written down."""
        made.append(np.array([self.runner.answer(row)], self.runner.prediction_type))
        self.played += 1
        value = self._value(self.runner)
        most = [limit.most for limit in self.watched.limits(value, self.settled).values() if limit.counts == "mistakes"]
        reason = f"{why.rpartition(': ')[2]}: {FALSE}"
        self._raise(row, 0, AlarmReason(reason, value.mistakes, most[-1] if most else None, refused=True))
