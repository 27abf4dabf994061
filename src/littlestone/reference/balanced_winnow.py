"""Balanced Winnow (EG± with threshold 0): two weights a feature, exp(ηc) and exp(-ηc)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from math import ceil

from littlestone.reference.arithmetic import ordered_sum
from littlestone.reference.calls import served
from littlestone.reference.hyperbolic import cosh, exp, sinh

FAR, STEP = 600.0, 512.0


def balanced_winnow(rounds: Iterable[tuple[Mapping, bool | None]], *, eta=1, margin=0, book=None) -> Iterator[bool]:
    """Predict sign(Σ x_i·sinh ηc_i); on a mistake, or where y·score ≤ margin·(1 + Σ(cosh ηc_i - 1)) over the row, c_i += y·x_i.
    A `book` is told the rounds of the updates.

    All weights are kept divided by exp(h), h growing in steps when some |ηc_i| nears what a double can hold: no sign notices.

    >>> list(balanced_winnow([({0: 1.0}, False), ({0: 1.0, 1: 0.5}, True), ({1: 1.0}, True)], eta=0.5))
    [True, False, True]
    """
    eta, margin = float(eta), float(margin)
    c: dict = defaultdict(float)
    h = 0.0
    for t, (x, y) in enumerate(rounds):
        score = ordered_sum([scaled_sinh(eta * c[i], h) * float(v) for i, v in x.items()])
        yhat = score >= 0
        yhat = served(yhat, (yield yhat))
        if y is None:
            continue
        sign = 1.0 if y else -1.0
        near = False
        if yhat == y and margin > 0:
            one = total = exp(-h)
            for i in x:
                total += scaled_cosh(eta * c[i], h) - one
            near = sign * score <= margin * total
        if yhat != y or near:
            if book is not None:
                book.updates.append(t)
            for i, v in x.items():
                c[i] += sign * float(v)
                if abs(eta * c[i]) - h > FAR:
                    h += STEP * ceil((abs(eta * c[i]) - h - FAR) / STEP)
                    if not abs(abs(eta * c[i]) - h) <= FAR:  # so large that a step is lost in rounding
                        h = abs(eta * c[i])


def scaled_sinh(a: float, h: float) -> float:
    return sinh(a) if h == 0 else 0.5 * (exp(a - h) - exp(-a - h))


def scaled_cosh(a: float, h: float) -> float:
    return cosh(a) if h == 0 else 0.5 * (exp(a - h) + exp(-a - h))
