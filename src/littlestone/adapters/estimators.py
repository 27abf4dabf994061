"""What every scikit-learn classifier of ours is: a learner, played over rows that scikit-learn has checked, and a model to predict with.

Rows become float32, and `ls.play` does the rest. Of two classes the labels become True and False, and the classifier keeps which is which;
of several classes the model knows the labels itself.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import binarize
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from littlestone.adapters.catalogue import has_probabilities, is_scored, learner_of, log_chances, several_of
from littlestone.api.certify import certify
from littlestone.api.play import play
from littlestone.api.predict import predict_codes
from littlestone.errors import LateLabel, LittlestoneError, UndeclaredLabel, require
from littlestone.learners.reductions.class_panel import ClassPanel
from littlestone.protocol.labels import LabelRules
from littlestone.rounds.reading import ANY, label_choices
from littlestone.streams.label_codes import rank
from littlestone.theory.certificate import Certificate

TINY = np.finfo(np.float64).tiny  # the score of a tie, which is decided for the positive class
JUST_OVER, JUST_UNDER = np.nextafter(0.5, 1), np.nextafter(0.5, 0)

#: The checks of scikit-learn's `check_estimator` that an online learner cannot pass, each with the reason.
EXPECTED_FAILED_CHECKS = dict.fromkeys(
    ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"),
    "a row of weight 2 is one round that teaches twice as much, and a row that stands there twice is two rounds; "
    "scikit-learn's Perceptron and SGDClassifier have the same two exceptions",
)


def same_kind(y: np.ndarray, before: np.ndarray) -> None:
    """Are labels texts where those before were, and numbers where those were? Only labels of no one type are looked at one by one."""
    texts = isinstance(before.tolist()[0], str)
    if y.dtype.kind == ("U" if texts else "i"):
        return
    odd = next((k for k, label in enumerate(y.tolist()) if isinstance(label, str) != texts), None)
    if odd is not None:
        raise LittlestoneError(
            f"row {odd}: the label is {y[odd]!r}; expected {'text' if texts else 'a number'}, as {before.tolist()} before"
        )


def _where(holds: Callable[[Any], bool], what: str) -> Callable[[Any], bool]:
    """Asked by scikit-learn before a method is looked up: does the learner of a classifier have what the method needs?"""

    def check(classifier: Any) -> bool:
        learner = classifier._learner()
        if not holds(learner):
            raise AttributeError(f"{learner.name} predicts without {what}")
        return True

    return check


SCORED, PROBABLE = _where(is_scored, "a score"), _where(has_probabilities, "probabilities")


class LearnerClassifier(ClassifierMixin, BaseEstimator, ABC):
    """The part that all of our classifiers share."""

    domain = "real"
    hears_all = True  # is it told the label of every row?
    n_iter = 1
    certify = True
    ledger: bool | None = None
    class_weight: Any = None
    labels: Any = None
    binarize: float | None = None
    model_: Any

    @abstractmethod
    def _learner(self) -> Any:
        """The learner that the parameters name."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.poor_score = self.domain != "real" or not self.hears_all
        return tags

    # ------------------------------------------------------------------------------------------------------------------------ learning

    def _fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        with self._whole():
            X, y = self._checked(X, y, first=True)
            check_classification_targets(y)
            labels, declared = np.unique(y), self._declared_labels(y)
            classes = labels if declared is None else declared
            self._begin(classes, several=len(classes) > 2)
            weights = self._weights(X, y, sample_weight, labels)
            self._play(X, y, weights, ledger=self.ledger is not False, passes=self.n_iter, keep=bool(self.certify), whole=True)
        return self

    def _partial_fit(self, X: Any, y: Any, classes: Any, sample_weight: Any = None) -> Any:
        first = not hasattr(self, "model_")
        classes = None if classes is None else np.unique(classes)
        with self._whole():
            X, y = self._checked(X, y, first=first)
            declared = self._declared_labels(y)
            classes = declared if classes is None else classes
            if y.dtype.kind not in "biuUS":
                check_classification_targets(y)
            if first:
                labels = np.unique(y) if classes is None else classes
                # where no classes are given more labels may come; a model of two classes becomes one of several if it has a ledger
                ready = classes is not None or y.dtype == np.bool_ or (self.ledger is not False and self._learner().updates_on != "always")
                self._begin(labels, several=len(labels) > 2 or not ready)
                self._declared = classes is not None
            elif classes is not None and not np.array_equal(classes, self.classes_):
                raise LittlestoneError(f"classes={classes.tolist()} are not those of the first call, {self.classes_.tolist()}")
            kept = self.ledger or (self.ledger is None and not self._declared)
            self._play(X, y, self._weights(X, y, sample_weight, None), ledger=kept, whole=first or self._declared)
        return self

    def _declared_labels(self, y: np.ndarray) -> np.ndarray | None:
        """The labels that may come, where they were declared; another one among y is refused."""
        rules = LabelRules.of(label_choices(self.labels))
        if rules.declared is None:
            return None
        for row, label in enumerate(y.tolist()):
            if expected := rules.objection(label, row + 1, ()):
                raise UndeclaredLabel(f"row {row}: found label {label!r}, expected {expected}")
        return np.unique(list(rules.declared.values()))

    @contextmanager
    def _whole(self) -> Iterator[None]:
        """All of it or nothing: rows that are refused leave the classifier as it was."""
        before = dict(self.__dict__)
        try:
            yield
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _with(self, X: Any, call: Callable[[Any], Any]) -> Any:
        """The call with these rows. Entries that stand there twice are added up, as scikit-learn does; of a value that is not finite, the
        error names row and column as scikit-learn counts them."""
        try:
            return call(X)
        except LittlestoneError:
            table = X.tocoo() if hasattr(X, "tocoo") else None
            values = X if table is None else table.data
            if not np.isfinite(values).all():
                first = np.argwhere(~np.isfinite(values))[0]
                row, column = first if table is None else (table.row[first[0]], table.col[first[0]])
                name = getattr(self, "feature_names_in_", range(X.shape[1]))[column]
                kind = "NaN" if np.isnan(values[tuple(first)]) else "infinity"
                raise LittlestoneError(f"Input X contains {kind}: row {row}, column {name!r}; expected finite numbers") from None
            if table is None or X.has_canonical_format:
                raise
            X = X.copy()
            X.sum_duplicates()
            return call(X)

    def _checked(self, X: Any, y: Any, *, first: bool) -> tuple[Any, np.ndarray]:
        with np.errstate(over="ignore"):  # too large for float32 is infinite, and is refused by name when it is played
            X, y = validate_data(self, X, y, reset=first, accept_sparse="csr", dtype=np.float32, ensure_all_finite=False)
        return self._domain(X), y

    def _domain(self, X: Any) -> Any:
        """The rows as the learner takes them: ones and zeros for a learner of such."""
        return X if self.binarize is None or self._learner().domain == "real" else binarize(X, threshold=self.binarize)

    def _begin(self, labels: np.ndarray, *, several: bool) -> None:
        """The learner of two classes or of several, in the place of the model that its first rows will make."""
        learner = self._learner().sized(self.n_features_in_)
        self.classes_, self._declared = labels, False
        self._costs: dict[Any, float] | None = None
        self._two: list[Any] | None = None
        self.model_ = several_of(learner) if several else learner
        if self.model_.kind == "two classes":
            known = labels.tolist()  # of one label alone nobody knows what the other will be
            self._two = known if len(known) == 2 else [known[0], None] if known[0] in (0, -1) else [None, known[0]]

    def _weights(self, X: Any, y: np.ndarray, sample_weight: Any, labels: np.ndarray | None) -> np.ndarray | None:
        """The weight of each round; None where all are 1. `labels` are those of all rows there will be, None where nobody knows."""
        if self.class_weight is None and sample_weight is None:
            return None
        learner = self._learner()
        require(learner.weighted, f"{learner.name} honours no weights: each round counts once")
        weights = None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        if self.class_weight is None:
            return weights
        if labels is None:
            require(self.class_weight != "balanced", "class_weight='balanced' needs all labels, and partial_fit has only those of its rows")
            labels = np.unique(y)
            by_label = np.array([self.class_weight.get(label, 1.0) for label in labels.tolist()])
        else:
            by_label = compute_class_weight(self.class_weight, classes=labels, y=y)
        if learner.of_experts:  # its forecasts count each round once, whatever it weighs: class weights are costs of the prediction
            self._costs = dict(zip(labels.tolist(), by_label.tolist(), strict=True)) | (self._costs or {})
            return weights
        by_row = by_label[np.searchsorted(labels, y)]
        return by_row if weights is None else weights * by_row

    def _play(
        self, X: Any, y: np.ndarray, weights: np.ndarray | None, *, ledger: bool, passes: int = 1, keep: bool = False, whole: bool = False
    ) -> None:
        """Play some rows; `whole`: no label will come that is not known before the first of them is played."""
        labels = self._labels(y)
        how: dict[str, Any] = {"sample_weight": weights, "ledger": ledger, "passes": passes, "predictions": keep}
        how["labels"] = "any" if isinstance(self.labels, str) and self.labels == ANY else None
        with warnings.catch_warnings():
            if whole:
                warnings.simplefilter("ignore", LateLabel)
            run = self._with(X, lambda rows: play(self.model_, rows, labels, **how))
        self.model_ = run.model
        if self._two is not None and None not in self._two and not isinstance(self._two[1], float):
            self.model_.reading = {**self.model_.reading, "labels": list(self._two)}
        self._rows = (run, X, labels, weights) if keep else None
        self._certificate: Certificate | None = None

    def _labels(self, y: np.ndarray) -> np.ndarray:
        """The labels as the model takes them: of two classes True and False, of several as they are. New ones are noted, or refused."""
        same_kind(y, self.classes_)
        if self._two is not None:
            positive = y == self._two[1]
            if bool((positive | (y == self._two[0])).all()):
                # texts as they are, where play takes the same one for the positive: a certificate then says which they are
                texts = all(isinstance(label, str) and label == label.strip() and label for label in self._two)
                return y if texts and sorted(self._two, key=rank) == self._two else positive
        fresh = np.setdiff1d(y, self.classes_)
        if len(fresh):
            if self._declared:
                raise LittlestoneError(f"label {fresh.tolist()[0]!r} is not among the classes of the first call, {self.classes_.tolist()}")
            self.classes_ = np.union1d(self.classes_, fresh)
        if self._two is None:
            return y
        if len(fresh) == 1 and None in self._two:
            self._two = [fresh.tolist()[0] if label is None else label for label in self._two]
            return y == self._two[1]
        self._become_several()
        return y

    def _become_several(self) -> None:
        """A third label: a model of several classes takes over, and learns first from the rounds that the model of two had learned from."""
        names, ledger = np.array(self._two), self.model_.ledger
        self._two, self.model_ = None, several_of(self._learner().sized(self.n_features_in_))
        if ledger is not None and len(ledger):
            block = ledger.block()
            values = np.ones(len(block.indices), np.float32) if block.values is None else block.values
            rows = csr_matrix((values, block.indices.astype(np.int32), block.indptr), shape=(len(block), self.n_features_in_))
            self.model_ = play(self.model_, rows, names[block.labels], sample_weight=block.weights, ledger=True, labels="any").model

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        rounds = getattr(getattr(self, "model_", None), "rounds", None)  # before the first row is played it is a learner
        counted = "" if rounds is None else f"  # {self.mistakes_:,} mistakes in {rounds:,} rounds"
        return str(super().__repr__(N_CHAR_MAX)) + counted

    # ---------------------------------------------------------------------------------------------------------------------- predicting

    def _to_predict(self, X: Any) -> Any:
        check_is_fitted(self)
        with np.errstate(over="ignore"):
            X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float32, ensure_all_finite=False)
        return self._domain(X)

    def predict(self, X: Any) -> np.ndarray:
        """The label of each row. Where the learner has a score, it is the label of the largest one."""
        X = self._to_predict(X)
        if len(self.classes_) == 1:
            return np.repeat(self.classes_, X.shape[0])
        if is_scored(self._learner()):
            scores = self._scores(X)
            return self.classes_[(scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)]
        return self.classes_[self._places()[self._with(X, lambda rows: predict_codes(self.model_, rows))]]

    def _places(self) -> np.ndarray:
        """The place among `classes_` of each code of the model."""
        known = list(self.model_.classes) if self._two is None else self._two
        return np.searchsorted(self.classes_, np.array(known, dtype=self.classes_.dtype))

    def _scores(self, X: Any) -> np.ndarray:
        """The scores of rows that were checked: of two classes a number each, positive for the second class; else a column for each."""
        scores, shift = self._with(X, lambda rows: self.model_.predict_many(rows, scores=True)), self._shift()
        if self._two is not None and len(self.classes_) == 2:
            scores = np.where(scores == 0, TINY, scores)
            scores = scores if self._places()[1] == 1 else -scores
            return scores if shift is None else scores + (shift[1] - shift[0])
        if self._two is not None:
            return np.where(scores == 0, TINY, scores)
        if self._of_panel():
            scores = log_chances(self.model_.learner, scores)
        table = np.tile(scores.min(axis=1, initial=0.0)[:, None] - 1, (1, len(self.classes_)))  # what never came is the least likely
        table[:, self._places()] = scores
        table = table if shift is None else table + shift
        return table[:, 1] - table[:, 0] if len(self.classes_) == 2 else table

    def _of_panel(self) -> bool:
        """Is the model a panel of several classes, whose scores say how likely each class is?"""
        return isinstance(self.model_.learner, ClassPanel)

    def _shift(self) -> np.ndarray | None:
        """What class weights add to the scores of a learner that hears votes: the logarithms of the odds that they stand for."""
        costs = self._costs
        return None if costs is None else np.log(np.maximum([costs.get(label, 1.0) for label in self.classes_.tolist()], TINY))

    @available_if(SCORED)
    def decision_function(self, X: Any) -> np.ndarray:
        """The score of each row: of two classes, positive where the second one is predicted; of several, a column for each class."""
        return self._scores(self._to_predict(X))

    @available_if(PROBABLE)
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class; of several classes, those of each against the rest, made to add up to 1."""
        X = self._to_predict(X)
        if len(self.classes_) == 1:
            return np.ones((X.shape[0], 1))
        scores = self._scores(X)
        if scores.ndim == 1:
            ones = np.where(scores > 0, np.maximum(expit(scores), JUST_OVER), np.minimum(expit(scores), JUST_UNDER))
            return np.column_stack([1 - ones, ones])
        shares = np.maximum(np.exp(scores - scores.max(axis=1, keepdims=True)) if self._of_panel() else expit(scores), TINY)
        rows, best = np.arange(len(scores)), scores.argmax(axis=1)
        tied = (shares == shares[rows, best][:, None]).sum(axis=1) > 1  # rounded to 1, perhaps: the largest score is still the likeliest
        shares[rows[tied], best[tied]] *= 1 + 1e-9
        return shares / shares.sum(axis=1, keepdims=True)

    @available_if(PROBABLE)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithms of these probabilities."""
        return np.log(self.predict_proba(X))

    # --------------------------------------------------------------------------------------------------------------- what was measured

    @property
    def mistakes_(self) -> int:
        """Mistakes so far, each row predicted before its label was learned from."""
        return self._fitted("mistakes_").mistakes

    @property
    def bounds_(self) -> list[Any]:
        """What the theorems say of these mistakes, as far as no search for evidence is needed; `certificate_` has all of it."""
        return self._fitted("bounds_").runner().run().bounds()

    @property
    def certificate_(self) -> Certificate:
        """The certificate of the rows of `fit`, made when first asked for; `ls.verify(certificate_, X, y)` checks it."""
        self._fitted("certificate_")
        if self._certificate is None:
            if self._rows is None:
                raise AttributeError(
                    f"{type(self).__name__} has no rows to certify: fit keeps them with certify=True, partial_fit and a saved classifier "
                    "do not; ls.certify(ls.play(learner, X, y), X, y) certifies a run of your own"
                )
            run, X, labels, weights = self._rows
            self._certificate = self._with(X, lambda rows: certify(run, rows, labels, sample_weight=weights))
        return self._certificate

    def _fitted(self, name: str) -> Any:
        if not hasattr(self, "model_"):
            raise AttributeError(f"{type(self).__name__} has {name} after fit or partial_fit")
        return self.model_

    def __getstate__(self) -> Any:
        """What pickle and joblib keep: the model as its own file, and no rows."""
        state = super().__getstate__()
        return {**state, "_rows": None} if "_rows" in state else state


