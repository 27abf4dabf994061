"""Whose rounds they are, of a run by key: each different key once, and which of them each round has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, count

import numpy as np

MANY = 2**14  # keys that Arrow tells apart in a third of the time, once it is loaded


class Owners:
    """The key of each round. Where nobody has found out which are alike, `codes` is None, and `names` has one for each round.

    >>> owners = Owners(["ann", "bob"], np.array([1, 0, 1], np.int32))
    >>> list(owners), list(owners.cut(1, 3)), owners.distinct()[0]
    (['bob', 'ann', 'bob'], ['ann', 'bob'], ['bob', 'ann'])
    """

    __slots__ = ("codes", "names")

    def __init__(self, names: list[str], codes: np.ndarray | None = None) -> None:
        self.names, self.codes = names, codes

    def __len__(self) -> int:
        return len(self.names if self.codes is None else self.codes)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names) if self.codes is None else map(self.names.__getitem__, self.codes.tolist())

    @property
    def nbytes(self) -> int:
        """About how much memory it takes."""
        return 64 * len(self.names) + (0 if self.codes is None else self.codes.nbytes)

    def cut(self, start: int, stop: int) -> Owners:
        """Those of the rounds from start to stop."""
        return Owners(self.names[start:stop]) if self.codes is None else Owners(self.names, self.codes[start:stop])

    def rows(self, places: np.ndarray) -> Owners:
        """Those of these rounds."""
        return Owners([self.names[k] for k in places.tolist()]) if self.codes is None else Owners(self.names, self.codes[places])

    def distinct(self) -> tuple[list[str], np.ndarray]:
        """The different keys in the order in which rounds first have them, and the place of each round's among them."""
        if self.codes is None:
            return _told_apart(self.names)
        firsts_of = np.full(len(self.names), len(self.codes), np.int64)
        firsts_of[self.codes[::-1]] = np.arange(len(self.codes))[::-1]  # the first of several is written last
        met = firsts_of[self.codes]
        known = np.sort(firsts_of[firsts_of < len(self.codes)])
        names = [self.names[k] for k in self.codes[known].tolist()]
        places = np.empty(len(self), np.int64)
        places[known] = np.arange(len(known))
        return names, places[met]

    def compact(self) -> Owners:
        """The same, with no key that no round has."""
        names, codes = self.distinct()
        return Owners(names, codes.astype(np.int32))

    @classmethod
    def joined(cls, parts: Sequence[Owners]) -> Owners:
        """Those of all these rounds."""
        if len(parts) == 1:
            return parts[0]
        if all(part.codes is None for part in parts):
            return cls(list(chain.from_iterable(part.names for part in parts)))
        numbers = defaultdict[str, int](count().__next__)
        codes = list[np.ndarray]()
        for part in parts:
            names, own = part.distinct()
            codes.append(_coded(names, numbers)[own])
        return cls(list(numbers), np.concatenate(codes).astype(np.int32))

    @classmethod
    def of_cells(cls, names: Iterable[str], codes: np.ndarray) -> Owners:
        """Of the different cells of a column, as text; two of them may have the same."""
        known: dict[str, int] = {}
        places = np.array([known.setdefault(name, len(known)) for name in names], np.int32)
        return cls(list(known), places[codes])


def _told_apart(names: list[str]) -> tuple[list[str], np.ndarray]:
    """The different ones in the order of their first appearance, and which of them each is."""
    if len(names) >= MANY:
        with suppress(UnicodeEncodeError):  # a lone surrogate is no text there
            import pyarrow as pa

            known = pa.array(names, pa.large_string()).dictionary_encode()
            return known.dictionary.to_pylist(), known.indices.to_numpy().astype(np.int64)
    numbers = defaultdict[str, int](count().__next__)
    codes = _coded(names, numbers)
    return list(numbers), codes


def _coded(names: list[str], numbers: defaultdict[str, int]) -> np.ndarray:
    """The number of each; a new one has the next. A name is looked up once, and no step of it is interpreted."""
    return np.fromiter(map(numbers.__getitem__, names), np.int64, len(names))
