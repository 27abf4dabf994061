"""Pairs: the scaled rule of `normalized` over the features and the products of two of them, for rows of few features.

z_i = x_i/s_i, s_i the largest |x_i| that it learned from, this round's included.  A row of at most `most` features that are not 0 has,
beside them, the products z_i·z_j of all its pairs and the squares z_i² other than 1 (a feature that is there or not is its own square).
Predict the sign of v·z, over all of these, sign(0) = +1.  Where m = y·v·z < 1, add z² of each to its G and move its v by ε·τ·y·z/√G:
ε = η·√(k/Σ|z|²), both counted over the k updates so far, and τ = min(1, (1-m)/a) with a = Σ ε·z²/√G, so that no step goes beyond a
margin of 1.  The first `room` pairs that it learns from have weights; later ones are left out.

Here the label is the parity of two bits, which no weights of the bits alone can tell:

>>> import littlestone as ls
>>> rows, labels = [{"a": 1, "b": 1}, {"a": 1}, {"b": 1}, {}] * 50, [0, 1, 1, 0] * 50
>>> [ls.play(rival, rows, labels).mistakes for rival in (ls.pairs(), ls.normalized(bias=1))]
[16, 158]

Pairs are known by their columns, in a table that compares exactly: no two are ever taken for one.  Its arrays grow between blocks, and
no result depends on their room.  How the features are numbered decides in which order the terms of a row are added, which changes their
sum by rounding alone, and which pairs of a row come first where `room` ends within it.

Theorem: a mistake has a loss of at least 1, so there are at most Λ mistakes, Λ the losses of the run itself.
"""

from collections import namedtuple
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from littlestone.errors import require
from littlestone.kernels import native
from littlestone.protocol import Block, Learner, Run
from littlestone.protocol.layout import EVERYWHERE, Column, Layout, Room
from littlestone.protocol.score_terms import ScoreTerms, Term, bias_term, linear
from littlestone.protocol.soundness import MOST, NOT_NEGATIVE
from littlestone.theory import pairs as theory
from littlestone.theory.normalized import rounding

Params = namedtuple("Params", "eta rho most room")


# extra: v and G of the bias, k, Σ|z|²; table, pairs: see native/core/pairs.h; tally: pairs known; sums: Λ, updates
class State(NamedTuple):
    v: Any = Column(negated=EVERYWHERE)
    G: Any = Column(within=NOT_NEGATIVE)
    scale: Any = Column(within=NOT_NEGATIVE)
    extra: Any = Column(size=4, within=([-MOST, 0, 0, 0], MOST), negated=0)
    table: Any = Column(np.int32, size=None)
    pairs: Any = Column(size=None, negated=np.s_[2::4])
    tally: Any = Column(np.int64, size=1)
    sums: Any = Column(size=2, within=NOT_NEGATIVE, account=True)


NUMBER, TAGS = 2**21 - 1, 16  # of an entry with a tag the part that is a number; places that stand once more behind the end of such a table
MOST_TAGGED = 2**21 - 2  # pairs; a table of more has no tags


def init(room: int) -> State:
    return State(np.zeros(room), np.zeros(room), np.zeros(room), np.zeros(4), *store(16), np.zeros(1, np.int64), np.zeros(2))


