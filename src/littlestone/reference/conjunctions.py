"""Conjunctions: all literals, less those that a missed 1 contradicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping


def conjunctions(rounds: Iterable[tuple[Mapping, bool | None]]) -> Iterator[bool]:
    """Predict 1 iff every living literal is true; a missed 1 removes the literals that are false on it.

    A literal is (feature, value it wants).  All features of the stream have both at first.

    >>> list(conjunctions([({0: 1, 1: 1}, True), ({0: 1}, True), ({0: 1}, False), ({1: 1}, False)]))
    [False, False, True, False]
    """
    rounds = list(rounds)
    features = {i for x, _ in rounds for i in x} | {-1}  # one more that is never on: nothing is true of x and of its opposite
    literals = {(i, value) for i in features for value in (True, False)}
    for x, y in rounds:
        yhat = all((i in x) == value for i, value in literals)
        yield yhat
        if y and not yhat:
            literals = {(i, value) for i, value in literals if (i in x) == value}
