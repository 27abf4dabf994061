"""Which label is which: as declared, or as the first rows of the stream show; never depending on how it is cut."""

from collections.abc import Callable, Mapping, Sequence
from shlex import quote
from typing import Any

import numpy as np

from littlestone.errors import LittlestoneError, ThirdLabel, UndeclaredLabel, require
from littlestone.protocol.labels import OTHER, SHOWN, ClassMap, LabelGate, LabelRules, listed, nearest, shown
from littlestone.rounds.faults import Fault
from littlestone.rounds.features import BLANKS, SIGNS, Condition, label_of
from littlestone.rounds.reading import LOOK_ROWS, Label
from littlestone.streams.parsed import Parsed

REGRESSION = (
    "numbers to be predicted are regression, which this library does not do; --label-threshold X (label_threshold=X) makes two classes of "
    "them, above X and not, and --labels any (labels='any') says that they are codes of classes"
)
USUAL = ({0.0, 1.0}, {-1.0, 1.0}, {1.0, 2.0})
CODES = 10  # different whole numbers up to which consecutive ones are codes of classes, however few rows each has
FEW_ROWS = 3  # of a number that is no code of a class; of up to so many different ones, 1
ALONE = {
    **dict.fromkeys(("true", "yes", "spam", "pos", "positive", "y", "t"), True),
    **dict.fromkeys(("false", "no", "ham", "neg", "negative", "n", "f"), False),
}
PANEL = "--learner panel and --learner one_vs_rest:learner=arow (ls.panel, ls.one_vs_rest) tell several apart"
HINT = "--labels NEGATIVE,POSITIVE (labels=) declares"


def read(text: str) -> Label:
    """A label as it stands in a file: a number where it is one, and "" where there is none.

    >>> read("+1"), read(" ham ")
    (1.0, 'ham')
    """
    label = label_of(text)
    return "" if label is None else label


def encode(raw: np.ndarray, positive: Label, negative: Label, also_negative: Label, labels: np.ndarray) -> tuple[int, int]:
    """Labels as codes: 1, 0, and -1 for none; OTHER where they are none of the three numbers. Counts both kinds of 0."""
    is_first = raw == negative
    is_second = (raw == also_negative) & ~is_first
    labels[:] = OTHER
    labels[is_first | is_second] = 0
    labels[raw == positive] = 1
    labels[np.isnan(raw)] = -1
    return int(np.count_nonzero(is_first)), int(np.count_nonzero(is_second))


