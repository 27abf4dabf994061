"""Sparse rows: `indices[lo:hi]` are the active features, `values[lo:hi]` their values, None when all are 1.

Unsigned indices throughout: a signed one costs a test for wraparound at every access.
"""

import numpy as np

from littlestone.kernels.compiler import add_four, four_sums, jit_lent

ZERO, ONE, TWO, THREE, FOUR = (np.uint64(k) for k in range(5))


@jit_lent
def total(w, indices, lo, hi, zero):
    """Σ w_i over the active features, in the kind of number that `zero` is; four sums keep the adders busy."""
    a = b = c = d = zero
    k, end = np.uint64(lo), np.uint64(hi)
    while k + FOUR <= end:
        a += w[indices[k]]
        b += w[indices[k + ONE]]
        c += w[indices[k + TWO]]
        d += w[indices[k + THREE]]
        k += FOUR
    while k < end:
        a += w[indices[k]]
        k += ONE
    return (a + b) + (c + d)


@jit_lent
def dot(w, indices, values, lo, hi):
    """w·x in the order that `reference.arithmetic.ordered_sum` writes down."""
    if values is None:
        return total(w, indices, lo, hi, 0.0)
    end = np.uint64(hi)
    k, a, b, c, d = four_sums(w, indices, values, np.uint64(lo), end)
    while k < end:
        a += w[indices[k]] * values[k]
        k += ONE
    return (a + b) + (c + d)


@jit_lent
def add(w, indices, values, lo, hi, c):
    """w += c·x. No feature stands twice in a row, so four weights are read before any is written."""
    k, end = np.uint64(lo), np.uint64(hi)
    while k + FOUR <= end:
        if values is None:
            i0, i1, i2, i3 = indices[k], indices[k + ONE], indices[k + TWO], indices[k + THREE]
            w[i0], w[i1], w[i2], w[i3] = w[i0] + c, w[i1] + c, w[i2] + c, w[i3] + c
        else:
            add_four(w, indices, values, k, c)
        k += FOUR
    while k < end:
        w[indices[k]] += c if values is None else c * values[k]
        k += ONE


@jit_lent
def multiply(w, indices, lo, hi, factor):
    """w_i *= factor for the active features; four are read before any is written, as in `add`."""
    k, end = np.uint64(lo), np.uint64(hi)
    while k + FOUR <= end:
        i0, i1, i2, i3 = indices[k], indices[k + ONE], indices[k + TWO], indices[k + THREE]
        w0, w1, w2, w3 = w[i0] * factor, w[i1] * factor, w[i2] * factor, w[i3] * factor
        w[i0], w[i1], w[i2], w[i3] = w0, w1, w2, w3
        k += FOUR
    while k < end:
        w[indices[k]] *= factor
        k += ONE


@jit_lent
def pick(indptr, indices, values, numbers, ends, own_indices, own_values):
    """Copy some rows, in the order of their numbers, to where `ends` says."""
    for t in range(len(numbers)):
        k, place = np.uint64(indptr[numbers[t]]), np.uint64(ends[t])
        while place < np.uint64(ends[t + 1]):
            own_indices[place] = indices[k]
            if values is not None:
                own_values[place] = values[k]
            k, place = k + ONE, place + ONE


@jit_lent
def well_formed(indptr, size, labels, most):
    """Do the row pointers grow from 0 to size, and does every label lie between -1 and the largest code?"""
    bad = np.int64(indptr[0] != 0) + np.int64(indptr[len(indptr) - 1] != size)
    for t in range(len(labels)):
        bad += (indptr[t + 1] < indptr[t]) | (labels[t] < -1) | (labels[t] > most)
    return bad == 0


@jit_lent
def longest_row(indptr, size):
    """The longest row, or -1 where the row pointers do not grow from 0 to at most the size."""
    longest, shortest, later = np.int64(0), np.int64(0), indptr[1:]
    for t in range(len(later)):
        longest = max(longest, later[t] - indptr[t])
        shortest = min(shortest, later[t] - indptr[t])
    grows = indptr[0] == 0 and shortest == 0 and longest <= size and indptr[len(indptr) - 1] <= size
    return longest if grows else np.int64(-1)


