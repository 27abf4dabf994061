"""One algorithm, one file. The catalogue is found by walking this folder: nothing is listed by hand."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from littlestone.errors import LittlestoneError
from littlestone.protocol import Learner, naming


@cache
def names() -> tuple[str, ...]:
    """Every learner of the package: a file here, with a function of the same name in it."""
    return tuple(sorted(m.name for m in iter_modules(__path__)))


def factory(name: str) -> Callable[..., Learner]:
    """The function that makes the named learner; imports its file only now."""
    if name not in names():
        raise LittlestoneError(f"learner {name!r} is not known; expected one of {', '.join(names())}")
    return getattr(import_module(f"{__name__}.{name}"), name)


def described(name: str) -> Learner:
    """The named learner with settings as they are unless given, and some n: to ask for its theorems."""
    make = factory(name)
    return make(n=16) if "n" in inspect.signature(make).parameters else make()


def named(text: str, n: int | None = None) -> Learner:
    """The learner of a text such as `adaptive:eta=1/10`; n is told to those that need it and have none.

    >>> named("perceptron:bias=1"), text_of(named("perceptron:bias=1"))
    (perceptron(bias=1, margin=0, averaged=False), 'perceptron:bias=1')
    """
    name, parts = naming.split(text)
    learner = naming.made("learner", text, factory(name), parts)
    return learner.sized(n) if n is not None and learner.needs_n else learner


def text_of(learner: Learner) -> str:
    """The text that names it; of a learner that is not of the catalogue, its name alone."""
    return naming.text_of(learner.name, learner.settings, factory(learner.name)) if learner.name in names() else learner.name
