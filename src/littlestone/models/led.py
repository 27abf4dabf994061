"""A bucket whose keys have a second adviser each: the shared learner, which plays all rounds. A rule decides whom to follow.

The rule, its theorem and the proof are in `theory/keyed.py`; what it keeps of a key are three counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import Any

import numpy as np

from littlestone.errors import require
from littlestone.kernels.native import core
from littlestone.theory.keyed import bytes_of_key, led_limit

COUNTS = "followed"  # of each key: its own learner's mistakes, the shared learner's, and those of the rule


def number_in(numbers: dict[str, int], names: Sequence[str]) -> np.ndarray:
    """The numbers of these keys, no two of them alike; new ones have the next numbers."""
    keys = np.fromiter(map(numbers.get, names, repeat(-1)), np.int64, len(names))
    fresh = np.flatnonzero(keys < 0).tolist()
    numbers.update(zip(map(names.__getitem__, fresh), range(len(numbers), len(numbers) + len(fresh)), strict=True))
    keys[fresh] = range(len(numbers) - len(fresh), len(numbers))
    return keys


class LedBucket:
    """A bucket of keys' own learners, and how they and the shared one have fared. `visits.advice` is what the shared one says."""

    def __init__(self, own: Any) -> None:
        self.own, self.kind = own, own.kind
        self.rows: dict[str, int] = {}
        self.counts = np.zeros((0, 3), np.int64)

    @property
    def names(self) -> dict[str, Any]:
        return self.own.names

    def __len__(self) -> int:
        return len(self.own)

    @property
    def nbytes(self) -> int:
        return self.own.nbytes + self.counts.nbytes + 100 * len(self.rows)

    def play(self, visits: Any, scores: np.ndarray | None, updates: np.ndarray | None) -> np.ndarray:
        own, rows = self.own.play(visits, None, updates), self.rows
        keys = number_in(rows, visits.names)
        if len(rows) > len(self.counts):
            self.counts = np.concatenate([self.counts, np.zeros((max(16, len(rows) + len(rows) // 4) - len(self.counts), 3), np.int64)])
        predictions = np.empty(len(own), np.int32)
        core.follow_better(keys, visits.starts, visits.block.labels, own.astype(np.int32), visits.advice, self.counts, predictions)
        return predictions.astype(own.dtype)

    def predict(self, visits: Any, scores: np.ndarray | None) -> np.ndarray:
        own = self.own.predict(visits, None)
        counts = [self.of(name) for name in visits.names]
        leads = np.repeat([alone < shared for alone, shared, _ in counts], np.diff(visits.starts))
        return np.where(leads, own, visits.advice).astype(own.dtype)

    def of(self, name: str) -> tuple[int, int, int]:
        """The mistakes of a key's own learner on its rounds, of the shared one, and of the rule."""
        own, shared, led = self.counts[self.rows[name]].tolist() if name in self.rows else (0, 0, 0)
        return own, shared, led

    def runner(self, name: str) -> Any:
        return self.own.runner(name)

    def parts(self) -> tuple:
        """What another process goes on with."""
        return self.own.parts(), list(self.rows), self.counts[: len(self.rows)]

    def go_on(self, parts: tuple) -> None:
        self.own.go_on(parts[0])
        self.rows, self.counts = {name: row for row, name in enumerate(parts[1])}, parts[2].copy()

    def to_arrays(self) -> dict[str, np.ndarray]:
        rows = [self.rows[name] for name in sorted(self.rows, key=bytes_of_key)]
        return {**self.own.to_arrays(), COUNTS: self.counts[np.array(rows, np.int64)]}

    def fill(self, arrays: dict[str, np.ndarray]) -> None:
        self.own.fill({name: array for name, array in arrays.items() if name != COUNTS})
        counts = arrays[COUNTS]
        require(counts.dtype == np.int64 and counts.shape == (len(self.own), 3), f"{COUNTS} does not fit {len(self.own)} keys")
        self.rows, self.counts = {name: row for row, name in enumerate(self.own.names)}, counts.copy()

    def check(self) -> None:
        self.own.check()
        for name in self.rows:
            own, shared, led = self.of(name)
            sound = own == self.runner(name).mistakes and shared >= 0 and 0 <= led <= led_limit(own, shared)
            require(sound, f"key {name!r}: {COUNTS} cannot be those of a run")
