"""What the lecture notes claim of small cases, worked out exactly: worst cases beyond `games`, and what their misprints would do.

>>> majority(2, 3), round(on_mistakes_only(1000, 0.5), 2)
(7, 9.68)
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise, product
from math import gcd, lcm
from random import Random
from typing import Any, NamedTuple

from littlestone.api.play import play
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


def costs(n: int, T: int, seed: int = 1) -> list[list[float]]:
    """Return T rounds of losses of n experts: the first loses a tenth as much as the others on average.

    >>> [[round(loss, 2) for loss in row] for row in costs(2, 2)]
    [[0.03, 0.85], [0.15, 0.26]]
    """
    draw = Random(seed)
    return [[draw.random() * (0.2 if i == 0 else 1.0) for i in range(n)] for _ in range(T)]


def heeds_costs_not_learnt(rule: Rule, losses: Sequence[Sequence[float]]) -> bool:
    """Return whether a rule chooses otherwise where the losses of experts that it did not choose are other ones.

    >>> import littlestone as ls
    >>> [heeds_costs_not_learnt(rule, costs(3, 99)) for rule in (ls.exp3(rounds=99, advice="loss"), ls.hedge(advice="loss"))]
    [False, True]
    """
    choices = play(rule, losses).choices.tolist()
    others = [[loss if i == chosen else 1.0 - loss for i, loss in enumerate(row)] for row, chosen in zip(losses, choices, strict=True)]
    return play(rule, others).choices.tolist() != choices


def mean_regret(make: Callable[[int], Rule], losses: Sequence[Sequence[float]], seeds: int = 10) -> float:
    """Return by how much a rule's choices lose more than the best expert, on average over its coin."""
    best = min(map(sum, zip(*losses, strict=True)))
    return sum(play(make(seed), losses).chosen_loss for seed in range(seeds)) / seeds - best


def sleepers(n: int, T: int, seed: int = 1) -> tuple[list[list[int | None]], list[int]]:
    """Return T rounds of n experts, each awake every other time or so; the first is right whenever it is awake, the others toss coins."""
    draw, rows, truths = Random(seed), [], []
    for _ in range(T):
        y = draw.randrange(2)
        votes = [y if i == 0 else draw.randrange(2) for i in range(n)]
        rows.append([vote if i == n - 1 or draw.random() < 0.5 else None for i, vote in enumerate(votes)])
        truths.append(y)
    return rows, truths


def losses_while_awake(rule: Rule, rows: Sequence[Sequence[int | None]], truths: Sequence[int]) -> list[tuple[float, int]]:
    """Return of each expert what the rule loses in expectation on the rounds on which it is awake, and its own mistakes there."""
    mix = play(rule, rows, truths).mix.tolist()
    sums = []
    for i in range(len(rows[0])):
        awake = [t for t, row in enumerate(rows) if row[i] is not None]
        sums.append((sum(abs(mix[t] - truths[t]) for t in awake), sum(rows[t][i] != truths[t] for t in awake)))
    return sums


