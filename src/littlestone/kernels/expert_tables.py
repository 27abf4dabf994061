"""Tables of experts, row by row: sums in the order of the rounds, so that no result depends on how a table was cut."""

import numpy as np

from littlestone.kernels.advice import ASLEEP, weigh
from littlestone.kernels.compiler import jit


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
def add_cells(lost, wrong, awake, beside, whole, table, truth, own, ones, mean, by_side):
    """The same for advice as rules take it, where what an expert loses is |a - y|; and the mean of those awake, NaN where nobody is.

    Rounds in which nobody sleeps go to `whole` (their number, what the rule lost) and not to every expert's `awake` and `beside`. With
    `by_side`, an expert is `wrong` where it stands on the other side of 1/2.
    """
    for t in range(len(truth)):
        row = table[t]
        total, favour, holds = weigh(ones, row)
        mean[t] = favour / total if total > 0.0 else np.nan
        if truth[t] < 0:
            continue
        y = np.float64(truth[t])
        if not holds & ASLEEP:
            whole[0] += 1.0
            whole[1] += own[t]
            for i in range(len(lost)):
                lost[i] += abs(row[i] - y)
        else:
            for i in range(len(lost)):
                a = row[i]
                if a == a:
                    lost[i] += abs(a - y)
                    awake[i] += 1
                    beside[i] += own[t]
        if by_side:
            for i in range(len(lost)):
                a = row[i]
                wrong[i] += 1.0 if a == a and (a >= 0.5) != (y == 1.0) else 0.0


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
