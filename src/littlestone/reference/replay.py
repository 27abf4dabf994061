"""Replaying: the definition of a learner, by its family and the settings that a certificate states."""

import sys
from array import array
from collections.abc import Callable, Container, Generator, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from littlestone.errors import LittlestoneError
from littlestone.reference.calls import Book, called
from littlestone.reference.catalogue import definition_named
from littlestone.reference.committee import PlainCommittee
from littlestone.reference.student import Student
from littlestone.theory.families import Family

#: A row comes with its label, or without the one that will come later, or its label comes.
AT_ONCE, ASKED, TOLD = "at once", "asked", "told"


@dataclass(frozen=True)
class Replayed:
    """Rows of the mistakes, rows of the updates without one, facts that only a replay can tell; and from which row on it may have gone
    another way than the run, by rounding."""

    mistakes: list[int]
    also: list[int]
    facts: Mapping[str, Any]
    hangs: int | None = None


def defined(family: Family) -> bool:
    """Can its learner be played by its definition, with all that is inside it?"""
    twin = family.twin or definition_named(family.name)
    if twin is None or (family.inner is not None and not defined(family.inner)):
        return False
    playable = getattr(sys.modules.get(twin.__module__), "playable", None)  # a definition may know settings that do not tell enough
    return playable is None or playable(**(family.values or {}))


def definition(family: Family) -> Callable[..., Generator[Any, Any, None]]:
    """The definition of a family: a user's own, or the function of its name in this folder."""
    twin = family.twin or definition_named(family.name)
    if twin is None:
        raise LittlestoneError(f"learner {family.name!r} has no definition here to replay")
    return twin


def played(family: Family, rounds: Iterable, /, **more: Any) -> Generator[Any, Any, None]:
    """The definition at play with the settings chosen, and with weights, a book or notes where it takes any."""
    if family.drops_zeros:
        rounds = (({i: v for i, v in x.items() if v}, y) for x, y in rounds)
    inside = {} if family.inner is None else {"twin": partial(played, family.inner)}
    return called(definition(family), rounds, **(family.values or {}), **inside, **more)


def student_of(family: Family, book: Book) -> Student | PlainCommittee:
    """The definition, to be asked and told in any order."""
    module = sys.modules[definition(family).__module__]
    if family.inner is not None and hasattr(module, "elect"):
        return PlainCommittee(partial(played, family.inner), module.recruits, module.heard, module.elect)
    return Student(partial(played, family), book=book)


class LearnerReplay:
    """A learner played again as its rounds come, and their labels; rows are counted from `first`.

    Where a prediction hangs on less than the rounding of doubles, either may be the run's; then it is taken as the certificate has it
    (`stated`, its rows of mistakes).  What goes wrong is kept in `fault`: whether these were the rounds of the run is known at their end.
    """

    def __init__(self, family: Family, stated: Container[int] = (), first: int = 1, *, late: bool = False) -> None:
        self.family, self.stated, self.first, self.book = family, stated, first, Book()
        self.student = student_of(family, self.book)
        self.waiting: dict[int, tuple[Any, bool]] = {}  # predictions of rows whose labels have not come, and whether they hang on rounding
        self.met = array("q") if late else None  # the rows in the order in which the definition met them
        self.mistakes: list[int] = []
        self.fault: LittlestoneError | None = None

    def take(self, row: int, x: Mapping, y: Any, weight: float, when: str = AT_ONCE) -> None:
        """A row that is predicted, or learned from, or both."""
        if self.fault is not None:
            return
        try:
            if when == ASKED:
                self.waiting[row] = (self.student.predict(x), self.book.close)
            elif when == AT_ONCE:
                self.count(row, y, self.student.play(x, y, weight), self.book.close)
            else:
                served, close = self.waiting.pop(row)
                self.count(row, y, served, close)
                if y is None:
                    return
                self.student.learn(x, y, served, weight)
        except LittlestoneError as error:
            self.fault = error
        if self.met is not None:
            self.met.append(row)

    def count(self, row: int, y: Any, yhat: Any, close: bool) -> None:
        """Hold the prediction of a row against its label."""
        if y is not None and (row in self.stated if close else yhat != y):
            self.mistakes.append(row)

    def finish(self) -> None:
        """No more rounds: the definition writes down what it writes at the end."""
        self.student.close()

    def end(self) -> Replayed:
        """What all of it says; the rows in order."""
        if self.fault is not None:
            raise self.fault
        self.finish()
        wrong, met, book = set(self.mistakes), self.met, self.book

        def row_of(t: int) -> int:
            return self.first + t if met is None else met[t]

        also = sorted(row for row in map(row_of, book.updates) if row not in wrong)
        return Replayed(self.mistakes, also, book.facts, None if book.hangs is None else row_of(book.hangs))


class OverheardReplay(LearnerReplay):
    """A learner that is played again already, as a member of a committee: `seat()` is where it sits, the row played."""

    def __init__(self, family: Family, stated: Container[int], first: int, seat: Callable[[], Any]) -> None:
        super().__init__(family, stated, first)
        self.seat = seat

    def take(self, row: int, x: Mapping, y: Any, weight: float, when: str = AT_ONCE) -> None:
        if self.fault is not None:
            return
        try:
            self.student = student = self.seat()
        except LittlestoneError as error:
            self.fault = error
            return
        self.book = student.book
        self.count(row, y, student.vote, student.book.close)


class ToldReplay(LearnerReplay):
    """A learner that is played again already, where a panel is: who plays it counts its predictions here, and leaves its book."""

    def take(self, row: int, x: Mapping, y: Any, weight: float, when: str = AT_ONCE) -> None:
        """Somebody else plays it."""

    def finish(self) -> None:
        """So it has been."""
