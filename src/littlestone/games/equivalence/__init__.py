"""Learners of mistakes and learners of equivalence queries: each made of the other. One method, one file, found by walking.

>>> import littlestone as ls
>>> from littlestone.games.oracles import EQ, counting
>>> C = ls.concepts.disjunctions(6)
>>> eq = counting(EQ.exhaustive(C.of({1, 4}), C))
>>> asks = ls.to_equivalence_queries(ls.disjunctions(n=6), bound=6)
>>> hypothesis = asks.learn(eq)
>>> hypothesis.predict({4: 1}), hypothesis.predict({0: 1, 2: 1}), eq.count, asks.most
(True, False, 5, 7)
"""

from typing import Any

from littlestone.protocol.catalogue import Catalogue

CATALOGUE: Catalogue[Any] = Catalogue("conversion", __name__, __path__)
names, factory = CATALOGUE.names, CATALOGUE.factory
