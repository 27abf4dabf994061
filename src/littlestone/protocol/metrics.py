"""What people ask of a classifier beside its mistakes: rates of error by class, F1, AUC, log-loss, calibration. In constant memory."""

from __future__ import annotations

import mmap
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from math import pi, sqrt
from typing import Any, NamedTuple

import numpy as np

from littlestone.kernels import native

BITS: int = native.core.SCORE_BITS  # there are 2^BITS bins for scores
UNSEEN = -700.0  # the log-odds of a class that has not come
RELIABILITY = 20  # bins of probabilities
MOST_RANKED = 64  # classes; of more no AUC is told, since bins for each would fill the memory


def chances(odds: np.ndarray) -> np.ndarray:
    """The probabilities that log-odds stand for; none is so small that its logarithm is no number."""
    return 1 / (1 + np.exp(-np.maximum(odds, UNSEEN)))


def untouched(count: int, kind: type) -> np.ndarray:
    """Zeros that take no memory until they are touched, and then page by page; those of numpy come in pages of two megabytes."""
    size = count * np.dtype(kind).itemsize
    if not hasattr(mmap, "MAP_PRIVATE"):
        return np.zeros(count, kind)
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_NOHUGEPAGE"):
        with suppress(OSError):  # a system without large pages
            memory.madvise(mmap.MADV_NOHUGEPAGE)
    return np.frombuffer(memory, kind)


