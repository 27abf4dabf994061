"""Rounds for a model: whatever the user has, read as the model's own stream was."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from littlestone.api.sources import recoded, weights_of
from littlestone.errors import LittlestoneError, require
from littlestone.protocol import Advice, AdviceModel, Block, ClassMap, FeatureMap
from littlestone.protocol.block import ROWS
from littlestone.rounds.table_reading import TableReading
from littlestone.streams import Stream, open_stream
from littlestone.streams.expert_tables import ExpertTable
from littlestone.streams.instances import Names, source_of, streamed, two_labels_of, weighing, weights_of_two

Rounds = tuple[int | None, Iterator[Any]]  # how many columns there are where that is known, and blocks


def rounds_for(
    model: Any,
    X: Any,
    y: Any = None,
    classes: ClassMap | None = None,
    *,
    boolean: bool = False,
    sample_weight: Any = None,
    class_weight: Any = None,
) -> Rounds:
    """Blocks of instances, or of advice. Labels of several classes are codes of `classes`, numbered as they appear."""
    if model.kind == "advice":
        given = boolean or sample_weight is not None or class_weight is not None
        require(not given, f"{model.learner.name} takes advice and truths alone: no weights")
        return advice_for(model, X, y)
    X = streamed(open_stream(*paths) if (paths := paths_in(X)) else X, y)
    names = Names(FeatureMap(model.features), model.named, model.reading)
    if classes is None:
        source, weigh = source_of(X, y, ROWS, two_labels_of, names), weighing(sample_weight, weights_of_two(class_weight))
    else:
        source, weigh = source_of(X, y, ROWS, classes.of_rounds, names), weighing(sample_weight, weights_of(class_weight, classes))
    carried = classes is not None and y is None and not isinstance(X, Stream)  # blocks that bring codes of their own

    def blocks() -> Iterator[Block]:
        start = 0
        for block in X.lent_blocks(classes) if classes is not None and isinstance(X, Stream) and y is None else source.blocks():
            if carried and classes is not None:
                block = replace(block, labels=recoded(block.labels, classes))
            if boolean:
                block = block.presence(any_value=True)
            yield weigh(block, start) if weigh else block
            start += len(block)

    return source.columns, blocks()


def paths_in(X: Any) -> list[str]:
    """The files that are meant: one path, or a list of them; none where X is anything else."""
    given = [X] if isinstance(X, str | os.PathLike) else X if isinstance(X, list | tuple) else []
    return [str(path) for path in given] if all(isinstance(path, str | os.PathLike) for path in given) else []


def advice_for(model: AdviceModel, X: Any, y: Any = None) -> Rounds:
    """Rounds of advice, from an array of rounds × experts with its truths, or from a table read as the model's own was."""
    if y is None and (paths_in(X) or hasattr(X, "__arrow_c_stream__")):
        table = table_for(model, *(paths_in(X) or [X]))
        return len(table.names), (advice for advice, _, _ in table.advices())
    try:
        rows = np.asarray(X, np.float32)
    except (TypeError, ValueError):
        raise LittlestoneError("advice must be a table of numbers, rounds × experts, NaN where an expert is asleep") from None
    require(rows.ndim == 2, f"advice has shape {rows.shape}; expected numbers, rounds × experts")
    losses = model.rule.advice == "loss"
    require(y is None or not losses, "the advice is losses: there is no truth to tell")
    truth = np.zeros(len(rows), np.int32) if losses else two_labels_of(y, len(rows))
    advice = Advice.of(rows, truth)
    return rows.shape[1], (advice.cut(start, min(start + ROWS, len(advice))) for start in range(0, len(advice), ROWS))


def table_for(model: AdviceModel, *tables: Any) -> ExpertTable:
    """A table of experts, read as the model's own was: the same columns, the same loss, the same scale."""
    require(model.reading, f"this model of {model.learner!r} was not made from a table; give an array of rounds × experts")
    reading = TableReading.from_json({name: value for name, value in model.reading.items() if name != "gradient"})
    measured = {"low": None, "high": None, "measured": False} if reading.measured else {}
    table = ExpertTable(*tables, reading=reading.but(format="auto", delimiter=None, scale=None, **measured))
    table.reading = reading.but(format=table.reading.format, delimiter=table.reading.delimiter, ignore=table.reading.ignore)
    return table