class UnweightedClassifier(LearnerClassifier):
    """A classifier whose learner counts each row once."""

    def fit(self, X: Any, y: Any) -> Any:
        """Learn from all rows in their order, each predicted before its label is looked at; what was learned before is forgotten."""
        return self._fit(X, y)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Any:
        """Go on with more rows. `classes` at the first call are all labels there will be; without them any label may come later."""
        return self._partial_fit(X, y, classes)


class WeightedClassifier(LearnerClassifier):
    """A classifier whose learner lets a row of weight c count and teach c times."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Learn from all rows in their order, each predicted before its label is looked at; what was learned before is forgotten."""
        return self._fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Any:
        """Go on with more rows. `classes` at the first call are all labels there will be; without them any label may come later."""
        return self._partial_fit(X, y, classes, sample_weight)


class OnlineClassifier(WeightedClassifier):
    """Any learner of the catalogue as a classifier.

    Parameters
    ----------
    learner : str, default="panel"
        The name of a learner, with settings or without: `"panel"`, `"arow:r=10"`.
    settings : dict or None
        More settings, by their names.
    class_weight : dict, "balanced" or None
        A weight for each label.
    labels : list, str or None
        The labels that may come; another one is refused. "any" lets all in. None: those of the rows of fit, or `classes` of partial_fit.
    n_iter : int, default=1
        How often `fit` goes over the rows.
    binarize : float or None, default=0.0
        For learners of ones and zeros: what lies above it is 1. None takes values as they are.
    certify : bool, default=True
        Does `fit` keep its rows, so that `certificate_` can be made when it is asked for?
    ledger : bool or None
        Does `model_` keep the rounds that it learned from, to explain, forget and roll back? None: after `fit`, and after `partial_fit`
        without `classes`, where a third label may come. Keeping them takes as long as learning.
    """

    def __init__(
        self,
        learner: Any = "panel",
        settings: Mapping[str, Any] | None = None,
        *,
        class_weight: Any = None,
        labels: Any = None,
        n_iter: int = 1,
        binarize: float | None = 0.0,
        certify: bool = True,
        ledger: bool | None = None,
    ) -> None:
        self.learner = learner
        self.settings = settings
        self.class_weight = class_weight
        self.labels = labels
        self.n_iter = n_iter
        self.binarize = binarize
        self.certify = certify
        self.ledger = ledger

    def _learner(self) -> Any:
        return learner_of(self.learner, self.settings)

    @property
    def domain(self) -> str:  # type: ignore[override]
        """What values the learner takes; a name that is not known is refused by fit."""
        try:
            return self._learner().domain
        except LittlestoneError:
            return "real"
