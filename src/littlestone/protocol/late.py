"""Labels that come late: so many rounds later, or in rows of their own that name the round by its id.

A round is predicted when it comes. Its update is made when its label comes, with the prediction made then. Mistakes are counted when the
label comes, too: a round whose label never comes is not counted.
"""

from collections import deque
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from littlestone.errors import require
from littlestone.protocol.around import RunnerAround


class Waiting(NamedTuple):
    """A round that was predicted, and has not been learned from."""

    row: Any  # a block of this round alone
    yhat: int
    score: float
    memo: Any  # what else the runner will want to know of this prediction
    made: int  # updates before the prediction
    number: int  # of the row in its stream, counted from 0


class LateRunner(RunnerAround):
    """A runner around a runner of any kind: labels come `delay` rounds later, or by id (`delay=None`).

    A label for which no round waits is counted and left out, or refused where it is `strict`.
    """

    def __init__(self, runner: Any, *, delay: int | None = None, strict: bool = False) -> None:
        require(delay is None or delay >= 0, f"delay={delay} must not be negative")
        self.runner, self.delay, self.strict = runner, delay, strict
        self.queue: deque[Waiting] = deque()
        self.by_id: dict[str, Waiting] = {}
        self.made = self.overlap = 0  # updates, and classes that appear; the most of them between a prediction and its label
        self.came_late = self.unknown = 0  # labels that came by id; such labels for which no round waits
        self.first_unknown = ""
        self.rows = 0  # of the stream so far
        self.order: list[int] = []  # the rows whose labels have come, in that order
        self.updated: list[int] = []  # those of them on which the rule updated
        self._learned: list[Waiting] = []
        self._listening: list[list[tuple]] = []
        self._codes = np.result_type(runner.prediction_type, np.int8)  # with a place for -1

    def take(self, block: Any, scores: np.ndarray | None = None, updates: np.ndarray | None = None) -> np.ndarray:
        """Play one block; its predictions as codes, and -1 for a row that only brings a label."""
        if self.delay is None and self._at_once(block):
            updates = np.zeros(len(block), np.bool_)
            predictions = self.runner.take(block, scores, updates)
            self.made += int(updates.sum())
            self.updated += (self.rows + np.flatnonzero(updates)).tolist()
            self._tell(block, predictions, scores)
            self.order += [self.rows + t for t in np.flatnonzero(block.labels >= 0).tolist()]
            self.rows += len(block)
            return predictions.astype(self._codes)
        block = self.runner.admit(block)
        served = np.full(len(block), -1, self._codes)
        try:
            for t in range(len(block)):
                row = block.cut(t, t + 1).copy()
                y, name = int(row.labels[0]), None if row.ids is None else row.ids[0]
                self.rows += 1
                if self.delay is None and row.any_empty and y >= 0 and name is not None:
                    self._label_of(name, y, row.round(0))
                    continue
                waiting = self._predicted(row)
                served[t] = waiting.yhat
                if scores is not None:
                    scores[t] = waiting.score
                if self.delay is not None:
                    self.queue.append(waiting)
                    if len(self.queue) > self.delay:
                        self._learn(self.queue.popleft())
                elif y < 0 and name is not None:
                    if name in self.by_id:
                        self._learn(self.by_id.pop(name))  # its label has not come, and a new round has its name
                    self.by_id[name] = waiting
                else:
                    self._learn(waiting)
        finally:
            self._count()
        return served

    def finish(self) -> None:
        """The stream has ended: the labels that are still on their way come now; rounds that wait for theirs are not counted."""
        try:
            while self.queue:
                self._learn(self.queue.popleft())
            for waiting in self.by_id.values():
                self._learn(waiting)
            self.by_id = {}
        finally:
            self._count()

    def run(self, *arguments: Any, **named: Any) -> Any:
        at_once = self.delay is None and not self.came_late and not self.unknown  # every label came with its own round
        delay = 0 if at_once else self.delay
        late = {"overlap": self.overlap, "made": self.made, "delay": delay, "order": np.array(self.order, np.int64)}
        if named.get("updates") is not None:
            named["updates"] = np.zeros(self.rows, np.bool_)
            named["updates"][self.updated] = True
        return replace(self.runner.run(*arguments, **named), **late)

    def _at_once(self, block: Any) -> bool:
        """Does every round of this block bring its own label?"""
        return block.ids is None or bool((block.labels >= 0).all() and not block.any_empty)

    def _predicted(self, row: Any) -> Waiting:
        yhat, score, memo = self.runner.foresee(row)
        return Waiting(row, yhat, score, memo, self.made, self.rows - 1)

    def _label_of(self, name: str, y: int, where: str) -> None:
        waiting = self.by_id.pop(name, None)
        if waiting is None:
            why = f"{where}: has no feature, and so brings the label of {name!r}, of which no round waits for one"
            require(not self.strict, f"{why}; a round of its own that has no feature takes None for its name")
            self.unknown += 1
            self.first_unknown = self.first_unknown or f"{where}: a label for {name!r}"
            return
        self.came_late += 1
        self._learn(waiting._replace(row=waiting.row.labelled(y)))

    def _learn(self, waiting: Waiting) -> None:
        """Learn from a round whose label is known now."""
        y = int(waiting.row.labels[0])
        if y >= 0:
            known = len(getattr(self.runner, "numbered", ()))
            updated = self.runner.learn(waiting.row, waiting.yhat, waiting.memo)
            if updated or waiting.yhat != y:  # a rule with a margin may find nothing left to learn from a mistake made long ago
                self.overlap = max(self.overlap, self.made - waiting.made)
            self.made += updated or len(getattr(self.runner, "numbered", ())) > known  # a class that appears can be named from then on
            self.order.append(waiting.number)
            if updated:
                self.updated.append(waiting.number)
        self._learned.append(waiting)

    def _count(self) -> None:
        """Enter what was learned into the counts, in the order in which the labels came."""
        learned, self._learned = self._learned, []
        if learned:
            rows = [waiting.row for waiting in learned]
            predictions = np.array([waiting.yhat for waiting in learned]).astype(self.runner.prediction_type)
            block, scores = type(rows[0]).joined(rows), np.array([waiting.score for waiting in learned])
            self.runner.record(block, predictions, scores=scores)
            self._tell(block, predictions, scores)

    def batches(self) -> list[tuple]:
        """A list for an observer, filled from now on: rounds whose labels have come, predictions, scores. The observer empties it."""
        self._listening.append([])
        return self._listening[-1]

    def _tell(self, *batch: Any) -> None:
        for batches in self._listening:
            batches.append(batch)
