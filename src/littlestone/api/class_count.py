"""How many classes a stream has, as far as one can look: where there are more than two, a panel of two classes becomes one of several."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from littlestone.errors import LittlestoneError, require
from littlestone.learners.reductions.class_panel import MOST_CLASSES, of_panel
from littlestone.learners.reductions.panel import Panel
from littlestone.protocol import Block, ClassLearner, Learner, Rule
from littlestone.rounds.reading import LOOK_ROWS
from littlestone.streams import Stream
from littlestone.streams.instances import is_missing
from littlestone.streams.label_codes import REGRESSION

SURELY = 64  # labels in the first rows up to which classes are meant, however few rows each has


def fitting(learner: Any, X: Any, y: Any) -> Learner | ClassLearner | Rule:
    """The learner; a panel of two classes as one of several, where the labels are more than two."""
    return of_panel(learner) if isinstance(learner, Panel) and more_than_two(X, y) else learner


def more_than_two(X: Any, y: Any) -> bool:
    """Are there more than two labels in y, or in the first rows of a stream? Real numbers are refused."""
    if isinstance(X, Stream) and y is None:
        return several_labels(X)
    if isinstance(X, Block) and y is None:
        return bool(X.labels.max(initial=-1) > 1)
    if y is None:
        return isinstance(X, Sequence) and any(isinstance(block, Block) and more_than_two(block, None) for block in X)
    labels = np.asarray(y) if hasattr(y, "dtype") else np.fromiter(y, dtype=object, count=len(y)) if hasattr(y, "__len__") else None
    if labels is None or labels.ndim != 1 or labels.dtype == np.bool_:
        return False
    try:
        distinct = set(np.unique(labels).tolist() if labels.dtype != object else labels)
    except TypeError:  # labels that cannot be told apart, or of several kinds: whoever reads them refuses them by name
        return False
    return classes_meant([label for label in distinct if not is_missing(label) and label != ""], "y has")


def several_labels(stream: Stream) -> bool:
    """The same of the first rows of a stream whose labels are neither declared nor tested."""
    label = stream.reading.label or ""
    if stream.reading.labels is not None or label.strip("<>=!") != label:
        return False
    labels = stream.labels_ahead()
    if classes_meant(labels, f"{', '.join(stream.paths)}: the first rows have"):
        require(
            len(labels) <= max(SURELY, LOOK_ROWS // 2),
            f"{', '.join(stream.paths)}: its first {LOOK_ROWS:,} rows have {len(labels):,} different labels; expected classes that come "
            f"again; {REGRESSION}",
        )
        return True
    return False


def numbers_as_classes(stream: Stream) -> str | None:
    """A remark where each of very many whole numbers is taken for a class: a question of yes or no may have been meant."""
    labels, column = stream.labels_ahead(), stream.reading.label
    if len(labels) <= SURELY or not all(isinstance(label, float | np.floating) for label in labels):
        return None
    middle = sorted(labels)[len(labels) // 2]
    question = f"; for a question of yes or no: --label '{column}>{middle:g}'" if column else ""
    return f"The first rows have {len(labels):,} different whole numbers as labels, and each is a class of its own{question}."


def classes_meant(labels: Collection[Any], who: str) -> bool:
    """Are these the labels of more than two classes?"""
    if len(labels) <= 2:
        return False
    numbers = [label for label in labels if isinstance(label, float | np.floating)]
    real = next((number for number in numbers if not float(number).is_integer()), None)
    if real is not None:
        raise LittlestoneError(f"{who} {len(labels):,} different labels, {real:g} among them; {REGRESSION}")
    require(len(labels) <= MOST_CLASSES, f"{who} {len(labels):,} different labels; expected at most {MOST_CLASSES:,} classes; {REGRESSION}")
    return True
