"""Halving: predict with the majority of the concepts that are still possible.

Predict 1 iff at least half of the living concepts say 1.  Then drop those that were wrong: after every round (`updates="always"`), or
only after a mistake (`updates="mistakes"`).  If none is left, the stream is refused at that round, and what was learned before it is
kept.

>>> import littlestone as ls
>>> from littlestone import concepts
>>> binary_search = concepts.half_intervals(16, empty=False)  # 1 from some point a on, a = 0 to 15
>>> run = ls.play(ls.halving(binary_search), [{7}, {11}, {9}, {8}], [0, 1, 1, 0])  # a = 9
>>> run.predictions.tolist(), run.mistakes, int(run.state.tally[0])
([True, True, True, True], 2, 1)
>>> [(claim.name, claim.limit) for claim in run.bounds("class")]
[('halving-class', 4), ('halving-survivors', 4)]

Theorem (Kanade, Theorem 8): each mistake halves the living concepts, so on a stream that some concept labels M ≤ ⌊log2 |C|⌋.

The living are bits.  What each says of an instance is a column of the class's table; of all monotone disjunctions (or conjunctions)
over n variables it is worked out as the pass goes, so that 2^24 of them need two megabytes and no table.
"""

from collections import namedtuple
from functools import partial
from typing import Any

import numpy as np

from littlestone.concepts.classes import MOST_BITS
from littlestone.concepts.finite import EMPTIED, finite, refuse_strangers
from littlestone.errors import require
from littlestone.kernels.bits import (
    ALL,
    ONE,
    ZERO,
    count_column,
    count_meeting,
    keep_and_count_column,
    keep_and_count_meeting,
    keep_column,
    keep_meeting,
)
from littlestone.kernels.compiler import jit_lent
from littlestone.protocol import Block, Kernels, Learner, Run
from littlestone.protocol.score_terms import ScoreTerms, Term, whole
from littlestone.protocol.soundness import within
from littlestone.theory import halving as theory

CUBE, POINTS, ANY, EVERY = range(4)  # how a row is read: a point of a table, or a set that each subset is to meet, or to lie in
ALIVE, MISTAKES, BROKEN = range(3)  # the places of the tally

Params = namedtuple("Params", "reading n always columns")
State = namedtuple("State", "alive tally")


@jit_lent
def point_of(reading, n, indices, lo, hi):
    """The number of an instance. Index n, of features counted from 1, takes the place of 0: the two never come together."""
    point = ZERO
    for k in range(lo, hi):
        i = np.uint64(indices[k])
        place = i if i < n else ZERO
        point = place if reading == POINTS else point | (ONE << place)
    if reading == EVERY:  # a subset lies in x unless it meets the rest
        point = ((ONE << np.uint64(n)) - ONE) & ~point
    return point


@jit_lent
def saying_one(reading, columns, alive, tally, point):
    if reading == CUBE or reading == POINTS:
        return count_column(alive, columns[point])
    meet = count_meeting(alive, point)
    return meet if reading == ANY else tally[ALIVE] - meet


@jit_lent
def flip_of(reading, y):
    """The concepts to keep are those of the pattern, or the others."""
    return ALL if y == (reading == EVERY) else ZERO


@jit_lent
def keep(reading, columns, alive, point, y):
    if reading == CUBE or reading == POINTS:
        keep_column(alive, columns[point], flip_of(reading, y))
    else:
        keep_meeting(alive, point, flip_of(reading, y))


@jit_lent
def keep_and_count(reading, columns, alive, tally, before, y, point):
    if reading == CUBE or reading == POINTS:
        return keep_and_count_column(alive, columns[before], flip_of(reading, y), columns[point])
    meet = keep_and_count_meeting(alive, before, flip_of(reading, y), point)
    return meet if reading == ANY else tally[ALIVE] - meet


@jit_lent
def majority(tally, ones):
    return 2 * ones >= tally[ALIVE]


@jit_lent
def drops(always, tally, ones, y, yhat):
    """Count the living that were right; True where others are to be dropped. If none was right, nothing is dropped."""
    tally[BROKEN] = 0
    if y == yhat and not always:
        return False
    right = ones if y else tally[ALIVE] - ones
    tally[BROKEN] = right == 0
    if right == 0 or (right == tally[ALIVE] and y == yhat):
        return False
    tally[ALIVE] = right
    tally[MISTAKES] += y != yhat
    return True


@jit_lent
def predict(reading, n, always, columns, alive, tally, indices, values, lo, hi):
    point = point_of(reading, n, indices, lo, hi)
    return majority(tally, saying_one(reading, columns, alive, tally, point))


