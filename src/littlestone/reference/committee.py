"""Several classes by learners of two: what one against the rest and all pairs have in common, as the definitions read.

A reduction says who joins when a class appears (`recruits`), what a member is told of a class (`told`), and whom the members elect
(`elect`).  A member plays from the round on in which its last class appeared, and has a voice from the next round on.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from littlestone.reference.calls import called

Rounds = Iterable[tuple[Mapping, Hashable]]
Member = tuple[Hashable, ...]  # the classes it is about
Scores = Mapping[Member, float]  # what the members say of a row: 1 where it is 0 or more
CLOSE = 1e-9  # scores that lie nearer than this may stand in another order, by rounding


class Votes:
    """A book that hears scores, for members that have any."""

    def __init__(self) -> None:
        self.scores: list[float] = []
        self.updates: list[int] = []
        self.facts: dict[str, Any] = {}

    def hear(self, score: Any) -> None:
        self.scores.append(float(score))


def committee(rounds: Rounds, twin: Callable, recruits: Callable, told: Callable, elect: Callable) -> Iterator[Hashable]:
    """The class elected in each round; `twin(rounds)` is the learner of two classes."""
    rounds = list(rounds)
    born = first_rounds(y for _, y in rounds)
    scores = {}
    for member in (member for place in range(len(born)) for member in recruits(list(born)[: place + 1])):
        book = Votes()
        says = list(called(twin, [(x, None if y is None else told(member, y)) for x, y in rounds[born[member[-1]] :]], book=book))
        scores[member] = book.scores or [1.0 if yhat else -1.0 for yhat in says]
    yield from (named for named, _ in elections(elect, scores, born, len(rounds)))


def elections(
    elect: Callable, scores: Mapping[Member, Sequence[float]], born: Mapping[Hashable, int], rounds: int
) -> Iterator[tuple[Hashable, bool]]:
    """The class elected in each round, None before any was seen; and whether that hangs on the rounding of scores."""
    for t in range(rounds):
        known = [c for c in born if born[c] < t]
        now = {member: own[t - born[member[-1]]] for member, own in scores.items() if born[member[-1]] < t}
        yield elect(known, now) if known else (None, False)


def first_rounds(labels: Iterable[Hashable]) -> dict:
    """In which round each class first appears, in that order."""
    born: dict = {}
    for t, y in enumerate(labels):
        if y is not None:
            born.setdefault(y, t)
    return born
