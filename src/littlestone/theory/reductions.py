"""Several classes by binary learners: what the members' mistakes say of the whole.

One against the rest: member j is told "class j or not" from the round on in which class j first appears.  If no member errs, exactly
one says 1, that of the true class, and it is named, whatever scores there are.  So on a mistake either the class is new, or a member errs.
All pairs: member (i, j) is told "i or j" on the rounds of these two classes, from the first appearance of the later one on.  If no
member of the true class y errs, y has the votes of all its pairs, and every other class lacks that of its pair with y: y has most votes.
So on a mistake either the class is new, or a member that is told this round errs.
In both cases, with k classes and M_j mistakes of member j on its own stream:  M ≤ k + Σ_j M_j ≤ k + Σ_j (bound of member j).
With weights a round counts c times on both sides, k becomes the weights of the first appearances, and the slack covers sums in doubles.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from littlestone.theory.bound import ASSUMPTIONS, Bound
from littlestone.theory.numbers import Exact

SOURCE = "proof in theory/reductions.py"


def together(first: Exact, members: Mapping[str, Exact | float], slack: Exact = 1) -> Fraction:
    """k + Σ over the members.

    >>> together(3, {"a": 5, "b": 1, "c": 2})
    Fraction(11, 1)
    """
    return (Fraction(first) + sum((Fraction(m) for m in members.values()), Fraction(0))) * slack


def of_mistakes(name: str) -> Bound:
    return Bound(
        name=f"{name}-mistakes",
        assumes="none",
        kind="hindsight",
        formula="M ≤ k + Σ M_j,  k = classes that appeared, M_j = mistakes of member j on its own stream",
        value=together,
        source=SOURCE,
    )


def of_bounds(name: str) -> Bound:
    return Bound(
        name=f"{name}-bounds",
        assumes="none",
        kind="hindsight",
        formula="M ≤ k + Σ B_j,  k = classes that appeared, B_j = the least hindsight bound of member j on its own stream",
        value=together,
        source=SOURCE,
    )


def beforehand(name: str, theorems: Iterable[Bound]) -> tuple[Bound, ...]:
    """For each theorem of the members that assumes something, the same of the whole."""
    return tuple(
        Bound(
            name=f"{name}-{theorem.name}",
            assumes=theorem.assumes,
            kind="a priori",
            formula=f"M ≤ k + Σ B_j,  k = classes that appeared, B_j of member j: {theorem.formula}",
            value=together,
            source=f"{SOURCE}; {theorem.source}",
            says=f"of every member's own stream: {theorem.says or ASSUMPTIONS[theorem.assumes]}",
        )
        for theorem in theorems
        if theorem.kind == "a priori"
    )
