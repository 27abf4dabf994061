"""Monotone disjunctions of few variables among many, over random boolean instances."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from littlestone.errors import require
from littlestone.protocol import Block


def disjunction_blocks(
    n: int, r: int, rounds: int, *, density: float = 0.1, noise: float = 0.0, seed: int = 0, rows: int = 256
) -> Iterator[Block]:
    """Rounds labelled by x_0 ∨ … ∨ x_{r-1}; half the labels are 1.

    Each relevant variable is on with probability 1 - 2^(-1/r), each other one with probability `density`; `noise` labels are flipped. The
    same seed gives the same rounds, however many rows a block has.

    >>> block = next(disjunction_blocks(50, 2, 100, seed=1))
    >>> all((block.indices[a:b] < 2).any() == y for a, b, y in zip(block.indptr, block.indptr[1:], block.labels))
    True
    """
    require(0 < r < n, f"r={r!r} must lie between 1 and n-1={n - 1}")
    require(0 < density < 1, f"density={density!r} must lie between 0 and 1")
    on = 1 - 2 ** (-1 / r)
    for start in range(0, rounds, rows):
        counts, pieces, labels = [], [], []
        for t in range(start, min(start + rows, rounds)):
            rng = np.random.default_rng((seed, t))
            relevant = np.flatnonzero(rng.random(r) < on)
            # gaps between successes of a Bernoulli sequence are geometric: cheap when few of many are on
            wanted = (n - r) * density
            gaps = rng.geometric(density, int(wanted + 6 * wanted**0.5 + 10))
            others = r - 1 + np.cumsum(gaps)
            others = others[: np.searchsorted(others, n)]
            pieces += [relevant, others]
            counts.append(len(relevant) + len(others))
            labels.append((len(relevant) > 0) != (noise > 0 and rng.random() < noise))
        indices = np.concatenate(pieces).astype(np.uint32)
        indptr = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        yield Block(indptr, indices, None, np.array(labels, np.int32), None, start)
