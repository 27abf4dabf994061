"""All ones, then all ones but one: n + 1 mistakes of any learner of conjunctions. So the n + 1 of the lecture's algorithm is the optimum.

Show 1^n, then 1^n with variable 1 off, then with variable 2 off, and so on; say 0 as long as 1 is predicted.

Where 0 is predicted first, say 1.  At 1^n: negations are out of the question, and x1, ..., xn each may or may not be in the target.  At 1^n
with variable j off: ¬xj must be in it, for 1^n was a 0, and that accounts for every 0 so far; each of the other n - 1 variables may or may
not be in it.  Either way switch off one of those more at a time: the label is free, 0 if the variable is in the target.  That makes n
mistakes after the first round, or n - 1 after two rounds or more.

Where 0 is never predicted, those were n + 1 mistakes, and ¬x1 ∧ ¬x2 agrees.  (n = 1 has no x2: there the constant 0 must be counted among
the conjunctions.)
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from littlestone.concepts.classes import present
from littlestone.concepts.conjunctions import Conjunction, Conjunctions
from littlestone.concepts.disjunctions import whole
from littlestone.games.adversaries._game import Adversary
from littlestone.protocol.players import Instance, Player


@dataclass(frozen=True, repr=False)
class AgainstConjunctions(Adversary):
    n: int

    source = "derived; the exercise after Theorem 1 of Kanade, Lecture 10"

    @property
    def forces(self) -> int:
        return self.n + 1

    @property
    def concepts(self) -> Conjunctions:  # type: ignore[override]
        return Conjunctions(self.n, contradictory=self.n == 1)

    def rounds(self, learner: Player) -> Iterator[tuple[Instance, bool]]:
        off: set[int]
        for off in (set(), *({j} for j in range(self.n))):
            x = self._without(off)
            y = not learner.predict(x)
            yield x, y
            if y:  # the first 0 predicted: every other variable is free now
                break
        else:
            return
        for i in sorted(set(range(self.n)) - off):
            x = self._without(off | {i})
            yield x, not learner.predict(x)

    def _without(self, off: set[int]) -> dict[int, int]:
        return {i: 1 for i in range(self.n) if i not in off}

    def witness(self, stream: Sequence[tuple[Instance, bool]]) -> Conjunction:
        """The literals that hold in every instance labelled 1. A conjunction that agrees has no others, so these make 0 what it makes 0."""
        ones = [present(x) for x, y in stream if y and isinstance(x, Mapping)]
        if not ones:
            return Conjunction(frozenset(), frozenset([0, 1])) if self.n > 1 else Conjunction(frozenset([0]), frozenset([0]))
        on = frozenset.intersection(*map(frozenset, ones))
        return Conjunction(on, frozenset(range(self.n)).difference(*ones))


def conjunction(n: int = 8) -> AgainstConjunctions:
    """n + 1 mistakes on a conjunction over n variables.

    >>> import littlestone as ls
    >>> game = ls.adversaries.meet(ls.conjunctions(), conjunction(5))
    >>> game.mistakes, game.witness, game.rounds[0].y
    (6, 1, True)
    """
    return AgainstConjunctions(whole(n, "n"))
