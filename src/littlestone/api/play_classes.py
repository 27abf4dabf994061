"""`play` for several classes: labels of any kind are numbered as they appear, and come back as predictions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from littlestone.errors import require
from littlestone.protocol import Block, ClassLearner, ClassMap, ClassRun, ClassRunner, Guard
from littlestone.protocol.block import ROWS
from littlestone.protocol.labels import kind_of
from littlestone.streams import Stream
from littlestone.streams.instances import require_mapping, source_of, weighing


def play_classes(
    learner: ClassLearner,
    X: Any,
    y: Any = None,
    boolean: bool = False,
    sample_weight: Any = None,
    class_weight: Mapping | None = None,
    block_rows: int = ROWS,
    assume: str | None = None,
    alarm: str | None = None,
) -> ClassRun:
    """What `front.play` does with a learner of several classes."""
    require(block_rows >= 1, f"block_rows={block_rows!r} must be at least 1")
    counted = isinstance(X, Stream) and learner.needs_n and learner.n is None
    if counted:
        learner = learner.sized(X.count_features())
    classes = ClassMap()
    source = source_of(X, y, block_rows, classes.of_rounds)
    carried = isinstance(X, Block) or (y is None and not isinstance(X, Stream))  # blocks that bring codes of their own
    weigh = weighing(sample_weight, weights_of(class_weight, classes))

    def blocks() -> Iterator[Block]:
        start = 0
        for block in X.lent_blocks(classes) if isinstance(X, Stream) and y is None else source.blocks():
            if carried:
                block = replace(block, labels=recoded(block.labels, classes))
            if boolean:
                block = block.presence(any_value=True)
            yield weigh(block, start) if weigh else block
            start += len(block)

    if alarm is not None:
        return watched(Guard(learner, assume, alarm, columns=source.columns, counted=counted, classes=classes), blocks())
    runner = ClassRunner(learner, columns=source.columns, counted=counted)
    codes: list[np.ndarray] = []
    begun = perf_counter()
    for block in blocks():
        codes.append(runner.take(block))
    seconds = perf_counter() - begun
    return runner.run(classes, np.concatenate(codes) if codes else np.empty(0, np.int32), seconds)


def watched(guard: Guard, blocks: Iterator[Block], scores: bool = False) -> Any:
    """Play blocks under an alarm, as far as it lets them come."""
    begun = perf_counter()
    for block in blocks:
        guard.take(block, np.empty(len(block)) if scores else None)
        if guard.stopped:
            break
    return guard.result(perf_counter() - begun)


def recoded(labels: np.ndarray, classes: ClassMap) -> np.ndarray:
    """The labels of a user's own Block, -1 for none and any other number for a class, as codes in order of appearance."""
    codes = np.full(len(labels), -1, np.int32)
    codes[labels != -1] = classes.of(labels[labels != -1])
    return codes


def weights_of(class_weight: Mapping | None, classes: ClassMap) -> Callable[[], np.ndarray] | None:
    """A weight for each class there is so far, and 1 for rounds without a label."""
    if class_weight is not None:
        require_mapping(class_weight)
    if class_weight is None:
        return None

    def by_class() -> np.ndarray:
        for label in class_weight:
            require(
                kind_of(label) == classes.kind or not classes.kind,
                f"class_weight has {label!r}, {kind_of(label)}, and the labels are {classes.kind}",
            )
        return np.array([*(class_weight.get(label, 1) for label in classes), 1], dtype=np.float64)

    return by_class
