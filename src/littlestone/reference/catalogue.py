"""Every definition there is, found by walking this folder: the function NAME of the file NAME.py."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any


@cache
def definitions() -> dict[str, Callable[..., Any]]:
    here = __name__.rpartition(".")[0]
    files = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem != "__init__")
    modules = {name: import_module(f"{here}.{name}") for name in files}
    defined = {name: getattr(module, name, None) for name, module in modules.items()}
    return {name: function for name, function in defined.items() if getattr(function, "__module__", "") == modules[name].__name__}  # type: ignore[misc]
