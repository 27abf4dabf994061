"""Is there a conjunction, or any function at all, that labels every round? It, or the rounds that leave none.

Rounds are numbered from 0 here, rows of X; labels are 1, 0, or -1 where none was told, and such rounds are left out.
"""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from littlestone.errors import require
from littlestone.witnesses.sets import presence


class Consistent(NamedTuple):
    """A conjunction that labels every round, or None and the round that leaves none: the columns of its literals x and ¬x."""

    positive: np.ndarray | None
    negative: np.ndarray | None
    round: int | None = None

    @property
    def exists(self) -> bool:
        return self.positive is not None

    @property
    def size(self) -> int:
        return 0 if self.positive is None or self.negative is None else len(self.positive) + len(self.negative)


class Twins(NamedTuple):
    """Two rounds with the same instance and different labels: no function of the instance labels both."""

    first: int
    second: int


def conjunction_witness(X: Any, labels: Any) -> Consistent:
    """The satisfiable conjunction with most literals that labels every round; or a 0 on which all literals true on every 1 are true.

    >>> conjunction = conjunction_witness([[1, 0, 1], [1, 0, 0], [0, 0, 1]], [1, 1, 0])
    >>> conjunction.positive.tolist(), conjunction.negative.tolist()                # x0 ∧ ¬x1
    ([0], [1])
    >>> conjunction_witness([[1, 0], [0, 1], [1, 1]], [1, 1, 0]).round  # no literal is true on both 1s, so the empty conjunction is left
    2
    """
    rows, ones, zeros = ones_and_zeros(X, labels)
    if not len(ones):
        return _fresh(rows, zeros)
    on = rows[ones].sum(axis=0)
    always, never = on == len(ones), on == 0
    true = rows[zeros] @ always.astype(np.int64) == always.sum()
    false = rows[zeros] @ never.astype(np.int64) > 0
    against = np.flatnonzero(true & ~false)
    if len(against):
        return Consistent(None, None, int(zeros[against[0]]))
    return Consistent(np.flatnonzero(always), np.flatnonzero(never))


def _fresh(rows: csr_array, zeros: np.ndarray) -> Consistent:
    """Without a 1: the conjunction that one instance alone satisfies, one that never came.

    In each column take the value that fewer of the different instances left have: they are fewer than half of those there could be, as
    long as not all came, so none is left in the end.
    """
    sorted_rows = rows[zeros]
    sorted_rows.sort_indices()
    where = {sorted_rows.indices[lo:hi].tobytes(): i for i, (lo, hi) in enumerate(pairwise(sorted_rows.indptr.tolist()))}
    columns = sorted_rows.tocsc()
    left, literals = np.array(sorted(where.values()), np.int64), np.zeros(rows.shape[1], np.bool_)
    for j in range(rows.shape[1]):
        if not len(left):
            break
        on = np.isin(left, columns.indices[columns.indptr[j] : columns.indptr[j + 1]])
        literals[j] = 2 * on.sum() < len(left)
        left = left[on] if literals[j] else left[~on]
    if len(left):  # every instance there is came as a 0
        return Consistent(None, None, int(zeros[0]))
    return Consistent(np.flatnonzero(literals), np.flatnonzero(~literals))


def same_instance(X: Any, labels: Any) -> Twins | None:
    """The first round whose instance came before with the other label, and the round it came in; None if there is none.

    >>> same_instance([[1, 0], [0, 2], [1, 0], [0, 2.0]], [1, 1, 1, 0])
    Twins(first=1, second=3)
    """
    rows = csr_array(X)
    rows = rows.copy() if (rows.nnz and not rows.data.all()) or not rows.has_sorted_indices else rows
    rows.eliminate_zeros()
    rows.sort_indices()
    codes = np.asarray(labels)
    require(len(codes) == rows.shape[0], f"{len(codes)} labels for {rows.shape[0]} rounds")
    met: dict[bytes, tuple[int, int]] = {}
    for t, (lo, hi, y) in enumerate(zip(rows.indptr[:-1].tolist(), rows.indptr[1:].tolist(), codes.tolist(), strict=True)):
        if y < 0:
            continue
        key = rows.indices[lo:hi].tobytes() + rows.data[lo:hi].tobytes()
        first, label = met.setdefault(key, (t, int(y)))
        if label != int(y):
            return Twins(first, t)
    return None


def ones_and_zeros(X: Any, labels: Any) -> tuple[csr_array, np.ndarray, np.ndarray]:
    """The rows, and which of them are 1s and 0s."""
    rows, codes = presence(X), np.asarray(labels)
    require(len(codes) == rows.shape[0], f"{len(codes)} labels for {rows.shape[0]} rounds")
    return rows.astype(np.int64), np.flatnonzero(codes == 1), np.flatnonzero(codes == 0)
