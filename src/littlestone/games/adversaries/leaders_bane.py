"""Only the leader errs: n·m + n - 1 mistakes of follow_leader, while the best of n experts makes m.

Follow the leader, of several the first, says what an expert with the fewest mistakes so far says.  Let in every round that one be wrong and
all the others right.  The mistakes then go round: expert 0, 1, ..., n-1, 0, 1, ...  After n·m rounds everybody has made m; then n - 1 more
leaders fall, and the last expert still has m.  The rule was wrong every time.  No stream with such an expert makes it err more often: an
expert leads only while it has made at most m, so it costs the rule at most m + 1, and the best at most m.

Others may do better.  A majority of three experts or more is never wrong here.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from littlestone.concepts.disjunctions import whole
from littlestone.games.adversaries._game import Adversary
from littlestone.games.adversaries._votes import ExpertWitness, best_expert
from littlestone.protocol.players import Instance, Player


@dataclass(frozen=True, repr=False)
class LeadersBane(Adversary):
    n: int
    m: int

    against = "follow_leader, which takes the first of the best"
    source = "Vempala, Lecture 2, section 2.1; derived"
    gives = "votes"

    @property
    def forces(self) -> int:
        return self.n * self.m + self.n - 1

    def rounds(self, learner: Player) -> Iterator[tuple[Instance, bool]]:
        for t in range(self.forces):
            yield [int(i != t % self.n) for i in range(self.n)], True

    def witness(self, stream: Sequence[tuple[Instance, bool]]) -> ExpertWitness:
        return best_expert(self.n, stream)

    def excuse(self, learner: Player) -> str:
        if general := super().excuse(learner):
            return general
        if learner.name != "follow_leader":
            return f"its number is proved for follow_leader; {learner.name} need not believe the leader"
        return "it has seen rounds already" if learner.state.losses.any() else ""  # type: ignore[attr-defined]


def leaders_bane(n: int = 8, m: int = 2, *, k: int | None = None) -> LeadersBane:
    """n experts, of whom only the leader errs, until the best has made m mistakes. `k` is another name for m, as `duel --k` has it.

    >>> leaders_bane(10, 2).forces, leaders_bane(10, 0).forces, leaders_bane(10, k=3)
    (29, 9, leaders_bane(n=10, m=3))
    """
    return LeadersBane(whole(n, "n"), whole(m, "m", 0) if k is None else whole(k, "k", 0))