@jit_lent
def update(reading, n, always, columns, alive, tally, indices, values, lo, hi, y, yhat, weight):
    point = point_of(reading, n, indices, lo, hi)
    if drops(always, tally, saying_one(reading, columns, alive, tally, point), y, yhat):
        keep(reading, columns, alive, point, y)
    return always or yhat != y


@jit_lent
def play(reading, n, always, columns, alive, tally, indptr, indices, values, labels, weights, predictions, scores, updates):
    """A round that drops concepts leaves that to the pass of the next round: one pass a round."""
    tally[BROKEN] = 0
    pending, before, y = False, ZERO, False
    for t in range(len(labels)):
        point = point_of(reading, n, indices, indptr[t], indptr[t + 1])
        if pending:
            ones = keep_and_count(reading, columns, alive, tally, before, y, point)
        else:
            ones = saying_one(reading, columns, alive, tally, point)
        predictions[t] = yhat = majority(tally, ones)
        pending = False
        if labels[t] >= 0:
            before, y = point, labels[t] == 1
            pending = drops(always, tally, ones, y, yhat)
            if tally[BROKEN]:
                return t
    if pending:
        keep(reading, columns, alive, before, y)
    return len(labels)


def first_state(size: int) -> State:
    alive = np.full(-(-size // 64), ALL)
    if size % 64:
        alive[-1] = 2 ** (size % 64) - 1
    return State(alive, np.array([size, 0, 0]))


def parts(params: Params, state: State, indices: np.ndarray, values: np.ndarray | None) -> ScoreTerms:
    """As a vote: +1 for every living concept that says 1, -1 for every one that says 0."""
    point = point_of(params.reading, params.n, indices, 0, len(indices))
    ones = float(saying_one(params.reading, params.columns, state.alive, state.tally, point))
    zeros = float(state.tally[ALIVE]) - ones
    words = f"{ones:,.0f} of {ones + zeros:,.0f} living concepts say 1"
    return whole(
        Term("concepts that say 1", ones, 1.0, ones, ones), Term("concepts that say 0", zeros, -1.0, 0.0 - zeros, zeros), words=words
    )


def sound(size: int, params: Params, state: State) -> None:
    within(state, tally=([1, 0, 0], [size, 2**53, 1]))
    every = first_state(size).alive
    fits = (state.alive | every == every).all() and count_column(state.alive, every) == state.tally[ALIVE]
    require(fits, f"its alive is no set of {state.tally[ALIVE]} concepts of the class")


def facts(run: Run) -> dict:
    return {"size": run.learner.concepts.size, "alive": int(run.state.tally[ALIVE]), "witness": "the concepts still alive"}


def broken(state: tuple) -> str:
    return EMPTIED if state[1][BROKEN] else ""


WHEN = "one of finitely many concepts that you can write down labels every round"
SAMPLES: tuple[dict, ...] = (
    {"concepts": "disjunctions", "n": 7},
    {"concepts": "disjunctions", "n": 7, "updates": "mistakes"},
    {"concepts": "monotone_conjunctions", "n": 5},
    {"concepts": "conjunctions", "n": 4},
    {"concepts": "half_intervals", "n": 9},
)


def halving(concepts: Any = "disjunctions", *, n: int | None = None, r: int | None = None, updates: str = "always") -> Learner:
    """Halving over a finite class: one of `littlestone.concepts`, its name with n (and r, of disjunctions), or a boolean matrix."""
    require(updates in ("always", "mistakes"), f"updates={updates!r} must be 'always' or 'mistakes'")
    C = finite(concepts, n, r)
    size = len(C)
    require(size <= MOST_BITS, f"{C!r} has {size:,} concepts; at most {MOST_BITS:,} can be kept, a bit each")
    worked_out = {"any": ANY, "all": EVERY}.get(C.subsets or "")
    reading = worked_out if worked_out is not None else CUBE if C.domain == "cube" else POINTS

    def prepare(state: tuple, block: Block) -> tuple:
        refuse_strangers(C, block)
        return state

    return Learner(
        name="halving",
        family=theory.FAMILY,
        settings={"concepts": C, "updates": updates},
        params=Params(reading, C.n, updates == "always", C.columns() if worked_out is None else np.zeros((1, 1), np.uint64)),
        init=lambda room: first_state(size),
        kernels=Kernels(predict, update, play),
        n=C.n,
        facts=facts,
        parts=parts,
        sound=partial(sound, size),
        prepare=None if C.symmetric else prepare,
        broken=broken,
        concepts=C,
    )
