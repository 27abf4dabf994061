"""Labels: of several classes any values at all, numbered as they appear; of two, what stands for True and False; which may come."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from littlestone.errors import LateLabel, LittlestoneError, UndeclaredLabel, require
from littlestone.rounds.features import BLANKS
from littlestone.rounds.reading import as_label

LATE = 100  # rounds after which a label that was never seen may be a slip
LEAST_LENGTH = 5  # of two labels of which one may be the other with a slip
MOST_WARNINGS = 5  # about late labels; of a stream with more of them the rest are let in without a word
SHOWN = 5  # labels that a message lists
OTHER = -2  # the code of a label that is refused

KINDS: dict[type, str] = {str: "text", bool: "True or False", int: "a number", float: "a number"}


def kind_of(label: Any) -> str:
    """What sort of label it is: 1 and 1.0 are numbers, True is not."""
    return KINDS.get(type(label)) or type(label).__name__


def is_missing(label: Any) -> bool:
    """Is it no label: None, NaN, a text without a character, or what pandas has for these?"""
    if isinstance(label, str):
        return not label.strip(BLANKS)
    return label is None or (isinstance(label, float | np.floating) and label != label) or type(label).__name__ in ("NAType", "NaTType")


def bare(label: Any, known: Collection[Any] = ()) -> Any:
    """Return a label as it is meant: blanks around a text are no part of it. One that is `known` with blanks, to a model of before, keeps
    them.

    >>> bare(" spam\t"), bare(1), bare(" spam", [" spam", "ham"])
    ('spam', 1, ' spam')
    """
    return label if not isinstance(label, str) or label in known else label.strip(BLANKS)


def listed(labels: Collection[Any]) -> str:
    """Some labels as a message names them.

    >>> listed(["ham", "spam"]), listed([1.0, 2.0, 3.0]), listed(range(9))
    ('ham or spam', '1, 2 or 3', '0, 1, 2, 3, 4 or 4 more')
    """
    texts = [shown(label) for label in labels]
    texts = texts if len(texts) <= SHOWN + 1 else [*texts[:SHOWN], f"{len(texts) - SHOWN:,} more"]
    return " or ".join(part for part in (", ".join(texts[:-1]), texts[-1]) if part)


def shown(label: Any) -> str:
    """A label as a file would have it."""
    return f"{label:g}" if isinstance(label, float) and float(f"{label:g}") == label else str(label)


def distance(a: str, b: str) -> int:
    """The least number of characters to put in, take out or change that makes one text the other.

    >>> distance("spam", "spma"), distance("entertain", "entertian"), distance("ham", "hams")
    (2, 2, 1)
    """
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


def is_slip(a: str, b: str) -> bool:
    """Do two labels differ by case or surrounding space alone, or, where both are long enough, by one edit that touches no digit?

    >>> is_slip("Spam ", "spam"), is_slip("entertainment", "entertainmnt"), is_slip("class 1", "class 2"), is_slip("ham", "hat")
    (True, True, False, False)
    """
    if a.strip(BLANKS).casefold() == b.strip(BLANKS).casefold():
        return True
    if min(len(a), len(b)) < LEAST_LENGTH or abs(len(a) - len(b)) > 1:
        return False
    short, long = sorted((a, b), key=len)
    start = next((k for k, (x, y) in enumerate(zip(short, long, strict=False)) if x != y), len(short))
    rest = short[start + (len(short) == len(long)) :]
    changed = short[start : len(short) - len(rest)] + long[start : len(long) - len(rest)]
    return long[len(long) - len(rest) :] == rest and not any(map(str.isdigit, changed))


def nearest(label: Any, known: Iterable[Any]) -> Any:
    """The known label that looks most like this one; of numbers the one that differs least.

    >>> nearest("Spam", ["ham", "spam"]), nearest(11.0, [1.0, 10.0])
    ('spam', 10.0)
    """
    if isinstance(label, int | float) and all(isinstance(other, int | float) for other in known):
        return min(known, key=lambda other: abs(other - label))
    text = shown(label)[:100].casefold()
    return min(known, key=lambda other: distance(text, shown(other)[:100].casefold()))


class LabelRules:
    """Which labels may come: the declared ones alone, any, or where nothing was said all but a late one that looks like a slip.

    Rounds are counted from 1; `before` are those of the model that the stream goes on from.

    >>> LabelRules(["ham", "spam"]).objection("Spam", 3, [])
    'ham or spam, as declared; the nearest is spam'
    >>> LabelRules().objection("Spam", 101, ["ham", "spam"])
    "spam, the nearest known label, or one that is no misspelling of a known one; --labels any (labels='any') allows this one"
    """

    def __init__(self, declared: Sequence[Any] | None = None, *, any_label: bool = False, before: int = 0) -> None:
        self.declared = None if declared is None else {alike(label): whole_number(label) for label in declared}
        self.any_label, self.before = any_label, before
        self.warned: set[Any] = set()

    @classmethod
    def of(cls, reading: Mapping[str, Any], before: int = 0) -> LabelRules:
        """Those of a model whose stream was read so."""
        declared = reading.get("labels") if reading.get("declared") else None
        return cls(declared, any_label=bool(reading.get("any_labels")), before=before)

    def as_json(self) -> dict[str, Any]:
        """What a model keeps of them, as fields of a reading."""
        if self.declared is not None:
            return {"labels": list(self.declared.values()), "declared": True}
        return {"any_labels": True} if self.any_label else {}

    def own(self, label: Any) -> Any:
        """The label as it was declared, where it was."""
        return label if self.declared is None or not is_hashable(label) else self.declared.get(alike(label), label)

    def objection(self, label: Any, round: int, known: Iterable[Any]) -> str | None:
        """What was expected in place of a label that is new in this round, `known` being those before; None where it may come."""
        if self.declared is not None:
            if alike(label) in self.declared:
                return None
            return f"{listed(self.declared.values())}, as declared; the nearest is {shown(nearest(label, list(self.declared.values())))}"
        if self.any_label or self.before + round <= LATE or not isinstance(label, str):
            return None
        like = next((other for other in known if isinstance(other, str) and other != label and is_slip(label, other)), None)
        return None if like is None else SLIP.format(like)

    def row_of_y(self, row: int) -> str:
        """Where a row of an array stands, where its round has another number."""
        return f"row {row + 1} of y" if self.before else ""

    def check(self, label: Any, round: int, known: Iterable[Any], where: str = "") -> None:
        """Refuse a label that is new in this round where it may not come; warn once of one that comes late and that nobody declared."""
        place = where or f"round {self.before + round}"
        if expected := self.objection(label, round, known):
            raise UndeclaredLabel(f"{place}: found label {shown(label)!r}, expected {expected}", found=shown(label), expected=expected)
        late = self.declared is None and not self.any_label and self.before + round > LATE
        if late and label not in self.warned and len(self.warned) < MOST_WARNINGS:
            self.warned.add(label)
            more = "; others that come late are let in without a word" if len(self.warned) == MOST_WARNINGS else ""
            text = f"{where}{where and ', '}round {self.before + round}: label {shown(label)!r} is new, and a class from now on"
            undone = f"`littlestone rollback MODEL {self.before + round - 1}` (model.rollback({self.before + round - 1}))"
            how = (
                f"if it is a misspelling, {undone} undoes it, with the rows so far where the model keeps no ledger, and "
                "--labels (labels=), which declares those that may come, closes the set; --labels any lets all in"
            )
            warnings.warn(f"{text}; {how}{more}", LateLabel, stacklevel=frames_to_caller())


SLIP = "{}, the nearest known label, or one that is no misspelling of a known one; --labels any (labels='any') allows this one"


def frames_to_caller() -> int:
    """Return the `stacklevel` with which a warning shows the line that called the library, and no line of its own."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == __name__.partition(".")[0]:
        frame, level = frame.f_back, level + 1
    return level


