"""What adversaries that give votes hand over: the best expert."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from littlestone.protocol.players import Instance


@dataclass(frozen=True)
class ExpertWitness:
    """One expert of a stream of votes, and how often it was wrong. It says what it says of every row."""

    number: int  # counted from 0
    mistakes: int

    def __call__(self, votes: Any) -> bool:
        return bool(votes[self.number])

    def __repr__(self) -> str:
        return f"expert {self.number}, wrong {self.mistakes} time{'' if self.mistakes == 1 else 's'}"

    @property
    def assume(self) -> str:
        return f"expert:m={self.mistakes}"

    @property
    def witness(self) -> int:
        return self.number


def best_expert(n: int, stream: Sequence[tuple[Instance, bool]]) -> ExpertWitness:
    """The expert with the fewest mistakes; of several, the first."""
    wrong = [sum(bool(votes[i]) != y for votes, y in stream) for i in range(n)]
    number = min(range(n), key=wrong.__getitem__)
    return ExpertWitness(number, wrong[number])
