"""Is there a disjunction that labels every round? The one of most variables, the one of fewest, or the rounds that leave none."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from littlestone.witnesses.consistent import ones_and_zeros
from littlestone.witnesses.sets import SetWitness, disjunction_set


class ConsistentDisjunction(NamedTuple):
    """The columns of a disjunction that labels every round, or None and the rounds that leave none.

    `round` contradicts every disjunction together with `others`: for each feature that is on in it, a round that struck the feature out.
    """

    positive: np.ndarray | None
    round: int | None = None
    others: dict[int, int] | None = None

    @property
    def exists(self) -> bool:
        return self.positive is not None

    @property
    def size(self) -> int:
        return 0 if self.positive is None else len(self.positive)


def disjunction_witness(X: Any, labels: Any) -> ConsistentDisjunction:
    """The monotone disjunction of most variables that labels every round; or a 1 all of whose variables are on in some 0.

    >>> disjunction_witness([[1, 1, 0], [0, 1, 1], [0, 0, 1]], [1, 1, 0]).positive.tolist()
    [0, 1]
    >>> disjunction_witness([[1, 0, 0], [0, 1, 0], [1, 1, 0]], [0, 0, 1])[1:]
    (2, {0: 0, 1: 1})
    """
    rows, ones, zeros = ones_and_zeros(X, labels)
    struck = rows[zeros].sum(axis=0) > 0
    short = np.flatnonzero(rows[ones] @ (~struck).astype(np.int64) == 0)
    if not len(short):
        return ConsistentDisjunction(np.flatnonzero(~struck))
    t = int(ones[short[0]])
    columns = rows[zeros].tocsc()
    on = rows.indices[rows.indptr[t] : rows.indptr[t + 1]]
    return ConsistentDisjunction(
        None, t, {int(j): int(zeros[columns.indices[columns.indptr[j] : columns.indptr[j + 1]].min()]) for j in sorted(on)}
    )


def smallest_disjunction(X: Any, labels: Any, *, effort: float = 1.0, exact: bool | None = None) -> SetWitness | None:
    """Of the disjunctions that label every round, one of few variables, the fewest where `how` is "exact"; None if there is none.

    >>> smallest_disjunction([[1, 1, 0], [0, 1, 0], [0, 0, 1]], [1, 1, 0]).set.tolist()
    [1]
    """
    whole = disjunction_witness(X, labels)
    if whole.positive is None:
        return None
    rows, ones, _ = ones_and_zeros(X, labels)
    must = np.full(len(ones), len(whole.positive) + 1)  # a 1 left out costs more than all variables
    smallest = disjunction_set(rows[ones][:, whole.positive], np.ones(len(ones)), cost=1, effort=effort, exact=exact, weights=must)
    return smallest._replace(set=whole.positive[smallest.set])
