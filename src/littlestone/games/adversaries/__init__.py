"""Who picks the next instance: one lower bound, one file. The catalogue is found by walking this folder.

>>> import littlestone as ls
>>> game = ls.adversaries.meet(ls.winnow(), ls.adversaries.unit_vectors(8))
>>> game.mistakes, game.lower_bound
(8, 8)
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from littlestone.errors import LittlestoneError
from littlestone.games.adversaries.game import Adversary, Game, Played, class_of, meet
from littlestone.protocol import naming

__all__ = ["Adversary", "Game", "Played", "class_of", "factory", "meet", "named", "names"]


@cache
def names() -> tuple[str, ...]:
    """Every adversary of the package: a file here, with a function of the same name in it."""
    return tuple(sorted(m.name for m in iter_modules(__path__) if not m.name.startswith("_") and m.name != "game"))


def factory(name: str) -> Callable[..., Adversary]:
    """The function that makes the named adversary."""
    if name not in names():
        near = get_close_matches(name, names(), 1)
        meant = f" (did you mean {near[0]}?)" if near else ""
        raise LittlestoneError(f"adversary {name!r} is not known{meant}; expected one of {', '.join(names())}")
    return getattr(import_module(f"{__name__}.{name}"), name)


def named(text: str, **given: Any) -> Adversary:
    """The adversary of a text such as `orthonormal:gamma=1/10`; `given` are used where the text does not say otherwise.

    >>> named("unit_vectors", n=5), named("unit_vectors:n=3", n=5)
    (unit_vectors(n=5), unit_vectors(n=3))
    """
    name, parts = naming.split(text)
    return naming.made("adversary", text, factory(name), parts, **given)


globals().update({name: factory(name) for name in names()})  # the function, not the file of the same name


def __getattr__(name: str) -> Any:
    raise AttributeError(f"littlestone.games.adversaries has no {name!r}; it has {', '.join(names())}")
