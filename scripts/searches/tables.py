"""The tables of worst cases: each game of `littlestone.checks.games` at many settings, beside the theorem's bound."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from littlestone.checks.games import (
    ConjunctionGame,
    DisjunctionGame,
    EliminationGame,
    PerceptronGame,
    SearchGame,
    WinnowGame,
    dot,
    grid,
    judged,
)
from littlestone.theory import conjunctions as conjunctions_theory
from littlestone.theory import disjunctions as disjunctions_theory
from littlestone.theory import perceptron as perceptron_theory
from littlestone.theory import winnow as winnow_theory
from littlestone.theory import winnow_elimination as elimination_theory
from littlestone.theory.numbers import Real, at_most


class Row(NamedTuple):
    """One worst case beside its bound. The parameters end in "; " and the one that varies within a line of a table."""

    learner: str
    parameters: str
    worst: int
    bound: int
    gap: int


PERCEPTRON_CASES = (
    ((2, 1), ((1, 0), (1, 1), (2, 1), (3, 1), (3, 2))),
    ((2, 2), ((1, 0), (1, 1), (2, 1), (3, 1), (3, 2), (5, 2), (4, 3))),
    ((3, 1), ((1, 0, 0), (1, 1, 1), (2, 1, 1), (3, 2, 1), (4, 2, 1), (5, 3, 1))),
)
LARGE = ((9, 1), (9, 2), (9, 3), (10, 1), (10, 2))  # n, r: beyond these a search takes minutes
LARGE_K_OF_R = ((7, 2, 3), (7, 3, 4), (8, 2, 3), (8, 2, 4), (8, 3, 4))  # n, k, r: the last takes three minutes


def tables(size: int = 8) -> Iterator[Row]:
    """Worst cases beside the bounds of `littlestone.theory`; `Refuted` if one is exceeded. `size` caps n.

    >>> next(row for row in tables(size=3) if row.parameters == "n=3; r=1")
    Row(learner='Winnow', parameters='n=3; r=1', worst=3, bound=5, gap=2)
    """
    for name, parameters, game, limit, counts in _cases(size):
        worst, bound = judged(game, limit, f"{name}, {parameters}", counts), at_most(limit)
        yield Row(name, parameters, worst, bound, bound - worst)


def _cases(size: int) -> Iterator[tuple[str, str, SearchGame, Real, str]]:
    game: SearchGame
    limit: Real
    small, full = min(size, 6), size >= 8
    for n, r in [*_pairs(size), *(LARGE if full else ())]:
        yield "Winnow", f"n={n}; r={r}", WinnowGame(n, r), winnow_theory.disjunction(n, r), "mistakes"
    for n, r in _pairs(size):
        limit = r * winnow_theory.promotions_of_one_weight(2, n)
        yield "Winnow, promotions", f"n={n}; r={r}", WinnowGame(n, r), limit, "promotions"
    for n, r in _pairs(small):
        for alpha, theta in _settings(n):
            game, limit = WinnowGame(n, r, alpha, theta), winnow_theory.disjunction(n, r, alpha, theta)
            yield "Winnow, other α and θ", f"n={n}, α={alpha}, θ={theta}; r={r}", game, limit, "mistakes"
    for n, r in _pairs(size + 2):
        limit = elimination_theory.disjunction(n, r)
        yield "Winnow with elimination", f"n={n}; r={r}", EliminationGame(n, r), limit, "mistakes"
    for n, r in _pairs(small):
        for theta in sorted({theta for _, theta in _settings(n)} - {Fraction(n, 2)}):
            game, limit = EliminationGame(n, r, theta), elimination_theory.disjunction(n, r, theta)
            yield "Winnow with elimination, other θ", f"n={n}, θ={theta}; r={r}", game, limit, "mistakes"
    threes = [(n, k, r) for n in range(2, small + 1) for k in range(2, n + 1) for r in range(k, n + 1)]
    for n, k, r in [*threes, *(LARGE_K_OF_R if full else ())]:
        alpha = 1 + Fraction(1, 2 * (k - 1))
        game, limit = WinnowGame(n, r, alpha, k=k), winnow_theory.k_of_r(n, k, r, alpha)
        yield "Winnow, k of r", f"n={n}, k={k}, α={alpha}; r={r}", game, limit, "mistakes"
    for (d, side), targets in PERCEPTRON_CASES:
        for t in targets:
            points = [x for x in grid(d, side) if dot(t, x)]
            longest2, closest = max(dot(x, x) for x in points), min(abs(dot(t, x)) for x in points)
            limit = perceptron_theory.margin(longest2 * dot(t, t), closest)  # u = t/|t|, R and γ both times |t|
            text = f"{{-{side}..{side}}}^{d}; t=({','.join(map(str, t))})"
            yield "Perceptron", text, PerceptronGame(points, t), limit, "mistakes"
    for n, r in _pairs(small):
        yield "Elimination", f"n={n}; r={r}", DisjunctionGame(n, r), disjunctions_theory.disjunction(n, r), "mistakes"
    for n, k in _pairs(min(size, 4)):
        for negative in range(k + 1):
            text = f"n={n}, {negative} of them negated; r={k}"
            yield "Conjunctions", text, ConjunctionGame(n, k, negative), conjunctions_theory.conjunction(n, k), "mistakes"
    for n, r in _pairs(min(size, 5)):
        cube = [(*x, 1) for x in product((0, 1), repeat=n)]  # a bias feature of value 1
        game, limit = PerceptronGame(cube, (2,) * r + (0,) * (n - r) + (-1,)), perceptron_theory.disjunction(n, r)
        yield "Perceptron on disjunctions", f"n={n}; r={r}", game, limit, "mistakes"


def _pairs(size: int) -> list[tuple[int, int]]:
    return [(n, r) for n in range(1, size + 1) for r in range(n + 1)]


def _settings(n: int) -> list[tuple[Fraction, Fraction]]:
    """Other factors and thresholds: above and below 2, above and below n, and where nothing is promoted."""
    F = Fraction
    thetas = {F(1, 2), F(1), F(3, 2), F(n, 2), F(n), F(2 * n)}
    return [(alpha, theta) for alpha in (F(3, 2), F(2), F(3)) for theta in sorted(thetas) if (alpha, theta) != (2, n)]
