"""From a learner that makes few mistakes to a hypothesis with a promise: err ≤ ε on fresh examples, but for a chance of δ.

>>> import littlestone as ls
>>> from littlestone.games.oracles import EX
>>> concept = ls.concepts.disjunctions(20).of({3, 7})
>>> result = ls.controlled_testing(ls.winnow(n=20), EX(concept, "balanced", n=20, seed=1), epsilon=0.1, delta=0.05)
>>> result.reached, result.mistakes, result.examples, result.most
(True, 15, 227, 1200)
>>> result.hypothesis.predict({7: 1, 11: 1}), result.promise["kind"]
(True, 'with probability 1-δ')

One method one file, found by walking. Each is `method(learner, examples, *, epsilon, delta, bound=None, seed=0) -> Fitted`: `examples` is
anything whose call gives (x, y), such as `oracles.EX`, and the learner anything that plays, ours or another library's. What each promises,
with the proof: theory/pac.py; which to take: docs/fit.md.
"""

from littlestone.games.batch._fitted import Fitted, refutation
from littlestone.games.batch._measured import Measured, interval, measured
from littlestone.protocol.catalogue import Catalogue

__all__ = ["CATALOGUE", "Fitted", "Measured", "factory", "interval", "measured", "names", "needs_bound", "refutation"]

CATALOGUE: Catalogue[Fitted] = Catalogue("method", __name__, __path__)
names, factory = CATALOGUE.names, CATALOGUE.factory


def needs_bound(name: str) -> bool:
    """Does the method need a bound on the mistakes?"""
    return bool(getattr(CATALOGUE.module(name), "NEEDS_BOUND", False))
