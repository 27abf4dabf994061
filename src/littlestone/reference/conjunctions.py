"""Conjunctions: all literals, less those that a missed 1 contradicts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from littlestone.reference.calls import served
from littlestone.reference.mixing import OverShards, Shard, wrong_of

Living = tuple[frozenset | None, frozenset]  # what living literals want on (None: all of them live), and what none of them wants off


def conjunctions(rounds: Iterable[tuple[Mapping, bool | None]]) -> Iterator[bool]:
    """Predict 1 iff every living literal is true; a missed 1 removes the literals that are false on it.

    A literal is (feature, value it wants).  All features of the stream have both at first.

    >>> list(conjunctions([({0: 1, 1: 1}, True), ({0: 1}, True), ({0: 1}, False), ({1: 1}, False)]))
    [False, False, True, False]
    """
    on: set | None = None  # features that a living literal wants on; None before the first missed 1, when literals contradict each other
    ever: set = set()  # features that no living literal wants off: they were on in a missed 1
    for x, y in rounds:
        yhat = on is not None and on <= x.keys() <= ever
        yhat = served(yhat, (yield yhat))
        if y and not yhat:
            on = set(x) if on is None else on & x.keys()
            ever |= x.keys()


def play_shard(living: Living, rounds: Shard, **_: Any) -> tuple[Living, tuple[int, int]]:
    """The same over a shard, from the literals that every shard has left."""
    on, ever = living

    def predict(x: Mapping) -> bool:
        return on is not None and on <= x.keys() <= ever

    def learn(x: Mapping, y: bool, yhat: bool) -> None:
        nonlocal on, ever
        if y and not yhat:
            on, ever = frozenset(x) if on is None else on & x.keys(), ever | x.keys()

    wrong = wrong_of(rounds, predict, learn)
    return (on, ever), wrong


def merged(states: Sequence[Living], parts: Sequence[int], mean: str) -> Living:
    """The literals that live in every shard."""
    wanted = [on for on, _ in states if on is not None]
    return (wanted[0].intersection(*wanted) if wanted else None), frozenset().union(*(ever for _, ever in states))


over_shards = OverShards(lambda **_: (None, frozenset()), play_shard, merged)
