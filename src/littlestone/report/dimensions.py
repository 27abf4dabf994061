"""The dimensions of a class in words: a small table, a tree of mistakes drawn as text, or one JSON object."""

import textwrap
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from littlestone.concepts.dimension import ClassDimensions, Split
from littlestone.concepts.named import NamedClass
from littlestone.report.words import many

DRAWN = 3  # levels of the tree that are drawn unless all are wanted


MEANING = {
    "vc": ("VC dimension", "the most points labelled in every way"),
    "littlestone": ("Littlestone", "mistakes forced on any deterministic learner"),
    "randomized": ("randomised", "mistakes any randomised learner must expect"),
    "threshold": ("threshold", "the most c_i, x_j with c_i(x_j) = 1 iff i ≤ j"),
    "halving": ("halving", "mistakes forced on the halving learner"),
}


def as_json(dimensions: ClassDimensions, of: NamedClass) -> dict[str, Any]:
    """The object that `--json` prints; docs/command_line.md has its keys."""
    fraction = dimensions.randomized
    return {
        "class": of.name,
        "size": dimensions.size,
        "listed": dimensions.listed,
        "points": dimensions.points,
        "vc": dimensions.vc,
        "littlestone": dimensions.littlestone,
        "randomized": None if fraction is None else str(fraction),
        "randomized_float": None if fraction is None else float(fraction),
        "threshold": dimensions.threshold,
        "halving": dimensions.halving,
        "shattered": None if dimensions.shattered is None else [of.point(x) for x in dimensions.shattered],
        "tree": None if dimensions.tree is None else tree_json(dimensions.tree, of),
        "unsettled": dimensions.unsettled,
    }


def tree_json(tree: Split | int, of: NamedClass) -> Any:
    if isinstance(tree, int):
        return of.concept(tree)
    return {"point": of.point(tree.point), "0": tree_json(tree.zero, of), "1": tree_json(tree.one, of)}


def lines(dimensions: ClassDimensions, of: NamedClass, width: int, *, whole: bool = False) -> list[str]:
    """The same to read: no line longer than the terminal is wide, but for the tree's."""
    width = max(40, min(width, 140))
    text = [f"{of.name}: {many(dimensions.size, 'concept')} on {many(dimensions.points, 'point')}{of.written}."]
    if dimensions.listed > dimensions.size:
        equal = dimensions.listed - dimensions.size
        text.append(
            f"Of the {dimensions.listed:,} concepts listed {equal:,} {'equals' if equal == 1 else 'equal'} an earlier one: "
            "each counts once."
        )
    values = {key: value_of(getattr(dimensions, key)) for key in MEANING}
    left, middle = max(len(title) for title, _ in MEANING.values()), max(map(len, values.values()))
    rows = []
    for key, (title, meaning) in MEANING.items():
        before = f"  {title:<{left}}  {values[key]:>{middle}}  "
        if len(before) > width - 24:  # a long fraction: the meaning goes below
            rows += [before.rstrip(), *textwrap.wrap(meaning, width, initial_indent=" " * 6, subsequent_indent=" " * 6)]
        else:
            rows += textwrap.wrap(meaning, width, initial_indent=before, subsequent_indent=" " * len(before))
    text += ["", *rows, ""]
    if dimensions.shattered:
        text += [f"Labelled in every way: {', '.join(of.point(x) for x in dimensions.shattered)}.", ""]
    if dimensions.tree is not None and not isinstance(dimensions.tree, int):
        depth = dimensions.littlestone or 0
        text.append(f"A tree of mistakes, {depth} on every path: ask the points; whatever the learner says, the other label is the truth.")
        text += drawn(dimensions.tree, of, depth if whole else DRAWN)
        if depth > DRAWN and not whole:
            text.append(f"(the first {DRAWN} of {depth} levels; --tree draws all {many(2**depth, 'leaf', 'leaves')})")
    return [part for line in text for part in (textwrap.wrap(line, width) if len(line) > width and line[0] not in " ├│└" else [line])]


def value_of(value: Any) -> str:
    """A number; a fraction also as a decimal.

    >>> value_of(3), value_of(Fraction(3, 2)), value_of(Fraction(577, 256)), value_of(1 - Fraction(1, 2**99)), value_of(None)
    ('3', '3/2 = 1.5', '577/256 ≈ 2.2539', '(2^99 - 1)/2^99 ≈ 1', 'not settled')
    """
    if value is None:
        return "not settled"
    if isinstance(value, int) or value.denominator == 1:
        return str(value)
    text, power = f"{float(value):.5g}", value.denominator.bit_length() - 1  # the denominator is a power of 2
    whole, lacking = divmod(-value.numerator, value.denominator)
    near = whole == -1 and lacking < 1000
    short = str(value) if power <= 32 else f"(2^{power} - {lacking})/2^{power}" if near else f"(a whole number)/2^{power}"
    return f"{short} = {text}" if value == Fraction(text) else f"{short} ≈ {text}"


def drawn(tree: Split | int, of: NamedClass, levels: int) -> Iterator[str]:
    """The tree as lines, its root first; below so many levels only dots."""

    def below(node: Split | int, before: str, left: int) -> Iterator[str]:
        if isinstance(node, int):
            return
        for label, child in ((0, node.zero), (1, node.one)):
            yield f"{before}{'├' if label == 0 else '└'}─{label}─ {name(child, left - 1)}"
            if left > 1:
                yield from below(child, before + ("│    " if label == 0 else "     "), left - 1)

    def name(node: Split | int, left: int) -> str:
        if isinstance(node, int):
            return of.concept(node)
        return f"{of.point(node.point)}?" if left > 0 else "..."

    yield name(tree, levels)
    yield from below(tree, "", levels)
