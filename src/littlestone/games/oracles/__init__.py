"""Who answers questions about a concept: an example, the label of a chosen instance, whether a hypothesis is right.

>>> from littlestone import concepts
>>> from littlestone.games.oracles import EQ, EX, MQ, counting
>>> C = concepts.conjunctions(3, monotone=True)
>>> c = C.of({0, 2})
>>> EX(c, n=3, seed=1)(), MQ(c)({0: 1, 2: 1}), EQ.exhaustive(c, C)(lambda x: True)
(({2: 1}, False), True, ({}, False))

`EX` draws examples, `MQ` answers membership queries, `EQ` equivalence queries in three kinds.  `counting` and `cached` wrap any of them.
A concept is anything callable on an instance, {feature: value}, or anything that predicts: another learner may stand behind an oracle.
"""

from littlestone.games.oracles.equivalence import EQ
from littlestone.games.oracles.examples import EX, Exhausted
from littlestone.games.oracles.membership import MQ
from littlestone.games.oracles.wrappers import cached, counting

__all__ = ["EQ", "EX", "MQ", "Exhausted", "cached", "counting"]
