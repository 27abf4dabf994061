"""What each error costs where classes are several: a matrix, and answers that cost least on average by the probabilities forecast."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import StringIO
from math import isfinite
from pathlib import Path
from typing import Any, Self

import numpy as np

from littlestone.errors import LittlestoneError, require
from littlestone.files import bytes_in
from littlestone.protocol.metrics import UNSEEN, chances
from littlestone.protocol.operating import CheaperOfTwo

MOST_BYTES = 2**26  # of a table of costs
EXPECTED = "expected a table with the labels in its first row and its first column, or TRUE:SAID=COST,TRUE:SAID=COST"


@dataclass(frozen=True)
class CostMatrix:
    """costs[true][said], numbers that are 0 or more; being right costs nothing, and what is left out of a row costs 1.

    >>> matrix = CostMatrix.of("spam:ham=5,ham:spam=2,ham:eggs=1")
    >>> matrix.labels, matrix.table(("ham", "spam", "eggs")).tolist()
    (('spam', 'ham', 'eggs'), [[0.0, 2.0, 1.0], [5.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    >>> matrix.weights()
    {'spam': 5.0, 'ham': 2.0, 'eggs': 1.0}
    """

    costs: Mapping[str, Mapping[str, float]]

    @classmethod
    def of(cls, cost: Any) -> Self:
        """Of a mapping of mappings, of `TRUE:SAID=COST,...`, or of a file of comma-separated values."""
        if isinstance(cost, cls):
            return cost
        if isinstance(cost, Mapping):
            rows = {label: dict(row) if isinstance(row, Mapping) else {} for label, row in cost.items()}
            return cls(_checked({text_of(a): {text_of(b): value for b, value in row.items()} for a, row in rows.items()}))
        if "=" in str(cost):
            made: dict[str, dict[str, Any]] = {}
            for part in str(cost).split(","):
                pair, _, value = part.rpartition("=")
                true, _, answer = pair.partition(":")
                require(true.strip() and answer.strip(), f"cost {part!r}: {EXPECTED}")
                made.setdefault(true.strip(), {})[answer.strip()] = value
            return cls(_checked(made))
        text = bytes_in(cost, MOST_BYTES, "a table of costs").decode("utf-8-sig")
        table = [row for row in csv.reader(StringIO(text, newline="")) if row]
        require(len(table) > 1 and all(len(row) == len(table[0]) for row in table), f"cost {cost}: {EXPECTED}")
        columns = [label.strip() for label in table[0][1:]]
        matrix = cls(_checked({row[0].strip(): dict(zip(columns, row[1:], strict=True)) for row in table[1:]}))
        left_out = [label for label in matrix.labels if label not in columns or label not in matrix.costs]
        require(
            not left_out,
            f"cost {cost}: label {', '.join(left_out[:1])!r} stands in its first row or column alone; expected both",
        )
        return matrix

    @staticmethod
    def meant(cost: Any) -> bool:
        """Is it a matrix, and not what a false positive and a false negative cost?"""
        return isinstance(cost, CostMatrix | Mapping) or (isinstance(cost, str) and ("=" in cost or Path(cost).is_file()))

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels that it names."""
        return tuple(dict.fromkeys([*self.costs, *(answer for row in self.costs.values() for answer in row)]))

    def table(self, labels: Sequence[Any]) -> np.ndarray:
        """costs[true, said] of these labels; one that it does not name is refused."""
        texts, known = list(map(text_of, labels)), self.labels
        strange = [text for text in texts if text not in known]
        require(
            not strange,
            f"label {', '.join(strange[:1])!r} is left out of the cost matrix, which has {', '.join(known)}; expected all",
        )
        rows = [[0.0 if true == answer else self.costs.get(true, {}).get(answer, 1.0) for answer in texts] for true in texts]
        return np.array(rows, np.float64).reshape(len(texts), len(texts))

    def weights(self) -> dict[str, float]:
        """The largest cost of an error about each label: what its rounds weigh, so that no cost is more than the weight of a mistake."""
        return dict(zip(self.labels, self.table(self.labels).max(axis=1).tolist(), strict=True))


def text_of(label: Any) -> str:
    """A label as a file has it: 3.0 and 3 are the same."""
    number = isinstance(label, float | np.floating) and float(label).is_integer()
    return str(int(label)) if number else str(label)


def _checked(costs: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    made: dict[str, dict[str, float]] = {}
    for true, row in costs.items():
        made[true] = {}
        for answer, value in row.items():
            try:
                number = float(value)
            except (TypeError, ValueError):
                number = -1.0
            sound = isfinite(number) and number >= 0 and (number > 0) == (true != answer)
            expected = "a number above 0" if true != answer else "0: being right costs nothing"
            require(sound, f"cost of {answer!r} where {true!r} is true: {value!r}; expected {expected}")
            made[true][answer] = number
    require(made, f"cost: the matrix is empty; {EXPECTED}")
    return made


@dataclass
class LeastCost:
    """Answers with the class that costs least on average, by the probabilities forecast, or as predicted where that has cost less so far;
    and what that came to.

    >>> point = LeastCost(CostMatrix.of("a:b=9,b:a=1"))
    >>> odds, predictions = np.array([[0.0, 0.0], [-2.0, 2.0]]), np.array([1, 1])
    >>> point.take(odds, np.array([0, 1]), None, ("a", "b"), predictions).tolist(), point.mistakes, point.cost
    ([1, 0], 2, 10.0)
    """

    matrix: CostMatrix
    labels: tuple = ()  # by their codes
    mistakes: int = 0
    cost: float = 0.0
    two: CheaperOfTwo | None = field(default_factory=CheaperOfTwo)  # None in model files of before there was a choice

    def answers(self, odds: np.ndarray, predictions: np.ndarray) -> np.ndarray:
        """The codes of the answers to rows with these log-odds of the classes and these predictions; nothing is counted."""
        return predictions.astype(np.int32) if self.two is not None and not self.two.by_forecast else self.cheapest(odds)

    def cheapest(self, odds: np.ndarray) -> np.ndarray:
        """The codes of the classes that cost least by these log-odds; -1 where no class is known."""
        known = odds > UNSEEN
        expected = chances(odds) @ self.matrix.table(self.labels)[: odds.shape[1], : odds.shape[1]]
        expected[~known] = np.inf
        return np.where(known.any(axis=1), expected.argmin(axis=1) if odds.shape[1] else 0, -1).astype(np.int32)

    def take(self, odds: np.ndarray, codes: np.ndarray, weights: np.ndarray | None, labels: tuple, predictions: np.ndarray) -> np.ndarray:
        """The answers to rounds, and their costs, times what a row weighs beside what its label does."""
        self.labels = labels
        answers, table = self.cheapest(odds), self.matrix.table(labels)
        labelled = codes >= 0
        weights_of = self.matrix.weights()  # over all labels that it names, as rounds weigh: not those alone that came so far
        largest = np.array([*(weights_of[text_of(label)] for label in labels), 1.0])  # the last is for rows without a label
        own = np.where(labelled, 1.0 if weights is None else weights / largest[codes], 0.0)

        def cost_of(answers: np.ndarray) -> np.ndarray:
            return own * np.where(answers >= 0, table[codes, answers], largest[codes]) if len(labels) else np.zeros(len(codes))

        if self.two is not None:
            answers = np.where(self.two.take(cost_of(predictions), cost_of(answers)), answers, predictions).astype(np.int32)
        self.mistakes += int((labelled & (answers != codes)).sum())
        self.cost += float(cost_of(answers).sum())
        return answers

    def weight_of(self, label: Any) -> float:
        """What a round with this label weighs, 1 without one; a label that the matrix leaves out is refused."""
        if label is None or label != label:
            return 1.0
        self.matrix.table((label,))
        return self.matrix.weights()[text_of(label)]

    def as_json(self) -> dict[str, Any]:
        return {"mistakes": self.mistakes, "cost": self.cost, **({} if self.two is None else self.two.as_json())}

    def copy(self) -> LeastCost:
        return replace(self, two=self.two and replace(self.two))

    def refuse_unreached(self) -> None:
        """It has no target."""

    def kept(self) -> dict[str, Any]:
        """As a model file keeps it."""
        two = {} if self.two is None else {"two": self.two.kept()}
        return {"matrix": {true: dict(row) for true, row in self.matrix.costs.items()}, "mistakes": self.mistakes, "cost": self.cost, **two}

    @classmethod
    def opened(cls, plain: Any, labels: Sequence[Any]) -> LeastCost:
        """The same again, checked."""
        try:
            sound = plain["mistakes"] >= 0 and isfinite(plain["cost"]) and plain["cost"] >= 0
            point = cls(CostMatrix.of(plain["matrix"]), tuple(labels), int(plain["mistakes"]), float(plain["cost"]))
            point.two = CheaperOfTwo.opened(plain.get("two"))
            point.matrix.table(labels)
        except (KeyError, TypeError, ValueError) as error:
            raise LittlestoneError(f"its costs are not sound: {error}") from None
        require(sound, "its costs are not sound: expected counts")
        return point
