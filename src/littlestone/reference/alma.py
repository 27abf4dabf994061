"""ALMA for p = 2: an approximately largest margin, with rates that fall by themselves."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from math import sqrt

from littlestone.reference.arithmetic import ordered_sum

FLOOR = 0.5


def alma(rounds: Iterable[tuple[Mapping, bool | None]], *, alpha=Fraction(9, 10), bias=0, book=None) -> Iterator[bool]:
    """Predict sign(w·x); where y·w·x/|x| ≤ (1-α)·√8/(α√k) add √(2/k)·y·x/|x|, bring w back into the unit ball, and count k up.
    A `book` is told the rounds of the corrections.

    w is kept as g·v, and the squared length is carried along, so that bringing it back costs nothing.

    >>> list(alma([({0: 2}, False), ({0: 2}, False), ({1: 2}, True)]))
    [True, False, True]
    """
    edge, rate, rho2 = float((1 - alpha) / alpha) * sqrt(8.0), sqrt(2.0), float(bias * bias)
    v: dict = defaultdict(float)
    b, g, length2, k = 0.0, 1.0, 0.0, 1.0
    for t, (x, y) in enumerate(rounds):
        score = g * (ordered_sum([v[i] * float(a) for i, a in x.items()]) + rho2 * b)
        if book is not None:
            book.hear(score)
        yield score >= 0
        if y is None:
            continue
        sign = 1.0 if y else -1.0
        size = sqrt(ordered_sum([float(a) * float(a) for a in x.values()]) + rho2)
        if sign * score <= edge / sqrt(k) * size:
            eta = rate / sqrt(k)
            k += 1.0
            if book is not None:
                book.updates.append(t)
            if size > 0:
                step = sign * eta / (g * size)
                for i, a in x.items():
                    v[i] += step * float(a)
                b += step
                length2 = max(0.0, length2 + 2.0 * eta * sign * score / size + eta * eta)
                if length2 > 1.0:
                    g, length2 = g / sqrt(length2), 1.0
                if g < FLOOR:
                    for i in v:
                        v[i] *= g
                    b, g = b * g, 1.0
