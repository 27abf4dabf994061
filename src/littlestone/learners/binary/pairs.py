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
from math import sqrt

import numpy as np

from littlestone.errors import require
from littlestone.kernels import native
from littlestone.kernels.compiler import chosen_lanes, gathered, in_order, jit, jit_lent, lanes_abs, lanes_at, lanes_max, places_of
from littlestone.kernels.pairs import (
    MOST_TAGGED,
    NUMBER,
    PROBES,
    code_of,
    count,
    enter,
    enter_all,
    find,
    first_place,
    is_pair,
    is_tagged,
    likely,
)
from littlestone.protocol import Block, Kernels, Learner, Run
from littlestone.protocol.learner import ALL, signs_changed
from littlestone.protocol.score_terms import ScoreTerms, Term, bias_term, linear
from littlestone.protocol.soundness import MOST, NOT_NEGATIVE, lengths, within
from littlestone.theory import pairs as theory
from littlestone.theory.normalized import rounding

Params = namedtuple("Params", "eta rho most room")
# extra: v and G of the bias, k, Σ|z|²; table, pairs: see kernels/pairs.py; tally: pairs known; sums: Λ, updates
State = namedtuple("State", "v G scale extra table pairs tally sums")

# Of a row: its columns, their codes and scaled values; of each pair its number, -1 where it is unknown, its product, G, and z/√G.
Notes = namedtuple("Notes", "columns codes z slots products squares pulls")

U, ONE, TWO, THREE, FOUR, EIGHT = np.uint64, np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4), np.uint64(8)
NOTHING = -0.0  # what changes no sum


@jit
def scratch(most):
    """Room for the notes on a row; one of more features is not paired."""
    size = most * (most + 1) // 2
    room = np.empty(3 * most + 4 * size)  # one piece: an event makes it anew, and memory costs by the piece
    features, pairs = room[: 3 * most], room[3 * most :]
    columns, codes, z = features[:most], features[most : 2 * most].view(np.uint64), features[2 * most :]
    slots, products = pairs[:size].view(np.int64), pairs[size : 2 * size]
    return Notes(columns, codes, z, slots, products, pairs[2 * size : 3 * size], pairs[3 * size :])


@jit_lent
def look(params, state, indices, values, lo, hi, notes):
    """The score, how many features there are to pair, and how many pairs they make; both are noted."""
    columns, codes, z, slots, products, _, _ = notes
    s, c, limit = params.rho * state.extra[0], U(0), U(len(columns))
    if U(hi) - U(lo) > limit and active(values, lo, hi) > limit:
        return alone(s, state, indices, values, lo, hi), U(0), U(0)
    for k in range(U(lo), U(hi)):
        i = indices[k]
        x = 1.0 if values is None else np.float64(values[k])
        if x != 0.0:
            part = x / max(state.scale[i], abs(x))
            s += state.v[i] * part
            columns[c], codes[c], z[c] = i, code_of(i), part
            c += ONE
    m = seek(state, c, notes)
    for k in range(m if len(state.pairs) > 0 else U(0)):
        more = s + state.pairs[FOUR * U(max(slots[k], 0)) + TWO] * products[k]
        s = more if slots[k] >= 0 else s  # no branch: nobody can foresee which pairs are known
    return s, c, m


@jit_lent
def active(values, lo, hi):
    """How many features of a row are not 0."""
    count = U(hi) - U(lo)
    if values is not None:
        for k in range(U(lo), U(hi)):
            count -= U(values[k] == 0.0)
    return count


@jit_lent
def alone(s, state, indices, values, lo, hi):
    """The score of a row that has too many features to pair, added to s; eight features at a time."""
    end = U(hi)
    for k in range(U(lo), end, EIGHT):
        at, x = places_of(indices, k, end), lanes_at(values, k, end)
        part = gathered(state.v, at) * (x / lanes_max(gathered(state.scale, at), lanes_abs(x)))
        s = in_order(s, chosen_lanes(x != 0.0, part, NOTHING), end - k)
    return s


@jit_lent
def seek(state, c, notes):
    """Note the number and the product of every pair; how many they are. First all of them are asked for: they are scattered in memory, and
    waiting for one after the other would take most of the time."""
    columns, codes, z, slots, products, _, _ = notes
    table, pairs = state.table, state.pairs
    tagged, m = is_tagged(table), U(0)
    for k in range(c if tagged else U(0)):
        for j in range(k + ONE if abs(z[k]) == 1.0 else k, c):  # 1² is the feature itself
            slots[m] = first_place(table, codes[k] + codes[j])
            m += ONE
    m = U(0)
    for k in range(c if tagged else U(0)):
        for j in range(k + ONE if abs(z[k]) == 1.0 else k, c):
            slots[m] = likely(table, pairs, U(slots[m]), codes[k] + codes[j])
            m += ONE
    m = U(0)
    for k in range(c):
        for j in range(k + ONE if abs(z[k]) == 1.0 else k, c):
            low, high = min(columns[k], columns[j]), max(columns[k], columns[j])
            products[m] = z[k] * z[j]
            if not tagged or (slots[m] == -2) | (slots[m] >= 0) & (not is_pair(pairs, max(slots[m], 0), low, high)):
                slots[m] = find(table, pairs, codes[k] + codes[j], low, high)
            m += ONE
    return m


