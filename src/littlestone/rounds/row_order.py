"""The order of features inside a row, as learners play it: it does not depend on the order in which the row was written."""

from collections.abc import Iterable, Iterator
from typing import Any

from littlestone.rounds.digest import Round


class RowOrder:
    """Sorts the features of each row by their numbers, and drops those with value 0.

    Names are numbered as they appear, row by row, and those that are new in a row in the order of their bytes. Features that are numbers
    already, or hashed to numbers, keep them: `named` says which; None, whatever the first key is.

    >>> order = RowOrder()
    >>> [order.of(Round(True, names, [1.0] * len(names), b"")).keys for names in (["c", "b"], ["d", "a", "b"])]
    [['b', 'c'], ['b', 'a', 'd']]
    """

    def __init__(self, named: bool | None = None) -> None:
        self.named, self.numbers = named, dict[str, int]()

    def of(self, round: Round) -> Round:
        """Return the round with the features of its row in order."""
        pairs = [(key, value) for key, value in zip(round.keys, round.values, strict=True) if value]
        if self.named is None and pairs:
            self.named = isinstance(pairs[0][0], str)
        if self.named:
            numbers = self.numbers
            for name in sorted(str(key) for key, _ in pairs if str(key) not in numbers):
                numbers[name] = len(numbers)
            pairs.sort(key=lambda pair: numbers[str(pair[0])])
        else:
            pairs.sort(key=lambda pair: int(pair[0]))
        ordered = Round(round.y, [key for key, _ in pairs], [value for _, value in pairs], round.coded, round.c, round.id)
        ordered.key = round.key
        return ordered

    def all(self, rounds: Iterable[Any]) -> Iterator[Round]:
        """Return all rounds, in their order, each with its features in order."""
        return map(self.of, rounds)
