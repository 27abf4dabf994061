"""One expert always says 1, the other always 0, and the truth is what the rule did not say: T mistakes in T rounds.

In every round exactly one of the two is wrong, so the better of them is wrong in at most T/2 rounds.  So no deterministic rule over experts
has a bound that grows by less than twice the mistakes of the best.  A rule that tosses a coin has: it expects half as many.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from littlestone.concepts.disjunctions import whole
from littlestone.games.adversaries._game import Adversary
from littlestone.games.adversaries._votes import ExpertWitness, best_expert
from littlestone.protocol.players import Instance, Player


@dataclass(frozen=True, repr=False)
class TwoExperts(Adversary):
    T: int

    n: ClassVar[int] = 2  # type: ignore[misc]
    against = "every deterministic rule over experts"
    source = "Littlestone, Warmuth 1994; Vempala, Lecture 2"
    gives = "votes"

    @property
    def forces(self) -> int:
        return self.T

    def rounds(self, learner: Player) -> Iterator[tuple[Instance, bool]]:
        for _ in range(self.T):
            votes = [1, 0]
            yield votes, not learner.predict(votes)

    def witness(self, stream: Sequence[tuple[Instance, bool]]) -> ExpertWitness:
        return best_expert(self.n, stream)


def two_experts(T: int = 20) -> TwoExperts:
    """Two experts who never change their minds, for T rounds.

    >>> import littlestone as ls
    >>> game = ls.adversaries.meet(ls.weighted_majority(), two_experts(20))
    >>> game.mistakes, game.witness.mistakes <= 10
    (20, True)
    """
    return TwoExperts(whole(T, "T"))
