"""Words of text, counted."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

import numpy as np

from littlestone.streams.vocabulary import Vocabulary

WORD = re.compile(r"\w+")


def bag(cell: str, ngrams: int) -> Counter[str]:
    """Words and runs of words with their counts, in order of first appearance, the shorter runs first.

    >>> bag("No, no: yes", 2)
    Counter({'no': 2, 'yes': 1, 'no no': 1, 'no yes': 1})
    """
    words = WORD.findall(cell.lower())
    counts = Counter(words)
    for n in range(2, ngrams + 1):
        counts.update(" ".join(words[k : k + n]) for k in range(len(words) - n + 1))
    return counts


def bags(offsets: np.ndarray, data: np.ndarray, names: Vocabulary, prefix: str, ngrams: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The cells data[offsets[t]:offsets[t + 1]] as sparse rows: indptr int64, columns uint32, counts float32."""
    text = data.tobytes()
    ends = offsets.tolist()
    rows = [bag(text[lo:hi].decode(), ngrams) for lo, hi in pairwise(ends)]
    indptr = np.zeros(len(rows) + 1, np.int64)
    np.cumsum([len(row) for row in rows], out=indptr[1:])
    found = [prefix + word for row in rows for word in row]
    counts = np.fromiter((count for row in rows for count in row.values()), np.float32, len(found))
    return indptr, names.columns_of(found), counts
