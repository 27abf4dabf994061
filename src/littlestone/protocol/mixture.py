"""How a learner is played over shards of a stream, and how what they know becomes one: `Learner.mixture`, of one that can be mixed.

What is proved of it stands in the `mixing` of its family (theory/mixing.py), and its definition in reference/NAME.py (`over_shards`).
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from littlestone.errors import LittlestoneError
from littlestone.protocol.block import Block, or_ones
from littlestone.protocol.learner import Learner, copied, like
from littlestone.protocol.run import play_through, refuse_broken
from littlestone.reference.mixing import mixture

State = tuple[np.ndarray, ...]


class ShardPlay(ABC):
    """Of a learner that plays a shard as it plays any rounds; what several shards know, `merged` makes one."""

    @abstractmethod
    def merged(self, learner: Learner, states: Sequence[State], parts: Sequence[int], mean: str) -> State:
        """One state of several; each counts in so many whole parts, where the mean is one that counts."""

    @abstractmethod
    def facts(self, learner: Learner, state: State, witness: Any, lost: Any) -> dict[str, Any]:
        """What its bounds need to know of the state in the end; and of a witness, if there is one, that has lost so much in all."""

    def first(self, learner: Learner, room: int) -> State:
        """What every shard begins with."""
        return learner.init(room)

    def play(self, learner: Learner, state: State, block: Block) -> tuple[State, np.ndarray]:
        """A shard from a state, which is left as it is; the state then, and the predictions."""
        state, predictions = copied(like(learner.init(1), [*state])), np.empty(len(block), np.bool_)
        if learner.prepare is not None:
            state = learner.prepare(state, block)
        done = play_through(learner, state, block, predictions)
        if done < len(block):
            refuse_broken(learner, state, block, done)
            raise LittlestoneError(f"{block.round(done)}: {learner.name}: the pass stopped")
        return state, predictions

    def witnesses(self, learner: Learner, state: State) -> list[Any]:
        """Whom to compare with; None for one that the state alone tells."""
        return [None]

    def losses(self, learner: Learner, state: State, block: Block, witnesses: Sequence[Any]) -> list[float]:
        """What each witness loses on the rounds of a shard."""
        return [0.0 for _ in witnesses]

    def rho2(self, learner: Learner) -> float:
        """What a bias adds to the squared length of every row."""
        return 0.0

    def in_words(self, witness: Any) -> str:
        return ""

    def stated(self, witness: Any, name: Any) -> dict[str, Any]:
        """A witness as a certificate has it; name(i) is the name of a feature."""
        return {}

    def linear(self, learner: Learner, state: State) -> tuple[np.ndarray, float] | None:
        """The weights and the bias of the linear rule that it is, where the mixture is no state of the learner."""
        return None


class Intersection(ShardPlay):
    """Of a learner that only ever gives up what it held possible: possible is what every shard holds so."""

    def mistaken(self, learner: Learner, state: State, block: Block) -> int:
        """How often a state errs on the rounds of a shard that it learns nothing from."""
        labels = np.full(len(block), -1, block.labels.dtype)
        _, predictions = self.play(learner, state, Block(block.indptr, block.indices, block.values, labels))
        return int(((block.labels >= 0) & (predictions != (block.labels == 1))).sum())

    def losses(self, learner: Learner, state: State, block: Block, witnesses: Sequence[Any]) -> list[float]:
        return [float(self.mistaken(learner, state, block)) for _ in witnesses]


def mean_of(arrays: Sequence[np.ndarray], parts: Sequence[int], mean: str) -> np.ndarray:
    """The mixture, weight by weight; those on which all shards agree stay as they are."""
    result = arrays[0].copy()
    others = np.flatnonzero(np.any([array != arrays[0] for array in arrays], axis=0))
    columns = [array[others] for array in arrays]
    if mean == "arithmetic":  # the same sums as in `mixture`, all at once
        total = np.zeros(len(others))
        for part, column in zip(parts, columns, strict=True):
            total += part * column
        result[others] = total / float(sum(parts))
    else:
        result[others] = [mixture(weights, parts, mean) for weights in zip(*(column.tolist() for column in columns), strict=True)]
    return result


def row_sums(block: Block, terms: np.ndarray) -> np.ndarray:
    """The sum of each row's terms."""
    ends = np.concatenate([np.zeros(1), np.cumsum(terms)]) if block.any_empty or not len(terms) else None
    return np.add.reduceat(terms, block.indptr[:-1]) if ends is None else np.diff(ends[block.indptr])


def row_values(block: Block) -> np.ndarray:
    """The values of all rows, as doubles."""
    return or_ones(block.values, len(block.indices)).astype(np.float64)
