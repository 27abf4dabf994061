"""Down a mistake tree of greatest depth, always against the prediction: exactly as many mistakes as the Littlestone dimension.

Ldim(V) ≥ d ≥ 1 means that some point divides the concepts V into two parts of Ldim ≥ d - 1.  Show it, give the label that was not
predicted, go on with the part that agrees: a mistake in each of d rounds, and a concept is left at the end.  The optimal learner makes
no more, so Ldim(C) = opt(C).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from littlestone.concepts.finite import finite
from littlestone.games.adversaries._finite import ClassAdversary
from littlestone.protocol.players import Instance, Player

N = 4  # of a class that is named without


@dataclass(frozen=True, repr=False)
class LittlestoneTree(ClassAdversary):
    source = "Littlestone 1988, Theorem 3"

    @property
    def forces(self) -> int:
        return self.dimensions.littlestone(self.dimensions.all)

    def rounds(self, learner: Player) -> Iterator[tuple[Instance, bool]]:
        V = self.dimensions.all
        for depth in reversed(range(self.forces)):
            point = self.branching(V, depth)
            x = self.instance(point)
            y = not learner.predict(x)
            V &= self.dimensions.ones[point] if y else ~self.dimensions.ones[point]
            yield x, y

    def branching(self, V: int, depth: int) -> int:
        """A point that leaves a tree of this depth, whatever its label."""
        ldim, ones = self.dimensions.littlestone, self.dimensions.ones
        return next(p for p in self.evenest(V) if ldim(V & ones[p]) >= depth and ldim(V & ~ones[p]) >= depth)


def littlestone_tree(concepts: Any = "conjunctions", *, n: int | None = None, r: int | None = None) -> LittlestoneTree:
    """The mistake tree of a finite class: one of `littlestone.concepts`, its name with n (4 unless given; r of disjunctions), or a boolean
    matrix with a row for each concept. The class must be small: its dimension is worked out.

    >>> import littlestone as ls
    >>> adversary = littlestone_tree("half_intervals", n=15)
    >>> game = ls.adversaries.meet(ls.optimal("half_intervals", n=15), adversary)
    >>> adversary.forces, game.mistakes, game.witness
    (4, 4, HalfInterval(a=15))
    """
    return LittlestoneTree(finite(concepts, N if n is None and isinstance(concepts, str) else n, r))
