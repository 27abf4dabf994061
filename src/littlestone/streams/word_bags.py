"""Columns of text as counted words: native for ASCII, plain Python for the rest.

Since the second version of readings marks are words too: some in a row, or one that says something.
"""

import re
from functools import cache
from typing import Any

import numpy as np

from littlestone.kernels.native import core
from littlestone.rounds.features import MARK, bag, words_in
from littlestone.rounds.reading import VERSION
from littlestone.streams.vocabulary import SLACK, name_columns


@cache
def marks_of(version: int) -> np.ndarray:
    """For each byte: 0 where it is no mark, 1 where it is one that is a word beside others only, 2 where it is one by itself."""
    marks = [1 + len(words_in(chr(c))) if version >= 2 and c < 0x80 and re.fullmatch(MARK, chr(c)) else 0 for c in range(256)]
    return np.array(marks, np.uint8)


def put_words(text: str, out: np.ndarray, to: int, version: int) -> int:
    """Fold text the plain way; where it ends."""
    folded = "".join([word + " " for word in words_in(text, version)]).encode()
    out[to : to + len(folded)] = np.frombuffer(folded, np.uint8)
    return to + len(folded)


def bags(
    offsets: np.ndarray, data: np.ndarray, names: Any, prefix: str, ngrams: int, version: int = VERSION, chars: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Words of the cells data[offsets[t]:offsets[t+1]], UTF-8, as rows: (indptr int64, indices uint32, counts float32).

    A feature is called prefix + word. `names` gives the columns, and new ones by cell: a table with several columns of features keeps its
    features in order by taking names of its own for each column first.

    >>> from littlestone.streams.vocabulary import Vocabulary
    >>> names = Vocabulary()
    >>> cells = np.array([0, 8, 13]), np.frombuffer(b"Go go up" b"go on", np.uint8)
    >>> [found.tolist() for found in bags(*cells, names, "said=", 1)], names.names()
    ([[0, 2, 4], [0, 1, 0, 2], [2.0, 1.0, 1.0, 1.0]], ['said=go', 'said=up', 'said=on'])
    """
    rows, before = len(offsets) - 1, prefix.encode()
    if len(before) == 1 or chars:  # a prefix is some bytes and one that joins
        return _plain_bags(offsets, data, names, prefix, ngrams, version, chars)
    offsets = offsets.astype(np.int64, copy=False)
    size = int(offsets[-1] - offsets[0])
    out, cells = np.empty(2 * size + rows + len(before) + SLACK, np.uint8), np.empty(rows + 1, np.int64)
    out[: len(before)] = np.frombuffer(before, np.uint8)
    cells[0] = begin = len(before)
    row = 0
    while True:
        row = core.fold_cells(data, offsets, row, out, cells, marks_of(version))
        if row == rows:
            break
        cells[row + 1] = put_words(data[offsets[row] : offsets[row + 1]].tobytes().decode(), out, int(cells[row]), version)
        row += 1
    many = int(np.count_nonzero(out[begin : cells[rows]] == ord(" ")))
    features, bits = many * ngrams, names.bits or 0
    indptr, indices = np.zeros(rows + 1, np.int64), np.empty(features, np.uint32)
    prints, waiting = np.empty(features if bits else 0, np.uint32), np.empty((0 if bits else features, 4), np.uint64)
    spans, joint = np.empty((many, 2), np.uint32), before[-1] if before else 0
    columns = name_columns(names.snapshot(), bits, prints, waiting)
    waits = core.take_words(out, cells, max(len(before) - 1, 0), joint, ngrams, spans, indptr, indices, columns)
    indices = indices[: indptr[-1]]
    if bits:
        settled = names.settle(indptr, indices, prints[: len(indices)])
    else:
        settled = names.settle(indptr, indices, waiting, waits, out, joint, refuse=False)
    counts = np.ones(len(indices), np.float32)
    if settled.repeats:
        remain, _ = names.stamps.add_up(indptr, indices, counts, settled.top + 1)
        indices, counts = indices[:remain], counts[:remain]
    return indptr, indices, counts


def _plain_bags(
    offsets: np.ndarray, data: np.ndarray, names: Any, prefix: str, ngrams: int, version: int, chars: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same in plain Python."""
    indptr: list[int] = [0]
    indices: list[int] = []
    counts: list[float] = []
    for a, b in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        words, row = bag(data[a:b].tobytes().decode(), ngrams, version, chars), dict[int, float]()
        for column, count in zip(names.columns_of([prefix + word for word in words]).tolist(), words.values(), strict=True):
            row[column] = row.get(column, 0) + count
        indices += row.keys()
        counts += row.values()
        indptr.append(len(indices))
    return np.array(indptr, np.int64), np.array(indices, np.uint32), np.array(counts, np.float32)
