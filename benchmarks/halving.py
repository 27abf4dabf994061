"""Halving over 2^24 disjunctions: how fast a round goes over the bits of the living, against numpy going over the same bytes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import littlestone as ls
from littlestone import concepts
from littlestone.concepts.instances import uniform
from littlestone.protocol import Runner
from measure import Row, interleaved

VARIABLES = 24
ROUNDS = 256
PASSES = 64  # of numpy over the same bytes, each time


def halving_2_24(quick: bool = False) -> Iterator[Row]:
    """A block of rounds over all 2^24 disjunctions of 24 variables, 2 MB of bits; numpy sums, or counts the bits of, the same words."""
    C = concepts.disjunctions(VARIABLES)
    (block,) = C.blocks(ROUNDS, instances=uniform(0.1), target=C.of({2, 9, 17, 22}), rows=ROUNDS)
    learner = ls.halving(C)
    words = learner.first_state().alive
    contenders = {
        "ours": lambda: Runner(learner).take(block),
        "sum": lambda: [words.sum() for _ in range(PASSES)],
        "count": lambda: [np.bitwise_count(words).sum() for _ in range(PASSES)],
    }
    seconds = interleaved(contenders, 5 if quick else 21)
    size = words.nbytes / 1e9
    speeds = {"ours": size * ROUNDS / seconds["ours"], "sum": size * PASSES / seconds["sum"], "count": size * PASSES / seconds["count"]}
    shown = {name: f"{np.median(speed):.1f} GB/s" for name, speed in speeds.items()}
    job = f"i  halving, 2^{VARIABLES} disjunctions, a round"
    yield Row(job, shown["ours"], f"numpy sum {shown['sum']}", speeds["ours"] / speeds["sum"], 0.8)
    yield Row(job, shown["ours"], f"numpy bitwise_count {shown['count']}", speeds["ours"] / speeds["count"], 2)


if __name__ == "__main__":
    for row in halving_2_24():
        print("  ".join(row.cells()))
