"""Our learners as scikit-learn classifiers: `OnlineClassifier`, and a class for each learner of the catalogue, named after it.

>>> from littlestone.adapters.sklearn import ArowClassifier
>>> X, y = [[1, 0], [0, 1], [1, 1], [0, 1]] * 10, ["tea", "coffee", "tea", "coffee"] * 10
>>> classifier = ArowClassifier(r=10).fit(X, y)
>>> classifier.predict([[1, 0]]).tolist(), classifier.mistakes_
(['tea'], 3)

A class is made when it is first asked for; `__all__` has their names. A learner of ones and zeros takes `binarize`.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from littlestone.adapters.catalogue import CONCEPTS, NAMES, NO_CLASS, camel, made_class, sample_of
from littlestone.adapters.estimators import EXPECTED_FAILED_CHECKS, OnlineClassifier, UnweightedClassifier, WeightedClassifier
from littlestone.adapters.expert_estimators import ExpertsClassifier, ExpertsRegressor

HEARS_SOME = ("apple_tasting", "banditron")  # they are told some labels only, and score poorly on a few hundred rows
THROUGH_THE_ORIGIN = ("pnorm", "multiclass_perceptron")  # no weight of a class moves their border, so they have no class_weight


def class_name(learner: str) -> str:
    """`passive_aggressive` is `PassiveAggressiveClassifier`."""
    return f"{camel(learner)}Classifier"


CLASSES = {class_name(name): name for name in NAMES}
__all__ = ["EXPECTED_FAILED_CHECKS", "ExpertsClassifier", "ExpertsRegressor", "OnlineClassifier", *CLASSES]


#: What every classifier has beside the settings of its learner.
OWN = {
    "class_weight": 'A weight for each label, "balanced" or None.',
    "labels": 'The labels that may come; another one is refused. "any" lets all in. None: those of fit, or `classes` of partial_fit.',
    "binarize": "What lies above it is 1, everything else 0. None takes values as they are.",
    "n_iter": "How often `fit` goes over the rows.",
    "certify": "Does `fit` keep its rows, so that `certificate_` can be made when it is asked for?",
    "ledger": "Does `model_` keep the rounds that it learned from? None: after `fit`, and after `partial_fit` without `classes`.",
}


@cache
def classifier(learner: str) -> type:
    """The class of a learner."""
    sample = sample_of(learner)
    own: dict[str, Any] = {"class_weight": None} if sample.weighted and learner not in THROUGH_THE_ORIGIN else {}
    own |= {"binarize": 0.0} if sample.domain != "real" else {}
    own |= {"labels": None, "n_iter": 1, "certify": True, "ledger": None}
    base = WeightedClassifier if sample.weighted else UnweightedClassifier
    body: dict[str, Any] = {"domain": sample.domain, "hears_all": learner not in HEARS_SOME, "__module__": __name__}
    return made_class(class_name(learner), learner, base, own, OWN, **body)


def __getattr__(name: str) -> Any:
    if name in CLASSES:
        return globals().setdefault(name, classifier(CLASSES[name]))
    for learner in NO_CLASS:
        if name == class_name(learner):
            raise AttributeError(CONCEPTS.format(learner, "scikit-learn"))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
