"""The linear discriminants of a panel of several classes as `reference.class_discriminant` defines them, compiled."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from littlestone.kernels.compiler import jit, jit_lent
from littlestone.kernels.hyperbolic import exp, log
from littlestone.reference.blend import FAR
from littlestone.reference.class_discriminant import FINE, PLACES

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


@jit
def discriminated(logs, place, indptr, indices, values, labels, weights, seen, owner, P, means, pulls, counts, tally, marks):
    """The scores of the classes known in each round, classes × rounds; labels below 0 teach nothing; without weights each weighs 1."""
    room = np.zeros(PLACES), np.empty(PLACES), np.empty(PLACES), np.empty(len(counts))
    discriminate_rounds(logs, place, indptr, indices, values, labels, weights, seen, owner, P, means, pulls, counts, tally, marks, *room)


@jit_lent
def discriminate_rounds(
    logs, place, indptr, indices, values, labels, weights, seen, owner, P, means, pulls, counts, tally, marks, z, d, v, scores
):
    """The pass; z takes a row, d and v what a step needs of it, `scores` the score of each class."""
    for t in range(len(labels)):
        lo, hi = np.uint64(indptr[t]), np.uint64(indptr[t + 1])
        size = tally[0]
        if size <= PLACES:
            for k in range(lo, hi):
                j = place[indices[k]]
                if j > 0:
                    z[j - 1] = heard(values, k, logs)
        total = 0.0  # what all of them weigh together
        for c in range(len(counts)):
            total += counts[c]
        for c in range(seen[t]):
            s = 0.0
            if size <= PLACES:
                for i in range(size):
                    s += pulls[c, i] * (z[i] - 0.5 * means[c, i])
            scores[c] = log(counts[c] + 0.5) + (total + 1.0) * s
        odds(scores, seen[t], marks, t)
        y = labels[t]
        if y >= 0:
            weight = np.float64(weights[t]) if len(weights) else 1.0
            if size <= PLACES:
                size = admitted(logs, place, indices, values, lo, hi, z, owner, P, tally)
            if size <= PLACES:
                known = max(seen[t], y + 1)
                step(z, y, weight, known, size, P, means, pulls, counts, d, v)
            counts[y] += weight
            tally[1] += 1
        z[:] = 0.0


@jit_lent
def heard(values, k, logs):
    """A value, on the scale of logarithms where that is the voter's."""
    x = 1.0 if values is None else np.float64(values[k])
    if logs:
        size = log(1.0 + FINE * abs(x))
        return size if x >= 0.0 else -size
    return x


@jit_lent
def odds(scores, known, marks, t):
    """The logarithm of the odds of each known class, from logarithms of probabilities up to a constant."""
    if known < 2:
        marks[:known, t] = 0.0
        return
    top, total = scores[0], 0.0
    for c in range(known):
        top = max(top, scores[c])
    for c in range(known):
        scores[c] = exp(-min(top - scores[c], FAR))
        total += scores[c]
    for c in range(known):
        marks[c, t] = log(scores[c] / (total - scores[c]))


@jit_lent
def admitted(logs, place, indices, values, lo, hi, z, owner, P, tally):
    """Give new features of a row their places; how many are taken now."""
    for k in range(lo, hi):
        x = heard(values, k, logs)
        if x != 0.0 and place[indices[k]] == 0:
            if tally[0] == PLACES:
                tally[0] = PLACES + 1
                break
            j = tally[0]
            tally[0] += 1
            place[indices[k]] = tally[0]
            owner[j] = indices[k]
            P[j, j] = 1.0 / (x * x)
            z[j] = x
    return tally[0]


@jit_lent
def step(z, y, weight, known, size, P, means, pulls, counts, d, v):
    """Learn from a row of class y that weighs so much."""
    n = counts[y]
    q = 0.0
    for i in range(size):
        d[i] = z[i] - means[y, i]
    for i in range(size):
        total = 0.0
        for j in range(size):
            total += P[i, j] * d[j]
        v[i] = total
    for i in range(size):
        q += d[i] * v[i]
    share = n * weight / (n + weight)
    kappa = share / (1.0 + share * q)
    for i in range(size):
        for j in range(size):
            P[i, j] -= kappa * v[i] * v[j]
    for c in range(known):
        along = 0.0
        for i in range(size):
            along += v[i] * means[c, i]
        for i in range(size):
            pulls[c, i] -= kappa * along * v[i]
    rest = 1.0 - kappa * q
    for i in range(size):
        means[y, i] += d[i] * weight / (n + weight)
        pulls[y, i] += rest * v[i] * weight / (n + weight)
