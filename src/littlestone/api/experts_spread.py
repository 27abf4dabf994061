"""Rules with a fixed rate over tables in many files: workers read the files, and play each from where the ones before it lead.

Such a rule is a function of what the experts have lost, and losses are sums. So a file is read and played by any worker that knows the
sums before it: the first pass adds them up, file after file, in the order of the rounds, which is quick beside reading; the second plays
the files side by side. Weights are made anew from the losses every so many rounds (`refresh_period`), and multiplied in between: a file
begins with the rounds since then, of the files before it, and so with the very weights of a run in one go.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from littlestone.api.experts_play import ExpertCounts
from littlestone.api.play import play
from littlestone.api.sources import Choices, of_advice
from littlestone.errors import require
from littlestone.kernels import native
from littlestone.learners import experts as catalogue
from littlestone.protocol import Advice, AdviceRun, Rule, RuleRunner
from littlestone.protocol.around import RunnerAround
from littlestone.streams.expert_tables import ExpertTable


class Prefix(NamedTuple):
    """What the files before one lead to: the losses when weights were last made anew, that many rounds, and the rounds since."""

    losses: np.ndarray
    rounds: int
    since: Advice


class PlayedFile(NamedTuple):
    """What a worker makes of a file: truths, mixtures, choices and predictions of its blocks, what was counted, and the state after it."""

    blocks: list[tuple[np.ndarray, ...]]
    counts: ExpertCounts
    state: Any


def refuse_unspread(rule: Rule, table: ExpertTable) -> None:
    """What workers cannot play."""
    able = ", ".join(name for name in catalogue.names() if catalogue.factory(name)().of_losses is not None)
    require(rule.of_losses is not None, f"cluster: {rule.name} is not a function of the experts' losses alone; expected {able}")
    wide = table.reading.layout == "wide" and all(source.is_file for source in table.sources)
    require(wide, "cluster: workers read files with a column for each expert; expected such")
    real = table.reading.advice == "forecast" and table.reading.played == "loss"
    require(not real, "cluster: workers play votes, probabilities, losses and gains; play forecasts here, or give their losses")
    require(not table.slept, "cluster: an expert is asleep in some rounds, which are played here: leave out the cluster")


def state_after(rule: Rule, prefix: Prefix) -> Any:
    """The state of a rule after the files before, bit for bit."""
    n = len(prefix.losses)
    runner = RuleRunner(rule, n, state=made_anew(rule, prefix))
    if len(prefix.since):
        runner.engine.take(prefix.since)
    return runner.engine.state


def made_anew(rule: Rule, prefix: Prefix) -> Any:
    """The state where weights have just been made from the losses."""
    state: Any = rule.sized(len(prefix.losses)).first_state()
    state.losses[:], state.z[0] = prefix.losses, prefix.rounds
    assert rule.of_losses is not None
    rule.of_losses.remake(state)
    return state


def read_file(path: str, reading: Any) -> list[Advice]:
    """The rounds of one file, as a task."""
    return [advice for advice, _, _ in ExpertTable.settled(path, reading).advices()]


def sum_file(rule: Rule, prefix: Prefix, rounds: list[Advice]) -> Prefix:
    """What a file adds to the files before it, as a task."""
    assert rule.of_losses is not None
    parts = [prefix.since, *rounds]
    labelled = [part.truth >= 0 for part in parts]
    total = prefix.rounds + sum(int(marks.sum()) for marks in labelled)
    boundary, losses, seen, since = total - total % rule.of_losses.period, prefix.losses.copy(), prefix.rounds, []
    for part, marks in zip(parts, labelled, strict=True):
        inside = int(np.searchsorted(np.cumsum(marks), max(0, boundary - seen), side="right")) if seen < boundary else 0
        if seen < boundary:
            native.core.count_losses(losses, part.table[:inside], np.ascontiguousarray(part.truth[:inside]))
        rest = marks.copy()
        rest[:inside] = False
        since.append((part.table[rest], part.truth[rest]))
        seen += int(marks.sum())
    tail = Advice(np.ascontiguousarray(np.concatenate([table for table, _ in since])), np.concatenate([truth for _, truth in since]))
    return Prefix(losses, boundary, tail)


def play_file(rule: Rule, prefix: Prefix, rounds: list[Advice], reading: Any, naming: bool) -> PlayedFile:
    """A file from where the ones before it lead, as a task."""
    n = len(prefix.losses)
    runner = RuleRunner(rule, n, state=state_after(rule, prefix), naming=naming)
    counts = ExpertCounts(reading, np.zeros(n), np.zeros(n, np.int64), np.zeros(n), np.zeros(n))
    counts.runner = runner
    for block in rounds:
        for advice in counts.cut(block):
            mix = np.empty(len(advice))
            runner.take(advice, mix)
            counts.note_weights()
            counts._count(advice, mix, None)
    counts.runner = None
    return PlayedFile(runner.parts, counts, runner.engine.state)


class SpreadTable:
    """A table whose rounds come here played already."""

    def __init__(self, table: ExpertTable, rule: Rule, workers: Any) -> None:
        self.table, self.rule, self.workers = table, rule, workers
        self.names, self.reading = table.names, table.reading
        self.naming = False
        self.blocks: deque[tuple] = deque()
        self.files: deque[PlayedFile] = deque()  # those whose last block has come

    def advices(self) -> Iterator[tuple[Advice, None, None]]:
        """Rounds without advice: `Played` has what became of them."""
        start = 0
        for file in self._played():
            for k, block in enumerate(file.blocks, 1):
                self.blocks.append(block)
                if k == len(file.blocks):
                    self.files.append(file)
                yield Advice(np.empty((len(block[0]), 0), np.float32), block[0], start), None, None
                start += len(block[0])

    def _played(self) -> Iterator[PlayedFile]:
        """The files in order; a few are read ahead."""
        n, workers, waiting = len(self.names), self.workers, deque[Any]()
        before: Any = Prefix(np.zeros(n), 0, Advice(np.empty((0, n), np.float32), np.empty(0, np.int32)))
        for source in self.table.sources:
            rounds = workers.submit(read_file, source.path, self.reading)
            waiting.append(workers.submit(play_file, self.rule, before, rounds, self.reading, self.naming))
            before = workers.submit(sum_file, self.rule, before, rounds)
            if len(waiting) > workers.ahead:
                yield workers.gather([waiting.popleft()])[0]
        while waiting:
            yield workers.gather([waiting.popleft()])[0]


class PlayedElsewhere(RunnerAround):
    """A runner that is told what workers have made of the rounds."""

    def __init__(self, runner: RuleRunner, table: SpreadTable) -> None:
        self.runner, self.table = runner, table
        table.naming = runner.engine.named

    def take(self, advice: Advice, scores: np.ndarray | None = None, updates: np.ndarray | None = None) -> np.ndarray:
        _, mix, choices, predictions = self.table.blocks.popleft()
        self.runner.scale = advice.scale
        self.runner._keep(advice, mix, choices, predictions)
        if self.table.files:
            self.runner.engine.state = self.table.files[0].state
        if scores is not None:
            scores[:] = mix
        if updates is not None:
            updates[:] = advice.truth >= 0
        return predictions


@dataclass(eq=False)
class MergedCounts(ExpertCounts):
    """What workers have counted, file by file."""

    table: Any = None

    def cut(self, block: Advice) -> Iterator[Advice]:
        """Yield the block as it is: workers have played it."""
        yield block

    def after(self, taken: Any) -> None:
        while self.table.files:
            file = self.table.files.popleft()
            self.lost[:] = file.state.losses  # the same sum, of all files so far
            self.wrong += file.counts.wrong
            self.whole[0] += file.counts.whole[0]
            self.uniform_wrong += file.counts.uniform_wrong
            self.nobody += file.counts.nobody
            self.last_weights = file.counts.last_weights
            for name, parts in file.counts.parts.items():
                self.parts[name] += parts

    def ends(self) -> None:
        own = self.own
        self.whole[1] = np.cumsum(own[own == own])[-1] if (own == own).any() else 0.0  # one after the other, as they are played here
        super().ends()


def play_files(rule: Rule, table: ExpertTable, workers: Any) -> tuple[AdviceRun, ExpertCounts]:
    """What `play_table` gives, by workers."""
    n, spread = len(table.names), SpreadTable(table, rule.sized(len(table.names)), workers)
    counts = MergedCounts(table.reading, np.zeros(n), np.zeros(n, np.int64), np.zeros(n), np.zeros(n), table=spread)
    run = play(rule, spread, observers=[counts], wrap=lambda runner: PlayedElsewhere(runner, spread))
    return replace(run, again=of_advice(rule, table, None, Choices()).blocks), counts
