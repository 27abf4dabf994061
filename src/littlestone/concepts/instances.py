"""Where instances come from: a distribution draws one row, its active features in order or {feature: value}, from a random generator.

>>> rng = np.random.default_rng(1)
>>> uniform(0.5)(rng, 8), uniform(0.2)(rng, 8), zipf(4)(rng, 1000)
([2, 4, 5, 7], [1], [1, 2, 3, 10])
"""

from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import Any

import numpy as np

from littlestone.errors import LittlestoneError, require

Distribution = Callable[[np.random.Generator, int], Collection[int] | Mapping[int, float]]
NAMES = ("uniform", "balanced", "zipf")
TRIES = 10_000  # rows too near the border that are drawn again before we give up


def uniform(density: float = 0.5) -> Distribution:
    """Each bit on with the same probability; a half makes every point of the cube as likely as any other."""
    require(0 < density < 1, f"density={density!r} must lie between 0 and 1")

    def draw(rng: np.random.Generator, n: int) -> list[int]:
        if density > 0.1:
            return np.flatnonzero(rng.random(n) < density).tolist()
        # gaps between successes of a Bernoulli sequence are geometric: cheap when few of many are on
        places = np.cumsum(rng.geometric(density, int(n * density + 6 * (n * density) ** 0.5 + 10))) - 1
        while places[-1] < n:
            places = np.concatenate((places, places[-1] + np.cumsum(rng.geometric(density, 10))))
        return places[places < n].tolist()

    return draw


def zipf(words: int = 20) -> Distribution:
    """Sparse rows, as of text: so many draws of a feature, feature i with probability proportional to 1/(i+1); each is listed once."""
    require(words >= 1, f"words={words!r} must be a positive number of draws")

    def draw(rng: np.random.Generator, n: int) -> list[int]:
        place = np.searchsorted(_popularity(n), rng.random(words), side="right")
        return np.unique(np.minimum(place, n - 1)).tolist()

    return draw


@cache
def _popularity(n: int) -> np.ndarray:
    popularity = 1 / np.arange(1, n + 1)
    return np.cumsum(popularity) / popularity.sum()


def points(popular: bool = False) -> Distribution:
    """One point of n, each as likely as any other; or by Zipf's popularity."""
    single = zipf(1)
    return (lambda rng, n: single(rng, n)) if popular else (lambda rng, n: [int(rng.integers(n))])


def beyond(margin: float, weights: np.ndarray, sparse: bool = False) -> Distribution:
    """Rows of length 1 with |w·x| ≥ margin: a uniform direction, moved off the border where need be; or sparse by Zipf."""
    distance = margin * (1 + 1e-6)  # values are kept as float32: the margin must survive that
    single = zipf()

    def dense(rng: np.random.Generator, n: int) -> np.ndarray:
        x = rng.standard_normal(n)
        x /= np.sqrt(x @ x)
        along = x @ weights
        if abs(along) < distance:
            side = distance if along >= 0 else -distance
            across = x - along * weights
            length = np.sqrt(across @ across)
            x = side * weights + (across * np.sqrt(max(0.0, 1 - side * side)) / length if length > 1e-9 else 0.0)
        return x

    def draw(rng: np.random.Generator, n: int) -> dict[int, float]:
        for _ in range(TRIES):
            if sparse:
                features = single(rng, n)
                values = rng.standard_normal(len(features))
                values /= np.sqrt(values @ values)
                row = dict(zip(features, values.astype(np.float32).tolist(), strict=True))
            else:
                row = dict(enumerate(dense(rng, n).astype(np.float32).tolist()))
            if abs(sum(v * weights[i] for i, v in row.items())) >= margin * (1 + 1e-9):
                return row
        raise LittlestoneError(f"gamma={margin!r}: none of {TRIES:,} rows lay that far from the border; expected a smaller margin")

    return draw


def distribution(chosen: str | Distribution, concepts: Any, target: Any) -> Distribution:
    """The distribution the user named, for this class; or his own function."""
    if callable(chosen):
        return chosen
    require(chosen in NAMES, f"instances={chosen!r} must be one of {', '.join(NAMES)}, or a function of a random generator and n")
    if concepts.domain == "real":
        require(chosen != "balanced", "instances='balanced' is for boolean features; a halfspace through the origin is balanced as it is")
        return beyond(concepts.gamma, target.weights, chosen == "zipf")
    if concepts.domain == "points":
        require(chosen != "balanced", "instances='balanced' is for boolean features; an instance here is one point")
        return points(popular=chosen == "zipf")
    if chosen == "balanced":
        density = getattr(target, "balance", None)
        require(density is not None, f"instances='balanced': no density is known that makes {target!r} say 1 half the time")
        return uniform(density)  # type: ignore[arg-type]
    return zipf() if chosen == "zipf" else uniform()
