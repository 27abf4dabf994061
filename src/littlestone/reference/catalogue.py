"""The definitions, found by name: the function NAME of the file NAME.py in this folder."""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any


@cache
def definition_named(name: str) -> Callable[..., Any] | None:
    """The definition of this name, imported when it is asked for; None where there is none."""
    if not name.isidentifier() or not (Path(__file__).parent / f"{name}.py").exists():
        return None
    return defined_in(import_module(f"littlestone.reference.{name}"), name)


def defined_in(module: ModuleType, name: str) -> Callable[..., Any] | None:
    """The function of this name, where the file that is so called defines it."""
    function = getattr(module, name, None)
    return function if getattr(function, "__module__", "") == module.__name__ else None
