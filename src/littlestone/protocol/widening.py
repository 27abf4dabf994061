"""Two classes until a third label comes; then the same run goes on with all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from littlestone.hooks import above
from littlestone.protocol.around import RunnerAround
from littlestone.protocol.block import Block
from littlestone.protocol.classes import ClassRunner
from littlestone.protocol.counts import ClassRunnerCounts
from littlestone.protocol.labels import ClassMap
from littlestone.protocol.metrics import ClassMarks


class WideningRunner(RunnerAround):
    """A runner around that of a panel of two classes; in its place one of several goes on from the round with the third label.

    `classes` gives the labels by their codes, the negative and the positive one first.
    """

    def __init__(self, runner: Any, classes: Callable[[], ClassMap]) -> None:
        self.runner, self._classes = runner, classes

    def take(self, block: Block, scores: np.ndarray | None = None, updates: np.ndarray | None = None) -> np.ndarray:
        """Play one block; the codes it predicted."""
        if isinstance(self.runner, ClassRunner) or block.labels.max(initial=-1) <= 1:
            return self.runner.take(block, scores, updates)
        third = int(np.argmax(block.labels > 1))
        parts = []
        for start, stop in ((0, third), (third, len(block))):
            if start == third:
                self.widen()
            cut = [None if part is None else part[start:stop] for part in (scores, updates)]
            parts.append(self.runner.take(block.cut(start, stop), *cut))
        return np.concatenate(parts)

    def widen(self) -> None:
        """Go on with several classes."""
        two, accounts = self.runner, self.runner.accounts()
        learner, state = above("widened")(two.learner, two.state, two.mistakes, two.lengths[2], two.lengths[3] or 1.0)
        how: dict[str, Any] = {"columns": two.columns, "counted": two.counted, "classes": self._classes()}
        self.runner = ClassRunner(learner, state=state, known=2, accounts=ClassRunnerCounts.of_two(accounts), **how)
        if two.marks is not None and learner.probabilities and two.learner.probabilities:
            self.runner.marks = ClassMarks.of_two(two.marks)
        for name in ("resumed", "counted_before", "forecasts_before", "votes_before", "rows_before", "largest_index"):
            setattr(self.runner, name, getattr(two, name))
        self.runner.opening = two.opening and ClassRunnerCounts.of_two(two.opening)