@jit_lent
def examine(indptr, indices, bits):
    """What must be known of a block before a kernel may see it, in one quick pass over each array.

    `bits` are the float32 values read as int32 (their order is the floats' own, where these are not negative), or None.
    Returns largest and smallest index; how often an index does not exceed the one before it in its row; the longest row; and the
    smallest and largest bits.
    """
    falls, least, most = np.uint32(0), np.int32(2**31 - 1), np.int32(-(2**31))
    later = indices[1:]
    if bits is None:
        for k in range(len(later)):
            falls += np.uint32(later[k] <= indices[k])
    else:  # both arrays in one loop: what it waits for is the memory
        for k in range(len(later)):
            falls += np.uint32(later[k] <= indices[k])
            least = min(least, bits[k])
            most = max(most, bits[k])
        if len(bits):
            least = min(least, bits[len(bits) - 1])
            most = max(most, bits[len(bits) - 1])
    unsorted, widest = np.int64(falls), np.int64(0)
    top, bottom = np.uint32(0), np.uint32(0xFFFFFFFF)
    for t in range(len(indptr) - 1):
        lo, hi = np.uint64(indptr[t]), np.uint64(indptr[t + 1])
        widest = max(widest, np.int64(hi - lo))
        if lo < hi:
            top = max(top, indices[hi - ONE])
            bottom = min(bottom, indices[lo])
            if lo > 0:  # a fall from one row to the next is no fault
                unsorted -= indices[lo] <= indices[lo - ONE]
    if unsorted != 0:  # then the ends of the rows do not tell the extremes
        for k in range(len(indices)):
            top = max(top, indices[k])
            bottom = min(bottom, indices[k])
    return np.int64(top), np.int64(bottom), unsorted, widest, np.int64(least), np.int64(most)


RUN = np.uint64(16)  # features that are sorted by insertion before runs of them are merged


@jit_lent
def sort_row(indices, values, lo, hi, spare, spare_values):
    """Sort the features from lo to hi by index, and the values with them, where there are some; the spare arrays have room for them."""
    lo, hi = np.uint64(lo), np.uint64(hi)
    begin = lo
    while begin < hi:
        end = min(begin + RUN, hi)
        for k in range(begin + ONE, end):
            i, j = indices[k], np.uint64(k)
            v = np.float32(1) if values is None else values[k]
            while j > begin and indices[j - ONE] > i:
                indices[j] = indices[j - ONE]
                if values is not None:
                    values[j] = values[j - ONE]
                j -= ONE
            indices[j] = i
            if values is not None:
                values[j] = v
        begin = end
    width = RUN
    while width < hi - lo:
        begin = lo
        while begin + width < hi:
            middle, end, first = begin + width, min(begin + TWO * width, hi), ZERO
            if indices[middle - ONE] > indices[middle]:
                for k in range(begin, middle):  # the first run makes room, the second stays where it is
                    spare[first] = indices[k]
                    if values is not None:
                        spare_values[first] = values[k]
                    first += ONE
                a, b, to = ZERO, middle, begin
                while a < first:
                    left = b >= end or spare[a] <= indices[b]
                    indices[to] = spare[a] if left else indices[b]
                    if values is not None:
                        values[to] = spare_values[a] if left else values[b]
                    a, b, to = a + np.uint64(left), b + np.uint64(not left), to + ONE
            begin = end
        width = TWO * width


@jit_lent
def sort_rows(indptr, indices, values, spare, spare_values):
    """Sort the features of each row that is not sorted by index; the spare arrays have room for the longest row."""
    for t in range(len(indptr) - 1):
        lo, hi = np.uint64(indptr[t]), np.uint64(indptr[t + 1])
        falls = np.uint32(0)
        for k in range(lo + ONE, hi):
            falls += np.uint32(indices[k] < indices[k - ONE])
        if falls > 0:
            sort_row(indices, values, lo, hi, spare, spare_values)


@jit_lent
def drop_zeros(indptr, indices, values):
    """Move the features together whose value is not 0, and the row pointers with them; how many remain."""
    to, lo = ZERO, np.uint64(indptr[0])
    for t in range(len(indptr) - 1):
        hi = np.uint64(indptr[t + 1])
        for k in range(lo, hi):
            indices[to], values[to] = indices[k], values[k]
            to += np.uint64(values[k] != 0)
        indptr[t + 1] = np.int64(to)
        lo = hi
    return np.int64(to)


@jit_lent
def most_negative(bits):
    """Largest bits among the negative floats (their magnitude grows with their bits), or -2^31 when there is none."""
    most = np.int32(-(2**31))
    for k in range(len(bits)):
        most = max(most, bits[k] if bits[k] < 0 else np.int32(-(2**31)))
    return np.int64(most)


@jit_lent
def repeated(indptr, indices, stamp, first):
    """(row, index) of the first feature that stands twice in one row, or (-1, 0). `stamp` remembers rows from `first` on."""
    for t in range(len(indptr) - 1):
        for k in range(np.uint64(indptr[t]), np.uint64(indptr[t + 1])):
            i = indices[k]
            if stamp[i] == first + t:
                return t, i
            stamp[i] = first + t
    return -1, np.uint32(0)


@jit_lent
def all_whole(values):
    """Is every value a whole number?"""
    odd = 0
    for k in range(len(values)):
        odd += values[k] != np.rint(values[k])
    return odd == 0


