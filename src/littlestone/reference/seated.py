"""A definition inside another, heard by its scores."""

from collections.abc import Callable
from typing import Any

from littlestone.reference.calls import Book
from littlestone.reference.student import Student


class SeatedStudent(Student):
    """A member of a committee or a panel at play; where it has no score, its vote is one."""

    def __init__(self, twin: Callable) -> None:
        self.book = Book()
        super().__init__(twin, book=self.book)

    def score(self, vote: Any) -> float:
        """Of the last row, on which it voted so."""
        return (1.0 if vote else -1.0) if self.book.score is None else float(self.book.score)
