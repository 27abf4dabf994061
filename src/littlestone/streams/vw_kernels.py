"""The compiled parsers of VW text. They do what nearly all lines need, and hand a line they are not sure of to `rounds.formats.vw`."""

import numpy as np

from littlestone.kernels.compiler import STOPS, jit_lent, jit_lent_apart, stops, trailing_zeros
from littlestone.streams.name_kernels import BATCH, HALF, UNKNOWN, ended, first_bytes, hash_of, mixed, place_names, valid_utf8
from littlestone.streams.number_kernels import (
    BAR,
    COLON,
    EIGHT,
    HIGH_BITS,
    LARGEST_FLOAT32,
    LIMIT,
    MINUS,
    NEWLINE,
    NONE,
    NOUGHT,
    ONE,
    PLUS,
    SPACE,
    TEN,
    THREE,
    TWO,
    U,
    blank,
    ends,
    index_at,
    number,
    value_at,
)  # fmt: skip

PERCENT, QUOTE, JOINT = (np.uint8(ord(c)) for c in "%'^")
WIDTH = U(STOPS)


@jit_lent_apart
def careful_head(text, p):
    """What stands before the first bar: (label, weight, place of the tag, its length, the place of the bar or the end of the line).

    The last place is 0 where that needs more care.
    """
    label, weight, tag, length, numbers = np.nan, 1.0, NONE, NONE, 0
    unsure = (np.nan, 1.0, NONE, NONE, NONE)
    while True:
        while blank(text[p]):
            p += ONE
        c = text[p]
        if c == BAR or c == NEWLINE:
            return label, weight, tag, length, p
        if length > NONE:  # something after the tag
            return unsure
        place = p
        while not ends(c):
            if c == PERCENT or c >= 0x80:
                return unsure
            p += ONE
            c = text[p]
        if text[place] == QUOTE or c == BAR:
            tag = place + ONE if text[place] == QUOTE else place
            length = p - tag
            if length == NONE:
                return unsure
            continue
        value, after = number(text, place)
        if after != p:
            return unsure
        if numbers == 0:
            label = value
        elif numbers == 1:
            weight = value
        if (numbers == 1 and value < 0) or (numbers == 2 and value != 0) or numbers == 3:
            return unsure
        numbers += 1


@jit_lent
def head(text, p):
    """The same, at once where it is at most a sign and a digit, a blank, and the bar."""
    c = text[p]
    if c == BAR:
        return np.nan, 1.0, NONE, NONE, p
    d = U(c) - NOUGHT
    if d < TEN and text[p + ONE] == SPACE and text[p + TWO] == BAR:
        return np.float64(d), 1.0, NONE, NONE, p + TWO
    d = U(text[p + ONE]) - NOUGHT
    if (c == MINUS or c == PLUS) and d < TEN and text[p + TWO] == SPACE and text[p + THREE] == BAR:
        return (-np.float64(d) if c == MINUS else np.float64(d)), 1.0, NONE, NONE, p + THREE
    return careful_head(text, p)


@jit_lent
def word_end(text, p):
    """Where a word ends that begins at p."""
    bits = stops(text, p)
    while bits == NONE:
        p += WIDTH
        bits = stops(text, p)
    return p + trailing_zeros(bits)


@jit_lent
def numbers(text, p, k, indices, values):
    """The features of a line, which are numbers, from its first bar on: the place after them (0 where that needs more care), how many
    there are by then, whether they increase, and how many values are not 1."""
    first, previous, ordered, others = k, NONE, True, 0
    while text[p] == BAR:
        p += ONE
        c = text[p]
        if not ends(c):  # a namespace
            return NONE, first, True, 0
        while True:
            while blank(c):
                p += ONE
                c = text[p]
            if c == NEWLINE or c == BAR:
                break
            place, value = p, 1.0
            index, p = index_at(text, p)
            sure = p > place and index <= LIMIT and (text[place] != NOUGHT or p - place == ONE)
            c = text[p]
            if c == COLON:
                value, p = value_at(text, p + ONE)
                sure = sure and p != NONE
                c = text[p]
            elif not ends(c):
                sure = False
            if not sure:
                return NONE, first, True, 0
            ordered &= (index > previous) | (k == first)
            previous = index
            others += value != 1.0
            indices[k] = index
            values[k] = value
            k += ONE
    return p, k, ordered, others