@jit_lent
def count(labels, predictions, tally):
    """Add a block to the tally: rounds, labelled, positives, false positives, false negatives, changes of label, last label."""
    labelled = ones = false_ones = false_zeros = changes = np.uint32(0)  # small ones: sixteen labels at a time
    for t in range(len(labels)):
        y, yhat = labels[t], np.int32(predictions[t])
        known = y >= 0
        labelled += np.uint32(known)
        ones += np.uint32(y == 1)
        false_ones += np.uint32(known & (yhat > y))
        false_zeros += np.uint32(known & (yhat < y))
    last = tally[6]
    if labelled == len(labels) and len(labels) > 0:
        changes += np.uint32((last >= 0) & (labels[0] != last))
        later = labels[1:]
        for t in range(len(later)):
            changes += np.uint32(later[t] != labels[t])
        last = np.int64(later[len(later) - 1] if len(later) else labels[0])
    else:
        for t in range(len(labels)):
            y = labels[t]
            if y >= 0:
                changes += np.uint32((last >= 0) & (y != last))
                last = np.int64(y)
    tally[0] += len(labels)
    tally[1] += labelled
    tally[2] += ones
    tally[3] += false_ones
    tally[4] += false_zeros
    tally[5] += changes
    tally[6] = last


@jit_lent
def measure(indptr, values, squares, labels, weights, predictions, lengths):
    """Of the rounds with a mistake, c the weight of one: the largest c|x|², Σc²|x|², Σc and the largest c.

    `squares` are the |x|² of all rounds, where somebody has measured them; else None.
    """
    for t in range(len(labels)):
        if labels[t] >= 0 and labels[t] != predictions[t]:
            c = 1.0 if weights is None else np.float64(weights[t])
            square = squared_length(values, indptr[t], indptr[t + 1]) if squares is None else squares[t]
            lengths[0] = max(lengths[0], c * square)
            lengths[1] += c * c * square
            lengths[2] += c
            lengths[3] = max(lengths[3], c)


@jit_lent
def squared_length(values, lo, hi):
    """|x|²; the number of features where all are 1."""
    if values is None:
        return float(hi - lo)
    a = b = c = d = 0.0
    k, end = np.uint64(lo), np.uint64(hi)
    while k + FOUR <= end:
        v0, v1 = np.float64(values[k]), np.float64(values[k + ONE])
        v2, v3 = np.float64(values[k + TWO]), np.float64(values[k + THREE])
        a += v0 * v0
        b += v1 * v1
        c += v2 * v2
        d += v3 * v3
        k += FOUR
    while k < end:
        a += np.float64(values[k]) * values[k]
        k += ONE
    return (a + b) + (c + d)


@jit_lent
def sizes(indptr, values, squares, largest):
    """|x|² and max|x_i| of each row."""
    for t in range(len(squares)):
        lo, hi = indptr[t], indptr[t + 1]
        squares[t] = squared_length(values, lo, hi)
        most = 0.0 if lo == hi else 1.0
        if values is not None:
            most = 0.0
            for k in range(np.uint64(lo), np.uint64(hi)):
                most = max(most, abs(np.float64(values[k])))
        largest[t] = most


@jit_lent
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


@jit_lent
def copied_row_code(columns, numbers, indices, values, m):
    """Copy a row of m features, and the code of the copy: what is checked is what is played, whatever others write meanwhile."""
    for k in range(m):
        indices[k] = columns[k]
        values[k] = numbers[k]
    return row_code(indices, values, m)


@jit_lent
def count_classes(indptr, values, squares, labels, weights, predictions, seen, confusion, tally, lengths):
    """Add a block of several classes, of which `seen` were known before it, to the counts.

    confusion[true, predicted]; tally: rounds, labelled, mistakes, changes of label, last label; lengths, of the mistakes that are not a
    first appearance, c the weight of one: the largest |x|² and c|x|², Σc²|x|², Σc; and Σc over the first appearances.
    """
    last = tally[4]
    for t in range(len(labels)):
        y, yhat = labels[t], predictions[t]
        if y < 0:
            continue
        tally[1] += 1
        tally[3] += (last >= 0) & (y != last)
        last = np.int64(y)
        if yhat >= 0:
            confusion[y, yhat] += 1
        if y == yhat:
            continue
        tally[2] += 1
        c = 1.0 if weights is None else np.float64(weights[t])
        if y == seen:
            seen += 1
            lengths[4] += c
            continue
        square = squared_length(values, indptr[t], indptr[t + 1]) if squares is None else squares[t]
        lengths[0] = max(lengths[0], square)
        lengths[1] = max(lengths[1], c * square)
        lengths[2] += c * c * square
        lengths[3] += c
    tally[0] += len(labels)
    tally[4] = last
