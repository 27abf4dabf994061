"""Our learners as scikit-learn classifiers: `OnlineClassifier`, and a class for each learner of the catalogue, named after it.

>>> from littlestone.adapters.sklearn import ArowClassifier
>>> X, y = [[1, 0], [0, 1], [1, 1], [0, 1]] * 10, ["tea", "coffee", "tea", "coffee"] * 10
>>> classifier = ArowClassifier(r=10).fit(X, y)
>>> classifier.predict([[1, 0]]).tolist(), classifier.mistakes_
(['tea'], 3)

A class is made when it is first asked for; `__all__` has their names. A learner of ones and zeros takes `binarize`.
"""

from __future__ import annotations

import inspect
from fractions import Fraction
from functools import cache
from typing import Any

from littlestone.adapters.estimators import (
    BIAS,
    CONCEPTS,
    EXPECTED_FAILED_CHECKS,
    OnlineClassifier,
    UnweightedClassifier,
    WeightedClassifier,
    factory_of,
)
from littlestone.adapters.expert_estimators import ExpertsClassifier, ExpertsRegressor
from littlestone.learners import binary, multiclass
from littlestone.theory.numbers import fraction

HEARS_SOME = ("apple_tasting", "banditron")  # they are told some labels only, and score poorly on a few hundred rows
NO_CLASS = ("halving", "optimal")
THROUGH_THE_ORIGIN = ("pnorm", "multiclass_perceptron")  # no weight of a class moves their border, so they have no class_weight


def class_name(learner: str) -> str:
    """`passive_aggressive` is `PassiveAggressiveClassifier`."""
    return f"{''.join(part.capitalize() for part in learner.split('_'))}Classifier"


CLASSES = {class_name(name): name for name in (*binary.names(), *multiclass.names(), "panel") if name not in NO_CLASS}
__all__ = ["EXPECTED_FAILED_CHECKS", "ExpertsClassifier", "ExpertsRegressor", "OnlineClassifier", *CLASSES]


def plain(value: Any) -> Any:
    """A default as scikit-learn can compare and show it: a fraction as the decimal number it is, or as text."""
    if not isinstance(value, Fraction):
        return value
    return float(value) if fraction(float(value)) == value else str(value)


def annotations_of(learner: str) -> dict[str, Any]:
    """The settings of a learner by their names, with their types."""
    return {name: parameter.annotation for name, parameter in inspect.signature(factory_of(learner)).parameters.items()}


def parameters_of(learner: str) -> dict[str, Any]:
    """The settings of a learner by their names, with what they are unless given."""
    defaults = {name: plain(parameter.default) for name, parameter in inspect.signature(factory_of(learner)).parameters.items()}
    return defaults | ({"bias": BIAS} if "bias" in defaults else {})


#: What every classifier has beside the settings of its learner.
OWN = {
    "class_weight": 'A weight for each label, "balanced" or None.',
    "binarize": "What lies above it is 1, everything else 0. None takes values as they are.",
    "n_iter": "How often `fit` goes over the rows.",
    "certify": "Does `fit` keep its rows, so that `certificate_` can be made when it is asked for?",
    "ledger": "Does `model_` keep the rounds that it learned from? None: after `fit`, and after `partial_fit` without `classes`.",
}


def _documented(make: Any, learner: Any, defaults: dict[str, Any]) -> str:
    """The docstring of a class: what its learner is, and its parameters with what they may be."""
    lines = [inspect.getdoc(make) or "", "", "Parameters", "----------"]
    for key, value in defaults.items():
        setting = learner.family.settings.get(key)
        limits = OWN.get(key) or "; ".join(must for _, must in (setting.checks if setting else ())).capitalize()
        kind = "" if setting is None else f"{setting.kind}, "
        lines += [f"{key} : {kind}default={value!r}", *([f"    {limits}" if limits[-1] in ".?" else f"    {limits}."] if limits else [])]
    return "\n".join(lines)


@cache
def classifier(learner: str) -> type:
    """The class of a learner."""
    make, settings = factory_of(learner), parameters_of(learner)
    sample = make(n=16) if "n" in settings else make()
    own: dict[str, Any] = {"class_weight": None} if sample.weighted and learner not in THROUGH_THE_ORIGIN else {}
    own |= {"binarize": 0.0} if sample.domain != "real" else {}
    defaults = settings | own | {"n_iter": 1, "certify": True, "ledger": None}

    def __init__(self: Any, **parameters: Any) -> None:
        for key, value in (defaults | parameters).items():
            if key not in defaults:
                raise TypeError(f"{class_name(learner)} has no parameter {key!r}; it has: {', '.join(defaults)}")
            setattr(self, key, value)

    def _learner(self: Any) -> Any:
        return make(**{key: getattr(self, key) for key in settings})

    chosen = [inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=value) for key, value in defaults.items()]
    first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    __init__.__signature__ = inspect.Signature([first, *chosen])  # type: ignore[attr-defined]
    base = WeightedClassifier if sample.weighted else UnweightedClassifier
    body = {
        "__init__": __init__,
        "_learner": _learner,
        "domain": sample.domain,
        "hears_all": learner not in HEARS_SOME,
        "__module__": __name__,
        "__doc__": _documented(make, sample, defaults),
    }
    return type(class_name(learner), (base,), body)


def __getattr__(name: str) -> Any:
    if name in CLASSES:
        return globals().setdefault(name, classifier(CLASSES[name]))
    for learner in NO_CLASS:
        if name == class_name(learner):
            raise AttributeError(CONCEPTS.format(learner))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
