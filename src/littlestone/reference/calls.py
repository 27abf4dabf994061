"""Calling a definition: it names what it takes, and gets it; and it may be told what was predicted when a round came."""

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field
from functools import cache
from inspect import Parameter, signature
from typing import Any


@dataclass
class Book:
    """What a definition writes down while it plays: the rounds it learned from, counted from 0, and what else its theorems speak of."""

    updates: list[int] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    score: Any = None  # of the last row; None where the definition has no score
    close: bool = False  # does the last prediction hang on the rounding of doubles, so that a run may have made the other?
    hangs: int | None = None  # the first round in which what was learned hangs on it

    def hear(self, score: Any) -> None:
        """The score of a round, as its prediction is made."""
        self.score = score


def called(twin: Callable[..., Any], rounds: Iterable, /, **more: Any) -> Generator[Any, Any, None]:
    """A definition at play with what it names of all this: settings, weights, a book, notes."""
    names = named_by(twin)
    return twin(rounds, **{name: value for name, value in more.items() if (name in names if names is not None else name != "rounds")})


@cache
def named_by(twin: Callable) -> tuple[str, ...] | None:
    """What it takes beside the rounds; None where it takes everything."""
    _, *parameters = signature(twin).parameters.values()
    return None if any(p.kind is Parameter.VAR_KEYWORD for p in parameters) else tuple(p.name for p in parameters)


def served(now: Any, earlier: Any) -> Any:
    """The prediction that a label is compared with: the one made now, unless the round was predicted earlier and its label came late."""
    return now if earlier is None else earlier
