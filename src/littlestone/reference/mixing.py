"""Mixing by its definition: S shards in turn, each from the mixture of the epoch before, in doubles and in a fixed order.

A state is a dictionary of weights by feature, and what a feature that no shard has touched weighs; the Perceptron's bias has the key None.
"""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import exp, log
from typing import Any

from littlestone.reference.arithmetic import ordered_sum

Weights = dict[Any, float]
Shard = Sequence[tuple[dict[Any, float], bool | None]]  # each round's features with their values, and its label; None where it has none
TINY = 2.0**-1000  # below this no weight of Winnow falls: it would be 0, and 0 has no logarithm


def perceptron(w: Weights, rounds: Shard, rho2: float) -> tuple[int, int]:
    """Play a shard, overwriting the weights; false positives and false negatives."""
    wrong = [0, 0]
    for x, y in rounds:
        yhat = ordered_sum([w.get(i, 0.0) * v for i, v in x.items()]) + rho2 * w.get(None, 0.0) >= 0.0
        if y is not None and yhat != y:
            step = 1.0 if y else -1.0
            for i, v in x.items():
                w[i] = w.get(i, 0.0) + step * v
            if rho2 > 0.0:
                w[None] = w.get(None, 0.0) + step
            wrong[y] += 1
    return wrong[0], wrong[1]


def winnow(w: Weights, rounds: Shard, alpha: float, theta: float) -> tuple[int, int]:
    wrong = [0, 0]
    for x, y in rounds:
        yhat = ordered_sum([w.get(i, 1.0) for i in x]) >= theta
        if y is not None and yhat != y:
            for i in x:
                w[i] = w.get(i, 1.0) * alpha if y else max(w.get(i, 1.0) / alpha, TINY)
            wrong[y] += 1
    return wrong[0], wrong[1]


def disjunctions(w: Weights, rounds: Shard) -> tuple[int, int]:
    """A variable that has been struck out weighs 0."""
    wrong = [0, 0]
    for x, y in rounds:
        yhat = any(w.get(i, 1.0) for i in x)
        if y is not None and yhat != y:
            if yhat:
                w.update(dict.fromkeys(x, 0.0))
            wrong[y] += 1
    return wrong[0], wrong[1]


def mixture(weights: Sequence[float], parts: Sequence[int], mean: str) -> float:
    """The mean of the shards' weights; where all agree it is what they agree on.

    >>> mixture([1.0, 4.0], [1, 1], "geometric"), mixture([1.0, 4.0], [1, 1], "arithmetic"), mixture([0.1, 0.1], [1, 2], "arithmetic")
    (2.0, 2.5, 0.1)
    """
    if all(weight == weights[0] for weight in weights):
        return weights[0]
    if mean == "intersection":
        return min(weights)
    total, whole = 0.0, float(sum(parts))
    for part, weight in zip(parts, weights, strict=True):
        total += part * (log(weight) if mean == "geometric" else weight)
    return exp(total / whole) if mean == "geometric" else total / whole


def play(
    shards: Sequence[Shard], epochs: int, first: float, mean: str, pass_over: Callable[[Weights, Shard], tuple[int, int]],
    shares: Callable[[Sequence[int]], Sequence[Fraction]],
) -> Iterable[tuple[list[tuple[int, int]], Weights]]:  # fmt: skip
    """Each epoch: the mistakes of every shard, and the mixture after it."""
    mixed: Weights = {}
    for _ in range(epochs):
        own = [dict(mixed) for _ in shards]
        counts = [pass_over(w, shard) for w, shard in zip(own, shards, strict=True)]
        parts = whole_parts(shares([sum(pair) for pair in counts]))
        keys = dict.fromkeys(key for w in own for key in w)
        mixed = {key: mixture([w.get(key, 0.0 if key is None else first) for w in own], parts, mean) for key in keys}
        yield counts, mixed


def whole_parts(shares: Sequence[Fraction]) -> list[int]:
    """Shares as whole numbers in the same proportion.

    >>> whole_parts([Fraction(3, 4), Fraction(1, 4)])
    [3, 1]
    """
    common = max(share.denominator for share in shares)
    while any(common % share.denominator for share in shares):
        common += max(share.denominator for share in shares)
    return [int(share * common) for share in shares]
