"""Names of features and their columns, in the order in which they first appear in the stream."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from littlestone.protocol import FeatureMap


class Vocabulary:
    """Names to columns, append-only.

    >>> names = Vocabulary()
    >>> names.columns_of(["free", "offer", "free"]).tolist(), len(names), names.name(1)
    ([0, 1, 0], 2, 'offer')
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._columns = FeatureMap()
        for name in names:
            self._columns[name]
        self._list = list(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def columns_of(self, names: Sequence[str]) -> np.ndarray:
        """The column of each name; a new name gets the next."""
        columns = self._columns
        return np.fromiter((columns[name] for name in names), np.uint32, len(names))

    def name(self, column: int) -> str:
        if column >= len(self._list):
            self._list = list(self._columns)
        return self._list[column]

    def names(self) -> list[str]:
        """All names, by column."""
        return list(self._columns)
