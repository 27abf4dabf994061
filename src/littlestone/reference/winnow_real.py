"""Winnow over [0,1]: weights α^s_i, s_i = Σ ±x_i over the mistakes; with complemented features also α^(c-s_i) for 1-x_i."""

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal, localcontext
from fractions import Fraction

from littlestone.reference.arithmetic import ordered_sum
from littlestone.reference.calls import served
from littlestone.reference.hyperbolic import exp

FAR = 300.0


def winnow_real(rounds: Iterable[tuple[Mapping, bool | None]], *, n: int, alpha, complement: bool = False, book=None) -> Iterator[bool]:
    """Predict 1 iff w·x ≥ the number of features; a missed 1 adds x to s, a false 1 takes it away.

    The weights of the complements are α^(c-h)·v_i, v_i = α^(h-s_i); h leaps to c when it is far away.

    >>> list(winnow_real([({0: 1.0, 1: 0.5}, True), ({0: 1.0, 1: 0.5}, True), ({1: 1.0}, False)], n=2, alpha=2))
    [False, True, False]
    """
    alpha = Fraction(alpha)
    with localcontext(prec=100):
        log = float((Decimal(alpha.numerator) / Decimal(alpha.denominator)).ln())
    s: dict = {}  # in the order in which features first taught something
    c = h = 0.0
    leaves = 1 << (n - 1).bit_length()
    for x, y in rounds:
        score = ordered_sum([exp(s.get(i, 0.0) * log) * float(v) for i, v in x.items()])
        if complement:
            total = paired_sum([exp((h - v) * log) for v in s.values()] + [0.0] * (leaves - len(s)))
            total += (n - len(s)) * exp(h * log)
            for_x = 0.0
            for i, v in x.items():
                for_x += exp((h - s.get(i, 0.0)) * log) * float(v)
            score += exp((c - h) * log) * (total - for_x)
        score -= 2 * n if complement else n
        yhat = score >= 0
        if book is not None:
            book.hear(score)
        yhat = served(yhat, (yield yhat))
        if y is None or y == yhat:
            continue
        sign = 1.0 if y else -1.0
        c += sign
        for i, v in x.items():
            s[i] = s.get(i, 0.0) + sign * float(v)
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
