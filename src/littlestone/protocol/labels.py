"""Labels: of several classes any values at all, numbered as they appear; of two, what stands for True and False."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from littlestone.errors import LittlestoneError, require

KINDS: dict[type, str] = {str: "text", bool: "True or False", int: "a number", float: "a number"}


def kind_of(label: Any) -> str:
    """What sort of label it is: 1 and 1.0 are numbers, True is not."""
    return KINDS.get(type(label)) or type(label).__name__


class ClassMap(dict):
    """Labels to codes 0, 1, 2, ... in order of first appearance, append-only; None and NaN are no label, code -1.

    >>> classes = ClassMap()
    >>> classes.code("tea"), classes.code("coffee"), classes.code("tea"), classes.code(None), list(classes)
    (0, 1, 0, -1, ['tea', 'coffee'])
    """

    kind = ""

    def copy(self) -> ClassMap:
        other = ClassMap(self)
        other.kind = self.kind
        return other

    def code(self, label: Any) -> int:
        """The code of a label, the next free one where it is new."""
        if isinstance(label, np.generic):
            label = label.item()
        if label is None or label != label:
            return -1
        kind = kind_of(label)
        if kind != self.kind:
            require(
                not self.kind, f"label {label!r} is {kind}, and earlier labels are {self.kind}; expected labels of one kind in one stream"
            )
            self.kind = kind
        try:
            return self.setdefault(label, len(self))
        except TypeError:
            raise LittlestoneError(
                f"label {label!r} of type {type(label).__name__}: expected a value that can be told apart, such as text or a number"
            ) from None

    def of(self, labels: np.ndarray, *, whole: bool = False) -> np.ndarray:
        """The codes of a flat array of labels; `whole` takes 3.0 for 3, as it most likely stood in the file."""
        if labels.dtype.kind in "biufU":
            kinds, first, where = np.unique(labels, return_index=True, return_inverse=True)
            table = np.empty(len(kinds), np.int32)
            for place in np.argsort(first):
                label = kinds[place].item()
                table[place] = self.code(int(label) if whole and float(label).is_integer() else label)
            return table[where]
        return np.fromiter(map(self.code, labels), np.int32, len(labels))

    def of_rounds(self, y: Any, rounds: int) -> np.ndarray:
        """The codes of what a user gave as y: an array, a list, a column of a frame."""
        if y is None:
            return np.full(rounds, -1, np.int32)
        # of a list numpy would make text, where text and numbers stand in it together
        labels = np.asarray(y) if hasattr(y, "dtype") else np.fromiter(y, dtype=object, count=len(y))
        require(labels.ndim == 1 and len(labels) == rounds, f"y has shape {labels.shape}; expected one label for each of {rounds} rounds")
        return self.of(labels)


def labels_as_array(labels: Iterable) -> np.ndarray:
    """Labels by their codes; None at the end, so that code -1 finds it."""
    kept = [*labels, None]
    array = np.empty(len(kept), dtype=object)
    array[:] = kept
    return array


def in_labels(codes: np.ndarray, both: tuple[Any, Any] | None) -> np.ndarray:
    """Predictions of two classes as a user reads them: in the two labels of the stream where it has its own, None for code -1."""
    if both is None:
        return codes
    names = np.array(both) if codes.dtype == np.bool_ else labels_as_array(both)
    return names[codes.astype(np.intp)]
