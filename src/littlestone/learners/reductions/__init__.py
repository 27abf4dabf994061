"""Learners in, a learner out: several classes from binary learners, one learner from many. One reduction, one file, found by walking."""

from functools import cache

from littlestone.protocol import ClassLearner, Learner
from littlestone.protocol.catalogue import Catalogue

CATALOGUE: Catalogue[ClassLearner | Learner] = Catalogue("reduction", __name__, __path__)
names, factory = CATALOGUE.names, CATALOGUE.factory


@cache
def of_two_classes() -> tuple[str, ...]:
    """Those whose result is a learner of two classes."""
    return CATALOGUE.those_with("TWO_CLASSES")