class LabelCodes:
    """Two labels. `negative` and `positive` are what stands in the file; until the first negative comes it may be 0 or -1."""

    def __init__(self, look: list[Parsed], declared: Sequence[Label] | None, *, firm: bool = True, rules: LabelRules | None = None) -> None:
        """`firm`: are those that are declared all there may be? `rules` say which others may come."""
        self.declared, self.rules = declared is not None and firm, rules or LabelRules(any_label=True)
        self.classes = ClassMap()  # both, and those that came later, where the stream takes more
        self.unclear = False  # do the first rows have more than two, so that nobody knows which are meant?
        self.usual = True  # do the first rows, of numbers, tell which one is the negative one?
        self.first: list[Label] = []  # those of the first rows, by first appearance
        self.truths = bool(look) and all(parsed.truths for parsed in look)  # are they truth values?
        self.met: dict[Label, None] = {}  # the words that came so far
        self.positive: Label = 1.0
        self.negative: Label = 0.0
        self.also_negative: Label = -1.0
        if declared is not None:
            require(
                len(declared) == 2, f"{len(declared)} labels are declared, {listed(declared)}, and this learner tells two apart; {PANEL}"
            )
            self.negative, self.positive = (read(label) if isinstance(label, str) else float(label) for label in declared)
            self.also_negative = self.negative
            self.met = {self.negative: None, self.positive: None}
            return
        kinds = kinds_of(look)
        self.first = list(kinds)
        if not self.rules.any_label and len(kinds) > CODES:  # fewer are refused by name, where they come
            refuse_numbers(kinds, f"{look[0].path}: the first rows have")
        if any(isinstance(label, str) for label in kinds):
            self._two_words(kinds, look[0].path)
        elif len(kinds) == 2 and kinds.keys() not in USUAL and (self.rules.any_label or all(float(label).is_integer() for label in kinds)):
            self.negative, self.positive = sorted(kinds, key=rank)
            self.also_negative = self.negative
        elif 2.0 in kinds and not kinds.keys() & {0.0, -1.0}:
            self.positive, self.negative, self.also_negative = 2.0, 1.0, 1.0
        else:
            negative = [label for label in kinds if label in (0.0, -1.0)]
            self.usual = len(negative) == 1
            if negative:  # it has its name from the first row on, however the file is cut
                self.negative = self.also_negative = negative[0]

    def _two_words(self, kinds: Mapping[Label, int], path: str) -> None:
        self.unclear = len(kinds) > 2  # the first two it is, and the third is refused
        both = sorted(list(kinds)[:2], key=rank)
        if len(both) == 1:
            only = str(both[0])
            alone = ALONE.get(only.casefold())
            require(
                alone is not None,
                f"{path}: its first {LOOK_ROWS:,} rows have one label only, {only!r}, and it may be either; {HINT} both",
            )
            self.positive, self.negative = (only, "") if alone else ("", only)
        else:
            self.negative, self.positive = both
        self.also_negative = self.negative

    @property
    def sure(self) -> bool:
        """Are both known?"""
        return self.negative == self.also_negative and "" not in (self.negative, self.positive)

    @property
    def both(self) -> tuple[Label, Label] | None:
        return (self.negative, self.positive) if self.sure else None

    def of(self, parsed: Parsed, before: int = 0) -> np.ndarray:
        """The label of each row: 1, 0, -1 for none, and OTHER for one that is neither. So many rounds came before."""
        labels = np.empty(len(parsed.labels), np.int32)
        raw = parsed.labels
        if parsed.words is not None:
            kinds = [read(word) for word in parsed.words]
            if any(isinstance(label, str) for label in (*kinds, self.negative, self.positive)):
                return self._of_words(parsed, kinds, before)
            raw = numbers_of(parsed)
        if isinstance(self.positive, str) or isinstance(self.negative, str):
            return self._of_words(parsed, None, before)
        first, second = encode(raw, self.positive, self.negative, self.also_negative, labels)
        if self.negative != self.also_negative and (first or second):  # the first it is; from now on the other one is a stranger
            if second and (not first or np.argmax(raw == self.also_negative) < np.argmax(raw == self.negative)):
                self.negative, self.also_negative = self.also_negative, self.negative
            labels[(labels == 0) & (raw != self.negative)] = OTHER
            self.also_negative = self.negative
        return labels

    def _of_words(self, parsed: Parsed, kinds: list[Label] | None, before: int) -> np.ndarray:
        """The long way: label by label, each kind once."""
        distinct, places, where = np.unique(parsed.labels, return_index=True, return_inverse=True)
        table = np.empty(len(distinct), np.int32)
        for k in np.argsort(places).tolist():  # by first appearance; not all that a dictionary holds appear
            label = distinct[k] if kinds is None or distinct[k] != distinct[k] else kinds[int(distinct[k])]
            table[k] = self._code(label)
            if table[k] in (0, 1) and label not in self.met and not self.declared:
                self.rules.check(label, before + int(places[k]) + 1, self.met, place_of(parsed, int(places[k])))
            self.met[label] = None
        return table[where]

    def _code(self, label: Label) -> int:
        if label != label or label == "":
            return -1
        if label in (self.negative, self.also_negative):
            self.negative = self.also_negative = label
        elif label != self.positive and "" in (self.negative, self.positive):  # the second one comes at last
            if self.negative == "":
                self.negative = self.also_negative = label
            else:
                self.positive = label
        return 1 if label == self.positive else 0 if label == self.negative else OTHER

    def further(self, parsed: Parsed, rows: np.ndarray, before: int) -> np.ndarray | None:
        """The codes of these rows, whose labels are neither: 2 for the first of them, and so on; None where they are no classes."""
        labels = labels_of(parsed)[rows]
        real = labels.dtype.kind == "f" and (labels % 1 != 0).any()
        if self.declared or not self.sure or (real and not self.rules.any_label):
            return None
        for label in (self.negative, self.positive):
            self.classes.code(int(label) if isinstance(label, float) and label.is_integer() else label)
        gate = LabelGate(self.rules, before, rows.tolist(), lambda row: place_of(parsed, row))
        return self.classes.of(labels, whole=True, gate=gate)

    def refusal(self, parsed: Parsed, row: int, before: int) -> LittlestoneError:
        """The error for a row whose label is neither; one that more classes could take, not a real number, is a `ThirdLabel`."""

        raw = float(parsed.labels[row])
        label = raw if parsed.words is None else read(parsed.words[int(raw)])
        both = f"{shown(self.negative)} or {shown(self.positive)}"
        if self.declared:
            like = shown(nearest(label, (self.negative, self.positive)))
            return refused(parsed, row, f"label {shown(label)}", f"{both}, as declared; the nearest is {like}", UndeclaredLabel)
        if slip := self.rules.objection(label, before + row + 1, (self.negative, self.positive)):
            return refused(parsed, row, f"label {shown(label)}", slip, UndeclaredLabel)
        if len(self.first) > 2:
            more = f" and {len(self.first) - SHOWN:,} more" if len(self.first) > SHOWN else ""
            expected = f"two labels, and the first rows have {', '.join(map(shown, self.first[:SHOWN]))}{more}"
        elif not self.usual:
            expected = f"two classes: 0 and 1, or -1 and +1, or 1 and 2 in the first {LOOK_ROWS:,} rows"
        else:
            expected = f"{both}, as before"
        if isinstance(label, float) and not label.is_integer() and not self.rules.any_label:  # no class, whoever plays
            return refused(parsed, row, f"label {shown(label)}", f"{expected}; {REGRESSION}")
        return refused(parsed, row, f"label {shown(label)}", f"{expected}; {self._ways_out(parsed, label)}", ThirdLabel)

    def _ways_out(self, parsed: Parsed, label: Label) -> str:
        """What to say where there are more than two labels, or two that are not the usual ones."""
        two = ",".join(map(shown, sorted(self.first, key=rank))) if len(self.first) == 2 and label in self.first else "NEG,POS"
        test = quote(f"{parsed.label_column if isinstance(parsed.label_column, str) else ''}={shown(label)}")
        return (
            f"--labels {two} (labels=) declares two, --label {test} (label=) plays one against the rest, and "
            "--learner one_vs_rest:learner=arow (ls.one_vs_rest) plays them all"
        )


