"""The labelled rounds of a run with what was predicted, all of them or the last so many: the metrics of a window come of these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from littlestone.errors import require
from littlestone.protocol.metrics import ClassMetrics, Marks, Metrics

WINDOW = 1000  # rounds that one looks back over unless another number is said


@dataclass(frozen=True)
class Recent:
    """The label codes of labelled rounds, what was predicted in each, and the scores where there are any; the last ones of `rounds`."""

    labels: np.ndarray
    predictions: np.ndarray
    scores: np.ndarray | None
    rounds: int  # labelled rounds of the run: these and the ones that were not kept
    odds: bool = False  # are the scores log-odds?
    classes: Callable[[], tuple] | None = None  # the labels by code, of several classes

    def cut(self, window: Any = WINDOW, until: Any = None) -> Recent:
        """The last `window` labelled rounds up to round `until`, which are counted from 1."""
        first, last = span(self.rounds, window, until)
        left_out = self.rounds - len(self.labels)
        require(
            first >= left_out or last == first, f"only the last {len(self.labels):,} rounds were kept; play with window={window} for more"
        )
        kept = slice(first - left_out, last - left_out)
        scores = None if self.scores is None else self.scores[kept]
        return Recent(self.labels[kept], self.predictions[kept], scores, last - first, self.odds, self.classes)

    @property
    def mistakes(self) -> int:
        return int((self.labels != self.predictions).sum())

    @property
    def metrics(self) -> Metrics | ClassMetrics:
        """The rates of these rounds, under the same names as those of a run."""
        y, yhat = self.labels, self.predictions
        if self.classes is not None:
            return self._of_classes(self.classes())
        positive, wrong = y == 1, y != yhat
        marks = None
        if self.scores is not None:
            marks = Marks()
            marks.add(y.astype(np.int32), self.scores.astype(np.float64), self.odds)
        counts = (len(y), int(positive.sum()), int((wrong & ~positive).sum()), int((wrong & positive).sum()))
        return Metrics.of(*counts, marks, self.odds)

    def _of_classes(self, classes: tuple) -> ClassMetrics:
        y, yhat = self.labels, self.predictions
        codes = np.unique(y).tolist()  # classes that did not come say nothing of these rounds
        place = np.full(max(len(classes), *(code + 1 for code in codes), 1) + 1, len(codes))
        place[codes] = np.arange(len(codes))
        confusion = np.zeros((len(codes) + 1,) * 2, np.int64)
        np.add.at(confusion, (place[y], place[yhat]), 1)
        return ClassMetrics.of(tuple(classes[code] for code in codes), len(y), self.mistakes, confusion[:-1, :-1], confusion[:-1, -1])

    def as_json(self) -> dict[str, Any]:
        """The object under `window` of `--json`."""
        return {"rounds": len(self.labels), "mistakes": self.mistakes, **self.metrics.as_json()}


class Lately(NamedTuple):
    """Some rounds in a row, in the units of the table; the best expert lost least a round, of those awake in half of them."""

    rounds: int
    loss: float  # of the rule
    mistakes: int | None  # where the advice is votes
    uniform: float  # loss of the plain average of those awake
    best: Any  # its name, or of `ls.play` its number; None where the table is too large, or truths came in rows of their own
    best_mean_loss: float | None

    @property
    def mean_loss(self) -> float:
        return self.loss / max(1, self.rounds)

    @property
    def uniform_mean_loss(self) -> float:
        return self.uniform / max(1, self.rounds)

    def as_json(self) -> dict[str, Any]:
        return self._asdict() | {"mean_loss": self.mean_loss, "uniform_mean_loss": self.uniform_mean_loss}


def best_awake(losses: np.ndarray) -> tuple[int | None, float | None]:
    """Who lost least a round, of those awake in half of the rounds, and how much; NaN where one is asleep.

    >>> best_awake(np.array([[0.5, 0.25], [0.5, np.nan], [1.0, np.nan]]))
    (0, 0.6666666666666666)
    """
    awake = (~np.isnan(losses)).sum(axis=0)
    often = min((len(losses) + 1) // 2, int(awake.max(initial=0)))
    means = np.where(awake >= max(1, often), np.nansum(losses, axis=0) / np.maximum(1, awake), np.inf)
    best = int(means.argmin())
    return (best, float(means[best])) if awake[best] else (None, None)


class WithRecent:
    """What a run says of its last rounds."""

    recent: Recent | None

    def over(self, window: int = WINDOW, until: int | None = None) -> Metrics | ClassMetrics | Lately:
        """The metrics of the last `window` labelled rounds, or of the last up to round `until`, counted from 1.

        >>> import littlestone as ls
        >>> X, y = [[1, 0], [0, 1]] * 1500, [1, 0] * 1000 + [0, 1] * 500         # from round 2,001 on the labels are turned round
        >>> run = ls.play(ls.perceptron(bias=0), X, y)
        >>> run.mistakes, run.over(1000).accuracy, run.over(1000, until=2000).accuracy
        (3, 0.998, 1.0)
        """
        return self.last_rounds(window, until).metrics

    def last_rounds(self, window: int = WINDOW, until: int | None = None) -> Recent:
        """The same rounds themselves: their label codes, predictions and scores, and the mistakes among them."""
        require(self.recent is not None, "no predictions were kept of this run: ls.play keeps them, but for those of losses")
        assert self.recent is not None
        return self.recent.cut(window, until)


def span(rounds: int, window: Any = WINDOW, until: Any = None) -> tuple[int, int]:
    """From which round to which a window goes, of so many labelled rounds.

    >>> span(5000), span(5000, 500, 300)
    ((4000, 5000), (0, 300))
    """
    require(_whole(window) and window >= 1, f"window={window!r} must be a number of rounds, at least 1")
    last = rounds if until is None else until
    require(_whole(last) and 0 <= last <= rounds, f"until={until!r} must be one of the {rounds:,} labelled rounds")
    return max(0, last - window), last


def _whole(number: Any) -> bool:
    return isinstance(number, int | np.integer) and not isinstance(number, bool)
