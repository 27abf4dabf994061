"""A rule over experts as a scikit-learn meta-estimator: the experts are estimators, and the rule finds out whom to trust.

In each round every expert predicts before the label is looked at, and is charged for its prediction: 1 for a wrong label, or the loss of a
forecast, divided by the largest that there can be. The rule is told these charges, and no more. Its own charge is the weighted mean of
theirs; what that is beyond the best expert is the regret, and the rule's theorem bounds it, whatever the rows and the experts are.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import _BaseComposition
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_consistent_length, check_is_fitted, column_or_1d, indexable, validate_data

from littlestone.api.play import play
from littlestone.errors import require
from littlestone.learners import experts

LOSSES = ("squared", "absolute")


class Account(NamedTuple):
    """What a rule over experts has cost: its loss, the loss of each expert by name, and the theorem's limit on the loss of the rule."""

    loss: float
    losses: dict[str, float]
    limit: float | None


class ExpertsEstimator(_BaseComposition):
    """What the classifier and the regressor share: experts, the table of their charges, and the rule that is told it."""

    estimators: Any
    rule: Any
    prefit: bool
    batch_size: int

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters, and those of the experts as `name__parameter`."""
        return self._get_params("estimators", deep=deep)

    def set_params(self, **params: Any) -> Any:
        """Set parameters; an expert by its name, those of an expert as `name__parameter`."""
        self._set_params("estimators", **params)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = all(get_tags(expert).input_tags.sparse for _, expert in self.estimators)
        return tags

    def fit(self, X: Any, y: Any) -> Any:
        """Learn whom to trust, from all rows in their order; experts that are not fitted yet learn batch by batch, after they predicted."""
        X, y = self._checked(X, y, first=True)
        self._begin(y)
        self._learn(X, y)
        return self

    def _begin(self, y: np.ndarray) -> None:
        rule = experts.named(self.rule, advice="loss") if isinstance(self.rule, str) else self.rule
        named = list(self.estimators or ())
        require(len(named) >= 2, f"{type(self).__name__} needs at least two experts: [(name, estimator), ...]")
        self._validate_names([name for name, _ in named])
        rule = rule.sized(len(named))
        require(
            not rule.bandit and rule.weights is not None, f"rule={self.rule!r}: expected one that weighs every expert, such as adahedge"
        )
        for name, expert in named:
            if self.prefit:
                check_is_fitted(expert)
            else:
                require(hasattr(expert, "partial_fit"), f"expert {name!r} has no partial_fit; fit it yourself, and say prefit=True")
        self.estimators_ = [expert if self.prefit else clone(expert) for _, expert in named]
        self.named_estimators_ = dict(zip((name for name, _ in named), self.estimators_, strict=True))
        self.model_: Any = rule.start()
        self._charged: list[np.ndarray] = []
        self._ready = bool(self.prefit)  # can the experts predict?

    def _learn(self, X: Any, y: np.ndarray) -> None:
        """Rows in batches: predict, be charged, learn. The first batch is predicted by nobody where nobody was fitted."""
        charges = []
        for rows in self._batches(len(y)):
            part, labels = X[rows] if hasattr(X, "dtype") else X.iloc[rows] if hasattr(X, "iloc") else X[rows], y[rows]
            if self._ready:
                charges.append(self._charges(np.column_stack([expert.predict(part) for expert in self.estimators_]), labels))
            if not self.prefit:
                for expert in self.estimators_:
                    self._teach(expert, part, labels)
            self._ready = True
        if charges:
            table = self._scaled(np.concatenate(charges)).astype(np.float32)
            self.model_ = play(self.model_, table).model
            self._charged.append(table)

    def _batches(self, rows: int) -> Iterator[slice]:
        require(self.batch_size >= 1, f"batch_size={self.batch_size!r} must be at least 1")
        return (slice(start, start + self.batch_size) for start in range(0, rows, self.batch_size))

    @property
    def weights_(self) -> dict[str, float]:
        """How much each expert is trusted now; together 1."""
        check_is_fitted(self)
        return dict(zip(self.named_estimators_, self._shares().tolist(), strict=True))

    def _shares(self) -> np.ndarray:
        n = len(self.estimators_)
        return self.model_.weights if self._charged else np.full(n, 1 / n)

    def _account(self) -> Account:
        if not hasattr(self, "estimators_"):
            raise AttributeError(f"{type(self).__name__} has its losses after fit or partial_fit")
        if not self._charged:
            return Account(0.0, dict.fromkeys(self.named_estimators_, 0.0), 0.0)
        run = play(self.model_.rule, np.concatenate(self._charged))
        limits = [float(claim.limit) for claim in run.bounds() if claim.limit is not None and "m" in claim.facts and claim.holds]
        losses = dict(zip(self.named_estimators_, (run.losses * self._unit()).tolist(), strict=True))
        return Account(run.loss * self._unit(), losses, min(limits) * self._unit() if limits else None)

    @property
    def loss_(self) -> float:
        """What the rule lost, the weighted mean of the experts' losses in each round; its own prediction loses no more, or half of it."""
        return self._account().loss

    @property
    def losses_(self) -> dict[str, float]:
        """What each expert lost in the same rounds."""
        return self._account().losses

    @property
    def regret_(self) -> float:
        """What the rule lost beyond the best expert."""
        account = self._account()
        return account.loss - min(account.losses.values())

    @property
    def bound_(self) -> float | None:
        """What the regret is at most, by the theorem of the rule; None where it has none of this kind."""
        account = self._account()
        return None if account.limit is None else account.limit - min(account.losses.values())

    # what differs between labels and numbers

    def _checked(self, X: Any, y: Any, *, first: bool) -> tuple[Any, np.ndarray]:
        require(y is not None, f"{type(self).__name__} requires y to be passed, but the target y is None")
        X, y = indexable(X, y)
        require(len(y), "Found array with 0 sample(s) while a minimum of 1 is required.")
        validate_data(self, X, reset=first, skip_check_array=True)
        y = column_or_1d(y, warn=True)
        check_consistent_length(X, y)
        return X.tocsr() if hasattr(X, "tocsr") else X, y

    @abstractmethod
    def _charges(self, predictions: np.ndarray, y: np.ndarray) -> np.ndarray:
        """What each prediction costs."""

    def _scaled(self, costs: np.ndarray) -> np.ndarray:
        """The costs as charges between 0 and 1."""
        return costs

    def _teach(self, expert: Any, X: Any, y: np.ndarray) -> None:
        expert.partial_fit(X, y)

    def _unit(self) -> float:
        """What a charge of 1 stands for."""
        return 1.0


