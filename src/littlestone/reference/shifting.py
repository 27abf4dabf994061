"""The shifting Perceptron: a Perceptron whose weights fade with every mistake."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from littlestone.reference.arithmetic import ordered_sum
from littlestone.reference.calls import served

FLOOR = 0.5


def shifting(rounds: Iterable[tuple[Mapping, bool | None]], *, lam=1, bias=0, book=None) -> Iterator[bool]:
    """Predict sign(w·x), sign(0) = +1; at mistake k, w ← (1-λ_k)·w + y·x with λ_k = λ/(λ+k). w is kept as g·v: fading then costs nothing.

    >>> list(shifting([({0: 1}, False), ({0: 1}, True), ({0: 1}, True)]))
    [True, False, True]
    """
    lam, rho2 = float(lam), float(bias * bias)
    v: dict = defaultdict(float)
    b, g, k = 0.0, 1.0, 0.0
    for x, y in rounds:
        score = g * (ordered_sum([v[i] * float(a) for i, a in x.items()]) + rho2 * b)
        if book is not None:
            book.hear(score)
        yhat = served(score >= 0, (yield score >= 0))
        if y is None or y == yhat:
            continue
        k += 1.0
        g *= k / (lam + k)
        if g < FLOOR:
            for i in v:
                v[i] *= g
            b, g = b * g, 1.0
        step = (1.0 if y else -1.0) / g
        for i, a in x.items():
            v[i] += step * float(a)
        b += step
