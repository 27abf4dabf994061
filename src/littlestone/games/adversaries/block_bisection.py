"""One relevant variable in each of k blocks, found by bisection: k·⌊log2(n/k)⌋ mistakes of any learner of k-literal disjunctions.

Of the n variables take k blocks of 2^b each, b = ⌊log2(n/k)⌋; the target has one variable of each block.  In a block, while several
variables are possible, switch on half of them and nothing else.  Predicted 1: say 0, it is one of the others.  Predicted 0: say 1, it is
one of these.  Either label leaves half, so each block costs b mistakes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from littlestone.concepts.classes import present
from littlestone.concepts.disjunctions import Disjunction, Disjunctions, whole
from littlestone.errors import require
from littlestone.games.adversaries._game import Adversary
from littlestone.protocol.players import Instance, Player

TABLE, BITS = 12, 24


@dataclass(frozen=True, repr=False)
class BlockBisection(Adversary):
    n: int
    k: int

    source = "Littlestone 1988"

    @property
    def bits(self) -> int:
        """⌊log2(n/k)⌋."""
        return (self.n // self.k).bit_length() - 1

    @property
    def forces(self) -> int:
        return self.k * self.bits

    @property
    def concepts(self) -> Disjunctions | None:  # type: ignore[override]
        """Those of k variables where a table of the cube is small; else all of them, which need none, if a bit for each is little."""
        return Disjunctions(self.n, self.k) if self.n <= TABLE else Disjunctions(self.n) if self.n <= BITS else None

    @property
    def blocks(self) -> list[list[int]]:
        size = 1 << self.bits
        return [list(range(start, start + size)) for start in range(0, self.k * size, size)]

    def rounds(self, learner: Player) -> Iterator[tuple[Instance, bool]]:
        for possible in self.blocks:
            while len(possible) > 1:
                half = len(possible) // 2
                x = dict.fromkeys(possible[:half], 1)
                y = not learner.predict(x)
                possible = possible[:half] if y else possible[half:]
                yield x, y

    def witness(self, stream: Sequence[tuple[Instance, bool]]) -> Disjunction:
        """Of each block the first variable that is possible still."""
        possible = [set(block) for block in self.blocks]
        for x, y in stream:
            assert isinstance(x, Mapping)
            shown = present(x)
            for block in possible:
                if not block.isdisjoint(shown):
                    block &= shown if y else block - shown
        return Disjunction(frozenset(map(min, possible)))


def block_bisection(n: int = 32, k: int = 2) -> BlockBisection:
    """k·⌊log2(n/k)⌋ mistakes on a disjunction of k of n variables.

    >>> import littlestone as ls
    >>> game = ls.adversaries.meet(ls.winnow(), block_bisection(100, 3))
    >>> game.mistakes, game.witness, game.witness.assume
    (15, x0 ∨ x32 ∨ x64, 'disjunction:r=3')
    """
    require(1 <= whole(k, "k") <= whole(n, "n") // 2, f"k={k} and n={n}: expected n to be at least 2k, two variables for each of k blocks")
    return BlockBisection(n, k)
