"""A conjunction of literals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from littlestone.errors import require
from littlestone.theory.comparators._comparator import NAMES, Comparator, record_of


@dataclass(frozen=True)
class Literals(Comparator):
    """A conjunction: features that must be on, and features that must be off."""

    kind = "conjunction"
    shape = record_of("conjunction", on=NAMES, off=NAMES)

    on: frozenset[str]
    off: frozenset[str]

    def __call__(self, x: Mapping[str, Any]) -> bool:
        return self.on <= x.keys() and self.off.isdisjoint(x)

    @property
    def names(self) -> frozenset[str]:
        return self.on | self.off

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Self:
        on, off = record["on"], record["off"]
        require(len({*on, *off}) == len(on) + len(off), "the conjunction of the witness names a feature twice")
        return cls(frozenset(on), frozenset(off))

    def as_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "on": sorted(self.on), "off": sorted(self.off)}

    def in_words(self, names: Sequence[str], what: str) -> str:
        return f"a conjunction of {len(self.names):,} literals"


KIND = Literals