def alike(label: Any) -> Any:
    """What the same label has in common, however it is written: 1, 1.0 and "1" are one."""
    return as_label(label) if isinstance(label, str | int | float) else label


def whole_number(label: Any) -> Any:
    """A float that is a whole number as one, as it most likely was written."""
    return int(label) if isinstance(label, float) and label.is_integer() else label


@dataclass
class LabelGate:
    """What stands before a map of labels while rows come: the rules, how many rounds of the stream came before, and where a row stands.

    `refusals` has, of each label that was refused, what was expected; where it is None, the first one raises.
    """

    rules: LabelRules
    before: int = 0
    rows: Sequence[int] | None = None  # the places of the labels among the rows, where they are not all of them
    where: Callable[[int], str] = lambda row: ""
    refusals: dict[Any, str] | None = None

    def code(self, classes: ClassMap, label: Any, place: int) -> int:
        """The code of the label at that place, OTHER where it is refused."""
        label = bare(label, classes)
        if isinstance(label, str) and label in classes:
            return classes[label]
        if label is None:
            return -1
        if self.refusals and is_hashable(label) and label in self.refusals:
            return OTHER
        row = place if self.rows is None else int(self.rows[place])
        try:
            return classes.code(label, self.rules, self.before + row + 1, self.where(row))
        except UndeclaredLabel as error:
            if self.refusals is None:
                raise
            self.refusals[label] = error.expected or ""
            return OTHER


