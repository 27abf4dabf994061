"""Our learners as River classifiers: a class for each learner of the catalogue, named after it.

>>> from river import evaluate, metrics
>>> from littlestone.adapters.river import Arow
>>> events = [({"price": 1.0, "shop": "corner"}, "tea"), ({"price": 3.0, "shop": "market"}, "coffee")] * 10
>>> model = Arow(r=10)
>>> evaluate.progressive_val_score(events, model, metrics.Accuracy())
Accuracy: 89.47%
>>> model.predict_one({"price": 3.0, "shop": "market"}), model.mistakes, model.rounds
('coffee', 3, 20)

`Online("one_vs_rest:learner=arow")` takes any learner by its text, and `Experts` puts a rule over experts over other models. A class is
made when it is first asked for; `__all__` has their names.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from littlestone.adapters.catalogue import CONCEPTS, NAMES, NO_CLASS, camel, factory_of, made_class, sample_of
from littlestone.adapters.river_models import EXPECTED_FAILED_CHECKS, Experts, Online, RiverClassifier

CLASSES = {camel(name): name for name in NAMES}
__all__ = ["EXPECTED_FAILED_CHECKS", "Experts", "Online", *CLASSES]

#: What every classifier has beside the settings of its learner.
OWN = {
    "labels": 'The labels that may come; another one is refused. "any" lets all in. None: any, with a warning of one that comes late.',
    "binarize": "What lies above it is 1, everything else 0. None takes values as they are.",
    "ledger": "Does `model` keep the rounds that it learned from, to explain, forget and roll back? It grows with them.",
}


@cache
def classifier(learner: str) -> type:
    """The class of a learner."""
    sample = sample_of(learner)
    own: dict[str, Any] = {"binarize": 0.0} if sample.domain != "real" else {}
    needs = {"n": 64} if factory_of(learner)().needs_n else {}

    def _unit_test_params(cls: type) -> Any:
        yield needs

    body: dict[str, Any] = {"_unit_test_params": classmethod(_unit_test_params), "__module__": __name__}
    return made_class(camel(learner), learner, RiverClassifier, {**own, "labels": None, "ledger": False}, OWN, **body)


def __getattr__(name: str) -> Any:
    if name in CLASSES:
        return globals().setdefault(name, classifier(CLASSES[name]))
    for learner in NO_CLASS:
        if name == camel(learner):
            raise AttributeError(CONCEPTS.format(learner, "River"))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