def classes_of(parsed: Parsed, classes: ClassMap, rules: LabelRules, before: int) -> tuple[np.ndarray, Callable[[int], LittlestoneError]]:
    """The codes of the labels of some rows, OTHER for one that may not come, and what makes the error for such a row."""
    labels, refusals = labels_of(parsed), dict[Any, str]()
    gate = LabelGate(rules, before, None, lambda row: place_of(parsed, row), refusals)

    def refusal(row: int) -> LittlestoneError:
        label = labels[row]
        return refused(parsed, row, f"label {shown(label)}", refusals[label], UndeclaredLabel)

    return classes.of(labels, whole=True, gate=gate), refusal


def rank(label: Label) -> tuple:
    """Numbers before words."""
    return (1, label.casefold(), label) if isinstance(label, str) else (0, label)


def refused(parsed: Parsed, row: int, found: str, expected: str, kind: type[LittlestoneError] = LittlestoneError) -> LittlestoneError:
    """The error for a row of a piece."""
    line, column = int(parsed.lines[row]), parsed.label_column
    return kind(
        f"{place_of(parsed, row)}: found {found}, expected {expected}",
        path=parsed.path,
        line=line,
        column=column if isinstance(column, int) else None,
        found=found,
        expected=expected,
    )


def place_of(parsed: Parsed, row: int) -> str:
    """Where a row of a piece stands."""
    return f"{parsed.path}, {parsed.unit} {int(parsed.lines[row])}, column {parsed.label_column!r}"


