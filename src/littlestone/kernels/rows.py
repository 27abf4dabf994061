"""Sparse rows: `indices[lo:hi]` are the active features, `values[lo:hi]` their values, None when all are 1.

Unsigned indices throughout: a signed one costs a test for wraparound at every access.
"""

import numpy as np

from littlestone.jit import jit

ZERO, ONE, TWO, THREE, FOUR = (np.uint64(k) for k in range(5))


@jit
def dot(w, indices, values, lo, hi):
    """w·x in the order that `reference.arithmetic.ordered_sum` writes down; four sums keep the adders busy."""
    a = b = c = d = 0.0
    k, end = np.uint64(lo), np.uint64(hi)
    if values is None:
        while k + FOUR <= end:
            a += w[indices[k]]
            b += w[indices[k + ONE]]
            c += w[indices[k + TWO]]
            d += w[indices[k + THREE]]
            k += FOUR
        while k < end:
            a += w[indices[k]]
            k += ONE
    else:
        while k + FOUR <= end:
            a += w[indices[k]] * values[k]
            b += w[indices[k + ONE]] * values[k + ONE]
            c += w[indices[k + TWO]] * values[k + TWO]
            d += w[indices[k + THREE]] * values[k + THREE]
            k += FOUR
        while k < end:
            a += w[indices[k]] * values[k]
            k += ONE
    return (a + b) + (c + d)


@jit
def add(w, indices, values, lo, hi, c):
    """w += c·x."""
    for k in range(np.uint64(lo), np.uint64(hi)):
        if values is None:
            w[indices[k]] += c
        else:
            w[indices[k]] += c * values[k]


@jit
def total(w, indices, lo, hi):
    """Σ w_i over the active features, in w's own arithmetic (whole numbers stay whole)."""
    a = w[0] - w[0]
    for k in range(np.uint64(lo), np.uint64(hi)):
        a += w[indices[k]]
    return a


@jit
def span(indptr, indices):
    """(largest index, smallest index, how often an index does not exceed the one before it in its row)."""
    top, bottom, falls = np.uint32(0), np.uint32(0xFFFFFFFF), np.uint32(0)
    for k in range(len(indices)):
        top = max(top, indices[k])
        bottom = min(bottom, indices[k])
    later = indices[1:]
    for k in range(len(later)):
        falls += np.uint32(later[k] <= indices[k])
    between = 0  # a fall from one row to the next is no fault
    for t in range(1, len(indptr) - 1):
        k = indptr[t]
        if 0 < k < indptr[t + 1]:
            between += indices[k] <= indices[k - 1]
    return top, bottom, np.int64(falls) - between


@jit
def repeated(indptr, indices, stamp, first):
    """(row, index) of the first feature that stands twice in one row, or (-1, 0). `stamp` remembers rows from `first` on."""
    for t in range(len(indptr) - 1):
        for k in range(np.uint64(indptr[t]), np.uint64(indptr[t + 1])):
            i = indices[k]
            if stamp[i] == first + t:
                return t, i
            stamp[i] = first + t
    return -1, np.uint32(0)


@jit
def largest_bits(signed, unsigned):
    """Largest bit patterns of float32 values, read as signed and as unsigned integers.

    The order of positive floats is that of their bits, so the first is the largest positive value and the second, when its
    sign bit is set, the most negative; infinity and NaN lie above every finite pattern of their sign.
    """
    positive, negative = np.int32(-(2**31)), np.uint32(0)
    for k in range(len(signed)):
        positive = max(positive, signed[k])
    for k in range(len(unsigned)):
        negative = max(negative, unsigned[k])
    return positive, negative


@jit
def all_whole(values):
    """Is every value a whole number?"""
    odd = 0
    for k in range(len(values)):
        odd += values[k] != np.rint(values[k])
    return odd == 0


@jit
def count(labels, predictions, tally):
    """Add one block to the tally: rounds, labelled, positives, false positives, false negatives, changes, last label."""
    last = tally[6]
    for t in range(len(labels)):
        y = labels[t]
        if y >= 0:
            tally[1] += 1
            tally[2] += y
            tally[3] += predictions[t] > y
            tally[4] += predictions[t] < y
            tally[5] += (last >= 0) & (y != last)
            last = y
    tally[0] += len(labels)
    tally[6] = last


@jit
def squared_lengths(indptr, indices, values, labels, predictions, lengths):
    """Of the rounds with a mistake: largest |x|², Σ|x|², and most features in a row, into `lengths`."""
    for t in range(len(labels)):
        if labels[t] >= 0 and labels[t] != predictions[t]:
            lo, hi = np.uint64(indptr[t]), np.uint64(indptr[t + 1])
            square = float(hi - lo)
            if values is not None:
                square = 0.0
                for k in range(lo, hi):
                    square += float(values[k]) * values[k]
            lengths[0] = max(lengths[0], square)
            lengths[1] += square
            lengths[2] = max(lengths[2], float(hi - lo))


@jit
def row_code(indices, values, m):
    """One row of m features in one number: 4·(largest index) + 2·(index 0 is there) + (indices do not increase strictly);
    or -1-k when value k is not finite."""
    top, zero, falls = np.int64(0), np.int64(0), np.int64(0)
    previous = np.int64(-1)
    for k in range(m):
        i = np.int64(indices[k])
        top = max(top, i)
        zero |= i == 0
        falls |= i <= previous
        previous = i
        if values is not None and not np.isfinite(values[k]):
            return -1 - k
    return 4 * top + 2 * zero + falls
