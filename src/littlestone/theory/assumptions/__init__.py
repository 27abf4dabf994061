"""What a user may declare of a stream beforehand: one file for each kind of assumption, found by walking this folder.

`ASSUMPTION` of a file has its name, what it says, and the rows of a stream that contradict it.
"""

from importlib import import_module
from pkgutil import iter_modules

from littlestone.theory.assumptions._assumption import Assumption

__all__ = ["ASSUMPTIONS", "Assumption"]

_FILES = [import_module(f"{__name__}.{file.name}") for file in iter_modules(__path__) if not file.name.startswith("_")]

#: By its name, as a user declares it.
ASSUMPTIONS: dict[str, Assumption] = {file.ASSUMPTION.name: file.ASSUMPTION for file in _FILES}
