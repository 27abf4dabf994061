"""Winnow with elimination: double, or set to zero."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from littlestone.reference.calls import served


def winnow_elimination(rounds: Iterable[tuple[Mapping, bool | None]], *, n: int, theta=None) -> Iterator[bool]:
    """Predict 1 iff w·x ≥ θ (n/2 unless given); a missed 1 doubles the active weights, a false 1 sets them to 0.

    >>> list(winnow_elimination([({0: 1, 1: 1}, False), ({0: 1}, True), ({2: 1, 3: 1}, True)], n=4))
    [True, False, True]
    """
    theta = Fraction(n, 2) if theta is None else Fraction(theta)
    w: dict = defaultdict(lambda: 1)
    for x, y in rounds:
        yhat = sum(w[i] for i in x) >= theta
        yhat = served(yhat, (yield yhat))
        if y is not None and y != yhat:
            for i in x:
                w[i] = 2 * w[i] if y else 0
