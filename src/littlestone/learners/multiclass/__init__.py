"""Learners of several classes with a rule of their own: one algorithm, one file, found by walking this folder."""

from littlestone.protocol import ClassLearner
from littlestone.protocol.catalogue import Catalogue

CATALOGUE: Catalogue[ClassLearner] = Catalogue("learner of several classes", __name__, __path__)
names, factory = CATALOGUE.names, CATALOGUE.factory
