"""Equivalence queries: is this hypothesis right, and if not, where is it wrong? In three kinds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Set
from typing import Any

from littlestone.concepts import ConceptClass
from littlestone.errors import require
from littlestone.games.oracles.membership import Example, instance, rule
from littlestone.protocol.players import Instance, Player
from littlestone.theory import queries as theory


def domain(instances: ConceptClass | Iterable[Any]) -> tuple[Instance, ...]:
    """The instances of a class in the order of its points, or those that are given: {feature: value}, a set of active features, or a row
    of votes."""
    if isinstance(instances, ConceptClass):
        return tuple(instance(instances.row(point)) for point in range(instances.points))
    return tuple(instance(x) if isinstance(x, Mapping | Set) else x for x in instances)


def width(source: ConceptClass | Iterable[Any], instances: tuple[Instance, ...]) -> int:
    """The number of features, or of votes: of the class, or as many as the instances have."""
    if isinstance(source, ConceptClass):
        return source.n
    return max((max(x, default=-1) + 1 if isinstance(x, Mapping) else len(x) for x in instances), default=0)


class EQ(ABC):
    """Answers equivalence queries: None where the hypothesis is right, else a counterexample (x, y), y the label that it misses.

    A hypothesis is anything callable on an instance, or a player, which is asked what it predicts and told nothing.
    """

    @abstractmethod
    def __call__(self, hypothesis: Any) -> Example | None: ...

    @staticmethod
    def exhaustive(concept: Any, instances: ConceptClass | Iterable[Any]) -> Exhaustive:
        """Looks at every instance of a finite domain, and answers with the first that is wrong.

        >>> from littlestone import concepts
        >>> C = concepts.half_intervals(8)
        >>> eq = EQ.exhaustive(C.concept(3), C)
        >>> eq(C.concept(6)), eq(C.concept(3))
        (({3: 1}, True), None)
        """
        points = domain(instances)
        return Exhaustive(concept, points, width(instances, points))

    @staticmethod
    def sampled(ex: Callable[[], Example], epsilon: object, delta: object) -> Sampled:
        """Looks at random examples: the i-th query at no more than ⌈ln(1/δ_i)/ε⌉ fresh ones, δ_i = δ/(i+2)², up to the first that is wrong.

        With probability at least 1-δ no hypothesis with an error of ε or more is ever called right.

        >>> from littlestone import concepts
        >>> from littlestone.games.oracles import EX
        >>> c = concepts.disjunctions(8).of({2, 5})
        >>> eq = EQ.sampled(EX(c, n=8, seed=1), epsilon=0.1, delta=0.05)
        >>> eq(lambda x: 2 in x), eq(c), eq.queries, eq.examples
        (({0: 1, 3: 1, 5: 1, 6: 1, 7: 1}, True), None, 2, 60)
        """
        return Sampled(ex, epsilon, delta)

    @staticmethod
    def adversarial(concept: Any, instances: ConceptClass | Iterable[Any], depth: int = 1) -> Adversarial:
        """Answers with the counterexample that hurts most.

        Where the hypothesis is a player, each counterexample is tried on a copy of it. The worst is the one after which most further
        counterexamples follow, looking `depth` of them ahead, and among those the one that leaves most instances wrong; the first of
        equals. Of a hypothesis that cannot be tried, the first instance that is wrong.

        >>> import littlestone as ls
        >>> C = ls.concepts.conjunctions(3, monotone=True)
        >>> learner = ls.players.player(ls.conjunctions(n=3))
        >>> EQ.adversarial(C.of(()), C)(learner), EQ.exhaustive(C.of(()), C)(learner)
        (({}, True), ({}, True))
        """
        points = domain(instances)
        return Adversarial(concept, points, width(instances, points), depth)


class Exhaustive(EQ):
    def __init__(self, concept: Any, instances: tuple[Instance, ...], n: int) -> None:
        self.concept, self.instances, self.n = concept, instances, n  # n is told to a hypothesis that must know it
        label_of = rule(concept, n)
        self._examples = tuple((x, label_of(x)) for x in instances)

    def __call__(self, hypothesis: Any) -> Example | None:
        return next(self.wrong(hypothesis), None)

    def wrong(self, hypothesis: Any) -> Any:
        """Every counterexample, in order."""
        says = rule(hypothesis, self.n)
        return ((x, y) for x, y in self._examples if says(x) != y)

    def __repr__(self) -> str:
        return f"EQ.{type(self).__name__.lower()}({self.concept!r}, {len(self.instances):,} instances)"


class Sampled(EQ):
    def __init__(self, ex: Callable[[], Example], epsilon: object, delta: object) -> None:
        self.ex, self.epsilon, self.delta = ex, theory.chance(epsilon, "epsilon"), theory.chance(delta, "delta")
        self.n: int | None = getattr(ex, "n", None)
        self.queries = 0  # asked so far
        self.examples = 0  # drawn for them

    def __call__(self, hypothesis: Any) -> Example | None:
        says = rule(hypothesis, self.n)
        self.queries += 1
        for _ in range(theory.draws(self.queries, self.epsilon, self.delta)):
            x, y = self.ex()
            self.examples += 1
            if says(x) != y:
                return x, y
        return None

    def __repr__(self) -> str:
        return f"EQ.sampled({self.ex!r}, epsilon={self.epsilon}, delta={self.delta})"


class Adversarial(Exhaustive):
    def __init__(self, concept: Any, instances: tuple[Instance, ...], n: int, depth: int) -> None:
        require(depth >= 1, f"depth={depth!r} must be at least 1: so many counterexamples are looked ahead")
        super().__init__(concept, instances, n)
        self.depth = depth

    def __call__(self, hypothesis: Any) -> Example | None:
        if not isinstance(hypothesis, Player):
            return super().__call__(hypothesis)
        return max(self._all_wrong(hypothesis), key=lambda example: self._harm(hypothesis, example, self.depth), default=None)

    def _all_wrong(self, learner: Player) -> list[Example]:
        """Every counterexample; a learner may be quicker when it is asked about all instances together."""
        return [
            example for example, predicted in zip(self._examples, learner.answers(self.instances), strict=True) if predicted != example[1]
        ]

    def _harm(self, learner: Player, example: Example, depth: int) -> tuple[int, int]:
        """Of a learner that is told this: the counterexamples that can follow, looking so far ahead, and the instances then left wrong."""
        taught = learner.copy()
        taught.update(*example)
        wrong = self._all_wrong(taught)
        if not wrong or depth == 1:
            return min(1, len(wrong)), len(wrong)
        further, left = max(self._harm(taught, counterexample, depth - 1) for counterexample in wrong)
        return further + 1, left