def numbers_of(parsed: Parsed) -> np.ndarray:
    """Labels that are written as text, and are all numbers."""
    assert parsed.words is not None
    table = np.array([*(float(word) for word in parsed.words), np.nan])
    return table[np.where(np.isnan(parsed.labels), len(parsed.words), parsed.labels).astype(np.int64)]


def labels_of(parsed: Parsed) -> np.ndarray:
    """The labels as values: numbers, or text where any is text; NaN or None for none."""
    if parsed.words is None:
        return parsed.labels
    kinds = [read(word) for word in parsed.words]
    if not any(isinstance(label, str) for label in kinds):
        return numbers_of(parsed)
    table = np.array([*(word.strip(BLANKS) for word in parsed.words), None], dtype=object)
    if parsed.truths:
        table = np.array([*(word == "true" for word in parsed.words), None], dtype=object)
    return table[np.where(np.isnan(parsed.labels), len(kinds), parsed.labels).astype(np.int64)]


def kinds_of(look: list[Parsed]) -> dict[Label, int]:
    """The different labels of the first rows, by first appearance, and how many rows each has."""
    kinds: dict[Label, int] = {}
    left = LOOK_ROWS
    for parsed in look:
        labels = parsed.labels[:left]
        distinct, first, counts = np.unique(labels[~np.isnan(labels)], return_index=True, return_counts=True)
        for k in np.argsort(first).tolist():
            label = float(distinct[k]) if parsed.words is None else read(parsed.words[int(distinct[k])])
            kinds[label] = kinds.get(label, 0) + int(counts[k])
        left -= len(labels)
    kinds.pop("", None)
    return kinds


def refuse_numbers(kinds: Mapping[Any, int], who: str) -> None:
    """Refuse labels that are numbers to be predicted: more than two, of which most have few rows.

    `kinds` are the labels of the first rows, and how many rows each has. Up to ten consecutive whole numbers are codes.

    >>> refuse_numbers({0: 2, 1: 2, 2: 1}, "y has")
    >>> refuse_numbers({1: 1, 4: 1, 9: 1, 16: 1}, "y has")
    Traceback (most recent call last):
    ...
    littlestone.errors.LittlestoneError: y has 4 different numbers as labels, and 4 of them on one row only; numbers to be predicted \
are regression, which this library does not do; --label-threshold X (label_threshold=X) makes two classes of them, above X and not, and \
--labels any (labels='any') says that they are codes of classes
    """
    if len(kinds) <= 2 or not all(isinstance(label, int | float) and not isinstance(label, bool) for label in kinds):
        return
    if len(kinds) <= CODES and max(kinds) - min(kinds) < len(kinds):
        return
    few = 1 if len(kinds) <= CODES else FEW_ROWS
    rare = sum(rows <= few for rows in kinds.values())
    often = "on one row only" if few == 1 else f"on {few} rows or fewer"
    require(2 * rare <= len(kinds), f"{who} {len(kinds):,} different numbers as labels, and {rare:,} of them {often}; {REGRESSION}")


def apply_test(test: Condition, parsed: Parsed) -> None:
    """Make the labels 1 and 0; rows whose label cannot be tested are faults."""
    if parsed.words is None:
        there = ~np.isnan(parsed.labels)
        made = np.full(len(there), np.nan)
        made[there] = float(test.sign == "!=") if isinstance(test.value, str) else SIGNS[test.sign](parsed.labels[there], test.value)
        parsed.labels = made
        return
    truths = np.full(len(parsed.words) + 1, np.nan)
    faults: dict[int, Fault] = {}
    for code, word in enumerate(parsed.words):
        label = label_of(word)
        try:
            truths[code] = np.nan if label is None else test.of(label)
        except Fault as fault:
            faults[code] = fault
    codes = np.where(np.isnan(parsed.labels), len(parsed.words), parsed.labels).astype(np.int64)
    parsed.labels, parsed.words = truths[codes], None
    if faults:
        parsed.refuse(np.flatnonzero(np.isin(codes, list(faults))), lambda row: faults[int(codes[row])])
