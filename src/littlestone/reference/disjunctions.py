"""Elimination: the disjunction of the variables no false 1 has struck out."""

from collections.abc import Iterable, Iterator, Mapping

from littlestone.reference.calls import served


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
