"""Rounds that workers hold: here are their labels, and what was counted of them; their features come when somebody asks."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from littlestone.errors import LittlestoneError
from littlestone.kernels.native import core
from littlestone.protocol.block import Block
from littlestone.protocol.learner import LARGEST_INDEX
from littlestone.protocol.validate import ValidatingRunner


class FarLook(NamedTuple):
    """What `ValidatingRunner.admit` notes of rounds, and |x|² of each."""

    top: int
    bottom: int
    nonzeros: int
    widest: int
    largest_value: float
    whole: bool
    negative: bool
    squares: np.ndarray

    @classmethod
    def joined(cls, looks: Sequence[FarLook]) -> FarLook:
        """One look at all of these rounds."""
        top, bottom, nonzeros, widest, largest, whole, negative, squares = zip(*looks, strict=True)
        return cls(max(top), min(bottom), sum(nonzeros), max(widest), max(largest), all(whole), any(negative), np.concatenate(squares))


class Gate(ValidatingRunner):
    """What rounds must pass before a learner plays them, for whoever plays none."""

    def __init__(self, learner: Any, columns: int | None, counted: bool, most: int) -> None:
        self.learner, self.most, self.tally = learner, most, np.zeros(2, np.int64)
        super().__init__(columns, counted, LARGEST_INDEX + 1, resumed=False, ledger=None)

    @property
    def mistakes(self) -> int:
        return 0

    def run(self) -> Any:
        raise LittlestoneError("a gate plays nothing")

    def make_room(self, room: int) -> None:
        """It has no state."""

    def looked(self, block: Block) -> tuple[Block, FarLook | None]:
        """Rounds as a learner may see them, and what is counted of them; None where one is refused."""
        gate = copy(self)
        try:
            block = gate.admit(block)
        except LittlestoneError:
            return block, None
        bits = None if block.values is None else block.values.view(np.int32)
        squares, largest = np.empty((2, len(block)))
        core.measure_rows(block.indptr, block.values, squares, largest)
        block = replace(block, examined=core.examine(block.indptr, block.indices, bits))
        return block, FarLook(
            gate.top, gate.bottom, gate.nonzeros, gate.widest, gate.largest_value, gate.whole, gate.negative, squares
        )  # fmt: skip


@dataclass(frozen=True)
class Far:
    """Where rounds lie: tasks that give them, each with a look; and the ranges that come after them, as far as they are known."""

    workers: Any
    gate: Any
    tasks: tuple[Any, ...]
    looks: tuple[Any, ...]  # tasks that give the looks alone
    after: tuple[Far, ...] = ()
    begun: dict[Any, Any] = field(default_factory=dict, compare=False)  # who has sent tasks for these rounds already, and which

    @classmethod
    def of(cls, workers: Any, gate: Any, *tasks: Any) -> Far:
        return cls(workers, gate, tasks, tuple(workers.submit(second, task) for task in tasks))

    @cached_property
    def look(self) -> FarLook | None:
        looks = self.workers.gather(self.looks)
        return None if None in looks else FarLook.joined(looks)

    @cached_property
    def starts(self) -> list[int]:
        """Where the rounds of each task begin, and the end."""
        return np.cumsum([0, *(len(look.squares) for look in self.workers.gather(self.looks))]).tolist()

    def cut(self, start: int, stop: int) -> Far:
        """The rounds from start to stop: a range that has some of them is cut by who holds it, and stays as it is where all are wanted."""
        if start <= 0 and stop >= self.starts[-1]:
            return self
        tasks, looks = list[Any](), list[Any]()
        for task, look, (begin, end) in zip(self.tasks, self.looks, pairwise(self.starts), strict=True):
            first, last = max(start, begin) - begin, min(stop, end) - begin
            if first < last:
                whole = last - first == end - begin
                tasks.append(task if whole else self.workers.submit(cut_there, self.gate, first, last, task))
                looks.append(look if whole else self.workers.submit(second, tasks[-1]))
        return Far(self.workers, self.gate, tuple(tasks), tuple(looks), self.after if stop == self.starts[-1] else ())

    def fetched(self) -> Block:
        return Block.joined([block for block, _ in self.workers.gather(self.tasks)])


class FarBlock(Block):
    """Rounds that workers hold. Whoever looks at a feature has all of them brought here."""

    def __init__(
        self,
        indptr: Any = None,
        indices: Any = None,
        values: Any = None,
        labels: Any = None,
        weights: Any = None,
        first_round: int = 0,
        origin: str = "",
        lines: Any = None,
        ids: Any = None,
        keys: Any = None,
        examined: Any = None,
        part: Any = None,
        far: Far | None = None,
    ) -> None:
        """Without `far` it is made of what has been brought here, as `replace` does."""
        arrays = None if indptr is None else Block(indptr, indices, values, labels)
        where = {"first_round": first_round, "origin": origin, "lines": lines, "ids": ids, "keys": keys, "examined": examined}
        vars(self).update(labels=labels, weights=weights, far=far, arrays=arrays, **where)

    far: Any
    arrays: Block | None

    @classmethod
    def of(cls, far: Far, blocks: Sequence[Block]) -> FarBlock:
        """Rounds that lie there; of these blocks it has all but the features."""
        first = blocks[0]
        own = all(block.lines is not None for block in blocks) and len({block.origin for block in blocks}) == 1
        lines: Any = np.concatenate([block.lines for block in blocks]) if own else None
        ids = None if first.ids is None else [name for block in blocks for name in block.ids or [None] * len(block)]
        outlines = Block.joined(list(map(outline, blocks)))
        place = {"first_round": first.first_round, "origin": first.origin if own else "", "lines": lines, "ids": ids}
        return cls(labels=outlines.labels, weights=outlines.weights, far=far, **place)

    def here(self) -> Block:
        """The rounds themselves."""
        if self.arrays is None:
            assert self.far is not None
            vars(self)["arrays"] = self.far.fetched()
        assert self.arrays is not None
        names = ("labels", "weights", "first_round", "origin", "lines", "ids", "keys")
        return replace(self.arrays, **{name: getattr(self, name) for name in names})

    @property
    def indptr(self) -> np.ndarray:
        return self.here().indptr

    @property
    def indices(self) -> np.ndarray:
        return self.here().indices

    @property
    def values(self) -> np.ndarray | None:
        return self.here().values

    def copy(self) -> Block:
        return self

    def cut(self, start: int, stop: int) -> Block:
        if self.far is None or self.arrays is not None:
            return self.here().cut(start, stop)
        return FarBlock.of(self.far.cut(start, stop), [replace(outline(self), lines=self.lines, ids=self.ids).cut(start, stop)])

    def relabelled(self, labels: np.ndarray) -> Block:
        other = copy(self)
        vars(other)["labels"] = labels
        return other


NOTHING = np.empty(0, np.uint32)


def second(pair: tuple) -> Any:
    """The look of rounds, as a task: it goes where the rounds are, and they stay there."""
    return pair[1]


def outline(block: Block) -> Block:
    """The same rounds without features."""
    return Block(np.zeros(len(block) + 1, np.int64), NOTHING, None, block.labels, block.weights, block.first_round, block.origin)


def cut_there(gate: Gate, start: int, stop: int, rounds: tuple[Block, FarLook]) -> tuple[Block, FarLook | None]:
    """Some of the rounds of a range, as a task."""
    return gate.looked(rounds[0].cut(start, stop))
