"""Every short stream over a few rows, whatever the learner: all its bounds, at every point of every stream.

A stream is followed round by round; after each round every bound in hindsight must hold, and every a priori bound for every target of a
small family that agrees with the stream so far.  A round that is predicted right and changes no state can be left out of a stream: the
mistakes and the states stay, and no target is lost.  So only the other rounds are followed.  Streams that lead to the same state, counts,
measurements and targets have the same future, and are followed as one.

>>> import littlestone as ls
>>> found = search(ls.disjunctions(n=3), nodes=200)
>>> found.depth >= 3, found.checked["elimination"] > 50, found.slack["elimination"]
(True, True, 0)
"""

from collections import Counter
from collections.abc import Iterator
from copy import copy
from fractions import Fraction
from itertools import product
from math import inf, isqrt
from typing import NamedTuple

import numpy as np

from littlestone.checks.games import Refuted
from littlestone.errors import LittlestoneError
from littlestone.protocol import Block, Learner, Run, Runner
from littlestone.protocol.learner import copied

VALUES = {"boolean": (0, 1), "unit": (0, Fraction(1, 2), 1), "real": (-1, 0, Fraction(1, 2))}

Row = tuple  # a value for each feature


class SearchTarget(NamedTuple):
    """What may have labelled the stream: its label on each row of the pool (None: not allowed), and what to declare of it."""

    labels: tuple[bool | None, ...]
    text: str


class Searched(NamedTuple):
    """What a search covered: all streams of so many rounds that count, how often each bound was judged, and its smallest slack."""

    depth: int
    nodes: int
    checked: Counter
    slack: dict[str, float]


class Node(NamedTuple):
    """Where some streams lead: the run so far, the targets that agree with it, and one such stream."""

    runner: Runner
    targets: tuple[int, ...]
    stream: tuple[tuple[int, bool], ...]


# ---------------------------------------------------------------------------------------------------- rows and targets


def pools(learner: Learner, features: int) -> Iterator[list[Row]]:
    """Rows to make streams of: all boolean ones, and where the learner takes other values a few of those."""
    width = min(features, learner.n or features)
    yield list(product((0, 1), repeat=width))
    if learner.domain != "boolean":
        yield [row for row in product(VALUES[learner.domain], repeat=min(2, width)) if any(row)]


def targets(learner: Learner, pool: list[Row]) -> Iterator[SearchTarget]:
    """The targets of small families, for the assumptions that the learner's bounds make."""
    kinds = {bound.assumes: bound for bound in learner.bounds}
    width, boolean = len(pool[0]), all(v in (0, 1) for row in pool for v in row)
    active = [{i for i, v in enumerate(row) if v} for row in pool]
    subsets = [{i for i, on in enumerate(chosen) if on} for chosen in product((0, 1), repeat=width)]
    if "disjunction" in kinds and boolean:
        for S in subsets:
            yield SearchTarget(tuple(bool(S & row) for row in active), f"disjunction:r={len(S)}")
    if "conjunction" in kinds and boolean:
        for signs in product((-1, 0, 1), repeat=width):
            labels = tuple(all((i in row) == (sign > 0) for i, sign in enumerate(signs) if sign) for row in active)
            yield SearchTarget(labels, f"conjunction:size={sum(map(bool, signs))}")
    if "k_of_r" in kinds and boolean:
        for S in subsets:
            for k in range(1, len(S) + 1):
                yield SearchTarget(tuple(len(S & row) >= k for row in active), f"k_of_r:k={k},r={len(S)}")
    if "function" in kinds and len(pool) <= 8:
        for labels in product((False, True), repeat=len(pool)):
            yield SearchTarget(labels, f"function:size={sum(labels)}")
    if "separable" in kinds:
        yield from _separable(learner, pool)
    if "margin" in kinds:
        declares_U = any("U" in bound.needs for bound in learner.bounds if bound.assumes == "margin")
        yield from _margin(learner, pool, declares_U)


