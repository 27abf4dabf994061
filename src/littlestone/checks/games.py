"""Exhaustive game search: the true worst case of a learner, over every stream, beside the theorem's bound on it.

A round without a mistake changes no state here, so a stream is as long as its mistakes: a game between a learner and an
adversary who may give any round on which the learner errs.  Its positions are finite and are kept exactly: whole
numbers, never a double.  The worst case is the longest line of play.

>>> winnow(4, 1), winnow_elimination(4, 1), perceptron([(1, 0), (0, 1), (1, 1)], (1, -2))
(4, 2, 2)
>>> for x, y in worst_stream(WinnowGame(4, 1)):
...     print(sorted(x), y)
[0, 1, 2] True
[1, 2, 3] False
[0, 1, 3] True
[1, 2, 3] False
"""

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from typing import Any, NamedTuple, Protocol

from littlestone.errors import require
from littlestone.theory.numbers import Exact, Real

State = Any  # hashable: tuples of whole numbers
Round = tuple[dict[int, int], bool]  # as the reference twins take them
Point = tuple[int, ...]

COSTS = {"mistakes": (1, 1), "promotions": (1, 0), "demotions": (0, 1)}  # of a missed 1, of a false 1


class Refuted(AssertionError):
    """A stream on which a count exceeds its bound: the bound is false."""


class SearchGame(Protocol):
    """What the search needs: where play begins, where one mistake leads, and the rounds behind a line of play."""

    start: State

    def after(self, state: Any) -> tuple[Iterable[State], Iterable[State]]:
        """The states one missed 1 away, and those one false 1 away."""

    def rounds(self, line: Sequence[Any]) -> Iterator[Round]:
        """A stream that leads from each state of the line to the next."""


# ---------------------------------------------------------------------------------------------------- the search


def longest(game: SearchGame, counts: str = "mistakes") -> dict[State, int]:
    """For every reachable state, the most that can still be counted from it. Each state is expanded once.

    A state that can return to itself is a stream of endless mistakes, and is refused.
    """
    costs = COSTS[counts]

    def steps(state: State) -> Iterator[tuple[State, int]]:
        return iter([(after, cost) for states, cost in zip(game.after(state), costs, strict=True) for after in states])

    value: dict[State, int] = {}
    open_states = {game.start}
    stack = [(game.start, 0, steps(game.start))]  # a state, the cost of coming to it, its steps not yet tried
    best = [0]  # beside the stack: the most found so far
    while stack:
        state, cost, untried = stack[-1]
        most = best[-1]
        for after, price in untried:
            known = value.get(after)
            if known is None:
                require(after not in open_states, f"play from {state} can return to {after}: the mistakes never end")
                best[-1] = most
                open_states.add(after)
                stack.append((after, price, steps(after)))
                best.append(0)
                break
            if known + price > most:
                most = known + price
        else:
            stack.pop()
            best.pop()
            open_states.remove(state)
            value[state] = most
            if best and cost + most > best[-1]:
                best[-1] = cost + most
    return value


def worst_case(game: SearchGame, counts: str = "mistakes") -> int:
    """The most mistakes (or promotions, or demotions) that any stream forces."""
    return longest(game, counts)[game.start]


def worst_stream(game: SearchGame) -> list[Round]:
    """A stream that forces them: every round of it is a mistake."""
    value = longest(game)
    line = [game.start]
    while value[line[-1]]:
        promoted, demoted = game.after(line[-1])
        left = value[line[-1]] - 1
        line.append(min(s for states in (promoted, demoted) for s in states if value[s] == left))
    return list(game.rounds(line))


