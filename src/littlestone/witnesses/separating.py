"""The shortest vector with y·(u·x) ≥ 1 on every round, where there is one: the largest margin is 1/|u|.

The rounds that decide are few, and most are among the mistakes.  So the hard-margin problem is solved on those, the rounds it gets most
wrong are added, and so on.  The dual value D of any of these problems proves |u|² ≥ 2D for every separating u.  Once the limit κ|u|² that a
separating vector could give must exceed the number of rounds (and 10,000), κ the mean |x|², it would say nothing, and the search gives up:
on a noisy stream D grows without end, and that takes a few passes over the mistakes.

>>> separating_vector([[1, 0], [3, 1], [0, 1]], [1, 1, -1]).round(3).tolist()
[1.0, -1.0]
>>> separating_vector([[1, 0], [1, 0]], [1, -1]) is None
True
"""

from math import inf
from typing import Any

import numpy as np

from littlestone.witnesses.rows import TOLERANCE, Descent, SignedRows, Work, euclidean, rounds, visits

START = 1000  # rows to begin with where the caller names none
WORTH = 10_000
STEPS = 60


def separating_vector(X: Any, y: Any, *, bias: float = 0.0, first: Any = None, effort: float = 1.0) -> np.ndarray | None:
    """The shortest u with y·(u·x) ≥ 1 on every row, nearly; None when there is none, or none worth having, or none found.

    `first` are the numbers of rows to begin with: the mistakes of a run.  `bias` > 0 adds an entry for it, the last.
    """
    data, work = rounds(X, y, None, bias), Work(effort)
    if data.count == 0:
        return np.zeros(data.width)
    lengths = data.lengths()
    if not lengths.all():
        return None
    worthless = max(data.count, WORTH) / (2 * float(lengths.mean()))  # the dual value from which on κ|u|² is too large
    chosen = np.unique(np.arange(min(START, data.count)) if first is None or len(first) == 0 else np.asarray(first, np.int64))
    best, shortest, proved = None, inf, 0.0
    a = np.zeros(len(chosen))
    for _ in range(STEPS):
        part = data.take(chosen)
        descent = Descent(part, inf, np.ones(part.count), work=work)
        descent.a, descent.u = a, part.combine(a)
        end = visits(part)
        while descent.visited < end and not work.over():
            far = max(descent.turn() for _ in range(4))
            length2 = float(descent.u @ descent.u)
            proved = max(proved, float(descent.a.sum()) - length2 / 2)
            if proved > worthless:
                return None
            if far < TOLERANCE:
                if len(descent.active) == part.count:
                    break
                descent.refresh()
        margins = _safe(data, descent.u, lengths)
        least = float(margins.min())
        if least > 0 and euclidean(descent.u) / least < shortest:
            shortest = euclidean(descent.u) / least
            best = (descent.u * ((1 + 2.0**-40) / least))[: data.width]
        if work.over() or shortest**2 <= (1 + 2 * TOLERANCE) * 2 * proved:
            break
        wrong = np.flatnonzero(margins < 1 - TOLERANCE / 2)
        wrong = np.setdiff1d(wrong, chosen, assume_unique=True)
        if len(wrong) == 0:
            break
        most = max(200, len(chosen) // 2)
        added = wrong[np.argsort(margins[wrong], kind="stable")[:most]]
        kept = descent.a
        chosen = np.concatenate([chosen, added])
        a = np.concatenate([kept, np.zeros(len(added))])
    return best


def _safe(data: SignedRows, u: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """y·(u·x) from below: less what rounding can have added."""
    widths = np.diff(data.indptr) + 8
    return data.margins(u) - widths * 2.0**-52 * euclidean(u) * np.sqrt(lengths)
