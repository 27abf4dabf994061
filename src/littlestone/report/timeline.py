"""How a run went, in bounded memory: mistakes step by step, bounds and weights at some rounds, and the mistakes it was surest of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from littlestone.api.observers import Observer, Taken, pieces_ending
from littlestone.errors import require

STEPS = 2048  # at most so many are kept; when they are full, every two become one
SUREST = 12  # mistakes that are kept with their features
FIRST, GROWTH = 16, 1.02  # rounds after which bounds and weights are looked at: 16, and each next one so many times later
WINDOWS = 40  # a window is about this part of a run


class Steps:
    """Counts of labelled rounds in steps of one width: positives, false positives, false negatives (of several classes: 0, mistakes, 0).

    Nothing is sampled: the totals at the end of each step are exact, and between two steps they rise from one to the other.

    >>> steps = Steps(most=4)
    >>> steps.add(np.array([1, 0, 1, 0, 1, 1]), np.array([1, 1, 1, 0, 0, 1]))
    >>> steps.width, steps.rounds.tolist(), steps.mistakes.tolist()
    (2, [0, 2, 4, 6], [0, 1, 1, 2])
    """

    def __init__(self, most: int = STEPS) -> None:
        self.table, self.width, self.total = np.zeros((most, 3), np.int64), 1, 0

    def add(self, labels: np.ndarray, predictions: np.ndarray, *, two: bool = True) -> None:
        """Some rounds, all of them with a label."""
        most = len(self.table)
        while self.total + len(labels) > most * self.width:
            self.table[: most // 2] = self.table[0::2] + self.table[1::2]
            self.table[most // 2 :] = 0
            self.width *= 2
        places = (self.total + np.arange(len(labels))) // self.width
        wrong = labels != predictions
        kinds = (labels == 1, wrong & (labels != 1), wrong & (labels == 1)) if two else (np.zeros_like(wrong), wrong, np.zeros_like(wrong))
        for column, kind in enumerate(kinds):
            self.table[:, column] += np.bincount(places[kind], minlength=most)
        self.total += len(labels)

    @property
    def rounds(self) -> np.ndarray:
        """The ends of the steps, the beginning first."""
        return np.minimum(np.arange(-(-self.total // self.width) + 1) * self.width, self.total)

    def _so_far(self, *columns: int) -> np.ndarray:
        counts = self.table[: len(self.rounds) - 1, columns].sum(axis=1)
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])

    @property
    def mistakes(self) -> np.ndarray:
        return self._so_far(1, 2)

    @property
    def false_positives(self) -> np.ndarray:
        return self._so_far(1)

    @property
    def false_negatives(self) -> np.ndarray:
        return self._so_far(2)

    @property
    def majority(self) -> np.ndarray:
        """The mistakes of the label that was the more frequent so far, had it always been said."""
        positives = self._so_far(0)
        return np.minimum(positives, self.rounds - positives)

    def windowed(self, so_far: np.ndarray, window: int | None = None) -> tuple[np.ndarray, np.ndarray, int]:
        """The share of a count in the last so many rounds, at the end of each step from there on; and how many rounds these are."""
        wide = self.total // WINDOWS if window is None else window
        steps = min(max(1, round(max(wide, 20) / self.width)), max(1, len(so_far) - 2))
        ends, spans = self.rounds[steps:], self.rounds[steps:] - self.rounds[:-steps]
        return ends, (so_far[steps:] - so_far[:-steps]) / np.maximum(spans, 1), steps * self.width


class Sample(NamedTuple):
    """A moment of a run: after how many rounds, the limits of its bounds by name, and of a panel's members the weights; the mistakes
    made by then, and those of the member who made the fewest."""

    rounds: int
    limits: dict[str, float]
    weights: tuple[float, ...]
    made: int = 0
    fewest: int = 0


@dataclass(frozen=True)
class WrongRow:
    """A mistake with its row: how sure the prediction was (None without scores), where the row stands, and what it has."""

    sure: float | None
    place: str
    path: str
    line: int | None
    number: int  # of the row, from 1
    label: int
    predicted: int
    indices: np.ndarray
    values: np.ndarray | None


@dataclass
class Timeline(Observer):
    """Watches a run. `claims(run)` are the bounds to look at now and then; without it none are."""

    claims: Callable[[Any], Sequence[Any]] | None = None
    steps: Steps = field(default_factory=Steps)
    samples: list[Sample] = field(default_factory=list)
    surest: list[WrongRow] = field(default_factory=list)
    members: tuple[str, ...] = ()
    two: bool = True
    scores = True
    playing: Any = None
    _next: int = FIRST
    _counts: tuple[int, int] = (0, 0)

    def begins(self, playing: Any) -> None:
        self.playing, learner = playing, playing.learner
        self.two = learner.kind == "two classes"
        self._counts = (playing.runner.rounds, playing.runner.mistakes)
        self._next = self._counts[0] + FIRST
        require(learner.kind != "advice", "a timeline is of runs over features; of experts, report.experts.history tells it")

    def cut(self, block: Any) -> Iterator[Any]:
        """The block in pieces that end where bounds and weights are to be looked at."""
        yield from pieces_ending(block, lambda: self._next - self.playing.runner.rounds)

    def after(self, taken: Taken) -> None:
        runner, predictions = self.playing.runner, taken.predictions
        self.look(taken.block, predictions, taken.scores, by_row=not self._by_name)
        if self._by_name:  # labels come in rows of their own: the runner knows how many were wrong, and they are laid out evenly
            rounds, mistakes = runner.rounds, runner.mistakes
            new, wrong = rounds - self._counts[0], mistakes - self._counts[1]
            places = np.arange(new + 1) * wrong // max(1, new)
            self.steps.add(np.zeros(new, np.int64), np.diff(places), two=False)
            self._counts = (rounds, mistakes)
        if runner.rounds >= self._next:
            self._sample()

    @property
    def _by_name(self) -> bool:
        """Do labels come in rows of their own, by the names of rounds?"""
        runner = self.playing.runner
        return hasattr(runner, "by_id") and runner.delay is None

    @property
    def ways(self) -> bool:
        """Is it known of each mistake which way it went?"""
        return self.two and (self.playing is None or not self._by_name)

    def look(self, block: Any, predictions: np.ndarray, scores: np.ndarray | None = None, *, by_row: bool = True) -> None:
        """Count some rounds with their predictions; an alarm may have ended the run within the block."""
        labels = block.labels[: len(predictions)]
        labelled = labels >= 0
        codes = predictions.astype(np.int64)
        if by_row:
            self.steps.add(labels[labelled], codes[labelled], two=self.two)
            self._keep_surest(block, labels, codes, labelled & (codes != labels), scores)

    def _keep_surest(self, block: Any, labels: np.ndarray, codes: np.ndarray, wrong: np.ndarray, scores: np.ndarray | None) -> None:
        (rows,) = wrong.nonzero()
        if scores is None:
            chosen, sure = rows[-SUREST:], None
        else:
            sure = np.abs(scores) if self.two else scores
            least = self.surest[-1].sure if len(self.surest) == SUREST else None
            rows = rows if least is None else rows[sure[rows] > least]
            chosen = rows[np.argsort(-sure[rows], kind="stable")[:SUREST]]
        if not len(chosen):
            return
        for t in chosen.tolist():
            part = slice(block.indptr[t], block.indptr[t + 1])
            line = None if block.lines is None else int(block.lines[t])
            number = block.first_round + t + 1
            values = None if block.values is None else block.values[part].copy()
            certain = None if sure is None else float(sure[t])
            row = WrongRow(
                certain, block.round(t), block.origin, line, number, int(labels[t]), int(codes[t]), block.indices[part].copy(), values
            )
            self.surest.append(row)
        by = (lambda row: (-row.sure, row.number)) if scores is not None else (lambda row: -row.number)
        self.surest = sorted(self.surest, key=by)[:SUREST]

    def _sample(self) -> None:
        runner = self.playing.runner
        run = self.playing.segment()
        limits = {} if self.claims is None else {c.name: c.limit for c in self.claims(run) if c.limit is not None and c.compares}
        seats = run.learner.seats(run.state)
        self.members = tuple(seat.name for seat in seats)
        fewest = min((seat.mistakes for seat in seats), default=0)
        self.samples.append(Sample(runner.rounds, limits, tuple(seat.weight for seat in seats), runner.mistakes, fewest))
        self._next = max(runner.rounds + FIRST, int(runner.rounds * GROWTH))

    def ends(self) -> None:
        runner = self.playing.runner
        if runner.rounds and (not self.samples or self.samples[-1].rounds < runner.rounds):
            self._sample()


def timeline_of(run: Any) -> Timeline:
    """How a run went that is over, from what it keeps and a second look at its rounds."""
    require(run.codes is not None, "this run kept no predictions: play it without predictions=False")
    require(run.again is not None, "this needs a second look at the rounds, and the stream was read once")
    require(run.order is None or run.delay is not None, "labels came in rows of their own, and which rounds they are of is not kept")
    timeline, start = Timeline(two=run.learner.kind == "two classes"), 0
    for block in run.again():
        here = slice(start, start + len(block))
        timeline.look(block, run.codes[here], None if run.scores is None else run.scores[here])
        start += len(block)
    return timeline


class Courses(Observer):
    """What each of several learners has cost, at some rounds that they play together; of those that are out, as far as they came."""

    def __init__(self) -> None:
        self.rounds: list[int] = [0]
        self.costs: dict[str, list[float]] = {}
        self.contest: Any = None
        self._next = FIRST

    def begins(self, playing: Any) -> None:
        self.contest = playing
        self.costs = {name: [0.0] for name in playing.runners}
        self.cost = "loss" if playing.rounds.kind == "advice" else "mistakes"

    def cut(self, block: Any) -> Iterator[Any]:
        yield from pieces_ending(block, lambda: self._next - self.contest.constant.rounds)

    def after(self, taken: Taken) -> None:
        if self.contest.constant.rounds >= self._next:
            self._look()

    def _look(self) -> None:
        rounds = self.contest.constant.rounds
        self.rounds.append(rounds)
        for name, runner in self.contest.runners.items():
            self.costs[name].append(float(getattr(runner, self.cost)))
        self._next = max(rounds + FIRST, int(rounds * GROWTH))

    def ends(self) -> None:
        if self.contest.constant.rounds > self.rounds[-1]:
            self._look()

    def lines(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Of each that took all rounds: rounds, and what it had cost by then."""
        whole = len(self.rounds)
        return {name: (np.array(self.rounds), np.array(costs)) for name, costs in self.costs.items() if len(costs) == whole}