@jit
def score(eta, rho, most, room, v, G, scale, extra, table, pairs, tally, sums, indices, values, lo, hi):
    params, state = Params(eta, rho, most, room), State(v, G, scale, extra, table, pairs, tally, sums)
    return look(params, state, indices, values, lo, hi, scratch(min(most, hi - lo)))[0]


@jit
def predict(eta, rho, most, room, v, G, scale, extra, table, pairs, tally, sums, indices, values, lo, hi):
    return score(eta, rho, most, room, v, G, scale, extra, table, pairs, tally, sums, indices, values, lo, hi) >= 0.0


@jit_lent
def meet(params, state, c, notes):
    """Every pair that is new gets the next number, while there is room."""
    columns, codes, z, slots, _, _, _ = notes
    m = U(0)
    for k in range(c):
        first = k + ONE if abs(z[k]) == 1.0 else k
        for j in range(first, c):
            r = state.tally[0]
            if slots[m] < 0 and r < params.room:
                state.tally[0] += 1
                state.pairs[FOUR * U(r)], state.pairs[FOUR * U(r) + ONE] = min(columns[k], columns[j]), max(columns[k], columns[j])
                enter(state.table, codes[k] + codes[j], r)
                slots[m] = r
            m += ONE


@jit_lent
def pull(state, m, notes, g):
    """Add to G of every pair that has a number, and note z/√G of each; how many they are, Σz² and Σz²/√G of them."""
    _, _, _, slots, products, squares, pulls = notes
    pairs, numbered = state.pairs, U(0)
    for k in range(m):
        slots[numbered], products[numbered] = slots[k], products[k]
        numbered += U(slots[k] >= 0)
    for k in range(numbered):
        squares[k] = pairs[FOUR * U(slots[k]) + THREE]
    for k in range(numbered):  # a short loop over few arrays, which runs in vectors
        squares[k] += (g * products[k]) * (g * products[k])
        pulls[k] = products[k] / sqrt(squares[k]) if squares[k] > 0.0 else 0.0  # the square of something tiny may be 0
    length2, slope = 0.0, 0.0
    for k in range(numbered):
        pairs[FOUR * U(slots[k]) + THREE] = squares[k]
        length2 += products[k] * products[k]
        slope += products[k] * pulls[k]
    return numbered, length2, slope


@jit_lent
def learn(params, state, indices, values, lo, hi, c, m, notes, s, y, weight):
    """The update, given what `look` noted; True where there was one."""
    eta, rho = params.eta, params.rho
    v, G, scale, extra, sums = state.v, state.G, state.scale, state.extra, state.sums
    sign = 1.0 if y else -1.0
    loss = 1.0 - sign * s
    if not loss > 0.0 or not weight > 0.0:
        return False
    sums[0] += weight * loss
    sums[1] += 1.0
    length2, slope = rho * rho, 0.0
    extra[1] += (weight * rho) * (weight * rho)
    if extra[1] > 0.0:
        slope += rho * (rho / sqrt(extra[1]))
    for k in range(U(lo), U(hi)):
        i = indices[k]
        x = 1.0 if values is None else np.float64(values[k])
        if x != 0.0:
            scale[i] = max(scale[i], abs(x))
            part = x / scale[i]
            length2 += part * part
            G[i] += (weight * part) * (weight * part)
            if G[i] > 0.0:
                slope += part * (part / sqrt(G[i]))
    if state.tally[0] < params.room:
        meet(params, state, c, notes)
    numbered, more, steeper = pull(state, m, notes, weight)
    length2 += more
    slope += steeper
    if not length2 > 0.0 or not slope > 0.0:  # a row of nothing teaches nothing
        return True
    extra[2] += 1.0
    extra[3] += length2
    rate = eta * sqrt(extra[2] / extra[3])
    step = sign * (rate * min(weight, loss / (rate * slope)))
    if extra[1] > 0.0:
        extra[0] += step * (rho / sqrt(extra[1]))
    for k in range(U(lo), U(hi)):
        i = indices[k]
        x = 1.0 if values is None else np.float64(values[k])
        if x != 0.0 and G[i] > 0.0:
            v[i] += step * ((x / scale[i]) / sqrt(G[i]))
    for k in range(numbered):
        state.pairs[FOUR * U(notes.slots[k]) + TWO] += step * notes.pulls[k]
    return True


@jit
def update(eta, rho, most, room, v, G, scale, extra, table, pairs, tally, sums, indices, values, lo, hi, y, yhat, weight):
    params, state = Params(eta, rho, most, room), State(v, G, scale, extra, table, pairs, tally, sums)
    notes = scratch(min(most, hi - lo))
    s, c, m = look(params, state, indices, values, lo, hi, notes)
    return learn(params, state, indices, values, lo, hi, c, m, notes, s, y, weight)


