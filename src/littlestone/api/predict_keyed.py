"""Batch prediction by key: every row by the model of its key."""

from typing import Any

import numpy as np

from littlestone.api.keyed import NO_SCORE, KeyedModel, runner_by_key, with_keys
from littlestone.api.predict import answers
from littlestone.errors import require
from littlestone.protocol import Block
from littlestone.protocol.events import answers_of
from littlestone.protocol.labels import labels_as_array


def who_answers(model: Any) -> str:
    """Whose predictions those of a model are, for messages."""
    return NO_SCORE if getattr(model, "shared_runner", None) is not None else model.learner.name


def predict_by_key(model: KeyedModel, X: Any, key: Any = None, *, scores: bool = False) -> np.ndarray:
    """What the models of their keys say of all rows of X; nothing is learned. A key that is not known has the first state."""
    X, keys = with_keys(X, key)
    predictor = KeyedPredictor(model)
    require(not scores or predictor.scored, f"{who_answers(model)} predicts without a score")
    kept = answers(predictor, model, X, scores, keys=keys)
    if scores:
        return np.concatenate([part.scores for part in kept.parts]) if kept.parts else np.empty(0)
    return predictor.names[kept.joined("predictions", np.int32)]


class KeyedPredictor:
    """A runner that predicts blocks whose rows have keys, and learns nothing."""

    stopped = False

    def __init__(self, model: KeyedModel) -> None:
        self.buckets, self.classes = model.buckets, model.buckets.kind.classes
        self.names: Any = np.array(answers_of(model.reading) or [False, True]) if self.classes is None else labels_as_array(self.classes)
        self.scored = model.learner.scored and model.shared_runner is None
        self.checker = runner_by_key(model.learner, before=model, columns=None, counted=False, classes=self.classes, scores=False)

    def scores_for(self, rows: int) -> np.ndarray:
        return np.zeros(rows)

    def take(self, block: Block, scores: np.ndarray | None = None, updates: np.ndarray | None = None) -> np.ndarray:
        require(block.keys is not None, "rows to predict have no keys: expected whose each is (key=)")
        block = self.checker.admit(block.silent())
        advice = None if self.checker.shared is None else self.checker.shared.take(block)
        return self.buckets.play(block, scores, None, advice=advice, learning=False).astype(np.int32)

    def finish(self) -> None:
        """The rows have ended."""
