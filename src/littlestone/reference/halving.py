"""Halving: the majority of the concepts that agree with every label so far."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from operator import and_
from typing import Any, NamedTuple

from littlestone.errors import LittlestoneError, require
from littlestone.reference.calls import served
from littlestone.reference.mixing import OverShards, Shard, wrong_of
from littlestone.theory.classes import PlainClass

Concept = Callable[[Mapping], bool] | Sequence[bool]  # a function of the features, or what it says of point 0, 1, ...


def says(c: Concept, x: Mapping) -> bool:
    """What a concept says of an instance; in a table, the instance is its only active feature."""
    if callable(c):
        return bool(c(x))
    (point,) = x
    return bool(c[point])


def halving(
    rounds: Iterable[tuple[Mapping, bool | None]],
    *,
    concepts: Iterable[Concept] | Mapping | PlainClass,
    updates: str = "always",
    beta: Fraction | None = None,
) -> Iterator[bool]:
    """Predict 1 iff at least half of the living concepts say 1; then drop those that were wrong (only after a mistake, if asked).

    >>> dictators = [lambda x, i=i: i in x for i in range(4)]
    >>> list(halving([({0: 1, 1: 1}, True), ({0: 1}, False), ({1: 1}, True)], concepts=dictators))
    [True, True, True]
    >>> list(halving([({1: 1}, False), ({0: 1}, False)], concepts=[[1, 1, 1], [0, 1, 1], [0, 0, 1]]))
    [True, False]

    A class as a certificate describes it may be too large to ask its concepts one by one:

    >>> list(halving([({"1": 1}, False), ({"0": 1}, False)], concepts={"class": "table", "domain": "points", "rows": "111/011/001"}))
    [True, False]

    With a β every concept keeps a vote, which is worth β for each of its mistakes:

    >>> list(halving([({0: 1}, False), *[({0: 1}, True)] * 4], concepts=dictators, beta=Fraction(1, 2)))
    [False, False, False, False, True]
    """
    if beta is not None:
        yield from weighed(rounds, concepts, Fraction(beta))
        return
    if isinstance(concepts, Mapping | PlainClass):
        yield from in_bits(rounds, PlainClass.of(concepts), updates)
        return
    alive = list(concepts)
    for t, (x, y) in enumerate(rounds, 1):
        votes = sum(says(c, x) for c in alive)
        yhat = 2 * votes >= len(alive)
        yhat = served(yhat, (yield yhat))
        if y is not None and (y != yhat or updates == "always"):
            alive = [c for c in alive if says(c, x) == y]
            if not alive:
                raise LittlestoneError(f"round {t}: no concept of the class agrees with every label so far")


def in_bits(rounds: Iterable[tuple[Mapping, bool | None]], C: PlainClass, updates: str) -> Iterator[bool]:
    """The same with the living concepts as one number, bit c for concept c."""
    alive, numbers = C.all, {}  # type: ignore[var-annotated]
    for t, (x, y) in enumerate(rounds, 1):
        ones = C.ones(C.active(x, numbers))
        yhat = 2 * (alive & ones).bit_count() >= alive.bit_count()
        yhat = served(yhat, (yield yhat))
        if y is not None and (y != yhat or updates == "always"):
            alive &= ones if y else ~ones
            if not alive:
                raise LittlestoneError(f"round {t}: no concept of the class agrees with every label so far")


class Living(NamedTuple):
    """The concepts that are left, a bit each, and the numbers of the features by name: one numbering for all shards."""

    concepts: int
    numbers: dict[Any, int]


def over_shards_of(predict: Callable[[PlainClass, int, int], bool]) -> OverShards:
    """Of a learner that drops concepts: `predict(C, alive, ones)` is its prediction."""

    def first(**_: Any) -> Living:
        return Living(-1, {})

    def play(living: Living, rounds: Shard, *, concepts: Any, updates: str = "always", **_: Any) -> tuple[Living, tuple[int, int]]:
        C = PlainClass.of(concepts)
        alive = living.concepts & C.all

        def ones(x: Mapping) -> int:
            return C.ones(C.active(x, living.numbers))

        def learn(x: Mapping, y: bool, yhat: bool) -> None:
            nonlocal alive
            if y != yhat or updates == "always":
                alive &= ones(x) if y else ~ones(x)
                require(alive, "no concept of the class agrees with every label so far")

        wrong = wrong_of(rounds, lambda x: predict(C, alive, ones(x)), learn)
        return Living(alive, living.numbers), wrong

    def merged(states: Sequence[Living], parts: Sequence[int], mean: str) -> Living:
        alive = reduce(and_, (state.concepts for state in states))
        require(alive, "no concept of the class agrees with every label of all shards")
        return Living(alive, states[0].numbers)

    return OverShards(first, play, merged)


over_shards = over_shards_of(lambda C, alive, ones: 2 * (alive & ones).bit_count() >= alive.bit_count())


def weighed(
    rounds: Iterable[tuple[Mapping, bool | None]], concepts: Iterable[Concept] | Mapping | PlainClass, beta: Fraction
) -> Iterator[bool]:
    """Predict 1 iff the concepts that say 1 have at least half of the weight; those with as many mistakes are one number, a bit each."""
    listed = None if isinstance(concepts, Mapping | PlainClass) else list(concepts)
    C = PlainClass.of(concepts) if listed is None else None
    erred, numbers = {0: C.all if C is not None else (1 << len(listed or ())) - 1}, {}  # type: ignore[var-annotated]
    for x, y in rounds:
        ones = C.ones(C.active(x, numbers)) if C is not None else sum(says(c, x) << i for i, c in enumerate(listed or ()))
        least = min(erred)
        ahead = sum((2 * (some & ones).bit_count() - some.bit_count()) * beta ** (k - least) for k, some in erred.items())
        yhat = ahead >= 0
        yield yhat
        if y is not None:
            after: dict[int, int] = {}
            for k, some in erred.items():
                wrong = some & (~ones if y else ones)
                for count, part in ((k, some ^ wrong), (k + 1, wrong)):
                    if part:
                        after[count] = after.get(count, 0) | part
            erred = after
