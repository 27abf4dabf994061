"""Where a stream contradicts what was declared of it: rows that no concept of the assumed kind can label.

Each finding names a row with its label and its instance, the other rows that prove it, and why.  Of several the same one is always found:
the same instance under two labels first; then what the class itself forbids; then a size beyond the declared one; last, more mistakes
than the theorem allows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from littlestone.errors import LittlestoneError
from littlestone.theory.bound import Bound, parse_assumption
from littlestone.theory.numbers import at_most

TOLERANCE = 1 + Fraction(1, 2**20)  # a row scaled to length 1 in float32 may be a little longer
FUNCTIONS = ("disjunction", "k_of_r", "separable", "margin", "conjunction", "function", "class")  # one label for an instance


def find(
    bound: Bound,
    assume: str,
    rounds: Sequence[Any],
    first: int,
    mistakes: Sequence[int],
    facts: Mapping[str, Any],
    settings: Mapping[str, Any],
) -> dict[str, Any] | None:
    """The contradiction, or None. `rounds` are the rows from number `first` on, each with a label y (None: none) and features x."""
    kind, declared = parse_assumption(assume)
    found = None
    if kind in FUNCTIONS:
        found = same_instance(rounds, first)
    if found is None and kind == "disjunction":
        found = uncovered(rounds, first)
    if found is None and kind == "conjunction":
        found = satisfied(rounds, first)
    if found is None and ("R" in declared or "X" in declared):
        found = oversized(rounds, first, declared, Fraction(settings.get("bias") or 0) ** 2)
    found = found or too_many(bound, mistakes, facts)
    if found is None:
        return None
    example = rounds[found["row"] - first]
    return {**found, "label": int(example.y), "instance": {name: v for name, v in example.x.items() if v}}


def reason(found: Mapping[str, Any]) -> str:
    """Why the bound is void.

    >>> reason({"row": 7, "why": "it has the instance of row 2 and another label", "rows": [2]})
    'row 7 contradicts the assumption: it has the instance of row 2 and another label'
    """
    return f"row {found['row']} contradicts the assumption: {found['why']}"


def _labelled(rounds: Sequence[Any], first: int) -> Iterator[tuple[int, bool, dict[str, float]]]:
    for row, one in enumerate(rounds, first):
        if one.y is not None:
            yield row, one.y, {name: v for name, v in one.x.items() if v}


def same_instance(rounds: Sequence[Any], first: int) -> dict[str, Any] | None:
    """The first row whose instance came before with the other label."""
    seen: dict[frozenset, tuple[int, bool]] = {}
    for row, y, x in _labelled(rounds, first):
        before, label = seen.setdefault(frozenset(x.items()), (row, y))
        if label != y:
            return {"row": row, "why": f"it has the instance of row {before} and another label", "rows": [before]}
    return None


def uncovered(rounds: Sequence[Any], first: int) -> dict[str, Any] | None:
    """The first 1 each of whose features is on in some 0: no monotone disjunction says 1 there and 0 on those."""
    struck: dict[str, int] = {}
    for row, y, x in _labelled(rounds, first):
        if not y:
            for name in x:
                struck.setdefault(name, row)
    for row, y, x in _labelled(rounds, first):
        if y and all(name in struck for name in x):
            rows = sorted({struck[name] for name in x})
            return {"row": row, "why": "its label is 1, and each of its features is on in a row whose label is 0", "rows": rows}
    return None


def satisfied(rounds: Sequence[Any], first: int) -> dict[str, Any] | None:
    """The first 0 that satisfies every literal that all the 1s satisfy."""
    ones = [(row, frozenset(x)) for row, y, x in _labelled(rounds, first) if y]
    if not ones:
        return None
    on = frozenset.intersection(*(x for _, x in ones))
    ever = frozenset().union(*(x for _, x in ones))
    for row, y, x in _labelled(rounds, first):
        if not y and on <= set(x) and set(x) <= ever:
            why = "its label is 0, and it satisfies every literal that all rows with label 1 satisfy"
            return {"row": row, "why": why, "rows": []}
    return None


def oversized(rounds: Sequence[Any], first: int, declared: Mapping[str, Fraction], rho2: Fraction) -> dict[str, Any] | None:
    """The first row longer than the declared R, or with a value beyond the declared X."""
    for row, _, x in _labelled(rounds, first):
        if "R" in declared and sum((Fraction(v) ** 2 for v in x.values()), rho2) > declared["R"] ** 2 * TOLERANCE:
            return {"row": row, "why": f"it is longer than the declared R={declared['R']}", "rows": []}
        if "X" in declared and max((Fraction(abs(v)) for v in x.values()), default=Fraction(0)) > declared["X"] * TOLERANCE:
            return {"row": row, "why": f"it has a value beyond the declared X={declared['X']}", "rows": []}
    return None


def too_many(bound: Bound, mistakes: Sequence[int], facts: Mapping[str, Any]) -> dict[str, Any] | None:
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
