"""Figures of the protocol and of what a mistake bound gives in other models of learning."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from statistics import mean
from typing import Any

import numpy as np

import littlestone as ls
from curves.base import SEEDS, F, Figure, Line, figure, played, usual
from littlestone.theory import (
    conjunctions,
    halving,
    pac,
    queries,
)
from searches import concept_classes


@figure
def protocol() -> Figure:
    sizes = range(1, 8)
    every = [[[point >> i & 1 for i in range(n)] for point in range(2**n)] for n in sizes]
    return Figure(
        "Remembering everything: |X| mistakes, and no fewer",
        "n, the bits of an instance",
        list(sizes),
        [
            Line("bound", "bound: |X| = 2^n", [2**n for n in sizes]),
            Line("worst", "worst case: every point once, all with label 1", [played(ls.memorizer(), X, [1] * len(X)) for X in every]),
            Line(
                "typical", "typical: a dictator, 500 uniform rounds", [usual(ls.memorizer(), ls.concepts.dictators(n), 500) for n in sizes]
            ),
        ],
        log="y",
    )


@figure
def conservative() -> Figure:
    sizes = range(1, 5)
    made = [ls.concepts.conjunctions(n, contradictory=True) for n in sizes]
    always, mistakes = (
        [concept_classes.worst_stream(concept_classes.Dimensions(C), concept_classes.halving, always=a)[0] for C in made]
        for a in (True, False)
    )
    return Figure(
        "Halving, told everything or its mistakes alone: one bound for both",
        "n; the class is all conjunctions of n variables",
        list(sizes),
        [
            Line("bound", "bound of both: ⌊log2 |C|⌋", [halving.any_concept(C.size) for C in made]),
            Line("worst", "worst case, told its mistakes alone", mistakes),
            Line("adversary", "worst case, told everything", always),
            Line("typical", "typical: conservative, 200 rounds", [usual(ls.conservative(ls.halving(C)), C, 200) for C in made]),
            Line("typical 2", "typical: told everything", [usual(ls.halving(C), C, 200) for C in made]),
        ],
    )


TARGET, BITS, SURE = ls.concepts.conjunctions(10).of(()), 10, F(1, 20)
INVERSE = [5, 10, 20, 40, 80]


def rare(epsilon: Fraction) -> Callable[[np.random.Generator, int], list[int]]:
    """All ones, but for bit i cleared with probability about ε/2^i: each literal that is wrong is met late, if at all."""

    def draw(rng: np.random.Generator, n: int) -> list[int]:
        chance, cleared = float(epsilon), None
        u = rng.random()
        for i in range(n):
            if u < chance:
                cleared = i
            chance /= 2
        return [i for i in range(n) if i != cleared]

    return draw


def batch(method: Callable[..., Any], epsilon: Fraction, distribution: Any, **settings: Any) -> list[Any]:
    """What a way to a hypothesis finds from examples of a conjunction, for each seed."""
    drawn = [ls.oracles.EX(TARGET, distribution, n=BITS, seed=seed) for seed in SEEDS]
    return [
        method(ls.conjunctions(n=BITS), ex, epsilon=epsilon, delta=SURE, seed=seed, **settings)
        for seed, ex in zip(SEEDS, drawn, strict=True)
    ]


def drawn_by(method: Callable[..., Any], hard: bool, **settings: Any) -> list[float]:
    return [mean(f.examples for f in batch(method, F(1, e), rare(F(1, e)) if hard else "uniform", **settings)) for e in INVERSE]


@figure
def pac_() -> Figure:
    B = conjunctions.conjunction(BITS)
    return Figure(
        "From a mistake bound to PAC: conjunctions of 10 variables, δ = 1/20",
        "1/ε",
        INVERSE,
        [
            Line("claim", "the notes: B·⌈ln(B/δ)/ε⌉", [B * pac.run_length_of_the_notes(B, F(1, e), SURE) for e in INVERSE]),
            Line("bound", "bound: B·s", [pac.to_pac(B, F(1, e), SURE) for e in INVERSE]),
            Line("worst", "rare counterexamples, B = 11 declared", drawn_by(ls.to_pac, True, bound=B)),
            Line("typical", "typical: uniform examples", drawn_by(ls.to_pac, False, bound=B)),
        ],
        "examples drawn",
        log="xy",
    )


@figure
def controlled_testing() -> Figure:
    B = conjunctions.conjunction(BITS)
    return Figure(
        "Controlled testing: conjunctions of 10 variables, δ = 1/20",
        "1/ε",
        INVERSE,
        [
            Line("bound", "bound for M = 11: Σ ⌈ln(1/δ_i)/ε⌉", [pac.controlled_testing(B, F(1, e), SURE) for e in INVERSE]),
            Line("claim", "Theorem 4, for comparison: B·s", [pac.to_pac(B, F(1, e), SURE) for e in INVERSE]),
            Line("worst", "rare counterexamples", drawn_by(ls.controlled_testing, True)),
            Line("typical", "typical: uniform examples", drawn_by(ls.controlled_testing, False)),
        ],
        "examples drawn",
        log="xy",
    )


@figure
def random_stopping() -> Figure:
    B = conjunctions.conjunction(BITS)

    def errors(hard: bool) -> list[float]:
        """The mean error of what was found, on 1,000 examples it never saw, over 60 seeds."""
        errors = []
        for e in INVERSE:
            how = rare(F(1, e)) if hard else "uniform"
            fresh = ls.oracles.EX(TARGET, how, n=BITS, seed=10**6).draw(1000)
            runs = [
                ls.random_stopping(ls.conjunctions(n=BITS), ls.oracles.EX(TARGET, how, n=BITS, seed=s), epsilon=F(1, e), bound=B, seed=s)
                for s in range(60)
            ]
            errors.append(mean(sum(run.hypothesis.predict(x) != y for x, y in fresh) / len(fresh) for run in runs))
        return errors

    return Figure(
        "Random stopping: conjunctions of 10 variables, B = 11",
        "1/ε",
        INVERSE,
        [
            Line("bound", "promise: ε in expectation", [1 / e for e in INVERSE]),
            Line("worst", "rare counterexamples", errors(True)),
            Line("typical", "typical: uniform examples", errors(False)),
        ],
        "error, mean of 60 runs",
        log="x",
    )


@figure
def equivalence_queries() -> Figure:
    sizes = range(1, 8)

    def asked(n: int, kind: str, target: Any) -> int:
        C = ls.concepts.conjunctions(n)
        eq = ls.oracles.counting(getattr(ls.oracles.EQ, kind)(target, C))
        ls.to_equivalence_queries(ls.conjunctions(n=n)).learn(eq)
        return eq.count

    drawn = {n: [ls.concepts.conjunctions(n).draw(seed) for seed in SEEDS] for n in sizes}
    return Figure(
        "Equivalence queries of Algorithm 1: B + 1 = n + 2 on conjunctions",
        "n, the variables",
        list(sizes),
        [
            Line("bound", "bound: B + 1 = n + 2", [queries.queries(conjunctions.conjunction(n)) for n in sizes]),
            Line(
                "worst",
                "the oracle that hurts most, empty target",
                [asked(n, "adversarial", ls.concepts.conjunctions(n).of(())) for n in sizes],
            ),
            Line(
                "typical",
                "typical: the first counterexample",
                [mean(asked(n, "exhaustive", c) for c in drawn[n]) for n in sizes],
            ),
        ],
        "queries",
    )
