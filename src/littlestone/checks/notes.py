"""What the lecture notes claim of small cases, worked out exactly: worst cases beyond `games`, and what their misprints would do.

>>> majority(2, 3), round(on_mistakes_only(1000, 0.5), 2)
(7, 9.68)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from typing import Any

from littlestone.checks.games import Point, Round, State, WinnowGame, dot, moved
from littlestone.theory.numbers import Exact

#: Winnow (n = 17) errs on each of these rounds, which x0 labels: 12 mistakes, where 3r(1 + ln n) = 11.5. Found by a random search.
SEVENTEEN: list[Round] = [
    (dict.fromkeys(x, 1), 0 in x)
    for x in (
        range(16), (*range(1, 9), 16), (0, *range(9, 17)), (*range(1, 11), 16), (1, 2, 11, 12, 13, 14), (0, 1, 3, 9, 10, 11, 12, 13, 14),
        (1, 4, 9, 10, 11, 12), (1, 2, 3, 5, 6, 7, 9, 13, 14, 15), (0, 1, 3, 4, 8, 9, 10, 11, 12, 16), (3, 9, 10, 11, 12, 13), (0, 1, 2, 3),
        range(1, 17),
    )
]  # fmt: skip


def majority(n: int, m: int) -> int:
    """The most mistakes of the weighted majority (β = 1/2) over n experts, the best of whom errs at most m times.

    A round on which the rule is right changes nothing.  A mistake makes some experts wrong who hold half the weight or more, and any such
    experts can be made wrong: on a tie the rule says 1, and the truth may be 0.  Of equal experts it does not matter who.  Experts who have
    erred more than m times still vote, and are followed too.

    >>> [majority(2, m) for m in range(4)], [majority(n, 0) for n in (1, 2, 4, 8)]
    ([1, 3, 5, 7], [0, 1, 3, 5])
    """

    @cache
    def most(errors: tuple[int, ...]) -> int:
        if errors[0] > m:
            return -1  # the last mistake was one too many: the best expert did not keep to m
        top = errors[-1]
        total = sum(1 << top - e for e in errors)
        found = 0
        for after, wrong in _raised(errors, top):
            if 2 * wrong >= total:
                found = max(found, 1 + most(after))
        return found

    return most((0,) * n)


def _raised(errors: tuple[int, ...], top: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Every way to make some experts wrong: the counts after it, in order, and the weight that was wrong, in units of 2^-top."""
    levels = sorted(set(errors))
    for chosen in product(*(range(errors.count(level) + 1) for level in levels)):
        after = [level + (k < c) for level, c in zip(levels, chosen, strict=True) for k in range(errors.count(level))]
        yield tuple(sorted(after)), sum(c << top - level for level, c in zip(levels, chosen, strict=True))


def on_mistakes_only(T: int, epsilon: float) -> float:
    """The expected mistakes of a randomised weighted majority that updates only when its own draw was wrong, as one of the notes has it.

    Two experts, one perfect, one always wrong.  After k mistakes the wrong one weighs (1-ε)^k, so k is all that the rule remembers.

    >>> [round(on_mistakes_only(T, 0.5), 2) for T in (10, 100, 1000)]      # the theorem would allow ln 2/ε = 1.386
    [2.78, 6.29, 9.68]
    """
    chance, expected = {0: 1.0}, 0.0
    for _ in range(T):
        after: dict[int, float] = {}
        for k, p in chance.items():
            wrong = (1 - epsilon) ** k / (1 + (1 - epsilon) ** k)
            expected += p * wrong
            after[k + 1] = after.get(k + 1, 0.0) + p * wrong
            after[k] = after.get(k, 0.0) + p * (1 - wrong)
        chance = {k: p for k, p in after.items() if p > 1e-15}
    return expected


def least_hinge(points: Iterable[Point], u: Sequence[Exact], mistakes: int) -> list[Fraction]:
    """For M = 0, 1, ..., the least hinge loss of u on any stream of these points, with any labels, on which the Perceptron errs M times.

    >>> [str(L) for L in least_hinge([(1, 0), (0, 1), (1, 1)], (1, -1), 4)]
    ['0', '0', '1', '1', '2']
    """
    rounds = [(x, y, max(Fraction(0), 1 - (1 if y else -1) * Fraction(dot(u, x)))) for x in points for y in (True, False)]  # type: ignore[arg-type]
    best: dict[Point, Fraction] = {(0,) * len(u): Fraction(0)}
    found = [Fraction(0)]
    for _ in range(mistakes):
        after: dict[Point, Fraction] = {}
        for w, loss in best.items():
            for x, y, cost in rounds:
                if (dot(w, x) >= 0) != y:
                    w_after = moved(w, x, y)
                    after[w_after] = min(after.get(w_after, loss + cost), loss + cost)
        best = after
        found.append(min(best.values()))
    return found


class HalfspaceGame:
    """Winnow on streams labelled by a·x ≥ b with whole weights a ≥ 0: a state is the exponents of the weights.

    >>> from littlestone.checks.games import worst_case
    >>> worst_case(HalfspaceGame((2, 1, 1, 0), 2, Fraction(5, 4)))
    20
    """

    def __init__(self, weights: Sequence[int], threshold: int, alpha: Exact) -> None:
        self.n = len(weights)
        self.labels = {x: dot(weights, x) >= threshold for x in product((0, 1), repeat=self.n)}
        self.scale = WinnowGame(self.n, 0, alpha)
        self.start: tuple[int, ...] = (0,) * self.n

    def after(self, state: tuple[int, ...]) -> tuple[set[State], set[State]]:
        span = max(map(abs, state), default=0)
        if span > self.scale.span:
            self.scale.span = 2 * span
            self.scale._weigh()
        promoted: set[State] = set()
        demoted: set[State] = set()
        for x, y in self.labels.items():
            if (sum(self.scale.weight[e] for e, on in zip(state, x, strict=True) if on) >= self.scale.threshold) != y:
                (promoted if y else demoted).add(moved(state, x, y))
        return promoted, demoted

    def rounds(self, line: Sequence[Any]) -> Iterator[Round]:
        for state, after in pairwise(line):
            x = next(x for x, y in self.labels.items() if moved(state, x, y) == after)
            yield {i: 1 for i, on in enumerate(x) if on}, self.labels[x]
