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
        row, bad = table[t], 0
        for i in range(len(row)):  # no way out of this loop, so that it runs in vectors
            x = row[i]
            bad += (x < low) | (x > high) | (whole & (low < x) & (x < high))
        if bad:
            for i in range(len(row)):
                x = row[i]
                if x < low or x > high or (whole and low < x and x < high):
                    return t * table.shape[1] + i
    return -1


@jit
def empty_cells(table):
    count = 0
    for t in range(len(table)):
        row = table[t]
        for i in range(len(row)):
            count += row[i] != row[i]
    return count


@jit
def add_votes(lost, awake, beside, table, truth, own, mean):
    """`add_rows` and `means` of votes in one go: a vote against the truth loses 1, and what is counted is whole, in whatever order."""
    for t in range(len(table)):
        row, y, rule = table[t], np.float32(truth[t]), own[t]
        ones = there = 0
        for i in range(len(row)):
            ones += row[i] == 1
            there += row[i] == row[i]
        mean[t] = ones / there if there else np.nan
        if truth[t] >= 0:
            for i in range(len(row)):
                here = row[i] == row[i]
                lost[i] += 1.0 if here & (row[i] != y) else 0.0
                awake[i] += here
                beside[i] += rule if here else 0.0
