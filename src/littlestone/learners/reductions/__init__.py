"""Learners in, a learner out: several classes from binary learners, one learner from many. One reduction, one file, found by walking."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from littlestone.protocol import ClassLearner, Learner


@cache
def names() -> tuple[str, ...]:
    """Every one of them: a file here, with a function of the same name in it."""
    return tuple(sorted(m.name for m in iter_modules(__path__) if not m.name.startswith("_") and not m.ispkg))


@cache
def of_two_classes() -> tuple[str, ...]:
    """Those whose result is a learner of two classes."""
    return tuple(name for name in names() if getattr(import_module(f"{__name__}.{name}"), "TWO_CLASSES", False))


def factory(name: str) -> Callable[..., ClassLearner | Learner]:
    """The function that makes the named reduction; imports its file only now."""
    return getattr(import_module(f"{__name__}.{name}"), name)
