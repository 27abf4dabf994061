"""Figures of finite classes."""

from __future__ import annotations

from math import log2

import numpy as np

import littlestone as ls
from curves.base import Figure, Line, figure, played, usual
from littlestone.checks import games
from littlestone.concepts.dimension import littlestone_dimension, vc_dimension
from littlestone.games.adversaries import meet
from littlestone.theory import (
    conjunctions,
    disjunctions,
    halving,
)
from searches import concept_classes


@figure
def conjunctions_() -> Figure:
    sizes = range(1, 13)

    def tight(n: int) -> int:
        X = [[1] * n, *([int(i != j) for i in range(n)] for j in range(n))]
        return played(ls.conjunctions(n=n), X, [1] * len(X))

    return Figure(
        "Conjunctions: n + 1 is exact, and no learner does better",
        "n, the variables",
        list(sizes),
        [
            Line("bound", "bound: n + 1", [conjunctions.conjunction(n) for n in sizes]),
            Line("worst", "worst case of Algorithm 1", [tight(n) for n in sizes]),
            Line(
                "adversary",
                "the adversary conjunction against halving",
                [
                    meet(ls.halving(ls.concepts.conjunctions(n)), ls.adversaries.conjunction(n)).mistakes if 2 <= n <= 8 else None
                    for n in sizes
                ],
            ),
            Line("typical", "typical: 500 uniform rounds", [usual(ls.conjunctions(), ls.concepts.conjunctions(n), 500) for n in sizes]),
        ],
    )


@figure
def unit_vectors() -> Figure:
    sizes = range(1, 17)
    return Figure(
        "Disjunctions of any length: n mistakes, whoever learns",
        "n, the variables",
        list(sizes),
        [
            Line("bound", "bound: elimination, n", [disjunctions.disjunction(n, 0) for n in sizes]),
            Line("worst", "worst case of elimination, by search", [games.disjunctions(n, 0) if n <= 8 else None for n in sizes]),
            Line(
                "adversary",
                "unit_vectors against Winnow",
                [meet(ls.winnow(n=n), ls.adversaries.unit_vectors(n)).mistakes for n in sizes],
            ),
            Line(
                "typical",
                "typical: elimination, 500 uniform rounds",
                [usual(ls.disjunctions(), ls.concepts.disjunctions(n), 500) for n in sizes],
            ),
        ],
    )


@figure
def halving_() -> Figure:
    sizes = range(1, 5)
    made = [ls.concepts.conjunctions(n, contradictory=True) for n in sizes]
    worst = [concept_classes.worst_stream(concept_classes.Dimensions(C), concept_classes.halving)[0] for C in made]
    return Figure(
        "Halving between VCD(C) and log2 |C|: all conjunctions of n variables",
        "n, the variables",
        list(sizes),
        [
            Line("bound", "bound: ⌊log2 |C|⌋", [halving.any_concept(C.size) for C in made]),
            Line("worst", "worst case of halving, by search", worst),
            Line("adversary", "what any learner must: Ldim(C)", [littlestone_dimension(C) for C in made]),
            Line("claim", "VCD(C)", [vc_dimension(C) for C in made]),
            Line("typical", "typical: 200 uniform rounds", [usual(ls.halving(C), C, 200) for C in made]),
        ],
    )


@figure
def dictators() -> Figure:
    sizes = [2, 3, 4, 5, 6, 7, 8, 9, 10]
    cubes = [ls.concepts.dictators(n) for n in sizes]
    units = [ls.concepts.table(np.eye(n, dtype=bool)) for n in sizes]
    return Figure(
        "Dictators: on unit vectors 1 mistake, on the cube ⌊log2 n⌋",
        "n, the variables",
        sizes,
        [
            Line("bound", "bound: ⌊log2 |C|⌋", [halving.any_concept(n) for n in sizes]),
            Line("worst", "worst case on the cube (Ldim)", [littlestone_dimension(C) for C in cubes]),
            Line("adversary", "worst case on unit vectors (Ldim)", [littlestone_dimension(C) for C in units]),
            Line("typical", "typical: halving on the cube, 100 rounds", [usual(ls.halving(C), C, 100) for C in cubes]),
        ],
    )


@figure
def binary_search() -> Figure:
    sizes = range(1, 11)
    lines = [ls.concepts.half_intervals(2**n, empty=False) for n in sizes]
    return Figure(
        "Half-intervals of 2^n points: n mistakes, not log n",
        "n; there are 2^n points",
        list(sizes),
        [
            Line("bound", "bound: ⌊log2 |C|⌋ = n", [halving.any_concept(C.size) for C in lines]),
            Line(
                "worst",
                "worst case: bisection against halving",
                [meet(ls.halving(C), ls.adversaries.bisection(n)).mistakes for n, C in zip(sizes, lines, strict=True)],
            ),
            Line("claim", "log2 n, as the notes print it", [log2(n) for n in sizes]),
            Line("typical", "typical: halving, 500 uniform rounds", [usual(ls.halving(C), C, 500) for C in lines]),
        ],
    )
