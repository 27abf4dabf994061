"""Rows in memory as a user hands them over: which column is their label, what makes two classes of a number, how texts become words."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from littlestone.api.sources import COLUMN_KINDS, OF_WORDS, with_columns
from littlestone.errors import LittlestoneError, require
from littlestone.protocol import Block
from littlestone.protocol.labels import is_missing
from littlestone.rounds.reading import Reading
from littlestone.streams import Stream, open_stream
from littlestone.streams.frames import FrameStream, as_frame
from littlestone.streams.instances import listed

CHOICES = ("label", "labels", "label_threshold", "ngrams", "chars", "bits")  # of a reading, for rows in memory
OF_TEXTS = ("ngrams", "chars", "bits")


class Inputs(NamedTuple):
    """Rows, their labels, the labels that may come, and how texts among the rows are read, where that was said."""

    X: Any
    y: Any
    labels: Any = None
    texts: dict[str, Any] | None = None


def inputs_of(X: Any, y: Any, verb: str, choices: Mapping[str, Any]) -> Inputs:
    """What `verb` was given, where `choices` say which column is the label (also y, as a text), and how texts are read.

    >>> inputs_of([{"word": "free", "class": "spam"}], "class", "play", {})[:2]
    ([{'word': 'free'}], ['spam'])
    """
    for name in choices:
        if name not in (*CHOICES, *COLUMN_KINDS):
            raise TypeError(f"{verb}() got an unexpected keyword argument {name!r}")
    columns = {name: value for name, value in choices.items() if name in COLUMN_KINDS and value}
    chosen = {name: value for name, value in choices.items() if name in CHOICES and value is not None}
    column, labels, threshold = chosen.pop("label", None), chosen.pop("labels", None), chosen.pop("label_threshold", None)
    if isinstance(y, str):
        require(column is None, f"y={y!r} and label={column!r}: both name the column of the label; give one of them")
        column, y = y, None
    if hasattr(as_frame(X), "__arrow_c_stream__"):
        X, columns = with_columns(X, y, **columns), {}
    if column is not None:
        require(y is None, f"label={column!r} and y: the labels are in a column, or given apart; leave one of them out")
        X, y = labelled_by(X, column)
    if isinstance(X, Sequence) and len(X) and isinstance(X[0], Mapping):
        columns |= {name: chosen.pop(name) for name in OF_WORDS if name in chosen}
    X = with_columns(X, y, **columns)
    X = as_frame(X)
    if hasattr(X, "__arrow_c_stream__") and not isinstance(X, Stream) and chosen:
        X = FrameStream(X, labelled=y is None)
    texts = None
    if isinstance(X, Stream):
        X.declare(**chosen, **({} if threshold is None or y is not None else {"label_threshold": threshold}))
    elif chosen:
        texts = Reading.of(format="text", named=True, **chosen).as_json()
        X = listed(X)
        require(
            isinstance(X, Sequence) and len(X) and isinstance(X[0], str),
            f"{', '.join(chosen)}: how texts are read; expected a list of texts, a frame or a stream, not {type(X).__name__}",
        )
    if threshold is not None and y is not None:
        y = above(y, threshold)
    return Inputs(X, y, labels, texts)


def labelled_by(X: Any, column: str) -> tuple[Any, Any]:
    """The rows and their labels, which are one of their columns; a stream or a frame reads it as its label."""
    if isinstance(X, Stream):
        X.declare(label=column)
        return X, None
    X = as_frame(X)
    if isinstance(X, os.PathLike) or hasattr(X, "__arrow_c_stream__"):
        return open_stream(X, label=column), None
    rows = isinstance(X, Sequence) and not isinstance(X, str) and all(isinstance(row, Mapping) for row in X)
    require(rows, f"label={column!r} names a column; expected a frame, a stream or rows as dicts, not {type(X).__name__}")
    known = next((t for t, row in enumerate(X) if column in row), None)
    require(known is not None, f"label={column!r}: no row has it; expected the name of a column")
    return [{name: value for name, value in row.items() if name != column} for row in X], [row.get(column) for row in X]


def above(y: Any, threshold: Any) -> list[bool | None]:
    """Two classes of numbers: those above the threshold, and not.

    >>> above([1, 2.5, None], 2)
    [False, True, None]
    """
    for t, label in enumerate(y):
        number = isinstance(label, int | float | np.number) and not isinstance(label, bool)
        require(number or is_missing(label), f"round {t + 1}: label {label!r}; expected a number, to be compared with label_threshold")
    return [None if is_missing(label) else bool(label > threshold) for label in y]


def refuse_missing_labels(X: Any, y: Any, verb: str) -> None:
    """Refuse rows that bring no labels and are given none. The name of a file is refused later, as what it is."""
    carried = isinstance(X, Stream | Block | str | os.PathLike) or hasattr(X, "__arrow_c_stream__") or hasattr(X, "npartitions")
    carried = carried or hasattr(X, "__next__") or (isinstance(X, Sequence) and (not len(X) or isinstance(X[0], Block)))
    if y is None and not carried:
        raise LittlestoneError(
            f"{verb} needs the labels of the rows: expected y, with one for each row (None where there is none), or label=COLUMN of a frame"
        )
