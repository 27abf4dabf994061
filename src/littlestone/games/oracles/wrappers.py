"""Oracles around oracles: one counts what is asked, one remembers what was answered. Each takes any oracle, the other among them."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from littlestone.games.oracles.equivalence import EQ
from littlestone.games.oracles.examples import EX
from littlestone.games.oracles.membership import MQ, Example, rule
from littlestone.protocol.players import Player


class Wrapper(ABC):
    """An oracle with another inside. What it does not have itself is the other's: `counting(ex).drawn`."""

    def __init__(self, oracle: Any) -> None:
        self.oracle = oracle

    def __getattr__(self, name: str) -> Any:
        if name == "oracle":  # not yet there, as while it is being copied
            raise AttributeError(name)
        return getattr(self.oracle, name)

    @abstractmethod
    def __call__(self, *question: Any) -> Any:
        """Ask the oracle."""

    def draw(self, m: int) -> list[Example]:
        """So many examples, of an oracle that draws them; each goes through this wrapper."""
        return [self() for _ in range(m)]

    def __repr__(self) -> str:
        return f"{type(self).__name__.lower()}({self.oracle!r})"


class Counting(Wrapper):
    def __init__(self, oracle: Any, keep: bool) -> None:
        super().__init__(oracle)
        self.count = 0
        self.keep = keep
        self.asked: list[tuple[Any, Any]] = []

    def __call__(self, *question: Any) -> Any:
        answer = self.oracle(*question)
        self.count += 1
        if self.keep:
            self.asked.append((_as_it_stands(question[0]) if question else None, answer))
        return answer


def counting(oracle: Any, *, keep: bool = True) -> Counting:
    """The same oracle; `.count` tells how often it was asked, `.asked` what, and what it answered: pairs (question, answer).

    >>> from littlestone import concepts
    >>> mq = counting(MQ(concepts.disjunctions(3).of({1})))
    >>> mq({1: 1}), mq({0: 1}), mq.count, mq.asked
    (True, False, 2, [({1: 1}, True), ({0: 1}, False)])

    With `keep=False` nothing is kept but the number. A question that gets no answer (`Exhausted`) does not count.
    """
    return Counting(oracle, keep)


class Cached(Wrapper):
    """What the three kinds of cache have in common: how often they could answer by themselves."""

    def __init__(self, oracle: Any) -> None:
        super().__init__(oracle)
        self.saved = 0


class CachedExamples(Cached):
    def __init__(self, oracle: Any) -> None:
        super().__init__(oracle)
        self.kept: list[Example] = []
        self._next = 0

    def __call__(self) -> Example:
        if self._next == len(self.kept):
            self.kept.append(self.oracle())
        else:
            self.saved += 1
        self._next += 1
        return self.kept[self._next - 1]

    def rewind(self) -> None:
        """Begin again with the first example."""
        self._next = 0


class CachedMembership(Cached):
    def __init__(self, oracle: Any) -> None:
        super().__init__(oracle)
        self.known: dict[Any, bool] = {}

    def __call__(self, x: Any) -> bool:
        key = frozenset((i, v) for i, v in x.items() if v) if isinstance(x, Mapping) else tuple(x)
        if key in self.known:
            self.saved += 1
        else:
            self.known[key] = self.oracle(x)
        return self.known[key]


class CachedEquivalence(Cached):
    def __init__(self, oracle: Any) -> None:
        super().__init__(oracle)
        self.known: list[Example] = []
        self.right: list[Any] = []

    def __call__(self, hypothesis: Any) -> Example | None:
        says = rule(hypothesis, getattr(self.oracle, "n", None))
        counterexample = next(((x, y) for x, y in self.known if says(x) != y), None)
        if counterexample is not None or any(_same(hypothesis, right) for right in self.right):
            self.saved += 1
            return counterexample
        answer = self.oracle(hypothesis)
        if answer is None:
            self.right.append(_as_it_stands(hypothesis))
        else:
            self.known.append(answer)
        return answer


def cached(oracle: Any) -> Cached:
    """The same oracle, with a memory; `.saved` tells how often it answered from that.

    A membership query is passed on once for each instance. An equivalence query is answered by the first counterexample already known
    that the hypothesis gets wrong, or by yes where the same hypothesis was right before; only else it is passed on. Examples are kept,
    and `.rewind()` gives them again from the first, before fresh ones.

    >>> from littlestone import concepts
    >>> from littlestone.games.oracles import EX
    >>> c = concepts.disjunctions(3).of({1})
    >>> mq, eq, ex = counting(MQ(c)), counting(EQ.exhaustive(c, concepts.disjunctions(3))), counting(EX(c, n=3))
    >>> ask, test, draw = cached(mq), cached(eq), cached(ex)
    >>> ask({1: 1}), ask({1: 1}), mq.count
    (True, True, 1)
    >>> test(lambda x: False), test(lambda x: 0 in x), eq.count
    (({1: 1}, True), ({1: 1}, True), 1)
    >>> first = draw.draw(5)
    >>> draw.rewind()
    >>> draw.draw(5) == first, ex.count
    (True, 5)
    """
    inner = oracle
    while isinstance(inner, Wrapper):
        inner = inner.oracle
    kind = next((cache for of, cache in _CACHES if isinstance(inner, of)), None)
    if kind is None:
        raise TypeError(f"cached takes EX, MQ, EQ, or one of these wrapped; got {inner!r}")
    return kind(oracle)


_CACHES: tuple[tuple[type, type[Cached]], ...] = ((EX, CachedExamples), (MQ, CachedMembership), (EQ, CachedEquivalence))


def _as_it_stands(hypothesis: Any) -> Any:
    """A learner goes on learning after it was asked about: keep a copy."""
    return hypothesis.copy() if isinstance(hypothesis, Player) else hypothesis


def _same(hypothesis: Any, other: Any) -> bool:
    if isinstance(hypothesis, Player) and isinstance(other, Player):
        return bool(hypothesis.same(other))
    return bool(hypothesis == other)
