"""A definition that is asked and told in any order, as late labels and learners inside others need it."""

from collections.abc import Callable, Iterator
from typing import Any

from littlestone.reference.calls import called


class Student:
    """A definition at play, one question or one lesson at a time: asking changes nothing.

    A definition predicts, and learns when it goes on to the next round.  So a question is a round without a label; and a lesson is a round
    with one, whose prediction, made afresh, is replaced by the one that was served when the round came.
    """

    def __init__(self, twin: Callable[..., Iterator[Any]], **more: Any) -> None:
        self.round: Any = None
        self.weight, self.served, self.vote = 1.0, None, None
        self.playing = called(twin, self._rounds(), weights=self._weights(), **more)
        self.begun = False

    def play(self, x: Any, y: Any, weight: float = 1.0) -> Any:
        """The prediction of a round whose label comes at once."""
        self.weight = weight
        return self._ask(x, y)

    def predict(self, x: Any) -> Any:
        return self._ask(x, None)

    def learn(self, x: Any, y: Any, served: Any, weight: float = 1.0) -> None:
        """Learn from a round that was predicted so when it came."""
        self.play(x, y, weight)
        self.served = served

    def close(self) -> None:
        """No more rounds: what was learned last is learned, and what is written down at the end is written down."""
        self.round = None
        if not self.begun:
            next(self.playing, None)
            return
        try:
            self.playing.send(self.served)
        except StopIteration:
            return

    def _ask(self, x: Any, y: Any) -> Any:
        self.round = (x, y)
        served, self.served = self.served, None
        self.vote = self.playing.send(served) if self.begun else next(self.playing)
        self.begun = True
        return self.vote

    def _rounds(self) -> Iterator[tuple[Any, Any]]:
        while self.round is not None:
            yield self.round

    def _weights(self) -> Iterator[float]:
        while True:
            yield self.weight
