"""What a runner has counted and measured, as a value: with it a run goes on as if it had never stopped."""

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from math import isfinite
from typing import Any, Self

import numpy as np

SCALARS = ("top", "bottom", "nonzeros", "widest", "largest_value", "whole", "weighted", "negative")


@dataclass
class WeighedLabels:
    """Where rounds have weights: what those of each label weigh, and those whose label is not the one before.

    >>> labels = WeighedLabels()
    >>> labels.add(np.array([1, -1, 0, 1]), np.array([4, 9, 1, 4], np.float32))
    >>> labels.baselines()
    {'majority': 1.0, 'same_as_last': 5.0}
    """

    each: tuple[float, ...] = ()
    changes: float = 0.0
    last: int = -1

    @classmethod
    def alike(cls, counts: Sequence[int], changes: int, last: int) -> Self:
        """Of rounds that weigh 1 each: how many have each label, and how often it changed."""
        each = np.trim_zeros(np.array(counts, np.float64), "b")
        return cls(tuple(each.tolist()), float(changes), last)

    def add(self, labels: np.ndarray, weights: np.ndarray) -> None:
        known = labels >= 0
        if not known.any():
            return
        codes, own = labels[known], weights[known].astype(np.float64)
        totals = np.zeros(max(len(self.each), int(codes.max()) + 1))
        totals[: len(self.each)] = self.each
        np.add.at(totals, codes, own)  # one after the other, however rounds are cut
        before = np.concatenate([[self.last], codes[:-1]])
        changed = own[(codes != before) & (before >= 0)]
        self.each, self.last = tuple(totals.tolist()), int(codes[-1])
        self.changes = float(np.cumsum(np.concatenate([[self.changes], changed]))[-1])

    def baselines(self) -> dict[str, float]:
        """What the mistakes of two rules without features weigh: always the label that costs least, and the label before this one."""
        return {"majority": sum(self.each) - max(self.each, default=0.0), "same_as_last": self.changes}


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
    labels: tuple[tuple[float, ...], float, int] | None = None  # of weighted rounds, as `WeighedLabels`; model files of before have none

    @classmethod
    def of(cls, runner: Any, **more: Any) -> Self:
        """Those of a runner, as they stand."""
        scalars = {name: np.asarray(getattr(runner, name)).item() for name in SCALARS}
        labels = astuple(runner.weighed) if runner.weighted and runner.weighed is not None else None
        return cls(tuple(runner.tally.tolist()), tuple(runner.lengths.tolist()), **scalars, labels=labels, **more)

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> Self:
        each, *rest = plain.get("labels") or ((), 0.0, -1)
        labels = (tuple(each), *rest) if plain.get("labels") else None
        return cls(**{**plain, "tally": tuple(plain["tally"]), "lengths": tuple(plain["lengths"]), "labels": labels})

    def open(self, runner: Any) -> None:
        """Let a runner begin with them."""
        runner.opening = self
        runner.tally[:], runner.lengths[:] = self.tally, self.lengths
        runner.weighed = None if self.labels is None and self.weighted else WeighedLabels(*(self.labels or ()))
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
            and all(isfinite(x) and x >= 0 for x in (*self.lengths, self.largest_value, *(self.labels or ((), 0.0))[0]))
            and (self.labels is None or (isfinite(self.labels[1]) and type(self.labels[2]) is int))
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
        return cls(tally, (square, square, sum_squares, weight, 0.0), **scalars, labels=counts.labels, confusion=confusion)

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
