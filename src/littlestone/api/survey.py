"""A look at all parts of a stream, by whoever reads them; what it says of the whole is decided here, and sent along with the work."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from littlestone.api.sources import Choices, of_two_classes
from littlestone.errors import LittlestoneError, Lost, require
from littlestone.protocol import Block, Learner, Runner
from littlestone.streams import Stream
from littlestone.streams.parts import PartReading, StreamPart


def gate_of(learner: Learner, columns: int | None) -> Runner:
    """What a round must pass before it is played."""
    counted = learner.needs_n and learner.n is None and columns is None
    return Runner(learner.sized(1 if counted else columns), columns=columns, counted=counted)


def admitted(gate: Runner, block: Block) -> Block:
    require(block.weights is None, "mix: rounds with weights; its theorems count every round once")
    return gate.admit(block)


class Surveyed(NamedTuple):
    """What a look at all parts of a stream, by whoever reads them, says of the whole."""

    how: PartReading
    parts: tuple[tuple[StreamPart, int], ...]  # each with its rounds
    names: Any  # of the features by column, as they are sent; None where features are numbers
    met: set[Any]
    room: int
    boolean: bool

    @property
    def rows(self) -> int:
        return sum(rows for _, rows in self.parts)

    def pieces(self, start: int, stop: int) -> list[tuple[StreamPart, int, int]]:
        """The parts in which these rounds stand, each with the first and the last of its rounds."""
        pieces, seen = [], 0
        for part, rows in self.parts:
            first, last = max(0, start - seen), min(rows, stop - seen)
            if first < last:
                pieces.append((part, first, last))
            seen += rows
        return pieces

    def range(self, workers: Any, start: int, stop: int) -> Any:
        """These rounds, as a task."""
        pieces = self.pieces(start, stop)
        bare = [(part._replace(table=None), first, last) for part, first, last in pieces]
        return workers.submit(rows_of_parts, self.how, bare, self.names, self.boolean, *(part.table for part, _, _ in pieces))


def surveyed(stream: Any, boolean: bool, learner: Learner, workers: Any) -> Surveyed | None:
    """Every part looked at where it is read; None where a row was refused, which is told by whoever reads in order."""
    for _ in stream.blocks():  # until both labels are known
        if stream.reading.labels is not None:
            break
    stream.read_on(workers)
    try:
        how, parts = stream.part_reading(), stream.cut()
        looks = workers.gather([workers.submit(survey_part, how, *part.apart(), boolean, learner) for part in parts])
    except LittlestoneError as error:
        if isinstance(error, Lost):
            raise
        return None
    finally:
        stream.read_on(None)
    names: Any = stream.names
    met: set[Any] = set()
    room = 1
    for _, own, columns in looks:
        if own is not None:
            columns = names.columns_of(own)[columns]
        met.update(columns.tolist())
        room = max(room, int(columns.max(initial=0)) + 1)
    sent = None if names is None or stream.reading.bits else workers.send(names.names())
    rows = tuple((part, look[0]) for part, look in zip(parts, looks, strict=True))
    return Surveyed(how, rows, sent, met, room, boolean or learner.domain == "boolean")


def survey_part(
    how: PartReading, part: StreamPart, table: Any, boolean: bool, learner: Learner
) -> tuple[int, list[str] | None, np.ndarray]:
    """Of a part: its rounds, the names of its features in the order of their appearance, and the features of its rounds."""
    stream, gate, rows = Stream.of_parts(how, [part._replace(table=table)]), gate_of(learner, None), 0
    met = np.empty(0, np.uint32)
    for block in of_two_classes(None, stream, None, Choices(boolean)).blocks():
        block = admitted(gate, block)
        rows += len(block)
        met = np.union1d(met, block.indices)
    return rows, None if stream.names is None or how.reading.bits else stream.names.names(), met


def rows_of_parts(
    how: PartReading, pieces: Sequence[tuple[StreamPart, int, int]], names: list[str] | None, boolean: bool, *tables: Any
) -> Block:
    """The rounds of a shard, read where they lie: names of features have the columns that they have everywhere."""
    held = []
    for (part, start, stop), table in zip(pieces, tables, strict=True):
        stream = Stream.of_parts(how, [part._replace(table=table)], names)
        whole = Block.joined([block.copy() for block in of_two_classes(None, stream, None, Choices(boolean)).blocks()])
        held.append(whole.cut(start, stop))
    return Block.joined(held)
