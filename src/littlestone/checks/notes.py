"""What the lecture notes claim of small cases, worked out exactly: worst cases beyond `games`, and what their misprints would do.

>>> majority(2, 3), round(on_mistakes_only(1000, 0.5), 2)
(7, 9.68)
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from random import Random
from typing import Any, NamedTuple

from littlestone.checks.games import Point, Round, SearchGame, State, WinnowGame, dot, moved
from littlestone.protocol import Learner, Rule
from littlestone.protocol.players import player
from littlestone.theory import perceptron
from littlestone.theory.comparators.vector import Vector
from littlestone.theory.evidence import Evidence, Taught
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


class PlayedStep(NamedTuple):
    """One round as it was played: the instance, the prediction, the label, the state before and after."""

    x: Any
    predicted: bool
    y: bool
    before: Any
    after: Any


def steps(learner: Learner | Rule, stream: Iterable[tuple[Any, Any]]) -> list[PlayedStep]:
    """Play a stream round by round and keep every state, with room for all features of the stream. A rule must know its n.

    >>> import littlestone as ls
    >>> [step.after.e.tolist() for step in steps(ls.winnow(n=2), [([1, 0], 1), ([1, 1], 0)])]
    [[1, 0], [0, -1]]
    """
    if isinstance(learner, Learner):
        stream = [({i: v for i, v in (x.items() if isinstance(x, Mapping) else enumerate(x)) if v}, y) for x, y in stream]
        room = max([1, learner.n or 1, *(1 + i for x, _ in stream for i in x)])
    mine, played = player(learner), list[PlayedStep]()
    before = learner.first_state(room) if isinstance(learner, Learner) else learner.first_state()
    for x, y in stream:
        yhat = mine.predict(x)
        mine.update(x, bool(y))
        after = mine.state  # type: ignore[attr-defined]
        if isinstance(learner, Learner) and learner.room_of(after) < room:
            after = learner.grown(after, room)
        played.append(PlayedStep(x, yhat, bool(y), before, after))
        before = after
    return played


def mistakes(learner: Learner | Rule, stream: Iterable[tuple[Any, Any]]) -> list[PlayedStep]:
    """The rounds of `steps` on which the learner errs."""
    return [step for step in steps(learner, stream) if step.predicted != step.y]


def votes(n: int, T: int, seed: int = 1) -> list[tuple[list[int], int]]:
    """T rounds of n experts who toss coins, but the first errs one time in eight; and the labels.

    >>> votes(3, 2)
    [([0, 1, 0], 0), ([1, 1, 1], 1)]
    """
    draw = Random(seed)
    rounds = []
    for _ in range(T):
        y = draw.randrange(2)
        rounds.append(([y ^ (draw.randrange(8) == 0), *(draw.randrange(2) for _ in range(n - 1))], y))
    return rounds


def in_turn(n: int, m: int) -> list[tuple[list[int], int]]:
    """Rounds of n experts of whom one is wrong at a time, each m times: what is dearest to a rule that draws an expert by weight.

    >>> in_turn(2, 1)
    [([0, 1], 1), ([1, 0], 1)]
    """
    return [([int(i != j) for i in range(n)], 1) for _ in range(m) for j in range(n)]


def most(game: SearchGame, missed: Exact, false: Exact) -> Exact:
    """The most that missed·P + false·N comes to on any stream, after any of its rounds: P counts missed 1s, N false 1s.

    >>> [most(WinnowGame(4, 1), *weights) for weights in ((1, 1), (1, 0), (-2, 1))]
    [4, 2, 0]
    """

    @cache
    def still(state: State) -> Exact:
        promoted, demoted = game.after(state)
        return max([0, *(missed + still(s) for s in promoted), *(false + still(s) for s in demoted)])

    return still(game.start)


def facts(u: Sequence[int], rounds: Iterable[tuple[Sequence[int], Any]]) -> dict[str, Any]:
    """What the Perceptron's theorems measure of a vector u on these rounds: its K, its hinge loss L, its least y·(u·x), g.

    >>> {name: str(value) for name, value in facts((1, -1), [((2, 1), 1), ((0, 1), 1)]).items() if name in "KLg"}
    {'K': '6', 'L': '2', 'g': '-1'}
    """
    taught = [Taught(t, {str(i): v for i, v in enumerate(x)}, bool(y), not y) for t, (x, y) in enumerate(rounds, 1)]
    evidence = Evidence({"bias": 0, "margin": 0}, taught, taught, rounds=len(taught))
    return perceptron.measure(evidence, Vector({str(i): v for i, v in enumerate(u)}))


def about_a_third(learner: Learner, rounds: int) -> int:
    """The mistakes of a learner of one variable on 3x ≥ 1, x in [0, 1], by an adversary who comes as near to 1/3 as it must.

    >>> import littlestone as ls
    >>> about_a_third(ls.winnow_real(n=1, alpha=2), 40)
    40
    """
    mine, count = player(learner), 0
    tried = [(1 / 3 + sign * 2.0**-k, sign > 0) for k in range(2, 21) for sign in (1, -1)]
    for _ in range(rounds):
        x, y = next(((x, y) for x, y in tried if mine.predict({0: x}) != y), tried[0])
        count += mine.predict({0: x}) != y
        mine.update({0: x}, y)
    return count


def growth(make: Callable[[int], Learner], small: int, large: int, active: int | None = None) -> float:
    """How many times more work a round is over `large` features than over `small`: `active` of them on, or half of them.

    Work is what Python executes of the learner's definition, instruction by instruction, over 16 rounds with every second label a 1: a
    count, the same on every machine.
    """

    def work(n: int) -> int:
        learner, draw = make(n), Random(n)
        rows = [dict.fromkeys(sorted(draw.sample(range(n), active or n // 2)), 1) for _ in range(16)]
        assert learner.twin is not None
        count, before = 0, sys.gettrace()

        def trace(frame: Any, event: str, argument: Any) -> Any:
            nonlocal count
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
            count += event == "opcode"
            return trace

        sys.settrace(trace)
        try:
            for _ in learner.twin([(row, bool(t % 2)) for t, row in enumerate(rows)]):
                pass
        finally:
            sys.settrace(before)
        return count

    return work(large) / work(small)


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
        best = 0
        for after, wrong in _raised(errors, top):
            if 2 * wrong >= total:
                best = max(best, 1 + most(after))
        return best

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
    losses = [Fraction(0)]
    for _ in range(mistakes):
        after: dict[Point, Fraction] = {}
        for w, loss in best.items():
            for x, y, cost in rounds:
                if (dot(w, x) >= 0) != y:
                    w_after = moved(w, x, y)
                    after[w_after] = min(after.get(w_after, loss + cost), loss + cost)
        best = after
        losses.append(min(best.values()))
    return losses


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
