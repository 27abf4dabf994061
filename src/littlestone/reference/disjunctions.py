"""Elimination: the disjunction of the variables no false 1 has struck out."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from littlestone.reference.calls import served
from littlestone.reference.mixing import OverShards, Shard, wrong_of


def disjunctions(rounds: Iterable[tuple[Mapping, bool | None]]) -> Iterator[bool]:
    """Predict 1 iff some active variable is still there; a false 1 strikes out the active ones.

    >>> list(disjunctions([({0: 1, 1: 1}, False), ({0: 1}, False), ({2: 1}, True)]))
    [True, False, True]
    """
    gone: set = set()
    for x, y in rounds:
        yhat = any(i not in gone for i in x)
        yhat = served(yhat, (yield yhat))
        if y is False and yhat:
            gone.update(x)


def play_shard(struck: frozenset, rounds: Shard, **_: Any) -> tuple[frozenset, tuple[int, int]]:
    """The same over a shard, from the variables that any shard has struck out."""
    gone = set(struck)

    def learn(x: Mapping, y: bool, yhat: bool) -> None:
        gone.update(x if yhat and not y else ())

    wrong = wrong_of(rounds, lambda x: not gone >= x.keys(), learn)
    return frozenset(gone), wrong


over_shards = OverShards(lambda **_: frozenset(), play_shard, lambda states, parts, mean: frozenset().union(*states))
