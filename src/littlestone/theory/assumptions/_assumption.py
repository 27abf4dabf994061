"""What an assumption is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


def nothing(looks: Any, declared: Mapping[str, Any], settings: Mapping[str, Any], among: str) -> None:
    """No rows contradict it by themselves."""


@dataclass(frozen=True)
class Assumption:
    """A kind of assumption. `example` shows how it is declared, where a message is to say so."""

    name: str
    says: str
    #: contradicted(looks, declared, settings, among): rows that no concept of this kind can label, looked for in a stream (`Rows` of
    #: theory/contradictions.py); `among` is the fact that the theorem at hand reads as "at least so many of the stream's features".
    contradicted: Callable[[Any, Mapping[str, Any], Mapping[str, Any], str], dict[str, Any] | None] = nothing
    labels: bool = True  # does it say that the label depends on the instance alone?
    bare: str = ""  # the fact that a number without a name declares
    example: str = ""