class ExpertsClassifier(ClassifierMixin, ExpertsEstimator):
    """Classifiers as experts. The label predicted is the one with the most trust behind it.

    Parameters
    ----------
    estimators : list of (str, estimator)
        The experts, by their names.
    rule : str, default="adahedge"
        The rule over experts, with settings or without: `"hedge:eta=1/2"`.
    prefit : bool, default=False
        Are the experts fitted already? They are used as they are then. Otherwise copies of them learn by `partial_fit`.
    batch_size : int, default=64
        How many rows are predicted before their labels are learned from.
    """

    def __init__(self, estimators: Any, *, rule: Any = "adahedge", prefit: bool = False, batch_size: int = 64) -> None:
        self.estimators = estimators
        self.rule = rule
        self.prefit = prefit
        self.batch_size = batch_size

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Any:
        """Go on with more rows. `classes` are needed at the first call where the experts need them."""
        first = not hasattr(self, "estimators_")
        X, y = self._checked(X, y, first=first)
        if first:
            self._begin(y if classes is None else np.asarray(classes))
        self._learn(X, y)
        return self

    def _begin(self, y: np.ndarray) -> None:
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        super()._begin(y)

    def _teach(self, expert: Any, X: Any, y: np.ndarray) -> None:
        expert.partial_fit(X, y, classes=self.classes_)

    def _charges(self, predictions: np.ndarray, y: np.ndarray) -> np.ndarray:
        return predictions != y[:, None]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The trust behind each label; together 1."""
        check_is_fitted(self)
        votes = [np.asarray(expert.predict(X)) for expert in self.estimators_]
        trust = np.zeros((len(votes[0]), len(self.classes_)))
        for share, labels in zip(self._shares(), votes, strict=True):
            trust += share * (labels[:, None] == self.classes_)
        return trust / np.maximum(trust.sum(axis=1, keepdims=True), np.finfo(float).tiny)

    def predict(self, X: Any) -> np.ndarray:
        """The label with the most trust behind it."""
        places = self.predict_proba(X).argmax(axis=1)
        return self.classes_[places]


class ExpertsRegressor(RegressorMixin, ExpertsEstimator):
    """Regressors as experts. The number predicted is the weighted mean of theirs, which never loses more than they do in the mean.

    Parameters
    ----------
    estimators : list of (str, estimator)
        The experts, by their names.
    rule : str, default="adahedge"
        The rule over experts, with settings or without.
    loss : "squared" or "absolute"
        What a forecast costs.
    range : (float, float) or None
        Between which numbers all truths and forecasts lie. None: the largest loss so far is what losses are divided by.
    prefit : bool, default=False
        Are the experts fitted already? They are used as they are then. Otherwise copies of them learn by `partial_fit`.
    batch_size : int, default=64
        How many rows are predicted before their truths are learned from.
    """

    def __init__(
        self,
        estimators: Any,
        *,
        rule: Any = "adahedge",
        loss: str = "squared",
        range: tuple[float, float] | None = None,
        prefit: bool = False,
        batch_size: int = 64,
    ) -> None:
        self.estimators = estimators
        self.rule = rule
        self.loss = loss
        self.range = range
        self.prefit = prefit
        self.batch_size = batch_size

    def partial_fit(self, X: Any, y: Any) -> Any:
        """Go on with more rows."""
        first = not hasattr(self, "estimators_")
        X, y = self._checked(X, y, first=first)
        if first:
            self._begin(y)
        self._learn(X, y)
        return self

    def _begin(self, y: np.ndarray) -> None:
        require(self.loss in LOSSES, f"loss={self.loss!r} must be {' or '.join(map(repr, LOSSES))}")
        super()._begin(y)
        self._largest: float | None = None

    def _checked(self, X: Any, y: Any, *, first: bool) -> tuple[Any, np.ndarray]:
        X, y = super()._checked(X, y, first=first)
        return X, check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")

    def _of(self, distance: Any) -> Any:
        return distance * distance if self.loss == "squared" else abs(distance)

    def _charges(self, predictions: np.ndarray, y: np.ndarray) -> np.ndarray:
        return self._of(predictions - y[:, None])

    def _scaled(self, costs: np.ndarray) -> np.ndarray:
        most = float(costs.max())
        if self.range is not None:
            largest = self._of(float(self.range[1]) - float(self.range[0]))
            require(most <= largest, f"a forecast lost {most:g}, and range={self.range} allows {largest:g}; expected a wider range")
        else:
            largest = max(most, self._largest or 0.0) or 1.0
            if self._charged and largest > self._unit():  # what a charge of 1 stands for has grown: the rounds so far are charged anew
                self._charged = [np.concatenate(self._charged) * np.float32(self._unit() / largest)]
                self.model_ = play(self.model_.rule, self._charged[0]).model
        self._largest = largest
        return costs / largest

    def _unit(self) -> float:
        return self._largest or 1.0

    def predict(self, X: Any) -> np.ndarray:
        """The weighted mean of the experts' forecasts."""
        check_is_fitted(self)
        return np.column_stack([expert.predict(X) for expert in self.estimators_]) @ self._shares()