def _separable(learner: Learner, pool: list[Row]) -> Iterator[SearchTarget]:
    """μ ≥ 0 on a grid: 1 where μ·x ≥ 1, and δ from the nearest 0. With complemented features, μ may rest on 1 - x_i too."""
    complement = bool(learner.settings.get("complement"))
    rows = [(*row, *(1 - v for v in row)) if complement else row for row in pool]
    grid = (0, 2) if complement else (0, 1, 2)
    for parts in product(grid, repeat=len(rows[0])):
        mu = [Fraction(a, 3 if complement else 2) for a in parts]
        scores = [sum((a * v for a, v in zip(mu, row, strict=True)), Fraction(0)) for row in rows]
        delta = min((1 - score for score in scores if score < 1), default=Fraction(1))
        yield SearchTarget(tuple(score >= 1 for score in scores), f"separable:U={sum(mu, Fraction(0))},delta={delta}")


def _margin(learner: Learner, pool: list[Row], declares_U: bool) -> Iterator[SearchTarget]:
    """u on a grid, the last coordinate for the bias where there is one: sign(u·x), rows on the border left out."""
    rho = Fraction(learner.settings.get("bias") or 0)
    rows = [(*row, rho) if rho else row for row in pool]
    for u in product((-1, 0, 1), repeat=len(rows[0])):
        scores = [sum((a * v for a, v in zip(u, row, strict=True)), Fraction(0)) for row in rows]
        gamma, size = min((abs(score) for score in scores if score), default=Fraction(0)), sum(map(abs, u))
        if not gamma:
            continue
        if declares_U:
            text = f"margin:gamma={gamma},U={size}"
        else:  # |u|₁ is at least every other norm of u, so γ/|u|₁ is a margin for all of them; a Perceptron's is the Euclidean one
            length = Fraction(size) if "p" in learner.settings else Fraction(isqrt(size * 10**12 - 1) + 1, 10**6)
            text = f"margin:gamma={gamma / length}"
        yield SearchTarget(tuple(None if score == 0 else score > 0 for score in scores), text)


# ---------------------------------------------------------------------------------------------------- the search


def search(learner: Learner, nodes: int = 300, features: int = 3) -> Searched:
    """Follow all streams, a round deeper each time, until so many nodes have been judged for each pool of rows.

    `Refuted` if a bound is exceeded, with the stream. `depth` is the number of rounds to which all streams were followed; beyond it,
    some were.
    """
    depths, total, checked, slack = [], 0, Counter(), {}  # type: ignore[var-annotated]
    for pool in pools(learner, features):
        walk = _Walk(learner, pool)
        depths.append(walk.follow(nodes))
        if walk.targets:  # the same again without the streams that no target labels: it goes deeper
            walk.follow(nodes, labelled=True)
        total += walk.nodes
        checked += walk.checked
        for name, left in walk.slack.items():
            slack[name] = min(left, slack.get(name, inf))
    return Searched(min(depths), total, checked, slack)


