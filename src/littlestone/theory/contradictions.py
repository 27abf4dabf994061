"""Where a stream contradicts what was declared of it: rows that no concept of the assumed kind can label.

Each finding names a row with its label and its instance, the other rows that prove it, and why.  Of several the same one is always found:
the same instance under two labels first; then what the kind of assumption itself forbids (theory/assumptions); then a size beyond the
declared one; last, more mistakes than the theorem allows.

`Rows` looks for them in plain Python.  Whoever makes a certificate may look with arrays (witnesses/contradictions.py), and finds the same.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from littlestone.errors import LittlestoneError
from littlestone.theory.assumptions import ASSUMPTIONS
from littlestone.theory.bound import Bound, parse_assumption
from littlestone.theory.classes import PlainClass
from littlestone.theory.numbers import at_most

TOLERANCE = 1 + Fraction(1, 2**20)  # a row scaled to length 1 in float32 may be a little longer

Contradiction = dict[str, Any]  # a row, why, and other rows


def find(
    bound: Bound,
    assume: str,
    looks: Any,
    mistakes: Sequence[int],
    facts: Mapping[str, Any],
    settings: Mapping[str, Any],
    *,
    weighted: bool = False,
) -> Contradiction | None:
    """The contradiction, or None, of a stream as `Rows` has it; of learners with a class, the settings have it as `concepts`."""
    kind, declared = parse_assumption(assume)
    assumed = ASSUMPTIONS[kind]
    contradiction = looks.same_instance() if assumed.labels else None
    if contradiction is None:
        contradiction = assumed.contradicted(looks, declared, settings, bound)
    if contradiction is None and ("R" in declared or "X" in declared):
        contradiction = looks.oversized(declared.get("R"), declared.get("X"), Fraction(settings.get("bias") or 0) ** 2)
    if contradiction is None and not weighted:  # (with weights the limit is on their sum, and the claim itself says when that is passed)
        contradiction = too_many(bound, mistakes, facts)
        if contradiction is not None and assumed.met(looks, declared, settings, bound):
            return None  # the assumption holds: the fault lies with the learner or the theorem
    if contradiction is None:
        return None
    label, instance = looks.example(contradiction["row"])
    return {**contradiction, "label": int(label), "instance": instance}


def met(bound: Bound, assume: str, looks: Any, facts: Mapping[str, Any], settings: Mapping[str, Any]) -> bool:
    """Is the stream known to meet what was declared?"""
    kind, declared = parse_assumption(assume)
    none = find(bound, assume, looks, (), facts, settings) is None
    return none and ASSUMPTIONS[kind].met(looks, declared, settings, bound)


def reason(contradiction: Mapping[str, Any]) -> str:
    """Why the bound is void.

    >>> reason({"row": 7, "why": "it has the instance of row 2 and another label", "rows": [2]})
    'row 7 contradicts the assumption: it has the instance of row 2 and another label'
    """
    return f"row {contradiction['row']} contradicts the assumption: {contradiction['why']}"


def too_many(bound: Bound, mistakes: Sequence[int], facts: Mapping[str, Any]) -> Contradiction | None:
    """The mistake that the theorem does not allow: with it, the assumption is proved false."""
    if bound.chance or any(facts.get(key) is None for key in bound.needs):
        return None
    try:
        limit = at_most(bound.value(**{key: facts[key] for key in bound.needs}))
    except LittlestoneError:  # outside the theorem's range: it says nothing
        return None
    if len(mistakes) <= limit:
        return None
    return {"row": mistakes[limit], "why": f"it is mistake number {limit + 1}, and the theorem allows {limit}", "rows": []}


# ---- each finding, in the words of both who look ----


def seen_before(row: int, before: int) -> Contradiction:
    return {"row": row, "why": f"it has the instance of row {before} and another label", "rows": [before]}


def struck_out(row: int, zeros: Sequence[int]) -> Contradiction:
    why = "its label is 1, and each of its features is on in a row whose label is 0"
    return {"row": row, "why": f"{why} (the last such row is {max(zeros)})" if zeros else f"{why}: it has none", "rows": sorted(set(zeros))}


def spread(row: int, others: Sequence[int]) -> Contradiction:
    why = f"no variable that is off in all rows with label 0 is on in two of these {len(others) + 1} rows with label 1"
    return {"row": row, "why": why, "rows": list(others)}


def nothing_on(row: int) -> Contradiction:
    return {"row": row, "why": "it has no feature, and so no vector has a margin on it", "rows": []}


def satisfies_all(row: int) -> Contradiction:
    return {"row": row, "why": "its label is 0, and it satisfies every literal that all rows with label 1 satisfy", "rows": []}


def longer(row: int, R: Fraction) -> Contradiction:
    return {"row": row, "why": f"it is longer than the declared R={R}", "rows": []}


def beyond(row: int, X: Fraction) -> Contradiction:
    return {"row": row, "why": f"it has a value beyond the declared X={X}", "rows": []}


def beneath(row: int, zero: int) -> Contradiction:
    return {"row": row, "why": f"its label is 1, and none of its values is above that of row {zero}, whose label is 0", "rows": [zero]}


def one_too_many(row: int, size: int) -> Contradiction:
    return {"row": row, "why": f"with it more than {size} different instances have the label 1", "rows": []}


def shorter(row: int, rows: Sequence[int], count: int, gamma: Fraction) -> Contradiction:
    why = f"the mean of y·x over {count} draws from it and {len(rows)} rows before it is shorter than the declared gamma={gamma}"
    return {"row": row, "why": why, "rows": list(rows)}


def left_none(row: int) -> Contradiction:
    return {"row": row, "why": "no concept of the class agrees with its label and all before it", "rows": []}


WORK = 2_000_000  # comparisons of values after which nobody looks any further


class Looks(ABC):
    """What is looked for in the same way by both who look."""

    @abstractmethod
    def labelled(self) -> Iterator[tuple[int, bool, dict[str, float]]]:
        """The labelled rows one by one: row, label, features that are not 0."""

    def below(self) -> Contradiction | None:
        """The first 1 none of whose values is above that of some 0, values being 0 or more."""
        zeros = [(row, x) for row, y, x in self.labelled() if not y]
        having: dict[str, list[int]] = {}
        for k, (_, x) in enumerate(zeros):
            for name in x:
                having.setdefault(name, []).append(k)
        work = 0
        for row, y, x in self.labelled():
            if not y or work > WORK:
                continue
            fewest = min((having.get(name, []) for name in x), key=len, default=range(min(1, len(zeros))))
            work += len(fewest) * len(x)
            for k in fewest:
                if all(zeros[k][1].get(name, 0.0) >= v for name, v in x.items()):
                    return beneath(row, zeros[k][0])
        return None

    def crowded(self, size: int) -> Contradiction | None:
        """The row with which more than `size` instances have the label 1."""
        ones = set()
        for row, y, x in self.labelled():
            if y:
                ones.add(frozenset(x.items()))
                if len(ones) > size:
                    return one_too_many(row, size)
        return None

    @staticmethod
    def short_mean(rows: Sequence[int], count: int, gamma: Fraction) -> Contradiction:
        """Rows whose mean y·x is shorter than a margin; the last of them completes it."""
        return shorter(rows[-1], rows[:-1], count, gamma)


class Rows(Looks):
    """Rounds in plain Python, each with a label y (None: none) and features x; the first has number `first`.

    Rows are counted as the stream counts them, and rows without a label are passed over.
    """

    def __init__(self, rounds: Sequence[Any], first: int) -> None:
        self.rounds, self.first = rounds, first

    def labelled(self) -> Iterator[tuple[int, bool, dict[str, float]]]:
        for row, example in enumerate(self.rounds, self.first):
            if example.y is not None:
                yield row, example.y, {name: v for name, v in example.x.items() if v}

    def example(self, row: int) -> tuple[bool, dict[str, float]]:
        """The label of a row, and its features that are not 0."""
        example = self.rounds[row - self.first]
        return bool(example.y), {name: v for name, v in example.x.items() if v}

    def same_instance(self) -> Contradiction | None:
        """The first row whose instance came before with the other label."""
        seen: dict[frozenset, tuple[int, bool]] = {}
        for row, y, x in self.labelled():
            before, label = seen.setdefault(frozenset(x.items()), (row, y))
            if label != y:
                return seen_before(row, before)
        return None

    def uncovered(self) -> Contradiction | None:
        """The first 1 each of whose features is on in some 0: no monotone disjunction says 1 there and 0 on those."""
        struck: dict[str, int] = {}
        for row, y, x in self.labelled():
            if not y:
                for name in x:
                    struck.setdefault(name, row)
        for row, y, x in self.labelled():
            if y and all(name in struck for name in x):
                return struck_out(row, [struck[name] for name in x])
        return None

    def apart(self, r: int) -> Contradiction | None:
        """The row that completes r + 1 rows with label 1, taken greedily, no two of which share a feature that is off in all the 0s."""
        struck = {name for _, y, x in self.labelled() if not y for name in x}
        chosen: list[int] = []
        used: set[str] = set()
        for row, y, x in self.labelled():
            if y and used.isdisjoint(left := set(x) - struck):
                used |= left
                if len(chosen) == r:
                    return spread(row, chosen)
                chosen.append(row)
        return None

    def featureless(self) -> Contradiction | None:
        """The first row without a feature: no vector has a margin there."""
        return next((nothing_on(row) for row, _, x in self.labelled() if not x), None)

    def satisfied(self) -> Contradiction | None:
        """The first 0 that satisfies every literal that all the 1s satisfy."""
        ones = [frozenset(x) for _, y, x in self.labelled() if y]
        if not ones:
            return None
        on, ever = frozenset.intersection(*ones), frozenset().union(*ones)
        for row, y, x in self.labelled():
            if not y and on <= x.keys() and x.keys() <= ever:
                return satisfies_all(row)
        return None

    def oversized(self, R: Fraction | None, X: Fraction | None, rho2: Fraction) -> Contradiction | None:
        """The first row longer than R, a feature of square rho2 standing in each, or with a value beyond X."""
        for row, _, x in self.labelled():
            if R is not None and sum((Fraction(v) ** 2 for v in x.values()), rho2) > R**2 * TOLERANCE:
                return longer(row, R)
            if X is not None and max((Fraction(abs(v)) for v in x.values()), default=Fraction(0)) > X * TOLERANCE:
                return beyond(row, X)
        return None

    def emptied(self, concepts: PlainClass) -> Contradiction | None:
        """The first row after which no concept of the class agrees with every label so far."""
        left = concepts.living((x, y) for _, y, x in self.labelled())
        for (row, _, _), alive in zip(self.labelled(), left, strict=True):
            if not alive:
                return left_none(row)
        return None
