"""Conjunctions: all literals, less those that a missed 1 contradicts."""

from collections.abc import Iterable, Iterator, Mapping

from littlestone.reference.calls import served


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