class _Walk:
    def __init__(self, learner: Learner, pool: list[Row]) -> None:
        self.learner, self.pool = learner.sized(len(pool[0])), pool
        self.targets = list(targets(self.learner, pool))
        as_dicts = [{i: float(v) for i, v in enumerate(row) if v} for row in pool]
        features = as_dicts if learner.domain != "boolean" else [list(row) for row in as_dicts]
        self.blocks = [[Block.of([row], [y]) for y in (0, 1)] for row in features]
        if learner.domain != "boolean":  # an empty row has values too, none of them
            self.blocks = [[_with_values(block) for block in pair] for pair in self.blocks]
        self.nodes = 0
        self.checked: Counter = Counter()
        self.slack: dict[str, float] = {}
        self.limits: dict[tuple[str, str], dict[str, tuple[float, float]]] = {}
        self.plain = learner.known is None and all(bound.counts == "mistakes" for bound in learner.bounds)

    def follow(self, nodes: int, *, labelled: bool = False) -> int:
        """All streams, or all that some target labels, round by round; to what depth, when so many nodes have been judged."""
        last = self.nodes + nodes
        start = Runner(self.learner, columns=len(self.pool[0]))
        layer = [Node(start, tuple(range(len(self.targets))), ())]
        depth = 0
        while layer:
            following: dict[tuple, Node] = {}
            for node in layer:
                for child in self._children(node):
                    key = self._key(child)
                    if key not in following and (child.targets or not labelled):
                        following[key] = child
                        self._judge(child)
                        self.nodes += 1
                        if self.nodes >= last:
                            return depth
            layer, depth = list(following.values()), depth + 1
        return depth

    def _children(self, node: Node) -> Iterator[Node]:
        """One round further, for every round that is a mistake or changes the state."""
        for place, pair in enumerate(self.blocks):
            for y in (False, True):
                runner = _cloned(node.runner)
                try:
                    yhat = bool(runner.take(pair[y])[0])
                except LittlestoneError:  # a stream that this learner refuses, such as one that no concept of its class labels
                    continue
                if yhat == y and all((a == b).all() for a, b in zip(node.runner.state, runner.state, strict=True)):
                    continue
                agree = tuple(t for t in node.targets if self.targets[t].labels[place] is y)
                yield Node(runner, agree, (*node.stream, (place, y)))

    def _key(self, node: Node) -> tuple:
        runner = node.runner
        counts = tuple(runner.tally[3:5].tolist())
        measured = (runner.lengths.tobytes(), runner.largest_value, runner.widest, runner.whole)
        return node.targets, counts, measured, tuple(a.tobytes() for a in runner.state)

    def _judge(self, node: Node) -> None:
        run = node.runner.run(lent=True)
        facts = repr(sorted(self.learner.facts(run).items())) if self.learner.facts else ""
        texts = {self.targets[t].text for t in node.targets}
        for text in ["", *sorted(texts)]:
            if (text, facts) not in self.limits or not self.plain:  # a limit depends on nothing else
                self.limits[text, facts] = self._limits(run, text)
            for name, (limit, observed) in self.limits[text, facts].items():
                left = limit - (run.mistakes if self.plain else observed)
                if left < 0:
                    stream = [(tuple(map(str, self.pool[place])), int(y)) for place, y in node.stream]
                    excess = f"{run.mistakes} mistakes exceed {limit if limit >= 0 else 'its limit'}"
                    raise Refuted(f"{self.learner!r}, {name} ({text or 'any stream'}): {excess} on {stream}")
                self.checked[name] += 1
                self.slack[name] = min(left, self.slack.get(name, inf))

    def _limits(self, run: Run, text: str) -> dict[str, tuple[float, float]]:
        """What each bound allows, and what it counts, for a target of which the text is true; no text: the bounds for any stream."""
        try:
            claims = run.bounds(text or None)
        except LittlestoneError:  # declares more, or less, than this theorem takes
            return {}
        chosen = [claim for claim in claims if (claim.kind == "a priori") == bool(text)]
        # a limit that is exceeded is given as None and a reason; outside the theorem's range there is another reason, and no limit
        exceeded = [claim for claim in chosen if claim.limit is None and (not text or "exceed the limit" in claim.reason)]
        allowed = {claim.name: (claim.limit, claim.observed) for claim in chosen if claim.limit is not None}
        return allowed | {claim.name: (-1.0, claim.observed) for claim in exceeded}


def _with_values(block: Block) -> Block:
    return block if block.values is not None else Block(block.indptr, block.indices, np.ones(len(block.indices), np.float32), block.labels)


def _cloned(runner: Runner) -> Runner:
    """The same run so far, to be played on without disturbing the first."""
    other = copy(runner)
    other.state, other.tally, other.lengths = copied(runner.state), runner.tally.copy(), runner.lengths.copy()
    return other
