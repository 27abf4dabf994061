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
        self.parts: list[tuple[Any, Any, Any]] = []  # labels, predictions, and scores or None
        self.kept = self.rounds = 0
        self.come_late: list[tuple] | None = None
        self.advice = ""  # of a rule: what the experts say

    def begins(self, playing: Playing) -> None:
        self.come_late = playing.runner.batches() if isinstance(playing.runner, LateRunner) else None
        self.advice = getattr(playing.learner, "advice", "")

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
        if self.advice == "loss":
            return
        two = self.advice or predictions.dtype.itemsize == 1
        kind = np.int8 if two else np.int32  # codes of two classes, or of several
        labels = labels.astype(kind, copy=labels.dtype != np.int8)  # those in one byte each are the run's own
        predictions = predictions.view(kind) if predictions.dtype == np.bool_ else predictions.astype(kind)
        scores = scores if self.scores else None
        if labels.min(initial=0) < 0:
            labelled = labels >= 0
            labels, predictions, scores = labels[labelled], predictions[labelled], None if scores is None else scores[labelled]
        self.parts.append((labels, predictions, scores))
        self.kept += len(labels)
        self.rounds += len(labels)
        while self.most is not None and self.kept - len(self.parts[0][0]) >= self.most:
            self.kept -= len(self.parts.pop(0)[0])

    def result(self, runner: Any) -> Recent | None:
        """The rounds so far; none where advice is losses, and nothing is predicted."""
        if self.advice == "loss":
            return None
        several = runner.learner.kind == "several classes"
        codes = np.int32 if several else np.int8
        none: np.ndarray = np.empty(0, codes)
        if len(self.parts) == 1:  # as most runs over a matrix leave them
            labels, predictions = (part.astype(codes, copy=False) for part in self.parts[0][:2])
        else:
            labels, predictions = (np.concatenate([none, *(part[k].astype(codes, copy=False) for part in self.parts)]) for k in (0, 1))
        scores = [part[2] for part in self.parts if part[2] is not None]
        whole = self.scores and sum(map(len, scores)) == len(labels)
        odds = bool(getattr(runner.learner, "probabilities", False))
        classes = (lambda: tuple(runner.classes)) if several else None
        return Recent(labels, predictions, np.concatenate([np.empty(0), *scores]) if whole else None, self.rounds, odds, classes)
