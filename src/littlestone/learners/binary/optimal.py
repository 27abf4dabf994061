"""The Standard Optimal Algorithm: predict the label that leaves the richer class.

Predict 1 iff the living concepts that say 1 have at least the Littlestone dimension of those that say 0.  Then drop those that were
wrong.  If none is left, the stream is refused at that round, and what was learned before it is kept.

>>> import littlestone as ls
>>> from littlestone import concepts
>>> conjunctions = concepts.conjunctions(3, contradictory=True)  # 28 of them: halving may err 4 times, and so may any other learner
>>> run = ls.play(ls.optimal(conjunctions), [{0, 1, 2}, {0, 1}, {0, 2}, {0}], [1, 1, 0, 0])  # x0 ∧ x1
>>> run.predictions.tolist(), run.mistakes
([1, 1, 1, 0], 1)
>>> [(claim.name, claim.limit) for claim in run.bounds("class")]
[('optimal-class', 4), ('optimal-survivors', 3)]

Theorem (Littlestone 1988): each mistake lowers the dimension, so on a stream that some concept labels M ≤ Ldim(C); and no deterministic
learner has a smaller bound.

The dimension is a recursion over the class, remembered, and compiled unless the class is tiny; it may still be too much for a large one.
"""

from collections import namedtuple
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from littlestone.concepts.dimension import Dimensions
from littlestone.concepts.finite import EMPTIED, finite, strangers_refused
from littlestone.errors import require
from littlestone.protocol import Block, Kernels, Learner, Run
from littlestone.protocol.layout import Column, Layout
from littlestone.protocol.mixture import Intersection
from littlestone.protocol.score_terms import ScoreTerms, Term, whole
from littlestone.protocol.soundness import within
from littlestone.theory import optimal as theory

ALIVE, BROKEN = range(2)  # the places of the tally

Params = namedtuple("Params", "cube n dimensions")


class State(NamedTuple):
    alive: Any = Column(np.uint64, size=None)
    tally: Any = Column(np.int64, size=2)


def point_of(cube, n, indices, lo, hi):
    """The number of an instance. Index n, of features counted from 1, takes the place of 0: the two never come together."""
    places = [int(i) if i < n else 0 for i in indices[lo:hi]]
    return sum(1 << i for i in places) if cube else (places or [0])[-1]


def set_of(alive):
    """The living concepts as one number, a bit each."""
    return int.from_bytes(alive.astype("<u8").tobytes(), "little")


def parts(cube, n, dimensions, alive, indices, lo, hi):
    """The living that say 1 of this instance, and those that say 0."""
    V = set_of(alive)
    ones = V & dimensions.ones[point_of(cube, n, indices, lo, hi)]
    return ones, V ^ ones


def predict(cube, n, dimensions, alive, tally, indices, values, lo, hi):
    ones, zeros = parts(cube, n, dimensions, alive, indices, lo, hi)
    return dimensions.littlestone(ones) >= dimensions.littlestone(zeros)


def update(cube, n, dimensions, alive, tally, indices, values, lo, hi, y, yhat, weight):
    ones, zeros = parts(cube, n, dimensions, alive, indices, lo, hi)
    right = ones if y else zeros
    tally[BROKEN] = not right
    if right:
        alive[:] = np.frombuffer(right.to_bytes(8 * len(alive), "little"), "<u8")
        tally[ALIVE] = right.bit_count()
    return True


def play(cube, n, dimensions, alive, tally, indptr, indices, values, labels, weights, predictions, scores, updates):
    for t in range(len(labels)):
        lo, hi = indptr[t], indptr[t + 1]
        predictions[t] = yhat = predict(cube, n, dimensions, alive, tally, indices, values, lo, hi)
        if labels[t] >= 0:
            update(cube, n, dimensions, alive, tally, indices, values, lo, hi, labels[t] == 1, yhat, 1.0)
            if tally[BROKEN]:
                return t
    return len(labels)


def voices(params: Params, state: State, indices: np.ndarray, values: np.ndarray | None) -> ScoreTerms:
    """The dimension of the living concepts that say 1, less that of those that say 0."""
    two = parts(*params, state.alive, indices, 0, len(indices))
    (ones, zeros), (a, b) = ((float(part.bit_count()) for part in two), (float(params.dimensions.littlestone(part)) for part in two))
    words = f"{ones:,.0f} of {ones + zeros:,.0f} living concepts say 1; dimensions {a:g} and {b:g} are compared"
    return whole(Term("concepts that say 1", ones, None, a, ones), Term("concepts that say 0", zeros, None, 0.0 - b, zeros), words=words)


def sound(params: Params, state: State) -> None:
    within(state, tally=([1, 0], [2**53, 1]))
    V = set_of(state.alive)
    fits = V | params.dimensions.all == params.dimensions.all and V.bit_count() == state.tally[ALIVE]
    require(fits, f"its alive is no set of {state.tally[ALIVE]} concepts of the class")


def facts(run: Run) -> dict:
    dimensions = run.learner.params[2]
    left = dimensions.littlestone(set_of(run.state.alive))
    return {"ldim": dimensions.littlestone(dimensions.all), "left": left, "witness": "the concepts still alive"}


def broken(state: tuple) -> str:
    return EMPTIED if state[1][BROKEN] else ""


class MergedOptimal(Intersection):
    """Over shards: a concept lives that lives in every shard."""

    def merged(self, learner: Learner, states: Sequence[tuple], parts: Sequence[int], mean: str) -> State:
        alive = np.bitwise_and.reduce([alive for alive, _ in states])
        left = set_of(alive).bit_count()
        require(left, f"{learner.name}: {EMPTIED[:-6]}of all shards")
        return State(alive, np.array([left, 0]))

    def losses(self, learner: Learner, state: tuple, block: Block, witnesses: Sequence[Any]) -> list[float]:
        return [0.0]

    def facts(self, learner: Learner, state: tuple, witness: Any, lost: Any) -> dict[str, Any]:
        dimensions = learner.params[2]
        return {"ldim": dimensions.littlestone(dimensions.all), "left": dimensions.littlestone(set_of(state[0]))}

    def in_words(self, witness: Any) -> str:
        return "the concepts that are left"


WHEN = "a small finite class, and you want the fewest mistakes that any rule can promise"
SAMPLES: tuple[dict, ...] = (
    {"concepts": "disjunctions", "n": 4},
    {"concepts": "conjunctions", "n": 3},
    {"concepts": "half_intervals", "n": 9},
)


def optimal(concepts: Any = "half_intervals", *, n: int | None = None, r: int | None = None) -> Learner:
    """The optimal learner of a finite class: one of `littlestone.concepts`, its name with n (and r), or a boolean matrix."""
    C = finite(concepts, n, r)
    dimensions, size = Dimensions(C), len(C)

    def init(room: int) -> State:
        return State(np.frombuffer(dimensions.all.to_bytes(-(-size // 64) * 8, "little"), "<u8").astype(np.uint64), np.array([size, 0]))

    return Learner(
        name="optimal",
        family=theory.FAMILY,
        settings={"concepts": C},
        params=Params(C.domain == "cube", C.n, dimensions),
        state=Layout(State, init, sound, broken, strangers_refused(C)),
        algorithm=Kernels(predict, update, play),
        facts=facts,
        parts=voices,
        mixture=MergedOptimal(),
    )
