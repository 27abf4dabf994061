"""The theorems, in pure Python and exact arithmetic: one file a family, each bound a value.

>>> import littlestone as ls
>>> ls.theory.winnow.disjunction(100, 2)
38
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from littlestone.theory.assumptions import ASSUMPTIONS
from littlestone.theory.bound import Bound, Claim, Invariant, Moment, judge, parse_assumption

__all__ = ["ASSUMPTIONS", "Bound", "Claim", "Invariant", "Moment", "judge", "parse_assumption"]


def __getattr__(name: str) -> Any:
    """A file of this folder, imported when it is first asked for."""
    if name.startswith("_") or find_spec(f"{__name__}.{name}") is None:
        raise AttributeError(f"littlestone.theory has no {name!r}")
    return import_module(f"{__name__}.{name}")