class Marks:
    """The scores of labelled rounds, in bins: what AUC and log-loss need of them.

    >>> marks = Marks()
    >>> marks.add(np.array([1, 0, 1, -1], np.int32), np.array([2.0, -1.0, -1.0, 5.0]))
    >>> marks.rounds, marks.auc()
    (3, (0.75, 0.0))
    """

    def __init__(self) -> None:
        size = 1 << BITS
        counts = untouched(2 * size, np.int64).reshape(2, size)
        self._arrays = (counts, untouched(size, np.float64), untouched(size, np.uint8), np.zeros(2), np.zeros((RELIABILITY, 4)))
        self.rounds = 0

    def add(self, labels: np.ndarray, scores: np.ndarray, odds: bool = False) -> None:
        """Enter these rounds; `odds` says that scores are log-odds, so that there is a log-loss."""
        labels = np.ascontiguousarray(labels, np.int32)
        native.core.tally(np.ascontiguousarray(scores, np.float64), labels, *self._arrays, odds)
        self.rounds += int((labels >= 0).sum())

    def copy(self) -> Marks:
        other = Marks()
        used = np.flatnonzero(self._arrays[2])
        for old, new in zip(self._arrays[:3], other._arrays[:3], strict=True):
            new[..., used] = old[..., used]
        other._arrays = (*other._arrays[:3], *(array.copy() for array in self._arrays[3:]))  # type: ignore[assignment]
        other.rounds = self.rounds
        return other

    def exchanged(self) -> Marks:
        """The same of log-odds with the other sign, and the labels exchanged; a bin's place from one end is then that from the other.

        >>> marks = Marks()
        >>> marks.add(np.array([1, 0, 1], np.int32), np.array([2.0, -1.0, -1.0]), odds=True)
        >>> marks.exchanged().auc() == marks.auc(), [(row.count, row.share) for row in marks.exchanged().reliability().bins]
        (True, [(1, 0.0), (2, 0.5)])
        """
        other = Marks()
        used = np.flatnonzero(self._arrays[2])
        places = len(self._arrays[2]) - 1 - used
        counts, first, held, losses, bins_of_p = self._arrays
        other._arrays[0][:, places] = counts[::-1, used]
        other._arrays[1][places], other._arrays[2][places] = -first[used], held[used]
        rounds, chances, ones, spread = bins_of_p[::-1].T
        other._arrays = (*other._arrays[:3], losses.copy(), np.stack([rounds, rounds - chances, rounds - ones, spread], axis=1))
        other.rounds = self.rounds
        return other

    def upper(self, other: Marks) -> Marks:
        """The scores of both that are 0 or more: of two classes, those of the likelier one."""
        joined = Marks()
        half, size = 1 << (BITS - 1), RELIABILITY // 2
        for marks in (self, other):
            used = half + np.flatnonzero(marks._arrays[2][half:])
            first, held = joined._arrays[1][used], joined._arrays[2][used]
            mixed = (held != 0) & (first != marks._arrays[1][used])
            joined._arrays[0][:, used] += marks._arrays[0][:, used]
            joined._arrays[2][used] = np.where(mixed, 2, np.maximum(held, marks._arrays[2][used]))
            joined._arrays[1][used] = marks._arrays[1][used]
            joined._arrays[4][size:] += marks._arrays[4][size:]
        joined._arrays[3][:] = self._arrays[3]
        joined.rounds = self.rounds
        return joined

    def auc(self) -> tuple[float, float] | None:
        """The probability that a positive scores higher than a negative (equal scores count half), and the most this can be off.

        Rounds whose scores differ may share a bin, and their order is then not known; None where a label is missing altogether.
        """
        used, negative, positive = self._ranked()
        held = self._arrays[2]
        total = int(positive.sum()) * int(negative.sum())
        if not total:
            return None
        below = np.cumsum(negative) - negative
        ties = positive * negative
        higher = 2 * int(positive @ below) + int(ties.sum())
        return higher / (2 * total), int(ties[held[used] == 2].sum()) / (2 * total)

    def _ranked(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The bins that hold scores, from the lowest on; how many rounds with label 0 each has, and how many with label 1."""
        counts, _, held, _, _ = self._arrays
        used = np.flatnonzero(held)  # looks at few pages of memory where scores are few
        return used, *counts[:, used]

    def roc(self) -> tuple[np.ndarray, np.ndarray]:
        """Shares of the negatives and of the positives that score at least as high as each bin, from none to all.

        >>> marks = Marks()
        >>> marks.add(np.array([1, 0, 1, 0], np.int32), np.array([2.0, -1.0, 1.0, 1.5]))
        >>> [array.tolist() for array in marks.roc()]
        [[0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0]]
        """
        _, negative, positive = self._ranked()
        return tuple(np.concatenate([[0], np.cumsum(kind[::-1])]) / max(1, int(kind.sum())) for kind in (negative, positive))  # type: ignore[return-value]

    def average_precision(self) -> float | None:
        """The mean, over the positives, of the precision among all that score at least as high; scores of one bin count as equal."""
        _, negative, positive = self._ranked()
        total = int(positive.sum())
        if not total:
            return None
        hits, taken = np.cumsum(positive[::-1]), np.cumsum((positive + negative)[::-1])
        return float(positive[::-1] @ (hits / taken)) / total

    def log_loss(self) -> float | None:
        """The mean of -ln p over the rounds, p the probability that the label was given; where scores are log-odds."""
        return float(self._arrays[3][0]) / self.rounds if self.rounds else None

    def brier(self) -> float | None:
        """The mean of (p - y)², p the probability of a 1; where scores are log-odds."""
        return float(self._arrays[3][1]) / self.rounds if self.rounds else None

    def reliability(self) -> Reliability | None:
        """Forecasts beside what came, where scores are log-odds.

        >>> marks = Marks()
        >>> marks.add(np.array([1, 1, 0, 1], np.int32), np.array([1.0, 1.0, 1.0, -3.0]), odds=True)
        >>> [(row.count, round(row.forecast, 3), round(row.share, 3)) for row in marks.reliability().bins]
        [(1, 0.047, 1.0), (3, 0.731, 0.667)]
        """
        if not self.rounds:
            return None
        rows = [row for row in self._arrays[4].tolist() if row[0]]
        spread = sum(row[3] for row in rows)
        return Reliability(
            error=sum(abs(p - ones) for _, p, ones, _ in rows) / self.rounds,
            by_chance=sum(sqrt(2 / pi * row[3]) for row in rows) / self.rounds,
            deviation=sqrt((1 - 2 / pi) * spread) / self.rounds,
            bins=tuple(ReliabilityBin(int(count), p / count, ones / count) for count, p, ones, _ in rows),
        )


@dataclass(frozen=True)
class ReliabilityBin:
    """Rounds with similar forecasts: how many, the mean forecast, and the share of them with label 1."""

    count: int
    forecast: float
    share: float


@dataclass(frozen=True, repr=False)
class Reliability:
    """Forecasts beside what came, by bins of the forecast.

    `error` is the expected calibration error: the mean over the rounds of |mean forecast - share of 1s| in their bin. Labels drawn with
    exactly these probabilities would show an error too, about `by_chance` and give or take `deviation` (one standard deviation).
    """

    error: float
    by_chance: float
    deviation: float
    bins: tuple[ReliabilityBin, ...]

    def __repr__(self) -> str:
        return f"<calibration: error {self.error:.4g}, by chance {self.by_chance:.4g} ± {self.deviation:.4g}, {len(self.bins)} bins>"


def _in_a_line(title: str, rates: dict[str, float | None]) -> str:
    """Return the rates that there are, in a line.

    >>> _in_a_line("metrics", {"accuracy": 0.975, "AUC": None, "log-loss": 0.136792})
    '<metrics: accuracy 0.975, log-loss 0.1368>'
    """
    return f"<{title}: {', '.join(f'{name} {rate:.4g}' for name, rate in rates.items() if rate is not None) or 'no rounds'}>"


@dataclass(frozen=True, repr=False)
class Metrics:
    """Rates of a run over two classes; None where there is nothing to divide by, or no scores. Every round counts once."""

    accuracy: float | None
    false_positive_rate: float | None  # of the negatives, how many were predicted positive
    false_negative_rate: float | None
    precision: float | None  # of those predicted positive, how many are
    recall: float | None
    f1: float | None
    auc: float | None = None
    auc_off_by: float | None = None  # the most by which auc can be wrong
    average_precision: float | None = None
    log_loss: float | None = None  # in nats a round, of the probabilities given before each label
    brier: float | None = None
    calibration: Reliability | None = None

    def __repr__(self) -> str:
        rates = {"accuracy": self.accuracy, "precision": self.precision, "recall": self.recall, "F1": self.f1, "AUC": self.auc}
        return _in_a_line("metrics", {**rates, "log-loss": self.log_loss, "Brier score": self.brier})

    @classmethod
    def of(
        cls,
        rounds: int,
        positives: int,
        false_positives: int,
        false_negatives: int,
        marks: Marks | None = None,
        probabilities: bool = False,
    ) -> Metrics:
        """From the counts of a run; scores are left out where they are not those of all its rounds.

        >>> rates = Metrics.of(10, 4, 1, 2)
        >>> rates.accuracy, rates.recall, rates.f1, rates.auc
        (0.7, 0.5, 0.5714285714285714, None)
        """
        hits = positives - false_negatives
        known = marks if marks is not None and marks.rounds == rounds else None
        ranked = known.auc() if known is not None else None
        odds = known if probabilities else None
        return cls(
            accuracy=part(rounds - false_positives - false_negatives, rounds),
            false_positive_rate=part(false_positives, rounds - positives),
            false_negative_rate=part(false_negatives, positives),
            precision=part(hits, hits + false_positives),
            recall=part(hits, positives),
            f1=part(2 * hits, 2 * hits + false_positives + false_negatives),
            auc=ranked[0] if ranked else None,
            auc_off_by=ranked[1] if ranked else None,
            average_precision=known.average_precision() if known is not None else None,
            log_loss=odds.log_loss() if odds is not None else None,
            brier=odds.brier() if odds is not None else None,
            calibration=odds.reliability() if odds is not None else None,
        )

    def __call__(self) -> Metrics:
        """`run.metrics` was a method once: `run.metrics()` says the same."""
        return self

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


class ClassMarks:
    """The forecasts of labelled rounds of several classes, in bins: of each class against the rest, and of the one that was likeliest.

    >>> marks = ClassMarks()
    >>> marks.add(np.array([1, 0], np.int32), np.array([[-1.0, 1.0], [-2.0, 2.0]]))
    >>> marks.rounds, [auc for auc, _ in (of_class.auc() for of_class in marks.each)], round(marks.brier(), 3)
    (2, [0.0, 0.0], 0.848)
    """

    def __init__(self) -> None:
        self.each: list[Marks] = []
        self.likeliest = Marks()

    @classmethod
    def of_two(cls, marks: Marks) -> ClassMarks:
        """Of rounds in which there were two classes: the log-odds of the second one."""
        both = cls()
        both.each = [marks.exchanged(), marks.copy()]
        both.likeliest = both.each[1].upper(both.each[0])
        return both

    @property
    def rounds(self) -> int:
        return self.likeliest.rounds

    def add(self, labels: np.ndarray, odds: np.ndarray) -> None:
        """Enter these rounds, rounds × classes; a class that has not come has next to no chance."""
        if not odds.shape[1]:  # no class has come, so that no round has a label
            return
        if odds.shape[1] > MOST_RANKED:
            self.each = []
            return
        labelled = labels >= 0
        while len(self.each) < odds.shape[1]:  # in the rounds before it a class had no chance, and did not come
            self.each.append(Marks())
            early = self.rounds
            if early:
                self.each[-1].add(np.zeros(early, np.int32), np.full(early, UNSEEN), odds=True)
        for c, marks in enumerate(self.each):
            codes = np.where(labelled, labels == c, -1).astype(np.int32)
            marks.add(codes, np.ascontiguousarray(odds[:, c]), odds=True)
        best = odds.argmax(axis=1)
        codes = np.where(labelled, labels == best, -1).astype(np.int32)
        self.likeliest.add(codes, odds[np.arange(len(odds)), best], odds=True)

    def add_strange(self, labels: np.ndarray, odds: np.ndarray, classes: int) -> float:
        """The same where only the first of so many classes have log-odds; the nats that the forecasts lose at labels. One of the other
        classes has the chance that these leave.

        >>> marks = ClassMarks()
        >>> round(marks.add_strange(np.array([0, 1, -1]), np.zeros((3, 1)), 2), 3), marks.rounds
        (1.386, 2)
        """
        known, labelled = odds.shape[1], labels >= 0
        shares = np.empty((len(odds), known + 1))
        shares[:, :known] = chances(odds)
        shares[:, known] = np.maximum(1 - shares[:, :known].sum(axis=1), np.finfo(float).tiny)
        self.add(labels, np.hstack([odds, np.full((len(odds), classes - known), UNSEEN)]))
        return -float(np.log(shares[labelled, np.minimum(labels[labelled], known)]).sum())

    def copy(self) -> ClassMarks:
        other = ClassMarks()
        other.each, other.likeliest = [marks.copy() for marks in self.each], self.likeliest.copy()
        return other

    def brier(self) -> float | None:
        """The mean over the rounds of Σ(p_c - [y = c])² over the classes."""
        return sum(marks.brier() or 0.0 for marks in self.each) if self.rounds else None


class OfClass(NamedTuple):
    """One class against all others."""

    label: Any
    rounds: int
    precision: float | None
    recall: float | None
    f1: float | None
    auc: float | None = None  # of the probability of this class, against all others
    average_precision: float | None = None


@dataclass(frozen=True, repr=False)
class ClassMetrics:
    """Rates of a run over several classes. macro_f1 is the mean of F1 over the classes that came or were said; one never right has 0."""

    accuracy: float | None
    macro_f1: float | None
    classes: tuple[OfClass, ...]
    log_loss: float | None = None  # in nats a round, of the probabilities given before each label
    brier: float | None = None  # Σ(p_c - [y = c])² over the classes, a round
    auc: float | None = None  # the mean over the classes, each against all others
    average_precision: float | None = None  # the mean over the classes that came
    calibration: Reliability | None = None  # of the probability of the likeliest class

    def __repr__(self) -> str:
        rates = {"accuracy": self.accuracy, "macro F1": self.macro_f1, "AUC": self.auc}
        return _in_a_line(f"metrics of {len(self.classes)} classes", {**rates, "log-loss": self.log_loss, "Brier score": self.brier})

    @classmethod
    def of(
        cls,
        labels: tuple,
        rounds: int,
        mistakes: int,
        confusion: np.ndarray,
        unpredicted: np.ndarray,
        log_loss: float | None = None,
        marks: ClassMarks | None = None,
    ) -> ClassMetrics:
        """From counts[true, predicted]; rounds that came before any class was known count as missed, and scores are left out where they
        are not those of all rounds."""
        table: list[OfClass] = []
        known = marks if marks is not None and marks.rounds == rounds and len(marks.each) == len(labels) else None
        for code, label in enumerate(labels):
            hits, guessed = int(confusion[code, code]), int(confusion[:, code].sum())
            total = int(confusion[code].sum() + unpredicted[code])
            ranked = known.each[code].auc() if known is not None else None
            scored = (ranked[0] if ranked else None, known.each[code].average_precision() if known is not None else None)
            table.append(OfClass(label, total, part(hits, guessed), part(hits, total), part(2 * hits, total + guessed), *scored))
        return cls(
            accuracy=part(rounds - mistakes, rounds),
            macro_f1=mean(row.f1 for row in table),
            classes=tuple(table),
            log_loss=log_loss,
            brier=None if known is None else known.brier(),
            auc=mean(row.auc for row in table),
            average_precision=mean(row.average_precision for row in table),
            calibration=None if known is None else known.likeliest.reliability(),
        )

    def __call__(self) -> ClassMetrics:
        return self

    def as_json(self) -> dict[str, Any]:
        plain = asdict(self)
        scored = ("log_loss", "brier", "auc", "average_precision", "calibration")
        kept = {name: plain[name] for name in scored if plain[name] is not None}
        classes = [
            {name: value for name, value in row._asdict().items() if name not in scored or value is not None} for row in self.classes
        ]
        return {"accuracy": self.accuracy, "macro_f1": self.macro_f1, **kept, "classes": classes}


def part(count: int, whole: int) -> float | None:
    return count / whole if whole else None


def mean(values: Iterable[float | None]) -> float | None:
    """Of those that are known."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
