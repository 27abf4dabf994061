"""Keeps the last rounds of a run, for the metrics of a window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.api.observers import Observer, Taken
from littlestone.protocol.late import LateRunner
from littlestone.protocol.recent import Recent

if TYPE_CHECKING:
    from littlestone.api.play import Playing


class LastRounds(Observer):
    """Keeps the labelled rounds with what was predicted in each: all of them, or the last so many. A round counts when its label comes."""

    def __init__(self, most: int | None, *, scores: bool) -> None:
        self.most, self.scores = most, scores
        self.parts: list[tuple[np.ndarray, np.ndarray, np.ndarray | None]] = []
        self.kept = self.rounds = 0
        self.come_late: list[tuple] | None = None

    def begins(self, playing: Playing) -> None:
        self.come_late = playing.runner.batches() if isinstance(playing.runner, LateRunner) else None

    def after(self, taken: Taken) -> None:
        if self.come_late is None:
            played = len(taken.predictions)  # an alarm may have ended the run within the block
            self._add(taken.block.labels[:played], taken.predictions, None if taken.scores is None else taken.scores[:played])

        else:
            self._add_late()

    def end_of_pass(self, number: int) -> None:
        self._add_late()

    def _add_late(self) -> None:
        """The rounds whose labels have come since."""
        for block, predictions, scores in self.come_late or ():
            self._add(block.labels, predictions, scores)
        if self.come_late:
            self.come_late.clear()

    def _add(self, labels: np.ndarray, predictions: np.ndarray, scores: np.ndarray | None) -> None:
        labelled = labels >= 0
        part = (labels[labelled], predictions[labelled], scores[labelled] if self.scores and scores is not None else None)
        self.parts.append(part)
        self.kept += len(part[0])
        self.rounds += len(part[0])
        while self.most is not None and self.kept - len(self.parts[0][0]) >= self.most:
            self.kept -= len(self.parts.pop(0)[0])

    def result(self, runner: Any) -> Recent | None:
        """The rounds so far; none where advice is losses, and nothing is predicted."""
        if getattr(runner.learner, "advice", "") == "loss":
            return None
        several = runner.learner.kind == "several classes"
        codes = np.int32 if several else np.int8
        none: np.ndarray = np.empty(0, codes)
        labels = np.concatenate([none, *(part[0].astype(codes) for part in self.parts)])
        predictions = np.concatenate([none, *(part[1].astype(codes) for part in self.parts)])
        scores = [part[2] for part in self.parts if part[2] is not None]
        whole = self.scores and sum(map(len, scores)) == len(labels)
        odds = bool(getattr(runner.learner, "probabilities", False))
        classes = (lambda: tuple(runner.classes)) if several else None
        return Recent(labels, predictions, np.concatenate([np.empty(0), *scores]) if whole else None, self.rounds, odds, classes)
