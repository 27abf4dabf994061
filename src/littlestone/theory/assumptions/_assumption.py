"""What an assumption is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Look = Callable[[Any, Mapping[str, Any], Mapping[str, Any], Any], Any]


def nothing(looks: Any, declared: Mapping[str, Any], settings: Mapping[str, Any], bound: Any) -> None:
    """No rows contradict it by themselves."""


def unsettled(looks: Any, declared: Mapping[str, Any], settings: Mapping[str, Any], bound: Any) -> bool:
    """Nobody looks for a concept of this kind that labels the stream."""
    return False


@dataclass(frozen=True)
class Assumption:
    """A kind of assumption. `example` shows how it is declared, where a message is to say so."""

    name: str
    says: str
    #: contradicted(looks, declared, settings, bound): rows that no concept of this kind can label, looked for in a stream (`Rows` of
    #: theory/contradictions.py), of the theorem at hand.
    contradicted: Look = nothing
    #: met(looks, declared, settings, bound): is a concept of this kind known to label every row, where none was found to contradict it?
    met: Look = unsettled
    #: settled(declared): does the stream meet it wherever no row was found to contradict it?
    settled: Callable[[Mapping[str, Any]], bool] = lambda declared: False
    labels: bool = True  # does it say that the label depends on the instance alone?
    bare: str = ""  # the fact that a number without a name declares
    example: str = ""
