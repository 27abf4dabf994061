"""Exhaustive search over streams that no concept labels: the bounds in hindsight, for every witness.

>>> search_agnostic_winnow(2, 4).slack >= 0
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, inf, lcm
from typing import Any, NamedTuple

from littlestone.checks.games import Point, Refuted, State, dot, grid, moved
from littlestone.theory import perceptron as perceptron_theory
from littlestone.theory import winnow as winnow_theory
from littlestone.theory import winnow_elimination as elimination_theory
from littlestone.theory.numbers import Exact, Real


class Searched(NamedTuple):
    """What a search over unrestricted streams covered. `slack` is the smallest bound - mistakes, `where` its facts."""

    streams: int
    pairs: int
    slack: Real | float
    where: dict[str, Any]


Reached = dict[State, tuple[Any, Any]]  # state: (the least cost of coming to it, the state before and the round)


def _cheapest(start: State, steps: Callable[[Any], Iterable[tuple[Any, Any, State]]], mistakes: int) -> list[Reached]:
    """Layer m holds every state after m mistakes, with the least cost of any sequence of rounds that leads to it.

    Bounds here grow with the cost, and a state's future does not depend on it, so the least one decides.
    """
    layers: list[Reached] = [{start: (0, None)}]
    for _ in range(mistakes):
        reached: Reached = {}
        for state, (cost, _how) in layers[-1].items():
            for played, price, after in steps(state):
                known = reached.get(after)
                if known is None or cost + price < known[0]:
                    reached[after] = (cost + price, (state, played))
        layers.append(reached)
    return layers


def _traced(layers: list[Reached], m: int, state: State) -> list[Any]:
    stream = []
    for layer in reversed(layers[1 : m + 1]):
        state, played = layer[state][1]
        stream.append(played)
    return stream[::-1]


def _closer(left: Real, m: int, slack: Real | float, where: dict[str, Any]) -> bool:
    """Less slack than before; or the same, up to the rounding of the bound, after more mistakes."""
    return (round(left, 12), -m) < (round(slack, 12), -where.get("M", -1))


def search_agnostic_winnow(
    n: int,
    mistakes: int,
    alpha: Exact = 2,
    theta: Exact | None = None,
    k: int = 1,
    bound: Callable[[int, int], Real] | None = None,
) -> Searched:
    """Check the agnostic Winnow bound for every set S on every stream of n variables with at most so many mistakes.

    A is counted on the mistake rounds: (k - #active)₊ where y = 1, (#active - k + 1)₊ where y = 0, #active within S.
    Renaming variables, S is the first r of them. `bound` is a function of r and A: by default, the theorem's.
    Every instance errs with one of its two labels, so `streams` are those of that length, of either label.

    >>> search_agnostic_winnow(2, 6)
    Searched(streams=299592, pairs=1198368, slack=0, where={'r': 0, 'A': 0, 'M': 1})
    """
    threshold, factor = Fraction(n if theta is None else theta), Fraction(alpha)
    weight = cache(lambda e: factor**e)
    instances = list(product((0, 1), repeat=n))

    @cache
    def erring(state: Point) -> list[tuple[Point, bool, Point]]:
        choices = []
        for x in instances:
            y = sum(weight(e) for e, on in zip(state, x, strict=True) if on) < threshold
            choices.append((x, y, moved(state, x, y)))
        return choices

    if bound is None:

        def bound(r: int, A: int) -> int:
            if k == 1:
                return winnow_theory.disjunction_agnostic(n, r, A, alpha, threshold)
            return winnow_theory.k_of_r(n, k, r, alpha, threshold, A)

    limit = cache(bound)
    slack: Real | float = inf
    where: dict[str, Any] = {}
    for r in range(n + 1):

        def steps(state: Point, r: int = r) -> Iterator[tuple[Any, int, Point]]:
            for x, y, after in erring(state):
                active = sum(x[:r])
                yield (x, y), max(0, k - active if y else active - k + 1), after

        layers = _cheapest((0,) * n, steps, mistakes)
        for m, layer in enumerate(layers):
            for state, (A, _how) in layer.items():
                left = limit(r, A) - m
                if _closer(left, m, slack, where):
                    slack, where = left, {"r": r, "A": A, "M": m}
                if left < 0:
                    stream = _traced(layers, m, state)
                    raise Refuted(f"n={n}, α={alpha}, θ={threshold}, k={k}, r={r}: {m} > {limit(r, A)} on {stream}")
    streams = sum((2 * len(instances)) ** m for m in range(1, mistakes + 1))
    return Searched(streams, streams * sum(comb(n, r) for r in range(n + 1)), slack, where)


def search_agnostic_elimination(
    n: int,
    mistakes: int,
    theta: Exact | None = None,
    bound: Callable[[int, int, int], Real] | None = None,
    promote: int = 2,
    eliminate: int = 0,
) -> Searched:
    """The same for Winnow with elimination, whose witness is a set of r variables, B missed 1s that no living member of it sees.

    `bound` is a function of r, of the members that live at the end, and of B. Learners broken on purpose have other factors than 2 and 0.

    >>> search_agnostic_elimination(2, 8).slack
    0
    """
    threshold = Fraction(n, 2) if theta is None else Fraction(theta)
    instances = list(product((0, 1), repeat=n))

    def theorem(r: int, living: int, B: int) -> int:
        return elimination_theory.agnostic(n, r, living, B, threshold)

    limit = cache(bound or theorem)
    slack: Real | float = inf
    where: dict[str, Any] = {}
    for r in range(n + 1):

        def steps(state: tuple[Point, Point], r: int = r) -> Iterator[tuple[Any, int, State]]:
            weights, alive = state
            for x in instances:
                y = sum(w for w, on in zip(weights, x, strict=True) if on) < threshold
                after = tuple(w * (promote if y else eliminate) if on else w for w, on in zip(weights, x, strict=True))
                left = alive if y else tuple(a and not on for a, on in zip(alive, x[:r], strict=True))
                yield (x, y), int(y and not any(a and on for a, on in zip(alive, x[:r], strict=True))), (after, left)

        layers = _cheapest(((1,) * n, (1,) * r), steps, mistakes)
        for m, layer in enumerate(layers):
            for state, (B, _how) in layer.items():
                living = sum(state[1])
                left = limit(r, living, B) - m
                if _closer(left, m, slack, where):
                    slack, where = left, {"r": r, "living": living, "B": B, "M": m}
                if left < 0:
                    stream = _traced(layers, m, state)
                    raise Refuted(f"n={n}, θ={threshold}, r={r}: {m} > {limit(r, living, B)} on {stream}")
    streams = sum((2 * len(instances)) ** m for m in range(1, mistakes + 1))
    return Searched(streams, streams * 2**n, slack, where)


def rational_grid(d: int, top: int, parts: int) -> list[tuple[Fraction, ...]]:
    """The vectors u ≠ 0 with coordinates in -top, …, top by steps of 1/parts.

    >>> len(rational_grid(2, 1, 2))
    24
    """
    return [tuple(Fraction(a, parts) for a in u) for u in grid(d, top * parts) if any(u)]


def search_hinge(
    points: Iterable[Point],
    witnesses: Iterable[tuple[Fraction, ...]],
    mistakes: int,
    bound: Callable[[Fraction, Fraction], Real] = perceptron_theory.hinge,
) -> Searched:
    """Check the Perceptron's hinge bound for every witness u on every stream of these points, of any labels.

    K = |u|²·mean|x|² and L, the hinge loss of u, are over the mistake rounds. `bound` is a function of K and L.

    >>> found = search_hinge([(1, 0), (0, 1), (1, 1)], [(Fraction(-1), Fraction(-1, 2))], 3)
    >>> found.pairs, round(found.slack, 6), found.where
    (258, Decimal('0.132782'), {'u': '-1,-1/2', 'K': '5/4', 'L': '1/2', 'M': 2})
    """
    points, witnesses = list(points), list(witnesses)
    limit = cache(bound)
    slack: Real | float = inf
    where: dict[str, Any] = {}
    for u in witnesses:
        u2 = sum(a * a for a in u)
        parts = lcm(*(a.denominator for a in u))  # the hinge loss is counted in units of 1/parts
        inner = [(x, dot(x, x), int(sum(a * b for a, b in zip(u, x, strict=True)) * parts)) for x in points]

        def steps(
            state: tuple[Point, int], inner: list[tuple[Point, int, int]] = inner, parts: int = parts
        ) -> Iterator[tuple[Any, int, State]]:
            w, squares = state
            for x, x2, ux in inner:
                y = dot(w, x) < 0
                yield (x, y), max(0, parts - ux if y else parts + ux), (moved(w, x, y), squares + x2)

        layers = _cheapest(((0,) * len(u), 0), steps, mistakes)
        for m, layer in enumerate(layers[1:], 1):
            for state, (loss, _how) in layer.items():
                K, L = u2 * Fraction(state[1], m), Fraction(loss, parts)
                left = limit(K, L) - m
                if _closer(left, m, slack, where):
                    slack, where = left, {"u": ",".join(map(str, u)), "K": str(K), "L": str(L), "M": m}
                if left < 0:
                    stream = _traced(layers, m, state)
                    raise Refuted(f"u={','.join(map(str, u))}, K={K}, L={L}: {m} mistakes exceed {limit(K, L)} on {stream}")
    streams = sum((2 * len(points)) ** m for m in range(1, mistakes + 1))
    return Searched(streams, streams * len(witnesses), slack, where)
