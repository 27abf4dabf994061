"""Every unit vector once, each with the label that was not predicted: n mistakes of any learner of disjunctions (or of anything).

On e_1, ..., e_n every labelling is some disjunction's, S = the features of the 1s.  So no deterministic learner of disjunctions makes fewer
than n mistakes in the worst case, if nothing is known of how many variables are relevant.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from littlestone.concepts.disjunctions import Disjunction, Disjunctions, whole
from littlestone.games.adversaries._game import Adversary
from littlestone.protocol.players import Instance, Player


@dataclass(frozen=True, repr=False)
class UnitVectors(Adversary):
    n: int

    source = "Blum, Hopcroft and Kannan, Foundations of Data Science, Theorem 5.9"

    @property
    def forces(self) -> int:
        return self.n

    @property
    def concepts(self) -> Disjunctions:  # type: ignore[override]
        return Disjunctions(self.n)

    def rounds(self, learner: Player) -> Iterator[tuple[Instance, bool]]:
        for i in range(self.n):
            x = {i: 1}
            yield x, not learner.predict(x)

    def witness(self, stream: Sequence[tuple[Instance, bool]]) -> Disjunction:
        return Disjunction(frozenset(i for x, y in stream if y and isinstance(x, Mapping) for i in x))


def unit_vectors(n: int = 8) -> UnitVectors:
    """The unit vectors of n features, labelled against the prediction.

    >>> unit_vectors(5).forces
    5
    """
    return UnitVectors(whole(n, "n"))
