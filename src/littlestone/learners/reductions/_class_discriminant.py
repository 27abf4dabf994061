"""The linear discriminants of a panel of several classes as `reference.class_discriminant` defines them, compiled."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from littlestone.reference.class_discriminant import PLACES

# owner: the feature at each place; P, and for each class the mean of its rows and P times it; counts of the classes;
# tally: places taken, one more than there are where a feature found none, and rounds
PARTS = ("owner", "P", "means", "pulls", "counts", "tally")
DiscriminantState = namedtuple("DiscriminantState", [f"discriminant_{part}" for part in PARTS])  # type: ignore[misc]
LogsState = namedtuple("LogsState", [f"logs_{part}" for part in PARTS])  # type: ignore[misc]


def first_discriminant(kind: Any, classes: int) -> Any:
    means, pulls = np.zeros((2, classes, PLACES))
    return kind(np.zeros(PLACES, np.int64), np.zeros((PLACES, PLACES)), means, pulls, np.zeros(classes), np.zeros(2, np.int64))


def resized(state: Any, classes: int) -> Any:
    """The same with room for more classes, or for fewer; in memory of its own."""
    fresh: Any = first_discriminant(type(state), classes)
    for old, new in zip(state, fresh, strict=True):
        part = tuple(slice(min(sizes)) for sizes in zip(old.shape, new.shape, strict=True))
        new[part] = old[part]
    return fresh


def places_of(state: Any, room: int) -> np.ndarray:
    """For each feature its place, counted from 1; 0 where it has none."""
    place = np.zeros(room, np.int32)
    owner, *_, tally = state
    taken = min(int(tally[0]), PLACES)
    place[owner[:taken]] = np.arange(1, taken + 1)
    return place
