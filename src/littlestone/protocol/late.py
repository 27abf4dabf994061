"""Labels that come late: so many rounds later, or in rows of their own that name the round by its id.

A round is predicted when it comes. Its update is made when its label comes, with the prediction made then. Mistakes are counted when the
label comes, too: a round whose label never comes is not counted.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from littlestone.errors import require
from littlestone.protocol.block import Block
from littlestone.protocol.learner import Learner
from littlestone.protocol.run import Run, Runner, refuse_broken


class Waiting(NamedTuple):
    """A round that was predicted, and has not been learned from."""

    indices: np.ndarray
    values: np.ndarray | None
    yhat: bool
    score: float
    weight: float
    made: int  # updates before the prediction
    label: int  # -1 where it is still to be told
    first_round: int
    origin: str
    line: int | None

    def block(self, y: int) -> Block:
        """It alone, for messages and for learners that make room."""
        lines = None if self.line is None else np.array([self.line])
        ends = np.array([0, len(self.indices)])
        return Block(ends, self.indices, self.values, np.array([y], np.int32), None, self.first_round, self.origin, lines)


class LateRunner(Runner):
    """Plays rounds whose labels come `delay` rounds later, or by id (`delay=None`)."""

    def __init__(self, learner: Learner, *, delay: int | None = None, **rest: Any) -> None:
        super().__init__(learner, **rest)
        require(delay is None or delay >= 0, f"delay={delay} must not be negative")
        self.delay = delay
        self.queue: deque[Waiting] = deque()
        self.by_id: dict[str, Waiting] = {}
        self.made = self.overlap = 0  # updates; the most of them between a prediction and its label
        self.came_late = self.unknown = 0  # labels that came by id; such labels for which no round waits
        self.first_unknown = ""
        self._told: list[tuple[Waiting, int]] = []

    def take(self, block: Block, scores: np.ndarray | None = None, updates: np.ndarray | None = None) -> np.ndarray:
        """Play one block; its predictions as 1, 0, and -1 for a row that only brings a label."""
        if self.delay is None and self._at_once(block):
            updates = np.zeros(len(block), np.bool_)
            predictions = super().take(block, scores, updates)
            self.made += int(updates.sum())
            return predictions.astype(np.int8)
        block = self.admit(block)
        said = np.full(len(block), -1, np.int8)
        try:
            for t, (indices, values, y) in enumerate(block.rounds()):
                name = None if block.ids is None else block.ids[t]
                if self.delay is None and not len(indices) and y >= 0 and name is not None:
                    self._label_of(name, y, block.round(t))
                    continue
                row = self._predicted(block, t, indices, values, y)
                said[t] = row.yhat
                if scores is not None:
                    scores[t] = row.score
                if self.delay is not None:
                    self.queue.append(row)
                    if len(self.queue) > self.delay:
                        self._tell(self.queue.popleft())
                elif y < 0 and name is not None:
                    if name in self.by_id:
                        self._tell(self.by_id.pop(name))  # its label has not come, and a new round has its name
                    self.by_id[name] = row
                else:
                    self._tell(row)
        finally:
            self._count()
        return said

    def finish(self) -> None:
        """The stream has ended: the labels that are still on their way come now; rounds that wait for theirs are not counted."""
        try:
            while self.queue:
                self._tell(self.queue.popleft())
            for row in self.by_id.values():
                self._tell(row)
            self.by_id = {}
        finally:
            self._count()

    def run(self, *given: Any, **named: Any) -> Run:
        return replace(super().run(*given, **named), overlap=self.overlap, made=self.made)

    def _at_once(self, block: Block) -> bool:
        """Does every round of this block bring its own label?"""
        return block.ids is None or bool((block.labels >= 0).all() and (np.diff(block.indptr) > 0).all())

    def _predicted(self, block: Block, t: int, indices: np.ndarray, values: np.ndarray | None, y: int) -> Waiting:
        score = self.learner.score(self.state, indices, values) if self.learner.kernels.score is not None else 0.0
        return Waiting(
            indices=indices.copy(),
            values=None if values is None else values.copy(),
            yhat=self.learner.predict(self.state, indices, values),
            score=score,
            weight=1.0 if block.weights is None else float(block.weights[t]),
            made=self.made,
            label=y,
            first_round=block.first_round + t,
            origin=block.origin,
            line=None if block.lines is None else int(block.lines[t]),
        )

    def _label_of(self, name: str, y: int, where: str) -> None:
        row = self.by_id.pop(name, None)
        if row is None:
            self.unknown += 1
            self.first_unknown = self.first_unknown or f"{where}: a label for {name!r}"
            return
        self.came_late += 1
        self._tell(row._replace(label=y))

    def _tell(self, row: Waiting) -> None:
        """Learn from a round whose label is known now."""
        learner, y = self.learner, row.label
        if y >= 0 and (row.yhat != (y == 1) or learner.updates_on != "mistakes"):
            if learner.prepare is not None:
                self.state = learner.prepare(self.state, row.block(y))
            values = (row.indices, row.values, 0, len(row.indices), y == 1, row.yhat, row.weight)
            said = learner.kernels.update(*learner.params, *self.state, *values)
            refuse_broken(learner, self.state, row.block(y), 0)
            updated = learner.updates_on != "margin" or bool(said)
            if updated or row.yhat != (y == 1):  # a rule with a margin may find nothing left to learn from a mistake made long ago
                self.overlap = max(self.overlap, self.made - row.made)
            self.made += updated
        self._told.append((row, y))

    def _count(self) -> None:
        """Enter what was told into the counts, in the order of the telling."""
        told, self._told = self._told, []
        if not told:
            return
        ends = np.cumsum([0, *(len(row.indices) for row, _ in told)], dtype=np.int64)
        nothing: list[np.ndarray] = [np.empty(0, np.float32)]
        values = None if told[0][0].values is None else np.concatenate([*nothing, *(row.values for row, _ in told)])
        weights = np.array([row.weight for row, _ in told], np.float32) if self.weighted else None
        block = Block(
            ends,
            np.concatenate([np.empty(0, np.uint32), *(row.indices for row, _ in told)]),
            values,
            np.array([y for _, y in told], np.int32),
            weights,
        )
        predictions = np.array([row.yhat for row, _ in told], np.bool_)
        self.record(block, predictions, None, np.array([row.score for row, _ in told]))
