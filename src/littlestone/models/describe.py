"""A learner as text: its name and settings, from which the catalogue makes the same learner again."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from littlestone import learners
from littlestone.concepts.finite import NAMED, ConceptClass
from littlestone.errors import LittlestoneError, require
from littlestone.learners import reductions
from littlestone.protocol import Learner


def described(learner: Learner) -> dict[str, Any]:
    """Its name, its settings in numbers and text that JSON keeps exactly, and the file it stands in where that is the user's own.

    >>> import littlestone as ls
    >>> described(ls.winnow(n=8, alpha=1.5))
    {'name': 'winnow', 'file': None, 'settings': {'n': 8, 'k': None, 'alpha': '3/2', 'theta': '8'}}
    """
    settings: dict[str, Any] = {}
    for name, value in learner.settings.items():
        settings |= _class(learner, value) if isinstance(value, ConceptClass) else {name: _plain(learner, name, value)}
    return {"name": learner.name, "file": _file(learner), "settings": settings}


def made(description: Mapping[str, Any], given: Any = None) -> Learner:
    """The learner described: from the catalogue, or `given` by the caller (a learner, or the function that makes one)."""
    name, settings = description["name"], dict(description["settings"])
    if given is None:
        own = f"{description['file']}::{name}"
        why = f"its learner is {own}, and no code is run because a file asks for it; give the learner itself, learner={name}"
        require(description["file"] is None, why)
        require(name in known(), f"its learner {name!r} is not known; this version has {', '.join(known())}")
        given = (reductions if name in reductions.of_two_classes() else learners).factory(name)
    if not isinstance(given, Learner):
        try:
            given = given(**settings)
        except (LittlestoneError, TypeError, ValueError) as error:
            raise LittlestoneError(f"its learner {name!r} cannot be made of these settings: {error}") from None
    require(isinstance(given, Learner), f"its learner {name!r}: {given!r} is no Learner")
    now, then = ({**d, "file": None} for d in (described(given), description))
    require(now == then, f"its learner is {then['name']} with {then['settings']}; this one is {now['name']} with {now['settings']}")
    return given


def known() -> tuple[str, ...]:
    """Every learner of two classes that the catalogue makes."""
    return (*learners.names(), *reductions.of_two_classes())


def _plain(learner: Learner, name: str, value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Fraction):
        return str(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise LittlestoneError(f"{learner.name}: the setting {name}={value!r} cannot be written to a file; expected a number or text")


def _class(learner: Learner, concepts: ConceptClass) -> dict[str, Any]:
    """A class by its name and numbers."""
    for name, make in NAMED.items():
        for r in (None, getattr(concepts, "r", None)):
            settings = {"concepts": name, "n": concepts.n} | ({} if r is None else {"r": r})
            if name.endswith(concepts.name) and repr(make(*list(settings.values())[1:])) == repr(concepts):  # type: ignore[operator]
                return settings
    raise LittlestoneError(f"{learner.name}: {concepts!r} cannot be written to a file; expected a class with a name: {', '.join(NAMED)}")


def _file(learner: Learner) -> str | None:
    """Where a learner that is not of the catalogue stands."""
    module = inspect.getmodule(learner.kernels.predict)
    home = getattr(module, "__name__", "")
    ours = learner.name in known() and home.startswith("littlestone.")
    return None if ours else Path(getattr(module, "__file__", None) or "own.py").name
