"""What every River classifier of ours is: a model, told one event at a time; and a rule over experts, over models of River.

Labels that are True and False make a model of two classes, any others one of several; the first event decides.
"""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
from river import base, linear_model, naive_bayes, utils
from scipy.special import expit

from littlestone.adapters.catalogue import has_probabilities, learner_of, log_chances, several_of
from littlestone.api.play import play
from littlestone.errors import LittlestoneError, require
from littlestone.learners import experts
from littlestone.learners.reductions.class_panel import ClassPanel
from littlestone.protocol import AdviceModel
from littlestone.rounds.features import spelled
from littlestone.theory.claims import KnownOfExperts, match
from littlestone.theory.experts import slip

#: The checks of River's `yield_checks` that our classes do not pass, each with the reason.
EXPECTED_FAILED_CHECKS: dict[str, str] = {}


class RiverClassifier(base.MiniBatchClassifier):
    """The part that all of our classifiers share."""

    binarize: float | None = None
    labels: Any = None
    ledger = False
    model: Any = None  # ours: None before the first event

    @abstractmethod
    def _learner(self) -> Any:
        """The learner that the parameters name."""

    @property
    def _multiclass(self) -> bool:
        return True

    def __repr__(self) -> str:
        return super().__repr__() + (f" {self.mistakes:,} mistakes in {self.rounds:,} rounds" if self.model is not None else "")

    # ------------------------------------------------------------------------------------------------------------------------ learning

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0) -> None:
        """Learn the label of an event. It counts as a mistake where it would have been predicted otherwise."""
        model = self.model
        if model is None:
            model = self._first(y)
        if self.binarize is not None:
            x = self._prepared(x)
        try:
            model.update(x, y, w)
        except LittlestoneError:
            model.update(named(x), y, w)
        self.model = model

    def learn_many(self, X: Any, y: Any) -> None:
        """Learn from the rows of a frame in their order, as `learn_one` would; a frame that is refused leaves the model as it was."""
        rows, labels = self._rows(X), y.tolist()
        if rows:
            model = self._first(labels[0]) if self.model is None else self.model
            self.model = play(model, rows, labels, predictions=False).model

    def _first(self, y: Any) -> Any:
        """The model of the first event, which says what the labels are."""
        learner = self._learner()
        return (learner if isinstance(y, bool | np.bool_) else several_of(learner)).start(ledger=self.ledger, labels=self.labels)

    def _prepared(self, x: Mapping[Any, Any]) -> dict[Any, float]:
        """Return the features of the event whose values lie above `binarize`."""
        threshold, features = self.binarize, spelled(x)
        assert threshold is not None
        for name, value in features.items():
            require(value == value, f"the value of feature {name!r} is {value}; expected a number")
        return {name: 1.0 for name, value in features.items() if value > threshold}

    def _rows(self, X: Any) -> list[dict[Any, Any]]:
        rows = [named(row) for row in X.to_dict("records")]
        return [self._prepared(row) for row in rows] if self.binarize is not None else rows

    # ---------------------------------------------------------------------------------------------------------------------- predicting

    def _ask(self, question: Any, x: dict[Any, Any]) -> Any:
        if self.binarize is not None:
            x = self._prepared(x)
        try:
            return question(x)
        except LittlestoneError:
            return question(named(x))

    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> Any:
        """The label predicted; None before any was learned. It is what the learner's mistakes are counted by."""
        return None if self.model is None else self._ask(self.model.predict, x)

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """The probability of each label, where the learner gives any."""
        model = self._forecaster()
        if model is None:
            return {}
        if model.kind == "two classes":
            chance = self._ask(model.probability, x)
            return {False: 1 - chance, True: chance}
        scores = self._ask(model.scores, x)
        return dict(zip(scores, self._chances(np.array([list(scores.values())]))[0].tolist(), strict=True))

    def predict_many(self, X: Any) -> Any:
        """The label predicted for each row of a frame."""
        rows = self._rows(X)
        labels = [None] * len(rows) if self.model is None else self.model.predict_many(rows).tolist()
        return utils.pandas.import_pandas().Series(labels, index=X.index)

    def predict_proba_many(self, X: Any) -> Any:
        """The probability of each label for each row of a frame."""
        model, rows = self._forecaster(), self._rows(X)
        frame = utils.pandas.import_pandas().DataFrame
        if model is None or not rows:
            return frame(index=X.index)
        scores = model.predict_many(rows, scores=True)
        if model.kind == "two classes":
            return frame({False: expit(-scores), True: expit(scores)}, index=X.index)
        return frame(self._chances(scores), columns=list(model.classes), index=X.index)

    def _forecaster(self) -> Any:
        """The model, which gives probabilities; River's own error where it does not."""
        learner = self._learner() if self.model is None else self.model.learner
        if not has_probabilities(learner):
            raise NotImplementedError(f"{learner.name} predicts without probabilities")
        return self.model

    def _chances(self, scores: np.ndarray) -> np.ndarray:
        """The probabilities of several classes, a row each, made to add up to 1."""
        learner = self.model.learner
        chances = np.exp(log_chances(learner, scores)) if isinstance(learner, ClassPanel) else np.maximum(expit(scores), sys.float_info.min)
        return chances / chances.sum(axis=1, keepdims=True)

    # --------------------------------------------------------------------------------------------------------------- what was measured

    @property
    def mistakes(self) -> int:
        """Mistakes so far, each event predicted before its label was learned from."""
        return 0 if self.model is None else self.model.mistakes

    @property
    def rounds(self) -> int:
        """Events so far."""
        return 0 if self.model is None else self.model.rounds

    @property
    def _raw_memory_usage(self) -> int:
        """The bytes of what was learned: the code of a learner is shared by all its models."""
        model = self.model
        if model is None:
            return 0
        names = sys.getsizeof(model.features) + sum(map(sys.getsizeof, model.features))
        ledger = model.ledger
        rows = (
            0
            if ledger is None or not len(ledger)
            else sum(part.nbytes for part in vars(ledger.block()).values() if hasattr(part, "nbytes"))
        )
        return names + rows + sum(array.nbytes for array in model.arrays().values())


