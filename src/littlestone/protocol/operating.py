"""The operating point: how rows are answered, beside the prediction that a bound speaks of. From some probability on the answer is 1."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, isfinite, log
from typing import Any, Self

import numpy as np

from littlestone.errors import require
from littlestone.theory.operating import REACH, SHARES, TargetShare, led_cost, target_of, within

COUNTS = ("true_positives", "false_positives", "true_negatives", "false_negatives")


@dataclass
class CheaperOfTwo:
    """What predictions have cost so far, and what answers by the forecasts have: those are given that have cost less (theory/operating.py).

    >>> two = CheaperOfTwo()
    >>> two.take(np.array([4.0, 0.0, 0.0, 1.0]), np.array([0.0, 0.0, 5.0, 0.0])).tolist(), two.by_forecast, two.limit
    ([False, True, True, False], False, 15.0)
    """

    prediction_cost: float = 0.0
    forecast_cost: float = 0.0
    largest: float = 0.0  # the most that two answers to a row differed in cost

    @property
    def by_forecast(self) -> bool:
        """Is the next row answered by the forecast?"""
        return self.forecast_cost < self.prediction_cost

    @property
    def limit(self) -> float:
        """What following them can have cost."""
        return led_cost(self.prediction_cost, self.forecast_cost, self.largest)

    def take(self, predictions: np.ndarray, forecasts: np.ndarray) -> np.ndarray:
        """In which rounds the forecast is followed, of rounds in which the two cost so much; sums grow in order, however rounds are cut."""
        by_prediction, by_forecast = (
            np.cumsum(np.concatenate([[before], costs]))
            for before, costs in ((self.prediction_cost, predictions), (self.forecast_cost, forecasts))
        )
        self.prediction_cost, self.forecast_cost = float(by_prediction[-1]), float(by_forecast[-1])
        self.largest = max(self.largest, float(np.abs(predictions - forecasts).max(initial=0.0)))
        return by_forecast[:-1] < by_prediction[:-1]

    def as_json(self) -> dict[str, Any]:
        follows = "forecasts" if self.by_forecast else "predictions"
        return {"follows": follows, "predictions_cost": self.prediction_cost, "forecasts_cost": self.forecast_cost, "limit": self.limit}

    def kept(self) -> list[float]:
        return [self.prediction_cost, self.forecast_cost, self.largest]

    @classmethod
    def opened(cls, plain: Any) -> CheaperOfTwo | None:
        """As a model file keeps it; files of before there were two answers to choose from have none."""
        if plain is None:
            return None
        sound = isinstance(plain, list) and len(plain) == 3 and all(type(x) in (int, float) and isfinite(x) and x >= 0 for x in plain)
        require(sound, "its operating point is not sound: expected three costs")
        return cls(*map(float, plain))


@dataclass
class Operating:
    """A threshold on the probability of a 1, fixed or led to a target, and what came of it so far.

    >>> point = Operating.at(threshold=0.2)
    >>> point.take(np.array([1, 0, 1, -1]), np.array([0.5, -1.0, -3.0, 2.0]))
    array([ True,  True, False,  True])
    >>> point.as_json()
    {'threshold': 0.2, 'false_positives': 1, 'false_negatives': 1, 'cost': 2.0}
    """

    log_odds: float  # the threshold
    target: TargetShare | None = None
    true_positives: int = 0
    false_positives: int = 0
    true_negatives: int = 0
    false_negatives: int = 0
    cost: float = 0.0  # the weights of the rounds that were answered wrongly
    two: CheaperOfTwo | None = None  # where errors have costs: the forecast's answers are given where they have cost less

    @classmethod
    def at(cls, threshold: Any = None, target: Any = None) -> Self:
        """At a probability, or wherever a target leads."""
        require(threshold is None or target is None, "threshold and target: one at a time")
        if target is not None:
            return cls(0.0, target_of(target))
        try:
            share = float(threshold)
        except (TypeError, ValueError):
            share = -1.0
        require(0 < share < 1, f"threshold {threshold!r}: expected a probability between 0 and 1")
        return cls(log(share / (1 - share)))

    @property
    def threshold(self) -> float:
        return float(f"{1 / (1 + exp(-self.log_odds)):.12g}")

    def answers(self, scores: np.ndarray, predictions: np.ndarray) -> np.ndarray:
        """The answers to rows with these log-odds and these predictions; nothing moves."""
        if self.two is not None and not self.two.by_forecast:
            return predictions == 1
        return (scores if self.target is None else np.clip(scores, -REACH, REACH)) >= self.log_odds

    def take(
        self, labels: np.ndarray, scores: np.ndarray, weights: np.ndarray | None = None, predictions: np.ndarray | None = None
    ) -> np.ndarray:
        """The answers to rounds, each before its label is looked at; counts, and moves towards the target."""
        known = labels >= 0 if weights is None else (labels >= 0) & (weights > 0)  # what weighs nothing teaches nothing
        if self.two is not None:
            assert predictions is not None
            truth, each = labels == 1, np.where(known, 1.0 if weights is None else weights, 0.0)
            both = (predictions == 1, scores >= self.log_odds)
            answers = np.where(self.two.take(*(each * (answer != truth) for answer in both)), both[1], both[0])
        elif self.target is None:
            answers = scores >= self.log_odds
        else:
            answers, theta, moved = np.empty(len(scores), np.bool_), self.log_odds, self.target.moved
            rows = zip(np.clip(scores, -REACH, REACH).tolist(), (labels == 1).tolist(), known.tolist(), strict=True)
            for t, (score, y, labelled) in enumerate(rows):
                answers[t] = answer = score >= theta
                if labelled and self.target.bears(answer, y):
                    theta = moved(theta, answer, y)
            self.log_odds = theta
        for name, answer, y in zip(COUNTS, (True, True, False, False), (1, 0, 0, 1), strict=True):
            setattr(self, name, getattr(self, name) + int((known & (answers == answer) & (labels == y)).sum()))
        wrong = known & (answers != (labels == 1))
        self.cost += float(wrong.sum() if weights is None else weights[wrong].sum(dtype=np.float64))
        return answers

    def take_one(self, y: bool, score: float, weight: float, yhat: bool) -> bool:
        """The same of one round."""
        return bool(self.take(np.array([int(y)]), np.array([score]), np.array([weight], np.float32), np.array([yhat]))[0])

    def answer(self, score: float, yhat: bool) -> bool:
        """The answer to one row."""
        return bool(self.answers(np.array([score]), np.array([yhat]))[0])

    @property
    def bearing(self) -> tuple[int, int]:
        """Rounds that bear on the target, and those of them that count for it."""
        assert self.target is not None
        others = {"recall": self.false_negatives, "precision": self.false_positives, "fpr": self.true_negatives}[self.target.name]
        hits = self.false_positives if self.target.name == "fpr" else self.true_positives
        return hits + others, hits

    def reached(self) -> dict[str, Any]:
        """What was asked for and what came; the theorem of theory/operating.py says how near they must be."""
        if self.target is None:
            return {}
        rounds, hits = self.bearing
        return {
            "target": {self.target.name: self.target.share},
            "reached": hits / rounds if rounds else None,
            "rounds": rounds,
            "within": within(rounds),
        }

    def refuse_unreached(self) -> None:
        """A target about rounds that never came."""
        if self.target is not None and not self.bearing[0]:
            name, share = self.target
            require(False, f"target {name}={share:g} cannot be reached: the stream has no {SHARES[name]}; expected some")

    def as_json(self) -> dict[str, Any]:
        wrong = {"false_positives": self.false_positives, "false_negatives": self.false_negatives, "cost": self.cost}
        return {"threshold": self.threshold, **wrong, **self.reached(), **({} if self.two is None else self.two.as_json())}

    def copy(self) -> Operating:
        return replace(self, two=self.two and replace(self.two))

    def kept(self) -> dict[str, Any]:
        """As a model file keeps it."""
        counts = {name: getattr(self, name) for name in COUNTS}
        target = None if self.target is None else f"{self.target.name}={self.target.share!r}"
        two = {} if self.two is None else {"two": self.two.kept()}
        return {"log_odds": self.log_odds, "target": target, **counts, "cost": self.cost, **two}

    @classmethod
    def opened(cls, plain: dict[str, Any]) -> Self:
        """The same again, checked."""
        numbers = (plain["log_odds"], plain["cost"])
        sound = all(type(value) in (int, float) and isfinite(value) for value in numbers) and plain["cost"] >= 0
        sound = sound and all(type(plain[name]) is int and plain[name] >= 0 for name in COUNTS)
        require(sound, "its operating point is not sound: expected finite numbers and counts")
        target = None if plain["target"] is None else target_of(plain["target"])
        counts: dict[str, Any] = {name: plain[name] for name in COUNTS}
        return cls(float(plain["log_odds"]), target, **counts, cost=float(plain["cost"]), two=CheaperOfTwo.opened(plain.get("two")))
