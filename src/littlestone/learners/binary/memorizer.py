"""The memorizer: the learner behind the trivial bound, at most one mistake for each instance there is.

Predict the label last told for exactly this instance on a mistake, else 0.  Features may be real numbers; absent ones are 0.

>>> import littlestone as ls
>>> run = ls.play(ls.memorizer(), [[1, 0, 2], [0, 1, 0], [1, 0, 2], [0, 1, 0]], [1, 0, 1, 1])
>>> run.predictions.tolist(), [(claim.observed, claim.limit) for claim in run.bounds()]
([0, 0, 1, 0], [(2, 2)])

Instances are kept as sorted rows in arrays, with an open-addressing table to find them by; a row is compared entry by entry, so no
two instances are ever taken for one.  The arrays grow between blocks, and a result never depends on how much room they have.

Theorem (Kanade, Lecture 10): if the label depends on the instance alone, at most as many mistakes as there are instances with label
1, so at most |X|; and on any stream at most D + 2E for every function that gives D instances a 1 and errs E times.
"""

from typing import Any, NamedTuple

import numpy as np

from littlestone.errors import require
from littlestone.kernels import native
from littlestone.protocol import Block, Learner, Run
from littlestone.protocol.layout import Column, Layout, Room
from littlestone.protocol.score_terms import ScoreTerms, Term, whole
from littlestone.protocol.soundness import lengths, within
from littlestone.theory import memorizer as theory


class State(NamedTuple):
    table: Any = Column(np.int64, size=None)
    codes: Any = Column(np.uint64, size=None)
    starts: Any = Column(np.int64, size=None)
    items: Any = Column(np.uint32, size=None)
    numbers: Any = Column(np.float32, size=None)
    told: Any = Column(np.int8, size=None, within=(0, 1))
    tally: Any = Column(np.int64, size=1)  # instances remembered


def init(room: int) -> State:
    return empty(16, 64)


def empty(rows: int, entries: int) -> State:
    """A memory with room for so many instances of so many entries together."""
    table = np.zeros(1 << (2 * rows + 1).bit_length(), np.int64)
    store = np.zeros(entries, np.uint32), np.zeros(entries, np.float32)
    return State(table, np.zeros(rows, np.uint64), np.zeros(rows + 1, np.int64), *store, np.zeros(rows, np.int8), np.zeros(1, np.int64))


def moved(state: State, rows: int, entries: int) -> State:
    """The same memory in arrays of these lengths."""
    larger, kept = empty(rows, entries), int(state.tally[0])
    for name in ("codes", "told"):
        getattr(larger, name)[:kept] = getattr(state, name)[:kept]
    larger.starts[: kept + 1] = state.starts[: kept + 1]
    for name in ("items", "numbers"):
        getattr(larger, name)[: state.starts[kept]] = getattr(state, name)[: state.starts[kept]]
    larger.tally[0] = kept
    native.core.enter_all(larger.table, larger.codes, kept)
    return larger


def prepare(state: State, block: Block) -> State:
    """Room for all the rows of a block, should each of them be new."""
    kept = int(state.tally[0])
    rows, entries = kept + len(block), int(state.starts[kept]) + len(block.indices)
    if rows <= len(state.codes) and entries <= len(state.items):
        return state
    return moved(state, max(rows, 2 * len(state.codes)), max(entries, 2 * len(state.items)))


def compact(state: State) -> State:
    """Without spare room: what two runs that remember the same have in common."""
    kept = int(state.tally[0])
    return moved(state, kept, int(state.starts[kept]))


def sound(params: tuple, state: State) -> None:
    """Rows in one piece after another, sorted and without zeros, each where its code says it is to be looked for."""
    kept = int(state.tally[0])
    lengths(state, codes=kept, told=kept, starts=kept + 1, numbers=len(state.items))
    within(state, starts=(0, len(state.items)))
    starts = state.starts
    rows = starts[0] == 0 and starts[-1] == len(state.items) and (np.diff(starts) >= 0).all() and (state.numbers != 0).all()
    falls = np.flatnonzero(np.diff(state.items.astype(np.int64)) <= 0) + 1  # allowed from one row to the next alone
    require(rows and np.isin(falls, starts).all(), "its starts, items and numbers are no rows of features, sorted and without zeros")
    require(np.array_equal(state.table, compact(state).table), "its table is not that of its rows")


def parts(params: tuple, state: State, indices: np.ndarray, values: np.ndarray | None) -> ScoreTerms:
    r = native.core.find_instance(state.table, state.codes, state.starts, state.items, state.numbers, indices, values)
    told = float(state.told[r]) if r >= 0 else 0.0
    words = f"remembered with label {int(told)}" if r >= 0 else "never remembered, so 0"
    return whole(Term("this very instance", 1.0, told, told, told), threshold=1.0, words=words)


def facts(run: Run) -> dict:
    told = run.state.told
    return {
        "size": len(told),
        "D": int(np.count_nonzero(told)),
        "E": run.false_positives,
        "witness": "the function that gives each instance what is remembered of it at the end",
    }


WHEN = "rows come again and again, and the label depends on the row alone"
SAMPLES: tuple[dict, ...] = ({},)


def memorizer() -> Learner:
    """The memorizer; it takes any features, and has nothing to set."""
    return Learner(
        "memorizer",
        {},
        (),
        Layout(State, init, sound, room=Room(prepare, compact)),
        algorithm=native.core.Memorizer,
        family=theory.FAMILY,
        facts=facts,
        parts=parts,
    )
