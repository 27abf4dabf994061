"""Features of several columns, woven into rows."""

from typing import NamedTuple

import numpy as np

from littlestone.kernels.native import core


class FeatureColumn(NamedTuple):
    """What one column gives: row t has the next counts[t] of the codes, which are places in `names`."""

    counts: np.ndarray  # int32
    codes: np.ndarray  # int32
    values: np.ndarray | None  # float32; None: all are 1
    names: list[str]
    apart: bool = True  # surely no name twice in one row


def woven(parts: list[FeatureColumn], rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray | None, list[str], bool]:
    """Row pointers, codes, values (None: all are 1), names, and whether no name can stand twice in a row."""
    at = np.zeros(rows, np.int64)
    for part in parts:
        at += part.counts
    indptr = np.zeros(rows + 1, np.int64)
    np.cumsum(at, out=indptr[1:])
    codes, values = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.float32)
    names: list[str] = []
    at = indptr[:-1].copy()
    for part in parts:
        core.place_features(part.counts, part.codes, len(names), part.values, at, codes, values)
        names += part.names
    apart = all(part.apart for part in parts)
    places: dict[str, int] = {}
    for name in names:
        places.setdefault(name, len(places))
    if len(places) < len(names):  # two columns give features of one name
        codes = np.array([places[name] for name in names], np.int32)[codes]
        names, apart = list(places), False
    plain = all(part.values is None for part in parts)
    return indptr, codes, None if plain else values, names, apart


def by_appearance(codes: np.ndarray, names: list[str]) -> list[str]:
    """Number codes anew, in place, in the order in which they first appear; their names in that order."""
    rank, order = np.full(len(names), -1, np.int32), np.empty(len(names), np.int32)
    count = core.number_by_appearance(codes, rank, order)
    return [names[old] for old in order[:count].tolist()]


def crossed(a: FeatureColumn, b: FeatureColumn) -> FeatureColumn:
    """Every feature of a with every feature of b in the same row, a outer; values stay doubles where a's are."""
    counts = a.counts * b.counts
    row_of_a = np.repeat(np.arange(len(a.counts)), a.counts)
    times = b.counts[row_of_a]  # each feature of a meets that many of b
    left = np.repeat(np.arange(len(a.codes)), times)
    starts = (np.cumsum(b.counts) - b.counts)[row_of_a]
    within = np.arange(len(left)) - np.repeat(np.cumsum(times) - times, times)
    right = np.repeat(starts, times) + within
    pairs = a.codes[left].astype(np.int64) * max(len(b.names), 1) + b.codes[right]
    distinct, codes = np.unique(pairs, return_inverse=True)
    names = [f"{a.names[p // len(b.names)]}*{b.names[p % len(b.names)]}" for p in distinct.tolist()]
    values = None
    if a.values is not None or b.values is not None:
        values = np.ones(len(left))
        for part, where in ((a, left), (b, right)):
            if part.values is not None:
                values *= part.values[where]
    return FeatureColumn(counts, codes.astype(np.int32), values, names, a.apart and b.apart)
