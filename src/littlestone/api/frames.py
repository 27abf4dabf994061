"""Runs as frames: a row for each round, in a table of the kind that the rounds came in."""

import sys
from typing import Any

import numpy as np
import pyarrow as pa

from littlestone.api.sources import Rounds
from littlestone.protocol import AdviceRun
from littlestone.protocol.block import LentBlock
from littlestone.protocol.labels import labels_as_array
from littlestone.streams.frames import FrameStream


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
    return as_kind_of(rounds.came, table)


def came_as(X: Any, y: Any) -> Any:
    """What a frame of the run is like: the frame or column of the rows, else that of the labels."""
    frame = X.frame if isinstance(X, FrameStream) else getattr(X, "raw", X)
    return frame if hasattr(frame, "__arrow_c_stream__") or hasattr(frame, "iloc") or y is None else y


def as_kind_of(thing: Any, table: pa.Table) -> Any:
    """An Arrow table as a frame of the library that a thing is of: of pandas with its index, where that has a row for each of the table.

    >>> import pandas as pd
    >>> as_kind_of(pd.Series(["a", "b"], index=[7, 9]), pa.table({"round": [1, 2]})).index.tolist()
    [7, 9]
    """
    library = type(thing).__module__.partition(".")[0]
    if library == "polars":
        return sys.modules["polars"].DataFrame(table)
    if library not in ("pandas", "dask", "dask_expr"):
        return table
    frame = table.to_pandas()
    if library != "pandas":
        return sys.modules["dask.dataframe"].from_pandas(frame, npartitions=thing.npartitions)
    return frame.set_index(thing.index) if len(frame) == len(thing) else frame


def in_words(codes: np.ndarray, labels: tuple) -> Any:
    """Labels by their codes as a column; nothing where there is no label."""
    return pa.array(labels_as_array(labels)[np.where(codes < 0, -1, codes)]) if labels else pa.nulls(len(codes))


def numbers(marks: np.ndarray | None, rows: int) -> Any:
    """Numbers as a column; nothing where there is none."""
    return pa.nulls(rows, pa.float64()) if marks is None else pa.array(marks, pa.float64(), from_pandas=True)