@jit_lent
def parse(text, start, stop, state, labels, lines, indptr, indices, values, weights, tags, names):
    """Parse whole lines of text[start:stop], which ends with a newline, into the arrays, from row state[0] and line state[1] on.

    Returns the place: `stop`, or where a line begins that the plain reader judges. State: row, line, rows whose indices do not increase,
    rows with a weight other than 1, rows with a tag, values other than 1, names that wait.

    `names` is None where features are numbers. Else columns that its table knows are filled in, and the other names are noted as waiting;
    with bits, columns are hashes, and its prints take the other half of these.
    """
    p, stop, row, line = U(start), U(stop), U(state[0]), state[1]
    unordered, weighted, tagged, valued = state[2], state[3], state[4], state[5]
    k = U(indptr[row])
    waits, done, collected = state[6], k, NONE  # features looked up, and those that are collected for it
    while p < stop:
        begin = p
        while blank(text[p]):
            p += ONE
        if text[p] != NEWLINE:
            label, weight, tag, length, p = head(text, p)
            if p != NONE:
                if names is None:
                    p, k, ordered, others = numbers(text, p, k, indices, values)
                    unordered += not ordered
                else:
                    p, k, others, waits, done, collected = named(text, begin, p, k, values, indices, waits, done, collected, names)
            if p == NONE:
                p = begin
                break
            weighted += np.float32(weight) != 1
            tagged += length > NONE
            valued += others
            labels[row], lines[row], weights[row], tags[row] = label, line, weight, tag | (length << HALF)
            row += ONE
            indptr[row] = k
        p += ONE
        line += 1
    if names is not None:
        waits = place_names(done, collected, text, JOINT, indices, waits, names)
    state[0], state[1], state[2], state[3], state[4], state[5], state[6] = row, line, unordered, weighted, tagged, valued, waits
    return p


@jit_lent
def named(text, begin, p, k, values, indices, waits, done, collected, names):
    """The features of a line that begins at `begin`, from its first bar on, collected to be looked up together.

    The place after them (0 where that needs more care), how many there are by then, how many values are not 1; then how many names wait,
    how many features have been looked up and how many are collected for it.
    """
    hashes, at, n, pre, m, _ = names[0]
    seed = names[5]
    first, high, others, sure = k, NONE, 0, True
    while sure and text[p] == BAR:
        p += ONE
        c = text[p]
        prefix, prefixed, scale = p, NONE, 1.0
        if not ends(c):
            p = word_end(text, p)
            prefixed = p - prefix
            high |= hash_of(seed, text, prefix, prefixed, NONE, NONE, JOINT)[1]  # no feature may follow that would tell
            c = text[p]
            if c == COLON:
                scale, p = value_at(text, p + ONE)
                c = text[p]
            sure = p != NONE and prefixed > NONE and ends(c)
        while sure:
            while blank(c):
                p += ONE
                c = text[p]
            if c == NEWLINE or c == BAR:
                break
            place, value = p, scale
            p = word_end(text, p)
            c, size = text[p], p - place
            sure = size > NONE
            if prefixed == NONE and NONE < size <= EIGHT:
                word = first_bytes(text, place, size)
                h = ended(mixed(seed ^ size, word))
            else:
                h, word = hash_of(seed, text, place, size, prefix, prefixed, JOINT)
            high |= word
            if c == COLON:
                value, p = value_at(text, p + ONE)
                c = text[p]
                sure = sure and p != NONE
                if scale != 1.0:
                    value *= scale
                    sure = sure and abs(value) <= LARGEST_FLOAT32
            elif not ends(c):
                sure = False
            if not sure:
                break
            others += value != 1.0
            hashes[collected], at[collected], n[collected], pre[collected], m[collected] = h, place, size, prefix, prefixed
            values[k] = value
            k += ONE
            collected += ONE
            if collected == U(BATCH):
                waits = place_names(done, collected, text, JOINT, indices, waits, names)
                done, collected = k, NONE
    if sure and high & HIGH_BITS != NONE:
        sure = valid_utf8(text, begin, p)
    if sure:
        return p, k, others, waits, done, collected
    if done > first:  # the line's features are taken back
        waiting = names[4]
        while waits > 0 and waiting[U(waits - 1), 0] >= first:
            waits -= 1
        return NONE, first, 0, waits, first, NONE
    return NONE, first, 0, waits, done, first - done


assert UNKNOWN > LIMIT  # no column is taken for one that waits
