"""Several classes by learners of two: what one against the rest and all pairs have in common, as the definitions read.

A reduction says who joins when a class appears (`recruits`), what a member hears of a class (`heard`), and whom the members elect
(`elect`).  A member plays from the round on whose label brought its last class, and has a voice from the next round on.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from littlestone.reference.seated import SeatedStudent

Rounds = Iterable[tuple[Mapping, Hashable]]
Member = tuple[Hashable, ...]  # the classes it is about
Scores = Mapping[Member, float]  # of a row, by member: 1 where it is 0 or more
CLOSE = 1e-9  # scores that lie nearer than this may stand in another order, by rounding


class Election(NamedTuple):
    """The class of a row (None before any was seen), whether it hangs on the rounding of scores, and the members' predictions."""

    winner: Hashable
    close: bool
    votes: Mapping[Member, Any]


class PlainCommittee:
    """The members at play, asked and told as one; `twin(rounds)` is the learner of two classes."""

    def __init__(self, twin: Callable, recruits: Callable, heard: Callable, elect: Callable) -> None:
        self.twin, self.recruits, self.heard, self.elect = twin, recruits, heard, elect
        self.seen: list[Hashable] = []
        self.seats: dict[Member, SeatedStudent] = {}

    def play(self, x: Any, y: Any, weight: float = 1.0) -> Election:
        """The class of a row whose label comes at once."""
        election = self._elected(lambda member, seat: seat.play(x, self._label(member, y), weight))
        for member in self._join(y):
            self.seats[member].play(x, self._label(member, y), weight)
        return election

    def predict(self, x: Any) -> Election:
        return self._elected(lambda member, seat: seat.predict(x))

    def learn(self, x: Any, y: Any, served: Election, weight: float = 1.0) -> None:
        """Tell the members of a label, each with its own prediction of then; who joined since is asked now."""
        self._join(y)
        for member, seat in self.seats.items():
            if (label := self._label(member, y)) is not None:
                seat.learn(x, label, served.votes.get(member), weight)

    def close(self) -> None:
        for seat in self.seats.values():
            seat.close()

    def _label(self, member: Member, y: Hashable) -> bool | None:
        return None if y is None else self.heard(member, y)

    def _join(self, y: Hashable) -> list[Member]:
        """Who joins with this label."""
        if y is None or y in self.seen:
            return []
        self.seen.append(y)
        joined = self.recruits(self.seen)
        self.seats |= {member: SeatedStudent(self.twin) for member in joined}
        return joined

    def _elected(self, ask: Callable[[Member, SeatedStudent], Any]) -> Election:
        votes, scores = {}, {}
        for member, seat in self.seats.items():
            votes[member] = ask(member, seat)
            scores[member] = seat.score(votes[member])
        winner, close = self.elect(self.seen, scores) if self.seen else (None, False)
        return Election(winner, close or any(seat.book.close for seat in self.seats.values()), votes)


def committee(rounds: Rounds, twin: Callable, recruits: Callable, heard: Callable, elect: Callable) -> Iterator[Hashable]:
    """The class elected in each round."""
    members = PlainCommittee(twin, recruits, heard, elect)
    for x, y in rounds:
        yield members.play(x, y).winner