def scaled(weights: Sequence[Exact], threshold: Exact, rows: Sequence[Sequence[Exact]]) -> tuple[list[int], int, list[list[Fraction]]]:
    """Return a halfspace u·x ≥ b, u ≥ 0, over the same rows in [0, 1], with whole weights and a whole threshold.

    Each feature is divided by the largest value that it has, and its weight multiplied by that; then all by a common denominator.

    >>> scaled([Fraction(1, 2), 1], 2, [[4, 1], [0, 2]])
    ([1, 1], 1, [[Fraction(1, 1), Fraction(1, 2)], [Fraction(0, 1), Fraction(1, 1)]])
    """
    tops = [max([Fraction(x) for x in column] + [Fraction(0)]) or Fraction(1) for column in zip(*rows, strict=True)]
    parts = [*(Fraction(w) * top for w, top in zip(weights, tops, strict=True)), Fraction(threshold)]
    whole = [part * lcm(*(part.denominator for part in parts)) for part in parts]
    common = gcd(*(int(part) for part in whole)) or 1
    *u, b = (int(part) // common for part in whole)
    return u, b, [[Fraction(x) / top for x, top in zip(row, tops, strict=True)] for row in rows]


def descended(step: PlayedStep, width: float = 2.0**-20) -> list[float]:
    """Return the weights of a round after a step against the gradient of max(0, -y·w·x), measured from differences of that loss.

    Where w·x = 0 the side is taken on which the prediction is right or wrong as it was.
    """
    sign, w = 1.0 if step.y else -1.0, [float(v) for v in step.before.w]
    x = [float(step.x.get(i, 0.0)) if isinstance(step.x, Mapping) else float(step.x[i]) for i in range(len(w))]

    def loss(weights: Sequence[float]) -> float:
        return max(0.0, -sign * sum(a * b for a, b in zip(weights, x, strict=True)))

    side = -1.0 if step.predicted != step.y else 1.0
    on_the_border = not sum(a * b for a, b in zip(w, x, strict=True))
    at = [v + side * sign * width * 16 * a for v, a in zip(w, x, strict=True)] if on_the_border else w
    slopes = []
    for i in range(len(w)):
        up, down = ([v + side * (j == i) for j, v in enumerate(at)] for side in (width, -width))
        slopes.append((loss(up) - loss(down)) / (2 * width))
    return [v - slope for v, slope in zip(w, slopes, strict=True)]


def chances(learner: Learner, labels: Mapping[tuple[int, ...], bool], T: int) -> tuple[Fraction, Fraction]:
    """Return Σ p_t, the mean chances that the hypotheses of T rounds err on the next, and the mean mistakes; over all streams of T
    instances, each as likely as any other.

    >>> import littlestone as ls
    >>> chances(ls.disjunctions(n=1), {(0,): False, (1,): False}, 2)
    (Fraction(3, 4), Fraction(3, 4))
    """
    total, made, streams = 0, 0, 0
    for stream in product(labels, repeat=T):
        mine = player(learner)
        streams += 1
        for x in stream:
            total += sum(bool(mine.predict(features(other))) != y for other, y in labels.items())
            made += bool(mine.predict(features(x))) != labels[x]
            mine.update(features(x), labels[x])
    return Fraction(total, streams * len(labels)), Fraction(made, streams)


def error(hypothesis: Any, labels: Mapping[tuple[int, ...], bool]) -> Fraction:
    """Return the share of instances on which a hypothesis errs."""
    return Fraction(sum(bool(hypothesis.predict(features(x))) != y for x, y in labels.items()), len(labels))


def features(x: Sequence[int]) -> dict[int, int]:
    """Return the features that are on in an instance of the cube.

    >>> features((0, 1))
    {1: 1}
    """
    return {i: 1 for i, on in enumerate(x) if on}


def cube(n: int, *chosen: int) -> dict[tuple[int, ...], bool]:
    """Return every instance of n variables, and its label by the disjunction of those chosen.

    >>> cube(1, 0)
    {(0,): False, (1,): True}
    """
    return {x: any(x[i] for i in chosen) for x in product((0, 1), repeat=n)}


def survivors(concepts: Sequence[Mapping[tuple[int, ...], bool]], target: int, m: int, epsilon: Exact) -> Fraction:
    """Return the chance that after m uniform draws some concept of a class agrees with all labels and errs on more than ε of instances.

    It is at most |C|(1-ε)^m, and here counted by inclusion and exclusion over the concepts that err so often.

    >>> survivors([cube(2, 0), cube(2, 1)], 0, 1, Fraction(1, 4))
    Fraction(1, 2)
    """
    instances = list(concepts[target])
    wrong = [frozenset(x for x in instances if concept[x] != concepts[target][x]) for concept in concepts]
    bad = [errors for errors in wrong if len(errors) > epsilon * len(instances)]
    total = Fraction(0)
    for size in range(1, len(bad) + 1):
        for some in combinations(bad, size):
            total -= (-1) ** size * Fraction(len(instances) - len(frozenset().union(*some)), len(instances)) ** m
    return total


def within_hinge(learner: Learner, points: Sequence[Sequence[int]], witnesses: Sequence[Sequence[Exact]], T: int) -> bool:
    """Return whether on every stream of T of these points, with any labels, the mistakes M of a learner have M ≤ R²|u|² + 2L and
    (M - L)² ≤ M·R²|u|² for each u, L its hinge loss on the mistakes and R the longest of them."""
    for stream in product(product(points, (False, True)), repeat=T):
        wrong = [step for step in steps(learner, stream) if step.predicted != step.y]
        M = len(wrong)
        longest = max((sum(v * v for v in step.x.values()) for step in wrong), default=0)
        for u in witnesses:
            K = Fraction(longest) * sum(Fraction(v) ** 2 for v in u)
            L = Fraction(0)
            for step in wrong:
                margin = sum(Fraction(u[i]) * v for i, v in step.x.items())
                L += max(Fraction(0), 1 - (margin if step.y else -margin))
            if M > K + 2 * L or (M > L and (M - L) ** 2 > M * K):
                return False
    return True


def still(learner: Learner, stream: Iterable[tuple[Any, Any]]) -> bool:
    """Return whether a learner's state is the same after every round on which it was right."""
    played = steps(learner, stream)
    right = [step for step in played if step.predicted == step.y]
    return bool(right) and all((a == b).all() for step in right for a, b in zip(step.before, step.after, strict=True))
