"""A set of features: a disjunction, or the r of "k of r"."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from littlestone.errors import require
from littlestone.theory.comparators._comparator import NAMES, Comparator, record_of
from littlestone.theory.evidence import Evidence


@dataclass(frozen=True)
class Features(Comparator):
    """A set of features: a disjunction, or the r of "k of r"."""

    kind = "set"
    shape = record_of("set", features=NAMES, k={"type": "integer", "minimum": 1})

    features: frozenset[str]
    k: int = 1

    def __bool__(self) -> bool:
        """Does it compare with anything? (The empty disjunction costs nothing and tells nothing: then the limit rests on the missed 1s.)"""
        return bool(self.features)

    def errors(self, e: Evidence) -> int:
        """Attribute errors: what is lacking to k active members on missed 1s, what is too much for k-1 on false 1s."""
        total = 0
        for row in e.taught:
            active = sum(i in self.features for i in row.x)
            total += max(0, self.k - active) if row.y else max(0, active - self.k + 1)
        return total

    @property
    def names(self) -> frozenset[str]:
        return self.features

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Self:
        names = frozenset(record["features"])
        require(len(names) == len(record["features"]), "the set of the witness names a feature twice")
        return cls(names, record["k"])

    def as_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "features": sorted(self.features, key=lambda name: (len(name), name)), "k": self.k}

    def in_words(self, names: Sequence[str], what: str) -> str:
        if not self.features:
            return "nothing: it rests on the missed 1s"
        members = self.as_json()["features"]
        some = ", ".join(members[:8]) + (", ..." if len(members) > 8 else "")
        return f"{f'{self.k} of ' if self.k > 1 else ''}the {len(members)} features {{{some}}}"


KIND = Features