def store(size: int, *, tagged: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """A table, with tags where they fit, and a list with room for so many pairs."""
    if not tagged or size > MOST_TAGGED:
        return np.zeros(table_size(size), np.int32), np.zeros(4 * size)
    size = max(1, size)
    room = np.zeros(4 * size + 8)
    begin = -room.ctypes.data % 64 // 8  # two pairs in a line of the cache, none in two
    return np.zeros(max(2 * TAGS, table_size(size)) + TAGS, np.int32), room[begin : begin + 4 * size]


def is_tagged(table: np.ndarray) -> bool:
    return len(table) & (len(table) - 1) != 0


def table_size(size: int) -> int:
    return 1 << (2 * max(1, size) - 1).bit_length()


def moved(state: State, size: int, *, tagged: bool = True) -> State:
    """The same state with room for so many pairs."""
    known = int(state.tally[0])
    table, pairs = store(size, tagged=tagged)
    pairs[: 4 * known] = state.pairs[: 4 * known]
    native.core.enter_pairs(table, pairs, known)
    return state._replace(table=table, pairs=pairs)


def prepare(state: State, block: Block, most: int, room: int) -> State:
    """Room for all the pairs of a block, should each of them be new, and of one row for those of any; never for more than `room`."""
    size = len(state.pairs) // 4
    if size < room:
        needed = places(state, native.core.count_pairs(block.indptr, block.values, most) if len(block) > 1 else pairs_of(most), room)
        if needed > size:
            return moved(state, min(room, max(needed, 2 * size)))
    return state if is_tagged(state.table) or size > MOST_TAGGED else moved(state, size)


def pairs_of(features: int) -> int:
    """How many pairs and squares so many features make."""
    return features * (features + 1) // 2


def places(state: State, more: int, room: int) -> int:
    """For how many pairs there must be room, should so many more come; never for more than the features can make."""
    return min(room, int(state.tally[0]) + more, pairs_of(len(state.v)))


def roomy(eta, rho, most, room, v, G, scale, extra, table, pairs, tally, sums):
    """Is there room for the pairs of one more row, whatever it holds? See `places`."""
    more, all_pairs = most * (most + 1) // 2, len(v) * (len(v) + 1) // 2
    return 4 * min(room, tally[0] + more, all_pairs) <= len(pairs)


def compact(state: State) -> State:
    """Without spare room and tags: what two runs that learned the same have in common."""
    known = int(state.tally[0])
    if len(state.pairs) != 4 * known or len(state.table) not in (table_size(known), table_size(known) + TAGS):
        return moved(state, known, tagged=False)
    return state._replace(table=state.table[:-TAGS] & NUMBER) if is_tagged(state.table) else state  # a full store is large: no copy


def sound(params: Params, state: State) -> None:
    """The pairs that are known are pairs of features, smaller columns first, and the table is theirs."""
    known, width = int(state.tally[0]), len(state.v)
    require(0 <= known <= params.room and len(state.pairs) == 4 * known, f"its tally says {known} pairs, and pairs has {len(state.pairs)}")
    low, high, _, G = state.pairs.reshape(-1, 4).T
    columns = (low >= 0) & (low <= high) & (high < width) & (low == np.rint(low)) & (high == np.rint(high)) & (G >= 0)
    require(columns.all(), "its pairs are not two features each, the smaller column first")
    require(not ((state.G > 0) | (state.v != 0))[state.scale == 0].any(), "its v or G has a feature without a scale")
    require(np.array_equal(state.table, moved(state, known, tagged=False).table), "its table is not that of its pairs")


def parts(params: Params, state: State, indices: np.ndarray, values: np.ndarray | None) -> ScoreTerms:
    size = np.ones(len(indices)) if values is None else np.abs(values.astype(np.float64))
    weights = state.v[indices] / np.maximum(np.maximum(state.scale[indices], size), np.finfo(float).tiny)
    return linear(
        weights,
        values,
        levels=state.v[indices],
        kind="weight of the scaled feature",
        others=bias_term(params.rho, state.extra[0]) + products(params, state, indices, values),
    )


def products(params: Params, state: State, indices: np.ndarray, values: np.ndarray | None) -> tuple[Term, ...]:
    """The pairs of a row that have weights, each by its columns."""
    x = np.ones(len(indices)) if values is None else values.astype(np.float64)
    indices, x = indices[x != 0.0], x[x != 0.0]
    if len(indices) > params.most:
        return ()
    names, numbers = indices.tolist(), (x / np.maximum(state.scale[indices], np.abs(x))).tolist()
    terms = []
    for k, (name, number) in enumerate(zip(names, numbers, strict=True)):
        for j in range(k + (abs(number) == 1.0), len(names)):  # 1² is the feature itself
            r = native.core.find_pair(state.table, state.pairs, min(name, names[j]), max(name, names[j]))
            if r >= 0:
                value, weight = number * numbers[j], float(state.pairs[4 * r + 2])
                terms.append(Term((name, names[j]), value, weight, weight * value, weight))
    return tuple(terms)


def facts(run: Run) -> dict:
    """The run's own loss, with what rounding may have taken from it."""
    loss, updates = map(Fraction, run.state.sums.tolist())
    return {"losses": loss * (1 + rounding(int(updates))), "witness": "the run itself"}


WHEN = "tables and other rows of few features, where what counts is which of them come together"
SAMPLES: tuple[dict, ...] = ({}, {"eta": "1/2", "most": 3, "room": 5, "bias": 0})


def pairs(n: int | None = None, *, eta: float | Fraction = 2, most: int = 40, room: int = 2**20, bias: float | Fraction = 1) -> Learner:
    """Scaled features and, in rows of at most `most`, their products, up to `room`; rates `eta`; `bias` a feature in every row."""
    settings = theory.FAMILY.take(n=n, eta=eta, most=most, room=room, bias=bias)
    return Learner(
        name="pairs",
        family=theory.FAMILY,
        settings=settings,
        params=Params(float(settings["eta"]), float(settings["bias"]), most, room),
        state=Layout(State, init, sound, room=Room(lambda state, block: prepare(state, block, most, room), compact, roomy)),
        algorithm=native.core.Pairs,
        facts=facts,
        parts=parts,
    )
