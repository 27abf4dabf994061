"""The one place where the order of floating-point additions is written down."""

from collections.abc import Sequence


def ordered_sum(terms: Sequence):
    """Four running sums over the terms in row order, the leftovers into the first; then (a+b) + (c+d).

    In exact arithmetic this is the sum. In doubles it is the sum that every native pass computes, bit for bit.

    >>> ordered_sum([1, 2, 3, 4, 5, 6])
    21
    """
    a, b, c, d = [0] * 4
    whole = len(terms) - len(terms) % 4
    for k in range(0, whole, 4):
        a, b, c, d = a + terms[k], b + terms[k + 1], c + terms[k + 2], d + terms[k + 3]
    for k in range(whole, len(terms)):
        a += terms[k]
    return (a + b) + (c + d)