def named(x: Mapping[Any, Any]) -> Any:
    """An event whose features are all texts, or all columns: those that are neither, such as pairs of words, by the text that shows them.

    >>> named({"free": 1, ("free", "offer"): 2})
    {'free': 1, "('free', 'offer')": 2}
    """
    kinds = set(map(type, x))
    if kinds <= {str} or kinds == {int}:
        return x
    names = {name if isinstance(name, str) else repr(name): value for name, value in x.items()}
    require(len(names) == len(x), f"two of the features {', '.join(map(repr, x))} are shown by the same text")
    return names


class Online(RiverClassifier):
    """Any learner as a classifier.

    Parameters
    ----------
    learner : str, default="panel"
        The name of a learner, with settings or without: `"panel"`, `"one_vs_rest:learner=arow"`.
    settings : dict or None
        More settings, by their names.
    binarize : float or None, default=None
        For learners of ones and zeros: what lies above it is 1. None takes values as they are.
    labels : list, str or None, default=None
        The labels that may come; another one is refused. "any" lets all in. None: any, with a warning of one that comes late.
    ledger : bool, default=False
        Does `model` keep the rounds that it learned from, to explain, forget and roll back?
    """

    def __init__(
        self,
        learner: Any = "panel",
        settings: Mapping[str, Any] | None = None,
        *,
        binarize: float | None = None,
        labels: Any = None,
        ledger: bool = False,
    ) -> None:
        self.learner = learner
        self.settings = settings
        self.binarize = binarize
        self.labels = labels
        self.ledger = ledger

    def _learner(self) -> Any:
        return learner_of(self.learner, self.settings, "River")

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"learner": "arow"}


