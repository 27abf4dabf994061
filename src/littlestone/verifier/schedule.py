"""Rounds as a run met them: each with its label at once, or with its label later, so many rows later or by name."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from littlestone.errors import Refused
from littlestone.reference.replay import ASKED, AT_ONCE, TOLD
from littlestone.rounds.features import written
from littlestone.theory.json_shape import shortened


class Event(NamedTuple):
    """A row is predicted, or its label comes, or both. Rows are counted in the order in which their labels come."""

    row: int  # 0 where no label will ever come
    round: Any  # with a label y
    when: str = AT_ONCE


class Schedule:
    """When rows were predicted and when their labels came, as a certificate says it of its stream."""

    def __init__(self, stream: Mapping[str, Any], bare: Callable[[Any], bool]) -> None:
        self.stream, self.bare = stream, bare  # `bare`: has a row no features, so that its label may be that of another?
        self.late = bool({"delay", "order"} & set(stream))
        self.unnamed = False  # is it taken as stated which row a label belongs to, since rows have no names?
        self.total = 0  # rows of the stream so far

    def events(self, rounds: Iterator[Any], progress: Callable[[int, int], None] = lambda *_: None) -> Iterator[Event]:
        """All rounds, in the order in which the learner met them; `progress` hears how many there were so far, and how many there are."""
        first, last = self.stream["rows"]
        rounds = self._counted(rounds, progress)
        if "order" in self.stream:
            return self._by_name(rounds)
        played = in_segment(rounds, first, last, self.stream["segment"])
        if self.stream.get("delay"):
            return delayed(played, first, self.stream["delay"], (last - first + 1) // self.stream.get("passes", 1))
        return map(Event, range(first, last + 2), played)

    def _counted(self, rounds: Iterator[Any], progress: Callable[[int, int], None]) -> Iterator[Any]:
        for example in rounds:
            self.total += 1
            if not self.total & 127:
                progress(self.total, self.stream["rows"][1])
            yield example

    def _by_name(self, rounds: Iterator[Any]) -> Iterator[Event]:
        """`order` has for each label the row it belongs to, 0 where it belongs to none."""
        order = self.stream["order"]
        place = {row: k for k, row in enumerate(filter(None, order), 1)}
        if len(place) != sum(map(bool, order)):
            raise Refused("stream.order: two labels belong to one row")
        labels, waiting, named = iter(order), dict[int, Any](), dict[str, int]()
        for t, example in enumerate(rounds, 1):
            if example.y is None:
                if example.id is not None:
                    named[example.id] = t
                if t in place:
                    waiting[t] = example
                yield Event(place.get(t, 0), example, ASKED)
                continue
            row = next(labels, -1)
            self._check_name(row, t, example, named)
            if row == t:
                yield Event(place[t], example)
            elif row:
                if row not in waiting:
                    raise Refused(f"stream.order: the label in row {t} cannot be that of row {row}")
                yield Event(place[row], with_label(waiting.pop(row), example.y), TOLD)
        if next(labels, None) is not None or waiting:
            raise Refused("stream.order has more labels than the stream")

    def _check_name(self, row: int, t: int, example: Any, named: dict[str, int]) -> None:
        """A label belongs to its own row, or, where that has a name and no features, to the last row of that name without a label."""
        bare = self.bare(example)
        if row == t and not (bare and example.id is not None):
            return
        if bare and example.id is None and 0 <= row < t:
            self.unnamed = True
        elif not bare or row != named.pop(example.id, 0):
            raise Refused(f"stream.order: the label in row {t} cannot be that of row {row}")


class Overlap:
    """Counts updates, and how many of them came at most between the prediction and the label of a row that was one itself, or a mistake."""

    def __init__(self) -> None:
        self.waiting: dict[int, int] = {}  # of rows whose labels have not come: the updates before their predictions
        self.made = self.most = 0

    def asked(self, row: int) -> None:
        self.waiting[row] = self.made

    def answered(self, row: int, when: str, teaches: bool, mistake: bool = False) -> None:
        """The label of a row has come, with the row or later."""
        before = self.waiting.pop(row) if when == TOLD else self.made
        if teaches or mistake:
            self.most = max(self.most, self.made - before)
        self.made += teaches


def name_of(id: Any) -> str | None:
    """The name of a row as a file would have it."""
    return None if id is None or id != id else written(id)


def with_label(example: Any, y: Any) -> Any:
    """A round whose label has come."""
    return (
        example._replace(y=y)
        if hasattr(example, "_replace")
        else type(example)(y, example.keys, example.values, example.coded, example.c, example.id)
    )


def delayed(rounds: Iterator[Any], first: int, delay: int, length: int) -> Iterator[Event]:
    """Labels that come so many rows later, or at the end of a pass, which has so many rows."""
    waiting: deque[Event] = deque()
    for t, example in enumerate(rounds):
        yield Event(first + t, example, ASKED)
        waiting.append(Event(first + t, example, TOLD))
        while len(waiting) > (delay if (t + 1) % length else 0):
            yield waiting.popleft()
    yield from waiting


def refuse_beyond(stream: Mapping[str, Any], length: int) -> None:
    """Refuse rows that so many passes over a stream of this length do not have, before all of them are made."""
    passes, last = stream.get("passes", 1), stream["rows"][1]
    if passes > 1 and last > passes * length:
        raise Refused(f"stream.rows ends with {shortened(last)}, and {passes:,} passes over the stream have {passes * length:,} rows")


def in_segment(rounds: Iterator[Any], first: int, last: int, segment: bool) -> Iterator[Any]:
    """The rows that a certificate speaks of; only of a segment may the stream go on."""
    for row, example in enumerate(rounds, 1):
        if row > last:
            if not segment:
                raise Refused(f"the stream goes on after row {last}, where the certificate's ends")
            for _ in rounds:
                pass  # they are counted
            return
        if row >= first:
            yield example
