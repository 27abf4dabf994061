"""Text-like instances: few words of many, popular ones often, and labels from a hidden linear function."""

from collections.abc import Iterator

import numpy as np

from littlestone.protocol import Block

TELLING = 1_000  # the label depends on this many of the most popular words


def text_blocks(rounds: int, *, n: int = 47_236, words: int = 100, noise: float = 0.3, seed: int = 0, rows: int = 2048) -> Iterator[Block]:
    """Rows of distinct words drawn with Zipf's popularity, weighted like tf-idf and scaled to length 1.

    The label is the sign of a hidden linear function plus `noise` of its spread. Columns are 1 to n, as libsvm files have them.

    >>> block = next(text_blocks(10, seed=3))
    >>> len(block), round(float((block.values[: block.indptr[1]] ** 2).sum()), 3)
    (10, 1.0)
    """
    hidden = np.random.default_rng((seed, 0))
    popularity = 1 / np.arange(1, n + 1)
    cumulative = np.cumsum(popularity) / popularity.sum()
    idf = np.log(1 / popularity) + 1
    column = hidden.permutation(n)
    target = np.zeros(n)
    target[column[:TELLING]] = hidden.standard_normal(min(n, TELLING)) * 4
    for start in range(0, rounds, rows):
        size = min(rows, rounds - start)
        rng = np.random.default_rng((seed, 1, start))
        drawn = np.searchsorted(cumulative, rng.random((size, words)))
        drawn = column[np.minimum(drawn, n - 1)]
        drawn.sort(axis=1)
        fresh = np.ones_like(drawn, bool)
        fresh[:, 1:] = drawn[:, 1:] != drawn[:, :-1]
        counts = fresh.sum(axis=1)
        indptr = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        indices = drawn[fresh]
        row = np.repeat(np.arange(size), counts)
        values = idf[np.argsort(column)[indices]] * rng.uniform(0.5, 1.5, len(indices))
        values /= np.sqrt(np.bincount(row, values * values))[row]
        score = np.bincount(row, values * target[indices], minlength=size)
        labels = (score + noise * rng.standard_normal(size) > 0).astype(np.int32)
        yield Block(indptr, (indices + 1).astype(np.uint32), values.astype(np.float32), labels, None, start)
