"""What the default panel could cost at best: its kernels alone, and the places of memory that they look at."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from math import inf
from pathlib import Path
from unittest.mock import patch

import numpy as np
from numba import njit

import littlestone as ls
from littlestone.learners.binary import pairs
from littlestone.learners.reductions import _table
from littlestone.protocol import Block, play_through

LAST = 200_000  # rows, before which pairs has learned from the others


def blocks_of(path: Path) -> list[Block]:
    """The rows in memory, parsed and numbered."""
    return [block.copy() for block in ls.open_stream(path).blocks()]


def bare_panels(blocks: list[Block]) -> Callable[[], None]:
    """All kernels over these rows, on two cores that wait for nothing and have nothing else to do: each plays a panel of its own over half
    of the blocks."""
    panels, room = [ls.panel(ls.panel().members) for _ in range(2)], 1 + max(int(block.indices.max()) for block in blocks)

    def half(k: int) -> None:
        state = panels[k].init(room)
        for block in blocks[k::2]:
            state = panels[k].prepare(state, block)
            play_through(panels[k], state, block, np.empty(len(block), np.bool_))

    def both() -> None:
        with ThreadPoolExecutor(2) as pool, patch.object(_table, "SHARED", inf):  # one panel, one core
            list(pool.map(half, range(2)))

    return both


def codes_of(indices: np.ndarray) -> np.ndarray:
    """The codes of features, as native/core/pairs.h makes them."""
    z = indices.astype(np.uint64) * np.uint64(0x7FEB352D) + np.uint64(0x3F800000) * np.uint64(0x68E31DA5)
    z ^= z >> np.uint64(32)
    z = (z & np.uint64(0xFFFFFFFF)) * np.uint64(0x5851F42D) + (z >> np.uint64(32))
    return (z ^ (z >> np.uint64(32))) & np.uint64(2**62 - 1)


def looked_up(state: pairs.State, block: Block) -> tuple[np.ndarray, np.ndarray]:
    """Where the pairs of each row may stand in the table, and what stands there in the list."""
    places, codes = [], codes_of(block.indices)
    for lo, hi in pairwise(block.indptr.tolist()):
        row = codes[lo:hi]
        first, second = np.triu_indices(len(row), 1)
        both = row[first] + row[second]
        places.append((both ^ (both >> np.uint64(32))) & np.uint64(len(state.table) - pairs.TAGS - 1))
    found = np.concatenate(places).astype(np.uint32)
    return found, np.maximum((state.table[found] & pairs.NUMBER) - 1, 0).astype(np.uint32)


@njit(nogil=True)
def touched(table, listed, places, numbers):
    """Look at these places, for which nobody has to search."""
    total = 0.0
    for k in range(len(places)):
        total += table[places[k]] + listed[4 * np.uint64(numbers[k])]
    return total


def pairs_and_places(blocks: list[Block]) -> tuple[Callable[[], object], Callable[[], object], int]:
    """pairs over the last rows, once it knows the others; a bare loop over the places that it looks at; and how many rows."""
    whole, learner = Block.joined(blocks), ls.pairs(bias=1)
    first = max(len(whole) - LAST, len(whole) // 2)
    before, last = whole.cut(0, first), whole.cut(first, len(whole))
    state = learner.prepare(learner.init(1 + int(whole.indices.max())), whole)
    says = np.empty(len(whole), np.bool_)
    play_through(learner, state, before, says[: len(before)])
    places, numbers = looked_up(state, last)
    return (
        lambda: play_through(learner, state, last, says[: len(last)]),
        lambda: touched(state.table, state.pairs, places, numbers),
        len(last),
    )


@njit(nogil=True)
def lines_asked(wide, step, apart, indices):
    """Add to all that lies at these features: lines of the cache in the one array, numbers in the others."""
    for i in indices:
        for j in range(step * np.uint64(i), step * np.uint64(i + 1), 8):
            wide[j] += 1.0
        for array in apart:
            array[i] += 1.0


def first_lines(rows: list[dict]) -> tuple[Callable[[], None], int]:
    """A loop that touches what a new panel does of the features of these rows, in memory as new as the panel's; how many lines a row."""
    panel, most = ls.panel(), 1 + max(map(max, rows))
    table = panel.kernels.play.__self__  # type: ignore[attr-defined]
    step = -(-len(table.columns) // _table.LINE) * _table.LINE
    apart = sum(sum(member._growing) for member in panel.members if not member.spaced)
    given = [np.array(list(row), np.uint32) for row in rows]

    def touch() -> None:
        wide, others = np.zeros(step * most), tuple(np.zeros(most) for _ in range(apart))
        for indices in given:
            lines_asked(wide, step, others, indices)

    return touch, round(np.mean(list(map(len, rows))) * (step // _table.LINE + apart))
