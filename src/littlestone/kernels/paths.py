"""The cheapest sequence of experts, by dynamic programming: `losses` has a row for each round, NaN where an expert sleeps.

Whoever changes experts before round t changes from the same one, the cheapest so far.  So one note for each t (and each number of changes)
says whom the change left and which note that one's own last change was; a path is read back from the last round by its notes.
"""

import numpy as np

from littlestone.kernels.compiler import jit, jit_apart


@jit
def cheapest(costs):
    best = 0
    for i in range(1, len(costs)):
        if costs[i] < costs[best]:
            best = i
    return best


@jit
def charge(costs, row):
    """Add a round's losses; whoever sleeps cannot be followed through it."""
    for i in range(len(costs)):
        costs[i] = costs[i] + row[i] if row[i] == row[i] else np.inf


@jit
def read_back(last, note, width, whom, notes, path):
    """Write the path that ends with expert `last`, whose last change has this note."""
    end = len(path)
    while note >= 0:
        start = note // width
        path[start:end] = last
        end, last, note = start, whom[note], notes[note]
    path[:end] = last


@jit_apart
def with_changes(losses, most, paths, costs):
    """For each number of changes from 0 to `most`, the cheapest path with no more than so many, and its loss (∞ where there is none)."""
    rounds, n = losses.shape
    width = most + 1
    spent, last_note = np.zeros((width, n)), np.full((width, n), -1, np.int64)
    whom, notes = np.zeros(rounds * width, np.int32), np.full(rounds * width, -1, np.int64)
    for t in range(rounds):
        if t > 0:
            for s in range(most, 0, -1):
                best = cheapest(spent[s - 1])
                least, note = spent[s - 1, best], t * width + s
                whom[note], notes[note] = best, last_note[s - 1, best]
                for i in range(n):
                    if least < spent[s, i]:
                        spent[s, i] = least
                        last_note[s, i] = note
        for s in range(width):
            charge(spent[s], losses[t])
    for s in range(width):
        best = cheapest(spent[s])
        costs[s] = spent[s, best]
        read_back(best, last_note[s, best], width, whom, notes, paths[s])


@jit_apart
def at_a_price(losses, price, path):
    """The path with the least loss + price·changes; what that is."""
    rounds, n = losses.shape
    spent, last_note = np.zeros(n), np.full(n, -1, np.int64)
    whom, notes = np.zeros(rounds, np.int32), np.full(rounds, -1, np.int64)
    for t in range(rounds):
        if t > 0:
            best = cheapest(spent)
            least = spent[best] + price
            whom[t], notes[t] = best, last_note[best]
            for i in range(n):
                if least < spent[i]:
                    spent[i] = least
                    last_note[i] = t
        charge(spent, losses[t])
    best = cheapest(spent)
    read_back(best, last_note[best], 1, whom, notes, path)
    return spent[best]
