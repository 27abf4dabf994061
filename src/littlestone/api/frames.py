"""Runs as frames: a row for each round, in a table of the kind that the rounds came in."""

from typing import Any

import numpy as np
import pyarrow as pa

from littlestone.api.sources import Rounds
from littlestone.protocol import AdviceRun
from littlestone.protocol.block import LentBlock
from littlestone.protocol.labels import labels_as_array


class NamedLabels:
    """The labels of the rounds that were played, as codes, and what the rounds are called."""

    def __init__(self) -> None:
        self.labels: list[np.ndarray] = []
        self.ids: list[tuple[int, Any]] = []  # how many rounds, and their names where they have such

    def add(self, block: Any, *, labels: bool = True) -> None:
        """Some rounds; without their labels where the run has them."""
        if labels:
            self.labels.append(block.labels if isinstance(block, LentBlock) else block.labels.copy())  # those of a stream are written over
        self.ids.append((len(block), block.ids))


def frame_of(rounds: Rounds, named: NamedLabels, run: Any) -> Any:
    """The rounds of a run as a frame of the kind that they came in, else as an Arrow table."""
    truth = np.concatenate([np.empty(0, np.int32), *named.labels])
    if isinstance(run, AdviceRun):
        truth = truth if named.labels else run.truth
        losses = run.rule.advice == "loss"
        labels = known = () if losses else (False, True)  # losses are of no label
        codes = np.full(len(truth), -1) if losses else run.predictions.astype(np.int32)
        scores, chances = run.mix, None
    else:
        codes, known = run.codes.astype(np.int32), getattr(run, "classes", None) or getattr(run, "labels", None) or (False, True)
        labels = known if rounds.classes is None else tuple(rounds.classes)  # a run numbers them anew where it began in the middle
        scores, chances = run.scores, run.probabilities if run.scores is not None and run.learner.probabilities else None
        scores, chances = (None if marks is None else np.where(codes < 0, np.nan, marks) for marks in (scores, chances))
    table = pa.table(
        {
            "round": np.arange(1, len(truth) + 1) + run.first_round,
            "id": pa.array([name for length, names in named.ids for name in names or [None] * length], pa.string()),
            "label": in_words(truth, labels),
            "prediction": in_words(codes, known),
            "score": numbers(scores, len(truth)),
            "probability": numbers(chances, len(truth)),
        }
    )
    return rounds.stream.like(table) if hasattr(rounds.stream, "like") else table  # type: ignore[union-attr]


def in_words(codes: np.ndarray, labels: tuple) -> Any:
    """Labels by their codes as a column; nothing where there is no label."""
    return pa.array(labels_as_array(labels)[np.where(codes < 0, -1, codes)]) if labels else pa.nulls(len(codes))


def numbers(marks: np.ndarray | None, rows: int) -> Any:
    """Numbers as a column; nothing where there is none."""
    return pa.nulls(rows, pa.float64()) if marks is None else pa.array(marks, pa.float64(), from_pandas=True)
