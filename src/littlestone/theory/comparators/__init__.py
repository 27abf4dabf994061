"""Whom a bound in hindsight may compare a run with: one file for each kind of witness, found by walking this folder.

`KIND` of a file is a class (`Comparator`). A certificate writes a witness down exactly, and whoever checks it measures the facts of the
bound with it anew: whole numbers over a power of two, or names.
"""

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from littlestone.errors import require
from littlestone.theory.comparators._comparator import Comparator

__all__ = ["COMPARATORS", "Comparator", "comparator_from"]

_FILES = [import_module(f"{__name__}.{file.name}") for file in iter_modules(__path__) if not file.name.startswith("_")]

#: By the name of the kind, as bounds and certificates have it.
COMPARATORS: dict[str, type[Comparator]] = {file.KIND.kind: file.KIND for file in _FILES}


def comparator_from(record: Mapping[str, Any] | None) -> Any:
    """The witness that a certificate has written down."""
    if record is None:
        return None
    require(record["kind"] in COMPARATORS, f"witness of kind {record['kind']!r} is not known")
    require(record.get("exponent", 0) <= 1100, f"the witness has exponent {record.get('exponent')}; expected at most 1100")
    return COMPARATORS[record["kind"]].read(record)
