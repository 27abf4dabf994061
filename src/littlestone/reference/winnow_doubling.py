"""Winnow with a doubling guess: begin afresh when a segment has erred too often."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from littlestone.reference.calls import served
from littlestone.theory.winnow_doubling import guesses


def winnow_doubling(rounds: Iterable[tuple[Mapping, bool | None]], *, n: int, largest: int = 256) -> Iterator[bool]:
    """Winnow at θ = n with the α of the current guess; one mistake more than its bound allows, and all weights are 1 again.

    >>> list(winnow_doubling([({0: 1, 1: 1}, True), ({0: 1}, True), ({1: 1}, False)], n=2))
    [True, False, False]
    """
    waiting = list(guesses(n, largest))
    guess, mistakes = waiting.pop(0), 0
    w: dict = defaultdict(lambda: Fraction(1))
    for x, y in rounds:
        yhat = sum(w[i] for i in x) >= n
        yhat = served(yhat, (yield yhat))
        if y is None or y == yhat:
            continue
        mistakes += 1
        if mistakes > guess.limit and waiting:
            guess, mistakes = waiting.pop(0), 0
            w.clear()
        else:
            for i in x:
                w[i] = w[i] * guess.alpha if y else w[i] / guess.alpha
