"""How many classes a stream has, as far as one can look: where there are more than two, a panel of two classes becomes one of several."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from littlestone.errors import LittlestoneError, require
from littlestone.learners.reductions.class_panel import MOST_CLASSES, of_panel
from littlestone.learners.reductions.panel import Panel
from littlestone.protocol import Block, ClassLearner, Learner, Rule
from littlestone.protocol.labels import LabelRules, bare, is_missing
from littlestone.rounds.reading import LOOK_ROWS
from littlestone.streams import Stream, formats
from littlestone.streams.label_codes import REGRESSION, refuse_numbers

SURELY = 64  # labels in the first rows up to which classes are meant, however few rows each has


def fitting(learner: Any, X: Any, y: Any, rules: LabelRules | None = None) -> Learner | ClassLearner | Rule:
    """The learner; a panel of two classes as one of several, where the labels are more than two, declared or met."""
    return of_panel(learner) if isinstance(learner, Panel) and more_than_two(X, y, rules) else learner


def rules_for(X: Any) -> LabelRules:
    """Which labels may come, as the reading of a stream says."""
    return LabelRules.of(X.reading.chosen(("labels", "declared", "any_labels"))) if isinstance(X, Stream) else LabelRules()


def more_than_two(X: Any, y: Any = None, rules: LabelRules | None = None) -> bool:
    """Are more than two labels declared, or else in y, or in the first rows of a stream? Numbers to be predicted are refused."""
    rules = rules_for(X) if rules is None else rules
    if rules.declared is not None:
        return len(rules.declared) > 2
    if isinstance(X, Stream) and y is None:
        return several_labels(X, rules)
    if isinstance(X, Block) and y is None:
        return bool(X.labels.max(initial=-1) > 1)
    if y is None:
        return isinstance(X, Sequence) and any(isinstance(block, Block) and more_than_two(block, None, rules) for block in X)
    labels = array_of(y)
    if labels is None or labels.dtype == np.bool_:
        return False
    try:
        distinct = set(map(bare, np.unique(labels).tolist() if labels.dtype != object else labels))
    except TypeError:  # labels that cannot be told apart, or of several kinds: whoever reads them refuses them by name
        return False
    return classes_meant([label for label in distinct if not is_missing(label)], "y has", rules)


def array_of(y: Any) -> np.ndarray | None:
    """Labels as a flat array; None where they are something else."""
    labels = np.asarray(y) if hasattr(y, "dtype") else np.fromiter(y, dtype=object, count=len(y)) if hasattr(y, "__len__") else None
    return None if labels is None or labels.ndim != 1 else labels


def several_labels(stream: Stream, rules: LabelRules) -> bool:
    """Are there more than two in the first rows of a stream whose labels are neither declared nor tested?"""
    if stream.reading.labels is not None or is_tested(stream):
        return False
    labels, who = stream.labels_ahead(), f"{', '.join(stream.paths)}: the first rows have"
    if not rules.any_label:
        refuse_numbers(labels, who)
    if classes_meant(labels, who, rules):
        require(
            rules.any_label or len(labels) <= max(SURELY, LOOK_ROWS // 2),
            f"{', '.join(stream.paths)}: its first {LOOK_ROWS:,} rows have {len(labels):,} different labels; expected classes that come "
            f"again; --labels any (labels='any') says that they do",
        )
        return True
    return False


def is_tested(stream: Stream) -> bool:
    """Is the label made by a test, so that it is 1 or 0?"""
    label = stream.reading.label or ""
    return label.strip("<>=!") != label or formats.test_of(stream.begin()) is not None


def refuse_targets(learner: Any, X: Any, y: Any, rules: LabelRules) -> None:
    """Refuse numbers to be predicted, judged by the first rows, where nobody said that they are labels."""
    if rules.declared is not None or rules.any_label or getattr(learner, "kind", "") == "advice":
        return
    if isinstance(X, Stream) and y is None:
        if getattr(learner, "kind", "") == "several classes" and not is_tested(X):
            refuse_numbers(X.labels_ahead(), f"{', '.join(X.paths)}: the first rows have")
        return
    labels = None if y is None else array_of(y)
    if labels is not None and labels.dtype != np.bool_:
        first = [label for label in labels[:LOOK_ROWS].tolist() if not is_missing(label)]
        if all(isinstance(label, int | float) and not isinstance(label, bool) for label in first):
            refuse_numbers(Counter(first), "the first rows of y have" if len(labels) > LOOK_ROWS else "y has")


def numbers_as_classes(stream: Stream) -> str | None:
    """A remark where each of very many whole numbers is taken for a class: a question of yes or no may have been meant."""
    labels, column = list(stream.labels_ahead()), stream.reading.label
    if len(labels) <= SURELY or not all(isinstance(label, float | np.floating) for label in labels):
        return None
    middle = sorted(labels)[len(labels) // 2]
    question = f"; for a question of yes or no: --label '{column}>{middle:g}'" if column else ""
    return f"The first rows have {len(labels):,} different whole numbers as labels, and each is a class of its own{question}."


def classes_meant(labels: Collection[Any], who: str, rules: LabelRules) -> bool:
    """Are these the labels of more than two classes?"""
    if len(labels) <= 2:
        return False
    numbers = [label for label in labels if isinstance(label, float | np.floating)]
    real = next((number for number in numbers if not float(number).is_integer()), None)
    if real is not None and not rules.any_label:
        raise LittlestoneError(f"{who} {len(labels):,} different labels, {real:g} among them; {REGRESSION}")
    require(len(labels) <= MOST_CLASSES, f"{who} {len(labels):,} different labels; expected at most {MOST_CLASSES:,} classes")
    return True
