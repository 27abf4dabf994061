"""What a runner has counted and measured, as a value: with it a run goes on as if it had never stopped."""

from dataclasses import dataclass
from math import isfinite
from typing import Any, Self

import numpy as np

SCALARS = ("top", "bottom", "nonzeros", "widest", "largest_value", "whole", "weighted", "negative")


@dataclass(frozen=True)
class RunnerCounts:
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
    def of(cls, runner: Any, **more: Any) -> Self:
        """Those of a runner, as they stand."""
        scalars = {name: np.asarray(getattr(runner, name)).item() for name in SCALARS}
        return cls(tuple(runner.tally.tolist()), tuple(runner.lengths.tolist()), **scalars, **more)

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> Self:
        return cls(**{**plain, "tally": tuple(plain["tally"]), "lengths": tuple(plain["lengths"])})

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
        _, labelled, positives, false_positives, false_negatives, changes, last = self.tally
        return (
            self._sound_sizes(4)
            and 0 <= positives <= labelled
            and 0 <= false_positives <= labelled - positives
            and 0 <= false_negatives <= positives
            and 0 <= changes <= max(0, labelled - 1)
            and -1 <= last <= 1
        )

    def _sound_sizes(self, lengths: int) -> bool:
        return (
            0 <= self.rounds <= self.rows
            and len(self.lengths) == lengths
            and all(isfinite(x) and x >= 0 for x in (*self.lengths, self.largest_value))
            and min(self.nonzeros, self.widest, self.top + 1, self.bottom) >= 0
        )


@dataclass(frozen=True)
class ClassRunnerCounts(RunnerCounts):
    """The same of a `ClassRunner`, whose tally is: rows, labelled ones, mistakes, changes of the label, the last label."""

    confusion: tuple[tuple[int, ...], ...] = ()
    members: tuple[RunnerCounts, ...] = ()

    @classmethod
    def of(cls, runner: Any, **more: Any) -> Self:
        seen = runner.engine.seen
        confusion = tuple(map(tuple, runner.confusion[:seen, :seen].tolist()))
        return super().of(runner, confusion=confusion, members=runner.engine.accounts())

    def open(self, runner: Any) -> None:
        """Let a runner begin with them; its members have theirs already."""
        super().open(runner)
        size = len(self.confusion)
        runner.confusion = np.zeros((max(4, size),) * 2, np.int64)
        runner.confusion[:size, :size] = np.reshape(self.confusion, (size, size))

    @classmethod
    def of_two(cls, counts: RunnerCounts) -> Self:
        """Those of a run over two classes, the negative one first."""
        rows, labelled, positives, false_positives, false_negatives, changes, last = counts.tally
        square, sum_squares, weight, _ = counts.lengths
        confusion = ((labelled - positives - false_positives, false_positives), (false_negatives, positives - false_negatives))
        scalars = {name: getattr(counts, name) for name in SCALARS}
        tally = (rows, labelled, counts.mistakes, changes, last)
        return cls(tally, (square, square, sum_squares, weight, 0.0), **scalars, confusion=confusion)

    @property
    def mistakes(self) -> int:
        return self.tally[2]

    @property
    def sound(self) -> bool:
        _, labelled, mistakes, changes, last = self.tally
        cells = [count for row in self.confusion for count in row]
        return (
            self._sound_sizes(5)
            and 0 <= mistakes <= labelled
            and 0 <= changes <= max(0, labelled - 1)
            and -1 <= last < max(1, len(self.confusion))
            and all(len(row) == len(self.confusion) for row in self.confusion)
            and min(cells, default=0) >= 0
            and sum(cells) in (labelled - 1, labelled)  # the first labelled round has no prediction, unless two classes were known
            and all(member.sound for member in self.members)
        )