class ClassMap(dict):
    """Labels to codes 0, 1, 2, ... in order of first appearance, append-only; None, NaN and an empty text are no label, code -1.

    >>> classes = ClassMap()
    >>> classes.code("tea"), classes.code("coffee"), classes.code("tea"), classes.code(None), list(classes)
    (0, 1, 0, -1, ['tea', 'coffee'])
    """

    kind = ""

    def copy(self) -> ClassMap:
        other = ClassMap(self)
        other.kind = self.kind
        return other

    def code(self, label: Any, rules: LabelRules | None = None, round: int = 0, where: str = "") -> int:
        """The code of a label, the next free one where it is new; with `rules`, a label that may not come in that round is refused."""
        if isinstance(label, np.generic):
            label = label.item()
        if is_missing(label):
            return -1
        if rules is not None:
            label = rules.own(label)
            if is_hashable(label) and label not in self:
                rules.check(label, round, self, where)
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

    def _bare_code(self, label: Any) -> int:
        return self.code(bare(label, self))

    def of(self, labels: np.ndarray, *, whole: bool = False, gate: LabelGate | None = None) -> np.ndarray:
        """The codes of a flat array of labels; `whole` takes 3.0 for 3, as it most likely stood in the file. With a `gate`, labels that may
        not come have the code OTHER, or are refused there."""
        code: Callable[..., int] = self._bare_code if gate is None else partial(gate.code, self)
        if labels.dtype.kind in "biufU":
            kinds, first, where = np.unique(labels, return_index=True, return_inverse=True)
            table = np.empty(len(kinds), np.int32)
            for place in np.argsort(first):
                label = kinds[place].item()
                table[place] = code(whole_number(label) if whole else label, *(() if gate is None else (int(first[place]),)))
            return table[where]
        if gate is None:
            return np.fromiter(map(code, labels), np.int32, len(labels))
        return np.fromiter(map(code, labels, range(len(labels))), np.int32, len(labels))

    def of_rounds(self, y: Any, rounds: int, rules: LabelRules | None = None) -> np.ndarray:
        """The codes of what a user gave as y: an array, a list, a column of a frame."""
        if y is None:
            return np.full(rounds, -1, np.int32)
        # of a list numpy would make text, where text and numbers stand in it together
        labels = np.asarray(y) if hasattr(y, "dtype") else np.fromiter(y, dtype=object, count=len(y))
        require(labels.ndim == 1 and len(labels) == rounds, f"y has shape {labels.shape}; expected one label for each of {rounds} rounds")
        return self.of(labels, gate=None if rules is None else LabelGate(rules, where=rules.row_of_y))


def is_hashable(label: Any) -> bool:
    return getattr(label, "__hash__", None) is not None


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
