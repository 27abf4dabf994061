"""A conservative learner of any other, as the definition reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator


def conservative(rounds: Iterable, twin: Callable) -> Iterator[bool]:
    """Predict as `twin(rounds)`, the learner inside, would after the mistakes so far and no other round.

    >>> from littlestone.reference import passive_aggressive
    >>> rounds = [({0: 1}, False), ({0: 2}, False), ({1: 1, 0: 1}, True), ({1: 1}, False)]
    >>> list(conservative(rounds, passive_aggressive))
    [True, False, False, True]
    """
    mistakes: list = []
    for x, y in rounds:
        *_, yhat = twin([*mistakes, (x, None)])
        yield yhat
        if y is not None and yhat != y:
            mistakes.append((x, y))
