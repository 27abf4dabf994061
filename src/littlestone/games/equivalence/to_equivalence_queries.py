"""From mistakes to equivalence queries: ask for the prediction rule, and give the learner the counterexample.

Theorem: a learner that makes at most B mistakes asks at most B + 1 queries (theory/queries.py).
"""

from collections.abc import Callable
from typing import Any

from littlestone.errors import LittlestoneError, require
from littlestone.games.oracles.membership import Example
from littlestone.protocol.players import Player, player
from littlestone.theory import queries as theory

PATIENCE = 10_000  # times that one counterexample may come back before we say that it teaches nothing


class Asking:
    """Learns by equivalence queries alone. Its hypotheses are prediction rules, which need not be concepts of any class."""

    ends_with_yes = True  # it stops only when told that it is right

    def __init__(self, learner: Any, bound: int | None, n: int | None) -> None:
        require(bound is None or (isinstance(bound, int) and bound >= 0), f"bound={bound!r} must be a number of mistakes, or left out")
        self.learner, self.bound, self.n = learner, bound, n
        player(learner, n)  # refused now, where it cannot play
        self.most = None if bound is None else theory.queries(bound)

    def learn(self, eq: Callable[[Player], Example | None]) -> Player:
        """Ask until the answer is yes; what was right is given back. The oracle sees the learner itself, and must not teach it."""
        learner, mistakes = player(self.learner, self.n), 0
        last, times = None, 0
        while (answer := eq(learner)) is not None:
            x, y = answer
            if learner.predict(x) == y:
                raise LittlestoneError(f"({x!r}, {y!r}) is no counterexample: {learner.name} predicts {y!r} there")
            mistakes += 1
            if self.bound is not None and mistakes > self.bound:
                raise LittlestoneError(
                    f"counterexample number {mistakes}, and {learner.name} was to make at most {self.bound} mistakes: "
                    "the target is none that the bound speaks of"
                )
            last, times = answer, times + 1 if answer == last else 1
            if times > PATIENCE:
                raise LittlestoneError(f"{learner.name} was given ({x!r}, {y!r}) {PATIENCE:,} times in a row, and learns nothing from it")
            learner.update(x, y)
        return learner

    def __repr__(self) -> str:
        return f"to_equivalence_queries({self.learner!r}{'' if self.bound is None else f', bound={self.bound}'})"


def to_equivalence_queries(learner: Any, bound: int | None = None, *, n: int | None = None) -> Asking:
    """A query learner made of any learner: `.learn(eq)` asks at most `bound` + 1 equivalence queries, `bound` the learner's mistake bound.

    n is told to learners that must know the number of features. Without a bound it asks until the answer is yes.

    >>> import littlestone as ls
    >>> from littlestone.games.oracles import EQ, counting
    >>> C = ls.concepts.half_intervals(16)
    >>> asks = to_equivalence_queries(ls.halving(C), bound=4)
    >>> eq = counting(EQ.adversarial(C.concept(11), C))
    >>> asks.learn(eq), eq.count, asks.most
    (player(halving), 4, 5)
    """
    return Asking(learner, bound, n)
