"""Replaying: the definition of a learner, by its family and the settings that a certificate states."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from littlestone.errors import LittlestoneError
from littlestone.reference.calls import called
from littlestone.reference.catalogue import definitions
from littlestone.reference.student import Student
from littlestone.theory.families import Family


@dataclass
class Book:
    """What a definition writes down while it plays: the rounds it learned from, counted from 0, and what else its theorems speak of."""

    updates: list[int] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    scores: list[float] | None = None  # a list, where somebody wants to know the scores

    def hear(self, score: Any) -> None:
        """The score of a round, as its prediction is made."""
        if self.scores is not None:
            self.scores.append(float(score))


@dataclass(frozen=True)
class Replayed:
    """Rows of the mistakes, rows of the updates without one, facts that only a replay can tell, and the scores if asked for."""

    mistakes: list[int]
    also: list[int]
    facts: Mapping[str, Any]
    scores: Sequence[float] = ()


def defined(family: Family) -> bool:
    """Can its learner be played by its definition, with all that is inside it?"""
    return (family.twin is not None or family.name in definitions()) and (family.inner is None or defined(family.inner))


def definition(family: Family) -> Callable[..., Generator[Any, Any, None]]:
    """The definition of a family: a user's own, or the function of its name in this folder."""
    twin = family.twin or definitions().get(family.name)
    if twin is None:
        raise LittlestoneError(f"learner {family.name!r} has no definition here to replay")
    return twin


def played(family: Family, rounds: Iterable, /, **more: Any) -> Generator[Any, Any, None]:
    """The definition at play with the settings chosen, and with weights, a book or notes where it takes any."""
    inside = {} if family.inner is None else {"twin": lambda rounds, **rest: played(family.inner, rounds, **rest)}
    return called(definition(family), rounds, **(family.values or {}), **inside, **more)


Times = Sequence[tuple[int, int]]  # when each round was predicted, and when its label came: after the prediction of that time


def replayed(family: Family, rounds: Sequence[Any], first: int = 1, scores: bool = False, times: Times | None = None) -> Replayed:
    """Play the definition, with the settings chosen, over rows, each with features x and a label y; rows are counted from `first`.

    With `scores` they are kept too; of a learner without any, its votes, as ±1. `times` are those of labels that came late.
    """
    book = Book(scores=[] if scores and family.scored else None)
    plain = ((({i: v for i, v in one.x.items() if v} if family.drops_zeros else one.x), one.y) for one in rounds)
    weights = [one.c for one in rounds]
    votes = list(played(family, plain, weights=weights, book=book) if times is None else late(family, list(plain), weights, book, times))
    mistakes = [t for t, (one, yhat) in enumerate(zip(rounds, votes, strict=True)) if one.y is not None and one.y != yhat]
    wrong = set(mistakes)
    also = [first + t for t in book.updates if t not in wrong]
    kept = array("d", (book.scores or [1.0 if yhat else -1.0 for yhat in votes]) if scores else ())
    return Replayed([first + t for t in mistakes], also, book.facts, kept)


def late(family: Family, rounds: Sequence[tuple[Any, Any]], weights: Sequence[float], book: Book, times: Times) -> Sequence[Any]:
    """The predictions served where labels came late: a round is learned when its label comes, with the prediction made when it came."""
    learner, served, asked = Student(partial(played, family), book=book), [None] * len(rounds), list[int]()
    moments = [(when, 0, t) for t, (when, _) in enumerate(times)]
    moments += [(when, 1, t) for t, (_, when) in enumerate(times) if rounds[t][1] is not None]
    for _, learning, t in sorted(moments):
        x, y = rounds[t]
        asked.append(t)
        if learning:
            learner.learn(x, y, served[t], weights[t])
        else:
            served[t] = learner.predict(x)
    learner.close()
    book.updates = sorted(asked[k] for k in book.updates)  # as rounds, not as what was asked and taught
    return served


def overlap(times: Times, updates: Iterable[int]) -> int:
    """The most updates that came between a prediction and its label, of rounds that were mistakes or updates; all counted from 0."""
    when = sorted((times[t][1], t) for t in updates)
    return max((k - bisect_left(when, (times[t][0], -1)) for k, (_, t) in enumerate(when)), default=0)
