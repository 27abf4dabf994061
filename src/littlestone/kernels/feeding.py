"""A pass over rows that lie in somebody else's memory: each is copied and checked while it is on its way into the cache, then played.

What is checked is what is played, whatever others write meanwhile; and a learner's own pass stays as it is, and plays one row at a time.
"""

from functools import cache
from types import FunctionType

import numpy as np

from littlestone.kernels.compiler import FEED, copied_row, jit_lent
from littlestone.kernels.rows import all_whole, measure


@jit_lent
def undecided(played):
    """Did a pass over one row stop before it? One that plays every row returns nothing."""
    return False if played is None else played == 0


def fed_pass(
    arguments, limit, indptr, source, numbers,
    span, row, values, label, labels, predictions, scores, updates, extremes, facts, lengths,
):  # fmt: skip
    """Play rows until one needs a closer look: its indices do not increase or reach the limit, a value is 0 or not finite, or `play` stops.

    `row`, `values`, `span` and `label` are where one row is played. `facts` are the largest and the least index, the longest row, whether
    all values are whole, and how many features were played; for `extremes` see `copied_row`, for `lengths`, which may be None,
    `rows.measure`. Row pointers lie where others may write, so they are looked at here again.
    """
    top, bottom, widest, whole, entries = facts[0], facts[1], facts[2], facts[3], facts[4]
    room, end = len(row) - FEED, len(source) - FEED
    stop = len(labels)
    for t in range(len(labels)):
        lo, hi = np.int64(indptr[t]), np.int64(indptr[t + 1])
        n = hi - lo
        if lo < 0 or n < 0 or n > room or hi >= end or copied_row(source, numbers, row, values, lo, n, extremes) != 0:
            stop = t
            break
        if n > 0:
            last = np.int64(row[np.uint64(n - 1)])
            if last >= limit:
                stop = t
                break
            top, bottom, widest = max(top, last), min(bottom, np.int64(row[0])), max(widest, n)
            if values is not None and whole != 0:
                whole = np.int64(all_whole(values[:n]))
        span[1] = n
        label[0], here = labels[t], slice(t, t + 1)
        marks = None if scores is None else scores[here]
        changes = None if updates is None else updates[here]
        round = (span, row, values, label, None, predictions[here], marks, changes)
        if undecided(play(*(arguments + round))):  # type: ignore[name-defined]  # noqa: F821
            stop = t
            break
        entries += n
        if lengths is not None:
            measure(span, values, None, label, None, predictions[here], lengths)
    facts[0], facts[1], facts[2], facts[3], facts[4] = top, bottom, widest, whole, entries
    return stop


@cache
def feeding(play):
    """`fed_pass` around a learner's pass. It is kept on disk beside that one, as if it stood in the same file."""
    code, name = getattr(play, "py_func", play).__code__, f"fed_{play.__name__}"
    code = fed_pass.__code__.replace(co_filename=code.co_filename, co_name=name, co_qualname=name, co_firstlineno=code.co_firstlineno)
    return jit_lent(FunctionType(code, {**globals(), "play": play}, name))
