"""A conservative learner of any other, as the definition reads."""

from collections.abc import Callable, Iterable, Iterator
from itertools import repeat

from littlestone.reference.student import Student


def conservative(rounds: Iterable, twin: Callable, *, weights=None, book=None, number=float) -> Iterator[bool]:
    """Predict as the learner inside, `twin`, would after the mistakes so far and no other round.

    >>> from littlestone.reference import passive_aggressive
    >>> rounds = [({0: 1}, False), ({0: 2}, False), ({1: 1, 0: 1}, True), ({1: 1}, False)]
    >>> list(conservative(rounds, passive_aggressive))
    [True, False, False, True]
    """
    inner = Student(twin, book=book, number=number)
    for (x, y), c in zip(rounds, weights or repeat(1.0), strict=False):
        yhat = inner.predict(x)
        served = yield yhat
        yhat = yhat if served is None else served
        if y is not None and yhat != y:
            inner.learn(x, y, yhat, c)
    inner.close()
    if book is not None:
        book.updates.clear()  # they were counted as the learner inside counts; it updates on these mistakes, and on nothing else
