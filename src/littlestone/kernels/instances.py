"""A store of sparse rows in arrays, with a table to find them by: open addressing, linear probing, exact comparison.

Rows are the same instance when they have the same nonzero values in the same places, in whatever order they are listed, so a row's
code is a sum over its entries, and zeros are left out.  Rows are kept sorted, `items[starts[r]:starts[r + 1]]` and as many `numbers`.
The table holds r + 1, or 0 where it is empty; its length is a power of two, at least twice the rows there is room for.  Whoever
calls `keep` has made room before.  No product or sum here passes 2^64.
"""

import numpy as np

from littlestone.kernels.compiler import jit_lent

ONE = np.uint64(1)
SHIFT, LOW, MASK = np.uint64(32), np.uint64(2**32 - 1), np.uint64(2**62 - 1)
A, B, C = np.uint64(0x7FEB352D), np.uint64(0x68E31DA5), np.uint64(0x5851F42D)  # odd, below 2^31: they only have to scatter
ONE_BITS = np.uint64(0x3F800000)  # of the float32 1.0


@jit_lent
def mixed(index, bits):
    """A number below 2^62 for one entry of a row."""
    z = np.uint64(index) * A + bits * B
    z = z ^ (z >> SHIFT)
    z = (z & LOW) * C + (z >> SHIFT)
    return (z ^ (z >> SHIFT)) & MASK


@jit_lent
def code_of(indices, values, lo, hi):
    """The row's code, whatever the order of its entries."""
    code = np.uint64(0)
    if values is None:
        for k in range(np.uint64(lo), np.uint64(hi)):
            code = (code + mixed(indices[k], ONE_BITS)) & MASK
    else:
        bits = values.view(np.uint32)
        for k in range(np.uint64(lo), np.uint64(hi)):
            if values[k] != 0.0:
                code = (code + mixed(indices[k], np.uint64(bits[k]))) & MASK
    return code


@jit_lent
def same(items, numbers, begin, end, indices, values, lo, hi):
    """Is the given row the stored one? Entry by entry where it is sorted like the stored one, by bisection where not."""
    place = np.int64(begin)
    entries = 0
    for k in range(np.uint64(lo), np.uint64(hi)):
        value = np.float32(1.0) if values is None else values[k]
        if value == 0.0:
            continue
        entries += 1
        if place >= end or items[place] != indices[k]:
            place, above = np.int64(begin), np.int64(end)
            while place < above:
                middle = (place + above) // 2
                if items[middle] < indices[k]:
                    place = middle + 1
                else:
                    above = middle
            if place >= end or items[place] != indices[k]:
                return False
        if numbers[place] != value:
            return False
        place += 1
    return entries == end - begin


@jit_lent
def find(table, codes, starts, items, numbers, indices, values, lo, hi):
    """The number of the stored row that this one is, or -1."""
    code = code_of(indices, values, lo, hi)
    last = np.uint64(len(table) - 1)
    slot = (code ^ (code >> SHIFT)) & last
    while table[slot] != 0:
        r = table[slot] - 1
        if codes[r] == code and same(items, numbers, starts[r], starts[r + 1], indices, values, lo, hi):
            return np.int64(r)
        slot = (slot + ONE) & last
    return np.int64(-1)


@jit_lent
def enter(table, code, r):
    """Note in a table that row, or pair, r has this code."""
    last = np.uint64(len(table) - 1)
    slot = (code ^ (code >> SHIFT)) & last
    while table[slot] != 0:
        slot = (slot + ONE) & last
    table[slot] = r + 1


@jit_lent
def keep(table, codes, starts, items, numbers, r, indices, values, lo, hi):
    """Store a row as number r, sorted and without its zeros."""
    begin = starts[r]
    end = begin
    for k in range(np.uint64(lo), np.uint64(hi)):
        value = np.float32(1.0) if values is None else values[k]
        if value != 0.0:
            items[end] = indices[k]
            numbers[end] = value
            end += 1
    gap = 1
    while gap < (end - begin) // 3:
        gap = 3 * gap + 1
    while gap > 0:  # Shell's sort: in place, and one pass where the row is sorted already
        for k in range(begin + gap, end):
            item, number, place = items[k], numbers[k], k
            while place - gap >= begin and items[place - gap] > item:
                items[place], numbers[place] = items[place - gap], numbers[place - gap]
                place -= gap
            items[place], numbers[place] = item, number
        gap //= 3
    starts[r + 1] = end
    codes[r] = code_of(indices, values, lo, hi)
    enter(table, codes[r], r)
