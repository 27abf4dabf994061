"""Rounds that are known beforehand, as an adversary: a stream of one's own, or what a person has typed. It forces nothing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from littlestone.concepts.classes import ConceptClass
from littlestone.errors import require
from littlestone.games.adversaries._game import Adversary
from littlestone.games.adversaries._votes import best_expert
from littlestone.protocol.players import Instance, Player


@dataclass(frozen=True, repr=False)
class RecordedRounds(Adversary):
    """These rounds, whatever is predicted. With a class of concepts some concept of it must give every label."""

    n: int
    stream: tuple[tuple[Instance, bool], ...]
    title: str
    concepts: ConceptClass | None = None
    gives: str = "features"  # type: ignore[misc]

    own = True

    @property
    def forces(self) -> None:
        return None

    def rounds(self, learner: Player) -> Iterator[tuple[Instance, bool]]:
        yield from self.stream

    def witness(self, stream: Sequence[tuple[Instance, bool]]) -> Any:
        """The first concept of the class that gives every label; for votes the best expert; None where there is no class."""
        if self.gives == "votes":
            return best_expert(self.n, stream)
        if self.concepts is None:
            return None
        concept = next((concept for concept in self.concepts if all(bool(concept(x)) == y for x, y in stream)), None)
        require(concept is not None, f"no concept of {self.concepts!r} gives every label; expected those of one of them")
        return concept

    @property
    def name(self) -> str:
        return self.title

    def __repr__(self) -> str:
        return self.title