@jit
def play(
    eta, rho, most, room, v, G, scale, extra, table, pairs, tally, sums,
    indptr, indices, values, labels, weights, predictions, scores, updates,
):  # fmt: skip
    params, state = Params(eta, rho, most, room), State(v, G, scale, extra, table, pairs, tally, sums)
    rounds(params, state, indptr, indices, values, labels, weights, predictions, scores, updates, scratch(most))


@jit_lent
def rounds(params, state, indptr, indices, values, labels, weights, predictions, scores, updates, notes):
    """The pass; `notes` takes those on a row."""
    for t in range(len(labels)):
        lo, hi = indptr[t], indptr[t + 1]
        s, c, m = look(params, state, indices, values, lo, hi, notes)
        predictions[t] = s >= 0.0
        if scores is not None:
            scores[t] = s
        if labels[t] >= 0:
            weight = 1.0 if weights is None else np.float64(weights[t])
            updated = learn(params, state, indices, values, lo, hi, c, m, notes, s, labels[t] == 1, weight)
            if updates is not None:
                updates[t] = updated


def init(room: int) -> State:
    return State(np.zeros(room), np.zeros(room), np.zeros(room), np.zeros(4), *store(16), np.zeros(1, np.int64), np.zeros(2))


def store(size: int, *, tagged: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """A table, with tags where they fit, and a list with room for so many pairs."""
    if not tagged or size > MOST_TAGGED:
        return np.zeros(table_size(size), np.int32), np.zeros(4 * size)
    size = max(1, size)
    room = np.zeros(4 * size + 8)
    begin = -room.ctypes.data % 64 // 8  # two pairs in a line of the cache, none in two
    return np.zeros(max(2 * PROBES, table_size(size)) + PROBES, np.int32), room[begin : begin + 4 * size]


def table_size(size: int) -> int:
    return 1 << (2 * max(1, size) - 1).bit_length()


def moved(state: State, size: int, *, tagged: bool = True) -> State:
    """The same state with room for so many pairs."""
    known = int(state.tally[0])
    table, pairs = store(size, tagged=tagged)
    pairs[: 4 * known] = state.pairs[: 4 * known]
    enter_all(table, pairs, known)
    return state._replace(table=table, pairs=pairs)


def prepare(state: State, block: Block, most: int, room: int) -> State:
    """Room for all the pairs of a block, should each of them be new, and of one row for those of any; never for more than `room`."""
    size = len(state.pairs) // 4
    if size < room:
        needed = places(state, count(block.indptr, block.values, most) if len(block) > 1 else pairs_of(most), room)
        if needed > size:
            return moved(state, min(room, max(needed, 2 * size)))
    return state if is_tagged(state.table) or size > MOST_TAGGED else moved(state, size)


def pairs_of(features: int) -> int:
    """How many pairs and squares so many features make."""
    return features * (features + 1) // 2


def places(state: State, more: int, room: int) -> int:
    """For how many pairs there must be room, should so many more come; never for more than the features can make."""
    return min(room, int(state.tally[0]) + more, pairs_of(len(state.v)))


@jit_lent
def roomy(eta, rho, most, room, v, G, scale, extra, table, pairs, tally, sums):
    """Is there room for the pairs of one more row, whatever it holds? See `places`."""
    more, all_pairs = most * (most + 1) // 2, len(v) * (len(v) + 1) // 2
    return 4 * min(room, tally[0] + more, all_pairs) <= len(pairs)


def compact(state: State) -> State:
    """Without spare room and tags: what two runs that learned the same have in common."""
    known = int(state.tally[0])
    if len(state.pairs) != 4 * known or len(state.table) not in (table_size(known), table_size(known) + PROBES):
        return moved(state, known, tagged=False)
    return state._replace(table=state.table[:-PROBES] & NUMBER) if is_tagged(state.table) else state  # a full store is large: no copy


def sound(params: Params, state: State) -> None:
    """The pairs that are known are pairs of features, smaller columns first, and the table is theirs."""
    lengths(state, extra=4, tally=1, sums=2)
    within(state, G=NOT_NEGATIVE, scale=NOT_NEGATIVE, extra=([-MOST, 0, 0, 0], MOST), sums=NOT_NEGATIVE)
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
    notes = scratch(min(params.most, len(indices)))
    _, c, _ = look(params, state, indices, values, 0, len(indices), notes)
    names, numbers = notes.columns[: int(c)].astype(int).tolist(), notes.z[: int(c)].tolist()
    places = [(k, j) for k in range(int(c)) for j in range(k + (abs(numbers[k]) == 1.0), int(c))]
    terms = []
    for (k, j), r in zip(places, notes.slots.tolist(), strict=False):
        if r >= 0:
            value, weight = numbers[k] * numbers[j], float(state.pairs[4 * r + 2])
            terms.append(Term((names[k], names[j]), value, weight, weight * value, weight))
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
        init=init,
        kernels=Kernels(predict, update, play, score, native=native.core.Pairs),
        n=n,
        facts=facts,
        parts=parts,
        sound=sound,
        mirrored=signs_changed(v=ALL, extra=0, pairs=np.s_[2::4]),
        ledger=("sums",),
        prepare=lambda state, block: prepare(state, block, most, room),
        roomy=roomy,
        compact=compact,
    )
