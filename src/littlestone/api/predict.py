"""Batch prediction: a model of any kind, many rows in, predictions or scores out. Nothing is learned."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from littlestone.api.model_rounds import opened, paths_in, rounds_of
from littlestone.api.play import Kept, loop
from littlestone.errors import LittlestoneError, require
from littlestone.protocol import AdviceModel, Block, ClassMap, RuleRunner
from littlestone.protocol.events import answers_of
from littlestone.protocol.labels import labels_as_array
from littlestone.rounds.features import usual_label
from littlestone.rounds.files import is_column
from littlestone.streams import Stream
from littlestone.streams.arrays import is_number, is_text, numbers_of
from littlestone.streams.expert_tables import unscaled_losses
from littlestone.streams.first_rows import several
from littlestone.streams.formats import CONVERTED
from littlestone.streams.frames import as_frame


def predict_many(model: Any, X: Any, *, scores: bool = False) -> np.ndarray:
    """The predictions for all rows of X; with `scores` their scores (of several classes, a column for each in the order of
    `model.classes`; of a rule over experts, the shares of a 1).

    >>> import littlestone as ls
    >>> model = ls.play(ls.one_vs_rest(ls.perceptron(bias=0)), [[1, 0], [0, 1]] * 3, ["tea", "coffee"] * 3).hypothesis
    >>> model.predict_many([[1, 0], [0, 1]]).tolist(), model.predict_many([[1, 0]], scores=True).tolist()
    (['tea', 'coffee'], [[0.0, -1.0]])
    """
    if is_empty(X):
        return nothing(model, scores=scores)
    if model.kind == "advice":
        parts = [part.mix if scores else part.predictions for part in of_advice(model, X)]
        return np.concatenate(parts) if parts else np.empty(0)
    predictor = Predictor(model)
    require(not scores or predictor.scored, f"{model.learner.name} predicts without a score")
    kept = answers(predictor, model, X, scores)
    if scores:
        return np.concatenate([part.scores for part in kept.parts]) if kept.parts else np.empty(0)
    return predictor.names[kept.joined("predictions", np.int32)]


def predict_codes(model: Any, X: Any) -> np.ndarray:
    """The same as codes: 1 and 0, or the place of the class in `model.classes`, -1 for none."""
    return answers(Predictor(model), model, X, scores=False).joined("predictions", np.int32)


def answers(predictor: Any, model: Any, X: Any, scores: bool, **how: Any) -> Kept:
    """What the predictor says of all rows."""
    rounds = rounds_of(model, as_model_rows(model, X), **how)
    if rounds.stream is not None:
        rounds.stream.any_label = True  # labels are not looked at
    kept = Kept(predictions=True, scores=scores, updates=False)
    loop(predictor, rounds.blocks, [kept], scored=scores)
    return kept


def as_model_rows(model: Any, X: Any) -> Any:
    """Return the rows of a frame as the model was made of them, where that was a matrix or dicts; anything else as it is.

    >>> import littlestone as ls
    >>> model = ls.play(ls.perceptron(), [[1.0, 0.0], [0.0, 2.0]], [1, 0]).model
    >>> as_model_rows(model, pa.table({"x": [1, 3], "y": [0.5, None]})).tolist()
    [[1.0, 0.5], [3.0, nan]]
    """
    X, format = as_frame(X), model.reading.get("format", "auto")
    if not hasattr(X, "__arrow_c_stream__") or isinstance(X, Stream) or is_column(X) or format not in ("auto", "text"):
        return X
    table = pa.Table.from_pandas(X, preserve_index=False) if hasattr(X, "iloc") else pa.table(X)
    names = table.column_names
    if set(names) <= CONVERTED:
        return table  # its features are made already
    kinds = {field.name: field.type for field in table.schema}
    if format == "text":
        column = next((name for name, kind in kinds.items() if is_text(kind)), names[0])
        expected = f"this model was made of texts: expected a list of texts, or one column of them such as frame[{column!r}]"
        raise LittlestoneError(f"{expected}; got a frame with {several(names)}")
    if model.named:
        return table if usual_label(names) is not None else table.to_pylist()
    width = model.reading.get("width")
    expected = f"this model was made of a matrix: expected {'' if width is None else f'its {width} '}columns of numbers, in its order"
    require(width in (None, len(names)), f"{expected}; got a frame with {len(names)}: {several(names)}")
    for name, kind in kinds.items():
        require(is_number(kind), f"{expected}; column {name!r} of the frame has none")
    return np.column_stack([numbers_of(column.combine_chunks()) for column in table.columns])


def is_empty(X: Any) -> bool:
    """Is it a batch of no rows?"""
    rows = getattr(X, "shape", None) or getattr(X, "num_rows", None)
    return (isinstance(X, list | tuple) and not X) or rows == 0 or (isinstance(rows, tuple) and rows[0] == 0)


def nothing(model: Any, *, scores: bool = False) -> np.ndarray:
    """The predictions or scores of no rows, as an array of the kind that rows would have."""
    if model.kind == "advice":
        return np.empty(0) if scores or model.rule.advice == "loss" else np.empty(0, np.bool_)
    predictor = Predictor(model)
    return predictor.scores_for(0) if scores else predictor.names[:0]


class Predictor:
    """A runner that predicts blocks and learns nothing. Features that it has not met have their first weights, as in `model.predict`."""

    stopped = False

    def __init__(self, model: Any) -> None:
        model = model.hypothesis
        learner = model.learner
        self.runner = model.runner()
        self.runner.ledger = None
        self.classes: ClassMap | None = getattr(model, "classes", None)
        self.names: Any = np.array(answers_of(model.reading) or [False, True]) if self.classes is None else labels_as_array(self.classes)
        self.scored = self.classes is not None or learner.scored
        self.operating = model.operating  # where it answers otherwise than the learner would
        # what lies beyond a number of features that was declared counts for nothing; columns are counted from 0, or else from 1
        self.width = None if model.counted or learner.n is None else learner.n + (not model._zero)

    def scores_for(self, rows: int) -> np.ndarray:
        """Room for the scores of so many rows."""
        return np.zeros((rows, self.runner.engine.seen) if self.classes is not None else rows)

    def take(self, block: Block, scores: np.ndarray | None = None, updates: np.ndarray | None = None) -> np.ndarray:
        """Codes of the predictions of a block; its labels are not looked at."""
        block = block.silent()
        if self.width is not None:
            block = without_columns_from(block, self.width)
        if self.operating is not None and scores is None:
            scores = self.scores_for(len(block))
        predictions = self.runner.take(packed(block, self.runner.room), scores)
        return (predictions if self.operating is None else self.operating.answers(scores, predictions)).astype(np.int32)

    def finish(self) -> None:
        """The rows have ended."""


def packed(block: Block, room: int) -> Block:
    """The block with features for which there is no place numbered one after the other: what was never met is all alike."""
    fresh = block.indices >= room
    if not fresh.any():
        return block
    _, codes = np.unique(block.indices[fresh], return_inverse=True)
    indices = block.indices.copy()
    indices[fresh] = room + codes
    return replace(block, indices=indices, examined=None)


def without_columns_from(block: Block, width: int) -> Block:
    """The block without features beyond so many columns."""
    kept = block.indices < width
    if kept.all():
        return block
    ends = np.concatenate(([0], np.cumsum(kept)))[block.indptr].astype(np.int64)
    values: Any = None if block.values is None else block.values[kept]
    return replace(block, indptr=ends, indices=block.indices[kept], values=values, examined=None)


class RuleAnswers(NamedTuple):
    """What a rule says of some rounds: a vote, a share of a 1, a forecast, or whom to follow; and the weighted mean of the advice."""

    says: np.ndarray
    mix: np.ndarray
    predictions: np.ndarray  # as `model.predict` has them, by a coin where one is tossed; of losses, what it says
    truth: np.ndarray  # codes, -1 where there is none; they were not looked at
    lost: np.ndarray | None = None  # of losses, what that cost in the units of the table, NaN where it is not known


def _frame_of(model: AdviceModel, X: Any) -> Any:
    """Return rows of forecasts in memory as a table with a column for each expert, where the rule was taught by a table of forecasts;
    anything else as it is."""
    if isinstance(X, list | tuple) and X and isinstance(X[0], dict):
        X = [model.in_order(row) for row in X]
    if not model.of_forecasts or not isinstance(X, list | tuple | np.ndarray) or paths_in(X):
        return X
    rows = np.asarray(X, np.float64)
    require(rows.ndim == 2, f"rows of forecasts have one number for each expert; got an array of shape {rows.shape}")
    require(rows.shape[1] == len(model.names), f"a row of {rows.shape[1]} experts; this {model.rule.name} has n={len(model.names)}")
    return pa.table({str(name): np.ascontiguousarray(column) for name, column in zip(model.names, rows.T, strict=True)})


def of_advice(model: AdviceModel, X: Any) -> Iterator[RuleAnswers]:
    """What a rule says of rows of advice, or of a table that is read as the model's own was."""
    X = opened(model, _frame_of(model, X), truth_optional=True)
    table = X if hasattr(X, "advices") else None
    y = None if table is not None or model.rule.advice == "loss" else np.full(len(X), np.nan)
    blocks = rounds_of(model, X, y).blocks()
    rule, names = model.rule, labels_as_array(model.names)
    runner: Any = None
    for advice in blocks:
        if runner is None:
            n, named = advice.table.shape[1], rule.advice == "loss" and (advice.forecasts is None or rule.bandit)
            runner = RuleRunner(rule, n, state=None if rule.n is None else model.state, naming=named)
        mix = np.empty(len(advice))
        predictions = runner.take(advice.labelled(-1), mix)
        runner.parts.clear()
        own = runner.forecasts()
        if own is not None:
            lost = np.full(len(own), np.nan) if table is None else unscaled_losses(table.reading, own, advice.outcomes)
            yield RuleAnswers(own, own, own, advice.truth, lost)
            continue
        if rule.advice == "loss":
            scale, least = (1.0, 0.0) if table is None else (table.reading.scale or 1.0, table.reading.low or 0.0)
            lost = mix * scale + (least if model.reading.get("advice") == "loss" else 0.0)
            yield RuleAnswers(names[predictions], mix, names[predictions], advice.truth, lost)
            continue
        votes = predictions == 1
        shares = rule.advice == "probability" and not rule.bandit
        yield RuleAnswers(mix if shares else votes if rule.bandit or not rule.randomized else mix >= 0.5, mix, votes, advice.truth)
