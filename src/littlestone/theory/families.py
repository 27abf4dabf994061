"""Families: what the theorems about one learner need to be checked without the learner.

The file theory/NAME.py of a learner says how its facts are measured (`measure`), how it decides ties (`TIES`), which features it takes
(`DOMAIN`), when it updates (`UPDATES_ON`, or `updates_on(settings)`) and how exactly it computes (`ARITHMETIC`, or `arithmetic(evidence)`).
Where settings decide which of its bounds hold, or not every number can be a setting, `bounds_of(settings)` gives the bounds, or refuses
the settings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module, util
from typing import Any

from littlestone.errors import require
from littlestone.theory.bound import Bound
from littlestone.theory.evidence import Evidence


@dataclass(frozen=True)
class Family:
    name: str
    bounds: Mapping[tuple[str, str], Bound]  # by name and kind
    measure: Callable[[Evidence, Any], dict]
    arithmetic: Callable[[Evidence], str]
    updates_on: Callable[[Mapping[str, Any]], str]
    ties: str
    domain: str
    weighted: bool  # does it honour the weights of rounds?
    bounds_of: Callable[[Mapping[str, Any]], tuple[Bound, ...]] | None = None

    def chosen(self, settings: Mapping[str, Any]) -> Family:
        """The same with the bounds that hold with these settings."""
        if self.bounds_of is None:
            return self
        return replace(self, bounds={(bound.name, bound.kind): bound for bound in self.bounds_of(settings)})


@cache
def family(name: str) -> Family:
    """The family of a learner, by the learner's name."""
    known = name.isidentifier() and util.find_spec(f"littlestone.theory.{name}") is not None
    module = import_module(f"littlestone.theory.{name}") if known else None
    require(hasattr(module, "measure"), f"learner {name!r} is not one whose theorems are known here")
    fixed, always = getattr(module, "ARITHMETIC", ""), getattr(module, "UPDATES_ON", "mistakes")
    return Family(
        name=name,
        bounds=_bounds(module),
        measure=module.measure,  # type: ignore[union-attr]
        arithmetic=getattr(module, "arithmetic", lambda e: fixed),
        updates_on=getattr(module, "updates_on", lambda settings: always),
        ties=module.TIES,  # type: ignore[union-attr]
        domain=getattr(module, "DOMAIN", "real"),
        weighted=getattr(module, "WEIGHTED", False),
        bounds_of=getattr(module, "bounds_of", None),
    )


def _bounds(module: Any) -> dict[tuple[str, str], Bound]:
    """Every bound that a file defines, in whatever tuples and mappings it keeps them."""
    found: dict[tuple[str, str], Bound] = {}

    def walk(value: Any) -> None:
        if isinstance(value, Bound):
            found[value.name, value.kind] = value
        elif isinstance(value, tuple):
            for one in value:
                walk(one)

    for value in vars(module).values():
        walk(value)
    return found
