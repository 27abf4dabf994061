"""What a runner has counted and measured, as a value: with it a run goes on as if it had never stopped."""

from __future__ import annotations

from math import isfinite
from typing import Any, NamedTuple

import numpy as np

SCALARS = ("top", "bottom", "nonzeros", "widest", "largest_value", "whole", "weighted", "negative")


class RunnerCounts(NamedTuple):
    """The counts of a `Runner`, and what it knows of the rows it has played."""

    tally: tuple[int, ...]  # rows, labelled ones, positives, false positives, false negatives, changes of the label, the last label
    lengths: tuple[float, ...]  # over the mistakes: max c|x|², Σc²|x|², Σc, max c
    top: int
    bottom: int
    nonzeros: int
    widest: int
    largest_value: float
    whole: bool
    weighted: bool
    negative: bool = False

    @classmethod
    def of(cls, runner: Any) -> RunnerCounts:
        """Those of a runner, as they stand."""
        scalars = [np.asarray(getattr(runner, name)).item() for name in SCALARS]
        return cls(tuple(runner.tally.tolist()), tuple(runner.lengths.tolist()), *scalars)

    def open(self, runner: Any) -> None:
        """Let a runner begin with them."""
        runner.tally[:], runner.lengths[:] = self.tally, self.lengths
        for name in SCALARS:
            setattr(runner, name, getattr(self, name))

    @property
    def rows(self) -> int:
        return self.tally[0]

    @property
    def rounds(self) -> int:
        return self.tally[1]

    @property
    def mistakes(self) -> int:
        return self.tally[3] + self.tally[4]

    @property
    def sound(self) -> bool:
        """Could these be the accounts of a run?"""
        rows, told, positives, false_positives, false_negatives, changes, last = self.tally
        return (
            0 <= told <= rows
            and 0 <= positives <= told
            and 0 <= false_positives <= told - positives
            and 0 <= false_negatives <= positives
            and 0 <= changes <= max(0, told - 1)
            and -1 <= last <= 1
            and all(isfinite(x) and x >= 0 for x in (*self.lengths, self.largest_value))
            and min(self.nonzeros, self.widest, self.top + 1, self.bottom) >= 0
        )


class ClassRunnerCounts(NamedTuple):
    """The counts of a `ClassRunner`, what it knows of the rows it has played, and the accounts of its members."""

    tally: tuple[int, ...]  # rows, labelled ones, mistakes, changes of the label, the last label
    lengths: tuple[float, ...]
    confusion: tuple[tuple[int, ...], ...]
    top: int
    bottom: int
    nonzeros: int
    widest: int
    largest_value: float
    whole: bool
    weighted: bool
    negative: bool = False
    members: tuple[RunnerCounts, ...] = ()

    @classmethod
    def of(cls, runner: Any) -> ClassRunnerCounts:
        """Those of a runner, as they stand."""
        scalars = [np.asarray(getattr(runner, name)).item() for name in SCALARS]
        seen = runner.engine.seen
        confusion = tuple(map(tuple, runner.confusion[:seen, :seen].tolist()))
        counts = (tuple(runner.tally.tolist()), tuple(runner.lengths.tolist()), confusion)
        return cls(*counts, **dict(zip(SCALARS, scalars, strict=True)), members=runner.engine.accounts())

    def open(self, runner: Any) -> None:
        """Let a runner begin with them; its members have theirs already."""
        runner.tally[:], runner.lengths[:] = self.tally, self.lengths
        runner.confusion = np.zeros((max(4, len(self.confusion)),) * 2, np.int64)
        runner.confusion[: len(self.confusion), : len(self.confusion)] = np.reshape(self.confusion, (len(self.confusion),) * 2)
        for name in SCALARS:
            setattr(runner, name, getattr(self, name))

    @property
    def rows(self) -> int:
        return self.tally[0]

    @property
    def rounds(self) -> int:
        return self.tally[1]

    @property
    def mistakes(self) -> int:
        return self.tally[2]

    @property
    def sound(self) -> bool:
        """Could these be the accounts of a run?"""
        rows, told, mistakes, changes, last = self.tally
        counts = [count for row in self.confusion for count in row]
        square = all(len(row) == len(self.confusion) for row in self.confusion)
        return (
            0 <= mistakes <= told <= rows
            and 0 <= changes <= max(0, told - 1)
            and -1 <= last < max(1, len(self.confusion))
            and square
            and min(counts, default=0) >= 0
            and sum(counts) == told - bool(told)  # the first labelled round has no prediction
            and len(self.lengths) == 5
            and all(isfinite(x) and x >= 0 for x in (*self.lengths, self.largest_value))
            and min(self.nonzeros, self.widest, self.top + 1, self.bottom) >= 0
            and all(member.sound for member in self.members)
        )
