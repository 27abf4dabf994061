"""Balanced Winnow (EG± with threshold 0): two weights a feature, exp(ηc) and exp(-ηc)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from littlestone.reference.arithmetic import ordered_sum
from littlestone.reference.hyperbolic import cosh, sinh


def balanced_winnow(rounds: Iterable[tuple[Mapping, bool | None]], *, eta, margin=0) -> Iterator[bool]:
    """Predict sign(Σ x_i·sinh ηc_i); on a mistake, or where y·score ≤ margin·(1 + Σ(cosh ηc_i - 1)), c_i += y·x_i.

    This is the definition while |ηc_i| ≤ 600; beyond that the compiled pass rescales all weights together.

    >>> list(balanced_winnow([({0: 1.0}, False), ({0: 1.0, 1: 0.5}, True), ({1: 1.0}, True)], eta=0.5))
    [True, False, True]
    """
    eta, margin = float(eta), float(margin)
    c: dict = defaultdict(float)
    total = 1.0
    for x, y in rounds:
        score = ordered_sum([sinh(eta * c[i]) * float(v) for i, v in x.items()])
        yhat = score >= 0
        yield yhat
        if y is None:
            continue
        sign = 1.0 if y else -1.0
        if yhat != y or (margin > 0 and sign * score <= margin * total):
            for i, v in x.items():
                before = cosh(eta * c[i])
                c[i] += sign * float(v)
                total += cosh(eta * c[i]) - before
