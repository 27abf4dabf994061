"""From a learner that makes few mistakes to a hypothesis with a promise: err ≤ ε on fresh examples, but for a chance of δ.

>>> import littlestone as ls
>>> from littlestone.games.oracles import EX
>>> concept = ls.concepts.disjunctions(20).of({3, 7})
>>> found = ls.controlled_testing(ls.winnow(n=20), EX(concept, "balanced", n=20, seed=1), epsilon=0.1, delta=0.05)
>>> found.reached, found.mistakes, found.examples, found.most
(True, 15, 227, 1200)
>>> found.hypothesis.predict({7: 1, 11: 1}), found.promise["kind"]
(True, 'with probability 1-δ')

One method one file, found by walking. Each is `method(learner, examples, *, epsilon, delta, bound=None, seed=0) -> Fitted`: `examples` is
anything whose call gives (x, y), such as `oracles.EX`, and the learner anything that plays, ours or another library's. What each promises,
with the proof: theory/pac.py; which to take: docs/fit.md.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from littlestone.games.batch._fitted import Fitted, refutation
from littlestone.games.batch._measured import Measured, interval, measured

__all__ = ["Fitted", "Measured", "factory", "interval", "measured", "names", "refutation"]


@cache
def names() -> tuple[str, ...]:
    """Every method: a file here, with a function of the same name in it."""
    return tuple(sorted(m.name for m in iter_modules(__path__) if not m.name.startswith("_")))


def factory(name: str) -> Callable[..., Fitted]:
    """The named method; imports its file only now."""
    return getattr(import_module(f"{__name__}.{name}"), name)


def needs_bound(name: str) -> bool:
    """Does the method need a bound on the mistakes?"""
    return bool(getattr(import_module(f"{__name__}.{name}"), "NEEDS_BOUND", False))
