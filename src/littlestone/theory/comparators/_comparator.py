"""What every kind of witness has."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

WHOLE, WHOLES, NAMES = {"type": "integer"}, {"type": "array", "items": {"type": "integer"}}, {"type": "array", "items": {"type": "string"}}
COUNT = {"type": "integer", "minimum": 0}


class Comparator(ABC):
    """A witness. One that speaks of experts also has `measured(table, rows)`: the facts it makes of a table of advice, on these rows."""

    kind: ClassVar[str]
    shape: ClassVar[Mapping[str, Any]]  # its record, as a JSON schema has it

    @classmethod
    @abstractmethod
    def read(cls, record: Mapping[str, Any]) -> Self:
        """From a record of the right shape; refused where it is no witness all the same."""

    @abstractmethod
    def as_json(self) -> dict[str, Any]:
        """The record."""

    @abstractmethod
    def in_words(self, names: Sequence[str], what: str) -> str:
        """What it is, after "compared with". `names` are those of the experts, or of `what` else they are."""

    @property
    def names(self) -> frozenset[str]:
        """The features that it speaks of."""
        return frozenset()


def record_of(kind: str, optional: Mapping[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    """A record with these fields and no others."""
    return {
        "type": "object",
        "required": ["kind", *fields],
        "additionalProperties": False,
        "properties": {"kind": {"enum": [kind]}, **fields, **(optional or {})},
    }


def times(count: int, what: str) -> str:
    """So many of them, in words."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"
