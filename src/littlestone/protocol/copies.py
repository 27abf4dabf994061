"""The restart that replaces nobody: after each alarm of a change a fresh copy plays beside the others (theory/copies.py)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from copy import copy as shallow
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from littlestone.protocol.alarm import Alarm, AlarmedRunner, SegmentedRun
from littlestone.protocol.around import RunnerAround
from littlestone.protocol.drift import DriftGuard, RateGuard, losses_of
from littlestone.protocol.run_claims import RoundCounts
from littlestone.theory import Claim
from littlestone.theory.copies import CopyChoice, cost


@dataclass(frozen=True)
class Copy:
    """A copy of the learner: its number, its run over the rounds that it played, and in how many labelled rounds it spoke."""

    number: int
    run: Any
    spoke: int

    @property
    def first_round(self) -> int:
        """The row of the stream in which it began, counted from 0."""
        return self.run.first_round

    @property
    def rounds(self) -> int:
        """Those with a label."""
        opening = self.run.opening
        return self.run.rounds - (0 if opening is None else opening.rounds)

    @property
    def rows(self) -> int:
        """All that it played, with a label or without."""
        return self.rounds + self.run.unlabelled

    @property
    def mistakes(self) -> int:
        return self.run.part.mistakes

    def as_json(self) -> dict[str, Any]:
        place = {"copy": self.number, "first_round": self.first_round, "rows": self.rows}
        return place | {"rounds": self.rounds, "mistakes": self.mistakes, "spoke": self.spoke}


@dataclass(frozen=True)
class Segment:
    """The rounds from one alarm to the next, as they were answered; `spoke` has the labelled rounds in which each copy spoke."""

    first_round: int
    rounds: int
    unlabelled: int
    mistakes: int
    spoke: Mapping[int, int]
    alarm: Alarm | None = None

    def as_json(self) -> dict[str, Any]:
        place = {"first_round": self.first_round, "rows": self.rounds + self.unlabelled}
        counts = {"rounds": self.rounds, "mistakes": self.mistakes}
        return place | counts | {"spoke": [{"copy": number, "rounds": rounds} for number, rounds in self.spoke.items()]}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CopiesRun(SegmentedRun):
    """What a run leaves whose alarms began copies: the answers given, the segments between alarms, and the run of each copy."""

    copies: tuple[Copy, ...]
    leader: int  # the number of the copy that the model is
    beyond: int  # mistakes more than copy 1's while a later copy was clearly ahead
    speakers: Any = None  # the number of the copy that spoke in each row; None when predictions were not kept
    scores: Any = None  # of the answers, where they were asked for
    alarm_test: str = "exchangeable"  # which test raises the alarms

    @property
    def first(self) -> Copy:
        """Copy 1: what the run would have been without an alarm."""
        return self.copies[0]

    @property
    def model_copy(self) -> Copy:
        """The copy that the model is."""
        return next(copy for copy in self.copies if copy.number == self.leader)

    @property
    def refused(self) -> int:
        return 0

    @property
    def part(self) -> RoundCounts:
        return RoundCounts(self.rounds, self.mistakes)

    @property
    def total(self) -> RoundCounts:
        whole, own = self.first.run.total, self.first.run.part
        return RoundCounts(self.rounds + whole.rounds - own.rounds, self.mistakes + whole.mistakes - own.mistakes)

    @property
    def state(self) -> Any:
        return self.model_copy.run.state

    def bounds(self, assume: str | None = None) -> list[Claim]:
        """What alarms may have cost, or where there was none the bounds of the run. Each copy has its own: run.copies[0].run.bounds()."""
        if len(self.copies) == 1:
            return [] if self.first.run.resumed else self.first.run.bounds(assume)
        return [cost(self.mistakes, self.first.mistakes, int(self.beyond))] if self.learner.kind != "advice" else []

    @property
    def read_by(self) -> Any:
        return self.first.run.read_by

    def with_reading(self, read_by: Any) -> CopiesRun:
        """Return the run, whose parts know how their rows were read."""
        copies = tuple(replace(copy, run=replace(copy.run, read_by=read_by)) for copy in self.copies)
        return replace(self, copies=copies)

    def placed(self, skip: int) -> CopiesRun:
        """The same of a stream whose first rows were left out."""
        segments = tuple(replace(segment, first_round=segment.first_round + skip) for segment in self.segments)
        copies = tuple(replace(copy, run=replace(copy.run, first_round=copy.first_round + skip)) for copy in self.copies)
        return replace(self, segments=segments, copies=copies)


class PlayingCopy:
    """A copy that plays: its runner, where it began, and what is kept of it."""

    def __init__(self, number: int, runner: Any, first: int) -> None:
        self.number, self.runner, self.first = number, runner, first
        self.predictions: list[np.ndarray] = []
        self.scores: list[np.ndarray] = []
        self.ended: Alarm | None = None  # the alarm at which it went

    def copy(self) -> PlayingCopy:
        """One that stands where this one does."""
        other = shallow(self)
        other.runner, other.predictions, other.scores = self.runner.copy(), self.predictions.copy(), self.scores.copy()
        return other

    def value(self, spoke: int, *, keep: bool) -> Copy:
        """The copy so far."""
        made = np.concatenate([np.empty(0, self.runner.prediction_type), *self.predictions]) if keep else None
        scores = np.concatenate(self.scores) if self.scores else None
        return Copy(self.number, replace(self.runner.run(made, scores=scores), first_round=self.first, alarm=self.ended), spoke)


class CopiesRunner(RunnerAround):
    """Plays the copies side by side, and answers with one of them in each round. Whatever else is asked of it, the leader answers."""

    def __init__(self, open_copy: Callable[[], Any], *, keep: bool) -> None:
        self.open_copy, self.keep, self.choice = open_copy, keep, CopyChoice()
        self.live = [PlayingCopy(1, open_copy(), 0)]
        self.gone: list[PlayingCopy] = []
        self.spoke: Counter[int] = Counter()  # labelled rounds by the number of the copy
        self.speakers: list[np.ndarray] = []  # the number of the copy for each row, block by block
        learner = self.runner.learner
        self.losing = learner.kind == "advice" and learner.advice == "loss"

    @property
    def runner(self) -> Any:
        """The runner of the leader."""
        return self.live[self.choice.leader].runner

    @property
    def rounds(self) -> int:
        return self.live[0].runner.rounds

    @property
    def mistakes(self) -> int:
        return self.live[0].runner.mistakes + (0 if self.losing else int(self.choice.more))

    def begin(self, first: int, alarm: Alarm | None) -> None:
        """Begin a copy at this row; where there are too many, one goes."""
        gone = self.choice.begin()
        for copy in [copy for copy in self.live if copy.number == gone]:
            copy.ended = alarm
            self.live.remove(copy)
            self.gone.append(copy)
        self.live.append(PlayingCopy(self.choice.begun, self.open_copy(), first))

    def copy(self) -> CopiesRunner:
        """A runner of its own that stands where this one does. (Copies share the ledgers.)"""
        other = object.__new__(type(self))  # copy.copy would ask it for attributes that the leader has, before there is one
        vars(other).update(vars(self))
        other.choice, other.spoke, other.speakers = deepcopy(self.choice), Counter(self.spoke), self.speakers.copy()
        other.live, other.gone = [each.copy() for each in self.live], self.gone.copy()
        return other

    def rewind(self) -> None:
        """Let the ledgers be as they were when this was copied."""
        for each in self.live:
            each.runner.rewind()

    def take(self, block: Any, scores: np.ndarray | None = None, updates: np.ndarray | None = None) -> np.ndarray:
        """Have every copy play the block; the answers of those that spoke, with their scores and updates."""
        count, labelled = len(block), block.labels >= 0
        answers, lost, every_score, every_update = [], [], [], []
        for copy in self.live:
            theirs = np.empty(count) if scores is not None or self.losing else None
            updated = None if updates is None else np.zeros(count, np.bool_)
            made = copy.runner.take(block, theirs, updated)
            if self.keep:
                copy.predictions.append(made)
                if scores is not None and theirs is not None:
                    copy.scores.append(theirs)
            answers.append(made)
            lost.append((losses_of(copy.runner, block, theirs) if theirs is not None and self.losing else made != block.labels) * labelled)
            every_score.append(theirs)
            every_update.append(updated)
        places = self._places(np.array(answers), np.array(lost), labelled)
        rows = np.arange(count)
        self.lost = np.array(lost)[places, rows]  # by the answers
        if scores is not None:
            scores[:] = np.array(every_score)[places, rows]
        if updates is not None:
            updates[:] = np.array(every_update)[places, rows]
        return np.array(answers)[places, rows]

    def _places(self, answers: np.ndarray, lost: np.ndarray, labelled: np.ndarray) -> np.ndarray:
        """Who speaks in each row of a block, as a place among those that play; the choice learns of the labelled ones."""
        choice, places, start = self.choice, np.empty(lost.shape[1], np.intp), 0
        lost = lost if self.losing else lost.astype(np.int64)
        differ = (lost != lost[0] if self.losing else answers != answers[0]).any(axis=0)
        for t in [*np.flatnonzero(differ).tolist(), len(places)]:
            places[start:t] = choice.heaviest
            choice.agree(lost[0, start:t].tolist() if self.losing else [int(lost[0, start:t].sum())])
            if t < len(places):
                places[t] = choice.speaker(range(len(lost)) if self.losing else answers[:, t].tolist())
                if labelled[t]:
                    choice.learn(int(places[t]), lost[:, t].tolist())
            start = t + 1
        numbers = np.array(choice.copies)[places]
        self.spoke.update(numbers[labelled].tolist())
        if self.keep:
            self.speakers.append(numbers)
        return places

    def values(self) -> tuple[Copy, ...]:
        """All copies so far, in the order in which they began."""
        every = sorted([*self.live, *self.gone], key=lambda copy: copy.number)
        return tuple(copy.value(self.spoke[copy.number], keep=self.keep) for copy in every)


class CopiesGuard(AlarmedRunner):
    """Watches a run whose alarms begin copies of the learner. What is watched is the affair of those made of this."""

    test: str  # which test raises the alarms

    def _opened(self) -> Any:
        if not self.segments:
            self.all_scores: list[np.ndarray] = []
            return CopiesRunner(self.open_segment, keep=self.keep)
        self.runner.begin(self.played, self.segments[-1].alarm)
        return self.runner

    def _begin(self) -> None:
        super()._begin()
        self.counts = (self.runner.rounds, self.runner.mistakes, self.played, Counter(self.runner.spoke))  # before this segment

    @property
    def rounds(self) -> int:
        return self.runner.rounds

    @property
    def mistakes(self) -> int:
        return self.runner.mistakes

    def _note(self, predictions: np.ndarray, made: list[np.ndarray], scores: np.ndarray | None = None) -> None:
        super()._note(predictions, made, scores)
        if self.keep and scores is not None:
            self.all_scores.append(scores)

    def segment(self, seconds: float = 0.0, *, lent: bool = False) -> Any:
        """The leader's run so far."""
        return self.runner.runner.run(lent=lent)

    def _ended_segment(self) -> Segment:
        """The segment so far, as it was answered."""
        rounds, mistakes, played, spoke = self.counts
        own = self.runner.spoke - spoke
        labelled = self.runner.rounds - rounds
        counts = (labelled, self.played - played - labelled, self.runner.mistakes - mistakes)
        return Segment(self.first, *counts, dict(sorted(own.items())), self.alarm)

    def which_copy(self) -> dict[str, int]:
        """What a model says of the copy that it is: its number, the row before its first one, and how many alarms there were."""
        leader = self.runner.live[self.runner.choice.leader]
        return {"copy": leader.number, "first_round": leader.first, "alarms": self.runner.choice.begun - 1}

    def run(self, predictions: Any = None, seconds: float = 0.0, **_: Any) -> CopiesRun:
        """What the whole run leaves."""
        last, runner = self._ended_segment(), self.runner
        segments = (*self.segments, *([last] if last.rounds + last.unlabelled or not self.segments else []))
        made = np.concatenate([np.empty(0, runner.prediction_type), *self.made])
        return CopiesRun(
            learner=self.learner,
            segments=segments,
            predictions=runner.in_labels(made) if self.keep else None,
            seconds=seconds,
            copies=runner.values(),
            leader=runner.live[runner.choice.leader].number,
            beyond=runner.choice.beyond,
            speakers=np.concatenate([np.empty(0, np.int64), *runner.speakers]) if self.keep else None,
            scores=np.concatenate(self.all_scores) if self.all_scores else None,
            alarm_test=self.test,
        )


class ExchangeableCopies(CopiesGuard, DriftGuard):
    """The exact test. Hypotheses of the newest copy are frozen."""

    test = "exchangeable"

    @property
    def watched(self) -> Any:
        return self.runner.live[-1].runner


class RateCopies(CopiesGuard, RateGuard):
    """The approximate test, of the mistakes of the answers."""

    test = "drift"

    def _lost(self, block: Any, scores: np.ndarray) -> np.ndarray:
        return self.runner.lost
