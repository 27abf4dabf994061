"""Winnow over [0,1]: weights α^s_i, s_i = Σ ±x_i over the mistakes; with complemented features also α^(c-s_i) for 1-x_i."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal, localcontext
from fractions import Fraction

from littlestone.reference.arithmetic import ordered_sum
from littlestone.reference.hyperbolic import exp

FAR = 300.0


def winnow_real(rounds: Iterable[tuple[Mapping, bool | None]], *, n: int, alpha, complement: bool = False) -> Iterator[bool]:
    """Predict 1 iff w·x ≥ the number of features; a missed 1 adds x to s, a false 1 takes it away.

    The weights of the complements are α^(c-h)·v_i, v_i = α^(h-s_i); h leaps to c when it is far away.

    >>> list(winnow_real([({0: 1.0, 1: 0.5}, True), ({0: 1.0, 1: 0.5}, True), ({1: 1.0}, False)], n=2, alpha=2))
    [False, True, False]
    """
    alpha = Fraction(alpha)
    with localcontext(prec=100):
        log = float((Decimal(alpha.numerator) / Decimal(alpha.denominator)).ln())
    s: dict = defaultdict(float)
    c = h = 0.0
    first = 0  # 1 once feature n has taught something: then features are numbered from 1
    for x, y in rounds:
        score = ordered_sum([exp(s[i] * log) * float(v) for i, v in x.items()])
        if complement:
            total = paired_sum([exp((h - s[i]) * log) if first <= i < n + first else 0.0 for i in range(1 << n.bit_length())])
            score += exp((c - h) * log) * (total - ordered_sum([exp((h - s[i]) * log) * float(v) for i, v in x.items()]))
        yhat = score - (2 * n if complement else n) >= 0
        yield yhat
        if y is None or y == yhat:
            continue
        sign = 1.0 if y else -1.0
        c += sign
        for i, v in x.items():
            s[i] += sign * float(v)
            first = 1 if i == n else first
        if abs(c - h) * log > FAR:
            h = c


def paired_sum(terms: list[float]) -> float:
    """Neighbours added, then neighbours of those, until one is left: the order in which a tree adds. The length is a power of two.

    >>> paired_sum([1, 2, 3, 4])
    10
    """
    while len(terms) > 1:
        terms = [a + b for a, b in zip(terms[::2], terms[1::2], strict=True)]
    return terms[0]