def judged(game: SearchGame, bound: Real, name: str, counts: str = "mistakes") -> int:
    """The worst case, or `Refuted` if it exceeds the bound.

    >>> judged(WinnowGame(3, 1), bound=2, name="at most 2")
    Traceback (most recent call last):
    ...
    littlestone.checks.games.Refuted: at most 2: 3 mistakes exceed 2 on [([0, 1], True), ([1, 2], False), ([0], True)]
    """
    worst = worst_case(game, counts)
    if worst > bound:
        stream = [(sorted(x), y) for x, y in worst_stream(game)] if counts == "mistakes" else "some stream"
        raise Refuted(f"{name}: {worst} {counts} exceed {bound} on {stream}")
    return worst


# ---------------------------------------------------------------------------------------------------- the learners


class _Choices(NamedTuple):
    """The ways to activate some variables of a group, up to symmetry, lightest first; four lists side by side."""

    sums: list[int]
    active: list[int]
    ups: list[tuple[int, ...]]
    downs: list[tuple[int, ...]]


class _Multiplicative(ABC):
    """A learner with a weight a variable, on streams labelled by "at least k of the first r of n variables".

    A level is what is stored of a weight.  Variables of one group with one level are interchangeable, so a state is
    the sorted levels of the relevant variables and those of the others; an instance, how many of each are active.
    """

    first: int

    def __init__(self, n: int, r: int, theta: Exact, k: int) -> None:
        require(0 <= r <= n, f"r={r} must be from 0 to n={n}")
        require(theta > 0, f"theta={theta} must be positive")
        require(k >= 1, f"k={k} must be at least 1")
        self.n, self.r, self.k, self.theta = n, r, k, Fraction(theta)
        self.start = self.fold((self.first,) * n)
        self.span = 8
        self._weigh()

    @abstractmethod
    def up(self, level: int) -> int:
        """The level after a promotion."""

    @abstractmethod
    def down(self, level: int) -> int:
        """The level after a demotion."""

    @abstractmethod
    def weights(self, span: int) -> tuple[dict[int, int], int]:
        """Weight by level, for levels up to `span` apart, and the threshold: whole numbers, on one common scale."""

    def _weigh(self) -> None:
        self.weight, self.threshold = self.weights(self.span)
        self.choices = cache(self._choices)

    def _choices(self, levels: tuple[int, ...]) -> _Choices:
        choices: list[tuple[int, int, tuple[int, ...], tuple[int, ...]]] = [(0, 0, (), ())]
        for level in sorted(set(levels)):
            there, w, up, down = levels.count(level), self.weight[level], (self.up(level),), (self.down(level),)
            choices = [
                (
                    total + c * w,
                    active + c,
                    ups + (level,) * (there - c) + up * c,
                    downs + (level,) * (there - c) + down * c,
                )
                for total, active, ups, downs in choices
                for c in range(there + 1)
            ]
        choices = [(total, active, tuple(sorted(ups)), tuple(sorted(downs))) for total, active, ups, downs in choices]
        return _Choices(*map(list, zip(*sorted(choices), strict=True)))

    def after(self, state: tuple[tuple[int, ...], tuple[int, ...]]) -> tuple[set[State], set[State]]:
        while not self.weight.keys() >= {*state[0], *state[1]}:
            self.span *= 2
            self._weigh()
        relevant, others = self.choices(state[0]), self.choices(state[1])
        promoted: set[State] = set()
        demoted: set[State] = set()
        for total, active, up, down in zip(*relevant, strict=True):
            cut = bisect_left(others.sums, self.threshold - total)  # from here on, the learner predicts 1
            if active >= self.k:
                promoted.update([(up, ups) for ups in others.ups[:cut]])
            else:
                demoted.update([(down, downs) for downs in others.downs[cut:]])
        return promoted, demoted

    def fold(self, levels: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        return tuple(sorted(levels[: self.r])), tuple(sorted(levels[self.r :]))

    def rounds(self, line: Sequence[Any]) -> Iterator[Round]:
        levels = (self.first,) * self.n
        for state in line[1:]:
            x, levels = next((x, after) for x, after in self._plain_steps(levels) if self.fold(after) == state)
            yield {i: 1 for i in range(self.n) if x[i]}, sum(x[: self.r]) >= self.k

    def _plain_steps(self, levels: tuple[int, ...]) -> Iterator[tuple[Point, tuple[int, ...]]]:
        """Each instance on which the learner errs, and the levels after it: no symmetry, nothing stored."""
        for x in product((1, 0), repeat=self.n):
            y = sum(x[: self.r]) >= self.k
            yhat = sum(self.weight[level] for level, on in zip(levels, x, strict=True) if on) >= self.threshold
            if yhat != y:
                change = self.up if y else self.down
                yield x, tuple(change(level) if on else level for level, on in zip(levels, x, strict=True))


class WinnowGame(_Multiplicative):
    """Winnow: a level is an exponent e, its weight α^e."""

    first = 0

    def __init__(self, n: int, r: int, alpha: Exact = 2, theta: Exact | None = None, k: int = 1) -> None:
        require(alpha > 1, f"alpha={alpha} must exceed 1, or no weight ever grows")
        self.alpha = Fraction(alpha)
        super().__init__(n, r, n if theta is None else theta, k)

    def up(self, level: int) -> int:
        return level + 1

    def down(self, level: int) -> int:
        return level - 1

    def weights(self, span: int) -> tuple[dict[int, int], int]:
        p, q = self.alpha.numerator, self.alpha.denominator
        # α^e·(pq)^span is whole while |e| ≤ span
        table = {e: self.theta.denominator * p ** (span + e) * q ** (span - e) for e in range(-span, span + 1)}
        return table, self.theta.numerator * (p * q) ** span


class EliminationGame(_Multiplicative):
    """Winnow with elimination: a level is the weight itself, a power of two or 0."""

    first = 1

    def __init__(self, n: int, r: int, theta: Exact | None = None) -> None:
        super().__init__(n, r, Fraction(n, 2) if theta is None else theta, 1)

    def up(self, level: int) -> int:
        return 2 * level

    def down(self, level: int) -> int:
        return 0

    def weights(self, span: int) -> tuple[dict[int, int], int]:
        return {w: w * self.theta.denominator for w in (0, *(2**i for i in range(span + 1)))}, self.theta.numerator


class DisjunctionGame(_Multiplicative):
    """Elimination: a level is 1, or 0 once a false 1 has struck the variable out; a missed 1 would change nothing."""

    first = 1

    def __init__(self, n: int, r: int) -> None:
        super().__init__(n, r, 1, 1)

    def up(self, level: int) -> int:
        return level

    def down(self, level: int) -> int:
        return 0

    def weights(self, span: int) -> tuple[dict[int, int], int]:
        return {0: 0, 1: 1}, 1


class ConjunctionGame:
    """All literals less the contradicted ones, on a conjunction of the first `size` variables, the first `negated` of them negated.

    A state is the literals that live, (variable, value it wants): no symmetry, nothing clever.
    """

    def __init__(self, n: int, size: int, negated: int = 0) -> None:
        require(0 <= negated <= size <= n, f"negated={negated}, size={size}: expected 0 ≤ negated ≤ size ≤ n = {n}")
        target = [int(i >= negated) for i in range(size)]
        self.labels = {x: list(x[:size]) == target for x in product((0, 1), repeat=n)}
        self.start = tuple((i, value) for i in range(n) for value in (0, 1))

    def after(self, state: tuple[tuple[int, int], ...]) -> tuple[set[State], set[State]]:
        erring = [(x, y) for x, y in self.labels.items() if all(x[i] == value for i, value in state) != y]
        promoted = {tuple((i, value) for i, value in state if x[i] == value) for x, y in erring if y}
        return promoted, {state for _, y in erring if not y}

    def rounds(self, line: Sequence[Any]) -> Iterator[Round]:
        for state, after in pairwise(line):
            x = next(x for x, y in self.labels.items() if y and tuple(p for p in state if x[p[0]] == p[1]) == after)
            yield {i: 1 for i, on in enumerate(x) if on}, True


class PerceptronGame:
    """The Perceptron on whole points labelled by sign(target·x). A state is w."""

    def __init__(self, points: Iterable[Point], target: Point) -> None:
        self.labels = {tuple(x): dot(target, x) > 0 for x in points}
        touching = [x for x in self.labels if dot(target, x) == 0]
        require(not touching, f"target·x = 0 at {touching[:3]}: these points have no label")
        self.start = (0,) * len(target)

    def after(self, state: Point) -> tuple[set[State], set[State]]:
        promoted: set[State] = set()
        demoted: set[State] = set()
        for x, y in self.labels.items():
            if (dot(state, x) >= 0) != y:
                (promoted if y else demoted).add(moved(state, x, y))
        return promoted, demoted

    def rounds(self, line: Sequence[Any]) -> Iterator[Round]:
        for w, after in pairwise(line):
            erring = ((x, y) for x, y in self.labels.items() if (dot(w, x) >= 0) != y)
            x, y = next((x, y) for x, y in erring if moved(w, x, y) == after)
            yield dict(enumerate(x)), y


def dot(u: Iterable[int], x: Iterable[int]) -> int:
    return sum(a * b for a, b in zip(u, x, strict=True))


def moved(w: Point, x: Point, y: bool) -> Point:
    return tuple(a + b if y else a - b for a, b in zip(w, x, strict=True))


def winnow(n: int, r: int, alpha: Exact = 2, theta: Exact | None = None, k: int = 1, *, counts: str = "mistakes") -> int:
    """Winnow's worst case on streams labelled by "at least k of these r of n variables"; k = 1 is a disjunction.

    >>> [winnow(n, 1) for n in range(1, 8)], [winnow(n, 2) for n in range(2, 7)]
    ([0, 1, 3, 4, 6, 6, 7], [2, 4, 7, 10, 12])
    >>> winnow(6, 3, Fraction(3, 2), k=2), winnow(3, 1, counts="promotions")
    (21, 2)
    """
    return worst_case(WinnowGame(n, r, alpha, theta, k), counts)


def winnow_elimination(n: int, r: int, theta: Exact | None = None, *, counts: str = "mistakes") -> int:
    """The worst case of Winnow with elimination (θ = n/2 unless given) on disjunctions of r of n variables.

    >>> [winnow_elimination(n, 1) for n in range(3, 9)], [winnow_elimination(n, 2) for n in range(4, 7)]
    ([2, 2, 3, 4, 4, 4], [3, 5, 6])
    """
    return worst_case(EliminationGame(n, r, theta), counts)


def conjunctions(n: int, size: int, negated: int = 0) -> int:
    """The worst case of literals struck out, on a conjunction of `size` of n variables, some of them negated.

    >>> [conjunctions(n, 0) for n in (1, 2, 3, 4)], conjunctions(4, 3, 1)
    ([2, 3, 4, 5], 2)
    """
    return worst_case(ConjunctionGame(n, size, negated))


def disjunctions(n: int, r: int) -> int:
    """The worst case of elimination on disjunctions of r of n variables.

    >>> [disjunctions(5, r) for r in range(6)]
    [5, 4, 3, 2, 1, 0]
    """
    return worst_case(DisjunctionGame(n, r))


def perceptron(points: Iterable[Point], target: Point, *, counts: str = "mistakes") -> int:
    """The Perceptron's worst case over all sequences of these points, labelled by sign(target·x).

    >>> perceptron([(1,), (-1,)], (1,)), perceptron([(1, 0), (0, 1)], (-1, -1))
    (1, 2)
    """
    return worst_case(PerceptronGame(points, target), counts)


def grid(d: int, side: int) -> list[Point]:
    """All whole points with coordinates from -side to side.

    >>> len(grid(2, 1)), grid(1, 2)
    (9, [(-2,), (-1,), (0,), (1,), (2,)])
    """
    return list(product(range(-side, side + 1), repeat=d))
