"""Who is told of a run as it goes. The loop in `play` tells; what is done with it is the observer's affair."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np

    from littlestone.api.play import Playing
    from littlestone.protocol.class_costs import LeastCost
    from littlestone.protocol.operating import Operating


class Taken(NamedTuple):
    """Some rounds that were played: the block, the predictions, and the scores and updates where an observer asked for them."""

    block: Any
    predictions: np.ndarray
    scores: np.ndarray | None
    updates: np.ndarray | None


class Observer:
    """Does nothing. An observer overrides what it wants to be told of; `scores` and `updates` ask for these."""

    scores = False
    updates = False

    def begins(self, playing: Playing) -> None:
        """Before the first round."""

    def cut(self, block: Any) -> Iterator[Any]:
        """The block in pieces that end where this observer wants to be told."""
        yield block

    def around(self) -> AbstractContextManager:
        """What a piece is played within, and told of."""
        return nullcontext()

    def after(self, taken: Taken) -> None:
        """Some rounds were played."""

    def end_of_pass(self, number: int) -> None:
        """A pass over the stream has ended; passes are counted from 1."""

    def ends(self) -> None:
        """No more rounds come, whatever the reason."""

    def interrupted(self) -> bool:
        """Somebody pressed Ctrl-C. Is the run to end here, with what was played so far?"""
        return False


def pieces_ending(block: Any, missing: Callable[[], int]) -> Iterator[Any]:
    """The block in pieces, each of which ends with as many labelled rounds as are missing when it begins."""
    start = 0
    while start < len(block):
        labelled, count = (block.labels[start:] >= 0).cumsum(), missing()
        stop = len(block) if labelled[-1] < count else start + int(labelled.searchsorted(count)) + 1
        yield block.cut(start, stop)
        start = stop


class AtPoint(Observer):
    """Answers each round at the operating point, before its label is looked at; the point moves where it has a target."""

    scores = True

    def __init__(self, operating: Operating, *, keep: bool) -> None:
        self.operating, self.keep = operating, keep
        self.answers: Any = None  # to the rounds that were played last
        self.parts: list[Any] = []

    def after(self, taken: Taken) -> None:
        assert taken.scores is not None
        self.answers = self.operating.take(taken.block.labels, taken.scores, taken.block.weights, taken.predictions)
        if self.keep:
            self.parts.append(self.answers)


class AtLeastCost(Observer):
    """Keeps the answers that cost least, where classes are several: the runner gives them with its predictions."""

    def __init__(self, operating: LeastCost, *, keep: bool) -> None:
        self.operating, self.keep = operating, keep
        self.playing: Any = None
        self.parts: list[Any] = []

    def begins(self, playing: Any) -> None:
        self.playing = playing

    @property
    def answers(self) -> Any:
        return self.playing.runner.answers

    def after(self, taken: Taken) -> None:
        if self.keep:
            self.parts.append(self.answers)


class EndOfRun(Exception):
    """Raised by an observer to end the run after the rounds played so far."""