class Experts(base.Ensemble, base.Classifier):
    """Classifiers as experts: each is charged 1 for a wrong label before it learns, and a rule finds out whom to trust.

    The label predicted is the one with the most trust behind it. `regret` is what the rule lost beyond the best expert, and `bound` what
    the theorem of the rule allows, whatever the events and the models are.

    Parameters
    ----------
    models : list
        The classifiers.
    rule : str, default="adahedge"
        The rule over experts, with settings or without: `"hedge:eta=1/2"`.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics, naive_bayes, tree
    >>> from littlestone.adapters.river import Arow, Experts
    >>> model = Experts([Arow(), naive_bayes.GaussianNB(), tree.HoeffdingTreeClassifier()])
    >>> evaluate.progressive_val_score(datasets.Phishing().take(400), model, metrics.Accuracy())
    Accuracy: 84.96%
    >>> round(model.regret, 1), round(model.bound, 1)
    (2.6, 5.4)
    """

    def __init__(self, models: Any, rule: str = "adahedge") -> None:
        super().__init__(models)
        self.rule = rule
        self._trust = self._started()

    def _started(self) -> AdviceModel:
        rule = experts.named(self.rule, advice="loss").sized(len(self))
        require(
            not rule.bandit and rule.weights is not None, f"rule={self.rule!r}: expected one that weighs every expert, such as adahedge"
        )
        self._losses = np.zeros(len(self))
        return rule.start()

    @property
    def _multiclass(self) -> bool:
        return all(model._multiclass for model in self)

    def learn_one(self, x: dict[Any, Any], y: Any) -> None:
        """Charge each expert for its prediction, then let it learn."""
        charges = np.array([model.predict_one(x) != y for model in self], np.float32)
        self._trust.observe(charges)
        self._losses += charges
        for model in self:
            model.learn_one(x, y)

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """The trust behind each label; together 1."""
        trust: dict[Any, float] = {} if self._multiclass else {False: 0.0, True: 0.0}
        for model, weight in zip(self, self.weights, strict=True):
            label = model.predict_one(x)
            if label is not None:
                trust[label] = trust.get(label, 0.0) + weight
        total = sum(trust.values())
        return {label: share / total if total else 1 / len(trust) for label, share in trust.items()}

    @property
    def weights(self) -> list[float]:
        """How much each expert is trusted now; together 1."""
        return self._trust.weights.tolist()

    @property
    def loss(self) -> float:
        """What the rule lost: the share of the trust that was wrong in each round, added up. Of two labels its own errs at most twice."""
        return self._trust.loss

    @property
    def losses(self) -> list[float]:
        """What each expert lost: its mistakes."""
        return self._losses.tolist()

    @property
    def regret(self) -> float:
        """What the rule lost beyond the best expert."""
        return self.loss - float(self._losses.min())

    @property
    def bound(self) -> float | None:
        """What the regret is at most, by the theorem of the rule; None where it has none of this kind."""
        trust, best = self._trust, Fraction(float(self._losses.min()))
        rule, state = trust.rule, trust.state
        facts = {**rule.settings, "n": len(self), "T": trust.rounds, "m": best, "F": Fraction(trust.loss), "slack": slip(trust.rounds)}
        if rule.facts is not None:
            facts |= rule.facts(SimpleNamespace(rule=rule, state=state, rounds=trust.rounds, loss=trust.loss))
        bounds = [bound for bound in rule.bounds if "m" in bound.needs]
        claims = match(KnownOfExperts(rule.name, bounds, facts, trust.loss, best=best))
        limits = [float(claim.limit) for claim in claims if claim.limit is not None and claim.holds]
        return min(limits) - float(best) if limits else None

    @property
    def _raw_memory_usage(self) -> int:
        """That of the experts, and of the rule."""
        rule = sum(array.nbytes for array in self._trust.arrays().values())
        return self._losses.nbytes + rule + sum(model._raw_memory_usage for model in self)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"models": [linear_model.LogisticRegression(), naive_bayes.GaussianNB(), Online("arow")]}
