"""Tables of experts, row by row: sums in the order of the rounds, so that no result depends on how a table was cut."""

import numpy as np

from littlestone.jit import jit


@jit
def add_rows(lost, awake, beside, losses, own):
    """Add to each expert's totals, over the rounds it was awake: its loss, their number, and what the rule lost on them.

    A round that does not count has NaN for the rule's loss.
    """
    for t in range(len(losses)):
        if own[t] == own[t]:
            for i in range(losses.shape[1]):
                x = losses[t, i]
                if x == x:
                    lost[i] += x
                    awake[i] += 1
                    beside[i] += own[t]


@jit
def means(table, out):
    """The mean of those awake in each row; NaN where nobody is."""
    for t in range(len(table)):
        total, count = 0.0, 0
        for i in range(table.shape[1]):
            x = table[t, i]
            if x == x:
                total += x
                count += 1
        out[t] = total / count if count else np.nan


@jit
def spans(table, low, wide):
    """The least of those awake in each row, and how far the largest lies above it; 0 and 0 where nobody is."""
    for t in range(len(table)):
        least, most = np.inf, -np.inf
        for i in range(table.shape[1]):
            x = table[t, i]
            if x == x:
                least, most = min(least, x), max(most, x)
        low[t] = least if least <= most else 0.0
        wide[t] = most - least if least < most else 0.0


@jit
def first_outside(table, low, high, whole):
    """The place, counted along the rows, of the first number outside a range or, where `whole`, at neither end of it; -1: there is none."""
    for t in range(len(table)):
        for i in range(table.shape[1]):
            x = table[t, i]
            if x < low or x > high or (whole and low < x and x < high):
                return t * table.shape[1] + i
    return -1


@jit
def holds_nan(table):
    for t in range(len(table)):
        for i in range(table.shape[1]):
            if table[t, i] != table[t, i]:
                return True
    return False
