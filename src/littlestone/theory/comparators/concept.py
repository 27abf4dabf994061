"""A concept of a finite class."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from littlestone.errors import require
from littlestone.theory.classes import PlainClass
from littlestone.theory.comparators._comparator import COUNT, Comparator, record_of
from littlestone.theory.evidence import Taught


@dataclass(frozen=True)
class Chosen(Comparator):
    """The concept of this number, the features of an instance numbered like this. Where a class stays the same when its features are
    renumbered, any numbers will do; else a feature's name is its number."""

    kind = "concept"
    shape = record_of("concept", concept=COUNT, numbers={"type": "object", "additionalProperties": COUNT})

    concept: int
    numbers: Mapping[str, int]

    def mistakes(self, C: PlainClass, rows: Sequence[Taught]) -> int:
        """How often it errs on these rounds."""
        require(self.concept < C.size, f"its witness is concept {self.concept}, and the class has {C.size:,}, counted from 0")
        require(all(i < C.n for i in self.numbers.values()), f"its witness numbers a feature {C.n} or higher")
        require(C.symmetric or not self.numbers, "its witness renumbers features, and the class tells instances apart by their numbers")
        numbers, errors = dict(self.numbers), 0
        for row in rows:
            require(not C.symmetric or row.x.keys() <= numbers.keys(), "its witness has no number for a feature of the stream")
            errors += (C.ones(C.active(row.x, numbers)) >> self.concept & 1) != row.y
        return errors

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self.numbers)

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Self:
        numbers = record["numbers"]
        require(len(set(numbers.values())) == len(numbers), "the witness gives two features one number")
        return cls(record["concept"], numbers)

    def as_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "concept": self.concept, "numbers": dict(self.numbers)}

    def in_words(self, names: Sequence[str], what: str) -> str:
        return f"concept {self.concept:,} of the class"


KIND = Chosen
