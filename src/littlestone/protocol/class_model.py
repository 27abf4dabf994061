"""One event at a time, over several classes."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from littlestone.errors import LittlestoneError, require
from littlestone.protocol.classes import ClassLearner, ClassRun, Opening
from littlestone.protocol.events import Events
from littlestone.protocol.labels import ClassMap


class ClassModel(Events):
    """Learns as events come, each in any form that a binary model takes; labels are any values of one kind, new ones at any time.

    >>> import littlestone as ls
    >>> model = ls.multiclass_perceptron().start()
    >>> [model.observe({"steam": 1, word: 1}, drink) for word, drink in [("leaf", "tea"), ("bean", "coffee"), ("bean", "coffee")]]
    [None, 'tea', 'tea']
    >>> model.predict({"bean": 1}), model.mistakes, model.rounds, list(model.classes)
    ('coffee', 3, 3, ['tea', 'coffee'])
    """

    def __init__(self, learner: ClassLearner, run: ClassRun | None = None) -> None:
        learner = learner.sized(None)
        width = 0 if run is None else run.width
        super().__init__(learner, max(16, width), width - 1)
        self.mistakes = self.rounds = 0
        self.classes = ClassMap()
        self._labels: list[Any] = []
        self._engine = learner.engine(Opening(room=self._room, events=True))
        self._predicted = -1
        if run is not None:
            self._labels = [label for label in run.classes if self.classes.code(label) >= 0]
            self._engine.resume(run.state, len(run.classes))
            self._engine.make_room(self._room)

    @property
    def state(self) -> Any:
        """The state after the last update."""
        return self._engine.state(max(self._top + 1, self.learner.n or 0))

    def _grow(self, room: int) -> None:
        self._engine.make_room(room)

    def save(self, path: Any) -> None:
        """Refused: model files hold learners of two classes only."""
        raise LittlestoneError(
            f"{self.learner.name}: models of several classes cannot be saved; a model file holds a learner of two classes"
        )

    def predict(self, x: Any) -> Any:
        """The label predicted for x, None before any was told; changes nothing that a later prediction depends on."""
        self._seen = None
        if self._quick(x):
            if type(x) is dict:
                self._seen, self._seen_copy = x, x.copy()
        else:
            self._convert(x, learn=False)
        self._predicted = code = self._engine.predict(self._row)
        return None if code < 0 else self._labels[code]

    def update(self, x: Any, y: Any, weight: float = 1.0) -> None:
        """Tell the label of x: counts the round, and the mistake if there was one, and learns."""
        if x is self._seen and x == self._seen_copy:  # converted and predicted already, and not changed since
            self._learn(y, self._predicted, weight)
        else:
            self.observe(x, y, weight)

    def observe(self, x: Any, y: Any, weight: float = 1.0) -> Any:
        """Predict x, count, and learn from its label, in one call; the prediction made before learning."""
        self._seen = None
        if not self._quick(x):
            self._convert(x, learn=True)
        code = self._engine.predict(self._row)
        self._learn(y, code, weight)
        return None if code < 0 else self._labels[code]

    def _learn(self, label: Any, yhat: int, weight: float) -> None:
        self._seen = None  # an update ends the round
        require(self.learner.weighted or weight == 1.0, f"{self.learner.name} honours no weights: each round counts once")
        require(0 <= weight < inf, f"weight={weight!r} must be a finite number, 0 or more")
        y = self.classes.code(label)
        if y < 0:
            return
        if y == len(self._labels):
            self._labels.append(next(reversed(self.classes)))
        self.rounds += 1
        self.mistakes += y != yhat
        self._engine.learn(self._row, y, yhat, float(np.float32(weight)))
