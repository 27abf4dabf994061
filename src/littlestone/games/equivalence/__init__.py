"""Learners of mistakes and learners of equivalence queries: each made of the other. One method, one file, found by walking.

>>> import littlestone as ls
>>> from littlestone.games.oracles import EQ, counting
>>> C = ls.concepts.disjunctions(6)
>>> eq = counting(EQ.exhaustive(C.of({1, 4}), C))
>>> asks = ls.to_equivalence_queries(ls.disjunctions(n=6), bound=6)
>>> found = asks.learn(eq)
>>> found.predict({4: 1}), found.predict({0: 1, 2: 1}), eq.count, asks.most
(True, False, 5, 7)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any


@cache
def names() -> tuple[str, ...]:
    """Both methods: a file here, with a function of the same name in it."""
    return tuple(sorted(m.name for m in iter_modules(__path__) if not m.name.startswith("_")))


def factory(name: str) -> Callable[..., Any]:
    """The function of this name; imports its file only now."""
    return getattr(import_module(f"{__name__}.{name}"), name)
