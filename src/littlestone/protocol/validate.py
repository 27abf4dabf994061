"""Runners over rows of features: what a block must pass before any learner sees it, and what is counted whatever kind of learner plays."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from math import inf
from typing import Any, Self

import numpy as np

from littlestone.errors import LittlestoneError, require
from littlestone.kernels.native import core
from littlestone.protocol.block import Block
from littlestone.protocol.counts import RunnerCounts, WeighedLabels
from littlestone.protocol.learner import HASHED, LARGEST_GROWTH, LARGEST_INDEX, out_of_range, too_large

ONE_BITS, INFINITY_BITS = 0x3F800000, 0x7F800000


class ValidatingRunner(ABC):
    """What a block must pass before any learner sees it, whatever kind of learner is behind; and what it tells of the stream."""

    learner: Any
    tally: np.ndarray  # rows, labelled ones, ...
    counts_type: Any = RunnerCounts
    most = 1  # the largest code a label may have
    stopped = False  # will no more rounds be taken?
    mark: tuple | None = None  # of a copy: where the ledger stood when it was made
    met: set[int] | None = None  # the features that have taught, where there may be no more than n of them
    counted_before: dict[str, Any] = {}  # noqa: RUF012  (a model that goes on says what it had counted)
    opening: Any = None  # the accounts that it began with, where it goes on with them
    forecasts_before: Any = None  # what the forecasts of a panel that goes on had lost
    votes_before = 0  # mistakes of a panel's vote in rounds that are not in its counts
    rows_before = 0  # what a model that goes on had done already, where there are no accounts of it
    largest_index = LARGEST_GROWTH  # for which a state that grows by index makes room
    width = 0  # for how many features the state had places from which it went on

    def __init__(self, columns: int | None, counted: bool, room: int, *, resumed: bool, ledger: Any) -> None:
        if columns is not None and self.learner.n is not None:
            require(
                columns <= self.learner.n,
                f"the instances have {columns} columns, and {self.learner.name} was made for n={self.learner.n}",
            )
        self.columns = columns
        self.resumed = resumed  # does it go on from a state whose rounds are not in its counts?
        self.ledger = ledger  # filled as blocks are played
        self.counted = counted  # n is the number of distinct features, whatever their indices
        self.room = room
        self.weighted = False
        self.weighed: WeighedLabels | None = None if resumed else WeighedLabels()  # None where it is not known of all rounds
        self.top, self.bottom = -1, LARGEST_INDEX
        self.nonzeros = self.widest = self.admitted = 0
        self.largest_value = 0.0
        self.whole = True
        self.negative = False
        self._stamp = np.empty(0, np.int64)

    def _go_on(self, width: int) -> None:
        """The state has places for so many features."""
        self.width = width
        self.columns = None if self.columns is None else max(self.columns, width)
        if self.counted and self.ledger is not None:
            self.met = set(self.ledger.taught.tolist())

    @property
    def rounds(self) -> int:
        return int(self.tally[1])

    @property
    def rows(self) -> int:
        """Rounds with a label or without."""
        return int(self.tally[0])

    @property
    def unlabelled(self) -> int:
        return int(self.tally[0] - self.tally[1])

    def accounts(self) -> Any:
        """What it has counted and measured, as a value."""
        return self.counts_type.of(self)

    @property
    def span(self) -> int:
        """How many columns a state is kept for."""
        return self.columns if self.columns is not None else max(self.top + 1, self.width)

    def sizes(self) -> dict[str, Any]:
        """What a run says of its rounds, whatever kind of learner played them."""
        return {
            "learner": self.learner,
            "rounds": self.rounds,
            "unlabelled": self.unlabelled,
            "nonzeros": self.nonzeros,
            "width": self.learner.n or self.span,
            "largest_value": self.largest_value,
            "widest_row": self.widest,
            "whole": self.whole,
            "weighted": self.weighted,
            "resumed": self.resumed,
            "earlier": self.counted_before,
            "opening": self.opening,
            "votes_before": self.votes_before,
        }

    def scores_for(self, rows: int) -> np.ndarray:
        """Room for the scores of so many rows."""
        return np.empty(rows)

    def enter(self, block: Block, predictions: np.ndarray, updates: np.ndarray | None) -> None:
        """Enter the updates of a block into the ledger where one is kept, before the block is counted."""
        if self.ledger is not None and updates is not None:
            self.ledger.add(block, updates | (predictions != block.labels), predictions, self.rows_before + self.rows)

    def cut_ledger(self) -> None:
        """Cut the ledger where it holds too much, once the rounds that filled it are counted."""
        if self.ledger is not None and self.ledger.full:
            before = self.counted_before if self.resumed else {}
            counts = (self.mistakes + before.get("mistakes", 0), self.unlabelled + before.get("unlabelled", 0))
            run = self.run()
            self.ledger.cut(self.rows_before + self.rows, *counts, run.state, len(getattr(run, "classes", ())))

    def finish(self) -> None:  # noqa: B027  (a wrapper may have more to do)
        """The stream has ended."""

    @property
    @abstractmethod
    def mistakes(self) -> int: ...

    @abstractmethod
    def run(self) -> Any:
        """What has been played so far, as a value."""

    @abstractmethod
    def make_room(self, room: int) -> None:
        """Let the state have a place for that many features."""

    def copy(self) -> Self:
        """A runner of its own that stands where this one does: whatever a round may change is copied."""
        other = copy(self)
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray | list | dict | set):
                setattr(other, name, value.copy())
        other._stamp = np.empty(0, np.int64)  # marks of rounds that may come again
        if self.ledger is not None:
            other.mark, self.ledger.limit = self.ledger.mark(), inf  # what may be taken back must not be cut off
        return other

    def rewind(self) -> None:
        """Forget what has been entered into the ledger, which a copy shares, since this copy was made."""
        if self.ledger is not None and self.mark is not None:
            self.ledger.cut_back(self.mark)

    def admit(self, block: Block) -> Block:
        """Check a block once (finite values, indices in range, no feature twice, the learner's domain); make room for it."""
        if block.far is not None:
            return self._admit_far(block)
        boolean = self.learner.domain == "boolean"
        if block.examined is None and not core.is_well_formed(block.indptr, len(block.indices), block.labels, self.most):
            labels = "1, 0 or -1" if self.most == 1 else "-1 or more"
            raise LittlestoneError(
                f"block.indptr must grow from 0 to {len(block.indices)}, the number of indices, and block.labels be {labels}"
            )
        bits = None if block.values is None else block.values.view(np.int32)
        sizes = core.examine(block.indptr, block.indices, bits) if block.examined is None else block.examined
        top, bottom, unsorted, widest, least, most = sizes
        if bits is not None and len(bits):
            self.largest_value = max(self.largest_value, self._largest(block, bits, least, most))
            if least < 0 and not self.negative:
                self.negative = bool(np.any(block.values < 0))  # type: ignore[operator]
            if boolean:
                block = replace(block, values=None) if least == most == ONE_BITS else block.presence(any_value=False)
                bits = None
            elif self.learner.domain == "unit" and (least < 0 or most > ONE_BITS):
                self._refuse_beyond_unit(block)
            if bits is not None and self.whole:
                self.whole = bool(core.are_whole(block.values))
        elif len(block.indices):
            self.largest_value = max(self.largest_value, 1.0)
        if widest:
            self._check_range(block, top, bottom)
            if top >= self.room:
                self._grow_to(block, top, len(block.indices))
            if unsorted:
                self._refuse_repeated(block)
            self.widest = max(self.widest, widest)
        if block.weights is not None:
            self._check_weights(block)
        self.nonzeros += len(block.indices)
        self.admitted += len(block)
        return block

    def _admit_far(self, block: Any) -> Block:
        """The same of rounds that were looked at where they lie; what is wrong with one is told by whoever reads it here."""
        look, n = block.far.look, self.learner.n
        if look is None or (block.weights is not None and not self.learner.weighted):
            return self.admit(block.here())
        top, bottom = max(self.top, look.top), min(self.bottom, look.bottom)
        beyond = n is not None and not self.counted and (top > n or (top == n and bottom == 0))
        if beyond or top >= (LARGEST_INDEX + 1 if self.columns is None else self.columns):
            return self.admit(block.here())
        if top >= self.room and top > max(self.largest_index, self.nonzeros + look.nonzeros):
            return self.admit(block.here())
        self.top, self.bottom, self.widest = top, bottom, max(self.widest, look.widest)
        self.largest_value, self.negative = max(self.largest_value, look.largest_value), self.negative or look.negative
        self.whole = self.whole and look.whole
        if top >= self.room:
            self._grow_to(block, top, look.nonzeros)
        if block.weights is not None:
            self._check_weights(block)
        self.nonzeros += look.nonzeros
        self.admitted += len(block)
        return block

    def _grow_to(self, block: Block, top: int, more: int) -> None:
        """Room for an index, unless it is so large that a slip is likelier, and the memory would be gone."""
        grows = self.columns is None and (self.learner.n is None or self.counted)
        if grows and top > max(self.largest_index, self.nonzeros + more):  # names count up: theirs come one by one
            raise LittlestoneError(f"{block.place(int(block.indices.argmax()))}: {too_large(self.largest_index)}")
        room = max(top + 1, 2 * self.room)
        try:
            self.make_room(room)
        except MemoryError:
            raise LittlestoneError(f"{self.learner.name}: there is no memory for a state of {room:,} features; {HASHED}") from None
        self.room = room

    def weigh_labels(self, block: Block, counts: Callable[[], Sequence[int]]) -> None:
        """Add up what labels weigh, before the block is counted; `counts` tells how many had each. Where there is no weight, it is 1."""
        if not self.weighted or self.weighed is None:
            return
        if not self.weighed.each:
            self.weighed = WeighedLabels.alike(counts(), *self.tally[-2:].tolist())
        self.weighed.add(block.labels, np.ones(len(block), np.float32) if block.weights is None else block.weights)

    def _check_weights(self, block: Block) -> None:
        assert block.weights is not None
        require(self.learner.weighted, f"{self.learner.name} honours no weights: each round counts once")
        bad = ~(np.isfinite(block.weights) & (block.weights >= 0))
        if bad.any():
            t = int(np.flatnonzero(bad)[0])
            raise LittlestoneError(f"{block.round(t)} has weight {block.weights[t]}; expected a finite number, 0 or more")
        self.weighted = True

    @staticmethod
    def _largest(block: Block, bits: np.ndarray, least: int, most: int) -> float:
        """max|x_i|, from the bits; infinity and NaN lie above every finite pattern of their sign, and are refused by name."""
        if least < 0:
            most = max(most, core.most_negative(bits) + 2**31)
        if most >= INFINITY_BITS:
            k = int(np.flatnonzero(~np.isfinite(block.values))[0])  # type: ignore[arg-type]
            what = f"has value {block.values[k]}; expected a finite number"  # type: ignore[index]
            raise LittlestoneError(f"{block.place(k)} {what}", feature=int(block.indices[k]))
        return float(np.int32(most).view(np.float32))

    def _refuse_beyond_unit(self, block: Block) -> None:
        assert block.values is not None
        beyond = np.flatnonzero((block.values < 0) | (block.values > 1))
        if len(beyond):  # else it was only -0.0
            k = int(beyond[0])
            what = f"has value {block.values[k]:g}, and {self.learner.name} takes values from 0 to 1"
            raise LittlestoneError(f"{block.place(k)} {what}", feature=int(block.indices[k]))

    def _check_range(self, block: Block, top: int, bottom: int) -> None:
        self.top, self.bottom = max(self.top, top), min(self.bottom, bottom)
        n = self.learner.n
        if self.columns is not None and self.top >= self.columns:
            raise LittlestoneError(
                f"the instances have {self.columns} columns, and an entry in column {np.uint32(self.top).view(np.int32)}"
            )
        if n is not None and not self.counted and (self.top > n or (self.top == n and self.bottom == 0)):
            beyond = block.indices > n if self.top > n else (block.indices == n) | (block.indices == 0)
            k = int(np.flatnonzero(beyond)[0])
            t = int(np.searchsorted(block.indptr, k, side="right")) - 1
            raise LittlestoneError(f"{block.round(t)}: {out_of_range(max(n, int(block.indices[k])), n)}")
        if self.top > LARGEST_INDEX:
            raise LittlestoneError(f"feature index {self.top} is out of range: the largest is {LARGEST_INDEX}")

    def _refuse_repeated(self, block: Block) -> None:
        if len(self._stamp) <= self.top:
            self._stamp = np.full(2 * (self.top + 1), -1, np.int64)
        t, index = core.first_repeated(block.indptr, block.indices, self._stamp, self.admitted)
        if t >= 0:
            raise LittlestoneError(f"{block.round(t)}: feature {index} is given twice; expected each feature once in a row")

    def refuse_more_features(self, block: Block, updates: np.ndarray) -> None:
        """n was counted in the stream that the model began with: no more features than that may teach it, or its bounds would not hold."""
        assert self.met is not None
        n = self.learner.n
        for t in np.flatnonzero(updates).tolist():
            self.met.update(block.indices[block.indptr[t] : block.indptr[t + 1]].tolist())
            require(
                n is None or len(self.met) <= n,
                f"{block.round(t)}: feature number {len(self.met):,}, and this {self.learner.name} was made for n={n}, the features "
                "counted in the stream it began with; begin with n given (--n N) where later streams have others",
            )


def lengths_of(block: Any) -> tuple[np.ndarray | None, np.ndarray | None, np.ndarray | None]:
    """What tells how long the rows of a block are: where they begin, their values, or the squares of their lengths, measured elsewhere."""
    if block.far is not None:
        return NOWHERE, None, block.far.look.squares
    return block.indptr, block.values, None


NOWHERE = np.zeros(1, np.int64)
