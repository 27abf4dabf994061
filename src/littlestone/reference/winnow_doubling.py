"""Winnow with a doubling guess: begin afresh when a segment has erred too often."""

from collections import Counter, defaultdict
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
    e: dict = defaultdict(int)  # w_i = α^e_i; features of one weight are counted, and added up at once
    for x, y in rounds:
        yhat = sum(count * Fraction(guess.alpha) ** k for k, count in Counter(map(e.__getitem__, x)).items()) >= n
        yhat = served(yhat, (yield yhat))
        if y is None or y == yhat:
            continue
        mistakes += 1
        if mistakes > guess.limit and waiting:
            guess, mistakes = waiting.pop(0), 0
            e.clear()
        else:
            for i in x:
                e[i] += 1 if y else -1
