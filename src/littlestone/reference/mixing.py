"""Mixing by its definition: S shards in turn, each from what all of them knew after the epoch before, in a fixed order.

`over_shards` of reference/NAME.py says how NAME plays a shard, and how what several know becomes one. Where it knows weights, these are a
dictionary by feature, and doubles; the Perceptron's bias has the key None.
"""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import exp, log
from typing import Any, NamedTuple

Weights = dict[Any, float]
Shard = Sequence[tuple[dict[Any, float], bool | None]]  # each round's features with their values, and its label; None where it has none


def mixture(weights: Sequence[float], parts: Sequence[int], mean: str) -> float:
    """The mean of the shards' weights; where all agree it is what they agree on.

    >>> mixture([1.0, 4.0], [1, 1], "geometric"), mixture([1.0, 4.0], [1, 1], "arithmetic"), mixture([0.1, 0.1], [1, 2], "arithmetic")
    (2.0, 2.5, 0.1)
    """
    if all(weight == weights[0] for weight in weights):
        return weights[0]
    total, whole = 0.0, float(sum(parts))
    for part, weight in zip(parts, weights, strict=True):
        total += part * (log(weight) if mean == "geometric" else weight)
    return exp(total / whole) if mean == "geometric" else total / whole


class OverShards(NamedTuple):
    """A learner's definition over shards: what it begins with, a shard played from there, and several ends as one beginning."""

    first: Callable[..., Any]  # first(**settings)
    play: Callable[..., tuple[Any, tuple[int, int]]]  # play(state, rounds, **settings): what it knows then, false positives and negatives
    merged: Callable[[Sequence[Any], Sequence[int], str], Any]  # merged(states, parts, mean); in whole parts each counts

    def epochs(
        self, shards: Sequence[Shard], epochs: int, mean: str, shares: Callable[[Sequence[int]], Sequence[Fraction]], **settings: Any
    ) -> Iterable[tuple[list[tuple[int, int]], Any]]:
        """Each epoch: the mistakes of every shard, and what all of them know after it."""
        state = self.first(**settings)
        for _ in range(epochs):
            ends = [self.play(state, shard, **settings) for shard in shards]
            counts = [wrong for _, wrong in ends]
            state = self.merged([end for end, _ in ends], whole_parts(shares([sum(wrong) for wrong in counts])), mean)
            yield counts, state


def of_weights(play: Callable[..., tuple[int, int]], untouched: float) -> OverShards:
    """Of a learner that knows weights: `play` overwrites them; a feature that no shard has touched weighs so much."""

    def played(w: Weights, rounds: Shard, **settings: Any) -> tuple[Weights, tuple[int, int]]:
        w = dict(w)
        return w, play(w, rounds, **settings)

    def mixed(states: Sequence[Weights], parts: Sequence[int], mean: str) -> Weights:
        keys = dict.fromkeys(key for w in states for key in w)
        return {key: mixture([w.get(key, 0.0 if key is None else untouched) for w in states], parts, mean) for key in keys}

    return OverShards(lambda **settings: {}, played, mixed)


def wrong_of(rounds: Shard, predict: Callable[[Any], bool], learn: Callable[[Any, bool, bool], None]) -> tuple[int, int]:
    """Play rounds one by one; false positives and false negatives."""
    wrong = [0, 0]
    for x, y in rounds:
        yhat = predict(x)
        if y is not None:
            wrong[y] += yhat != y
            learn(x, y, yhat)
    return wrong[0], wrong[1]


def whole_parts(shares: Sequence[Fraction]) -> list[int]:
    """Shares as whole numbers in the same proportion.

    >>> whole_parts([Fraction(3, 4), Fraction(1, 4)])
    [3, 1]
    """
    common = max(share.denominator for share in shares)
    while any(common % share.denominator for share in shares):
        common += max(share.denominator for share in shares)
    return [int(share * common) for share in shares]
