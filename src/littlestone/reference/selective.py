"""Selective sampling: a Perceptron that asks for a label only where it is unsure, by the toss of a coin."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from littlestone.reference.arithmetic import ordered_sum
from littlestone.reference.calls import served
from littlestone.reference.experts import coin


def selective(rounds: Iterable[tuple[Mapping, bool | None]], *, b=1, bias=0, seed=0, book=None) -> Iterator[bool]:
    """Predict sign(w·x), sign(0) = +1; look at the label with probability b/(b + |w·x|), and where it is looked at and wrong add y·x.

    Rounds without a label are left out; coin k is that of the k-th round with one.

    >>> list(selective([({0: 1}, False), ({0: 1}, False), ({1: 2}, True)]))
    [True, False, True]
    """
    b, rho2 = float(b), float(bias * bias)
    w: dict = defaultdict(float)
    ever, k = 0.0, 0
    for x, y in rounds:
        score = ordered_sum([w[i] * float(v) for i, v in x.items()]) + rho2 * ever
        if book is not None:
            book.hear(score)
        yhat = served(score >= 0, (yield score >= 0))
        if y is None:
            continue
        asked = coin(seed, k) * (b + abs(score)) < b
        k += 1
        if asked and y != yhat:
            step = 1.0 if y else -1.0
            for i, v in x.items():
                w[i] += step * float(v)
            ever += step
