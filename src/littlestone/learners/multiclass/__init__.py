"""Learners of several classes with a rule of their own: one algorithm, one file, found by walking this folder."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from littlestone.protocol import ClassLearner


@cache
def names() -> tuple[str, ...]:
    """Every one of them: a file here, with a function of the same name in it."""
    return tuple(sorted(m.name for m in iter_modules(__path__)))


def factory(name: str) -> Callable[..., ClassLearner]:
    """The function that makes the named learner; imports its file only now."""
    return getattr(import_module(f"{__name__}.{name}"), name)
