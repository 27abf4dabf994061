"""From equivalence queries to mistakes: predict by the hypothesis of the query that is about to be asked; a mistake answers it.

Theorem: a learner of at most Q queries makes at most Q mistakes, and at most Q - 1 if its last query is always answered yes
(theory/queries.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from littlestone.errors import LittlestoneError, require
from littlestone.games.oracles.membership import Example, rule
from littlestone.protocol.players import Instance, Player
from littlestone.theory import queries as theory

NONE_OF_THOSE = "what it says of its queries is false, or the target is none that it speaks of"


class Unanswered(BaseException):  # not an Exception: a query learner that catches those must not catch this
    """A query that the stream has not answered yet."""

    def __init__(self, hypothesis: Any) -> None:
        self.hypothesis = hypothesis


class Predicting(Player):
    """A query learner, turned inside out: it is run again from the recorded answers, up to the first query that has none."""

    def __init__(self, asks: Any, counterexamples: tuple[Example, ...] = ()) -> None:
        self.asks, self.counterexamples = asks, counterexamples
        self.name = f"from_equivalence_queries({getattr(asks, 'name', None) or type(asks).__name__})"
        self.done = False  # has it asked its last query?
        most = getattr(asks, "most", None)
        self.most = None if most is None else theory.mistakes(most, getattr(asks, "ends_with_yes", False))  # mistakes, by the theorem
        self._think()

    def _think(self) -> None:
        waiting = iter(self.counterexamples)

        def eq(hypothesis: Any) -> Example:
            answer = next(waiting, None)
            if answer is None:
                raise Unanswered(hypothesis)
            if rule(hypothesis)(answer[0]) == answer[1]:
                raise LittlestoneError(
                    f"{self.name}: run again, it asked another hypothesis; expected the same answers to lead to the same"
                )
            return answer

        try:
            self.hypothesis = self.asks.learn(eq)
            self.done = True
        except Unanswered as query:
            self.hypothesis = query.hypothesis
            most, asked = getattr(self.asks, "most", None), len(self.counterexamples) + 1
            if most is not None and asked > most:
                raise LittlestoneError(f"{self.name}: query number {asked}, and it was to ask at most {most}: {NONE_OF_THOSE}") from None
        if self.most is not None and len(self.counterexamples) > self.most:
            raise LittlestoneError(
                f"{self.name}: query number {len(self.counterexamples)} got a counterexample, and the last of its {self.most + 1} was "
                f"always to be answered yes: {NONE_OF_THOSE}"
            )
        self._rule = rule(self.hypothesis)

    def predict(self, x: Instance) -> bool:
        return self._rule(x)

    def update(self, x: Instance, y: bool) -> None:
        """A mistake answers the query; a learner that asks no more has nothing left to learn from it."""
        if not self.done and self._rule(x) != y:
            kept = dict(x) if isinstance(x, Mapping) else list(x)  # the caller may use x again
            self.counterexamples = (*self.counterexamples, (kept, bool(y)))
            self._think()

    def copy(self) -> Predicting:
        return Predicting(self.asks, self.counterexamples)

    def same(self, other: Player) -> bool | None:
        alike = isinstance(other, Predicting) and other.asks is self.asks and other.counterexamples == self.counterexamples
        return True if alike else None


def from_equivalence_queries(query_learner: Any) -> Predicting:
    """A player made of a query learner: anything with `.learn(eq)` that asks `eq(hypothesis)` for None (right) or a counterexample (x, y),
    and returns the hypothesis it ends with. It must be deterministic, and begin afresh with each call: it is run again for each mistake.
    Where it says how many queries it asks at most (`most`), and whether the last is always answered yes (`ends_with_yes`), the player's
    `most` is the bound on its mistakes.

    >>> import littlestone as ls
    >>> class Threshold:                                   # of points on a line: from below, one step for each counterexample
    ...     most, ends_with_yes = 9, True                  # on 8 points
    ...     def learn(self, eq):
    ...         a = 0
    ...         while eq(lambda x: min(x) >= a) is not None:
    ...             a += 1
    ...         return lambda x: min(x) >= a
    >>> learner = from_equivalence_queries(Threshold())
    >>> for point in (5, 1, 2):
    ...     learner.update({point: 1}, point >= 2)
    >>> learner.predict({1: 1}), len(learner.counterexamples), learner.most
    (True, 1, 8)
    """
    require(hasattr(query_learner, "learn"), f"{query_learner!r} is no query learner: expected an object with learn(eq)")
    return Predicting(query_learner)
