"""The compiled parsers of VW text. They do what nearly all lines need, and hand a line they are not sure of to `rounds.formats.vw`."""

import numpy as np

from littlestone.kernels.compiler import STOPS, jit_lent, jit_lent_apart, stops, trailing_zeros
from littlestone.streams.name_kernels import (
    BATCH,
    HALF,
    UNKNOWN,
    before_names,
    collect_hash,
    collect_name,
    hash_of,
    place_names,
    valid_utf8,
)
from littlestone.streams.number_kernels import (
    BAR,
    COLON,
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
    collect,
    collect_usual,
    convert,
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
def numbers(text, p, done, many, batch, indices, values):
    """The features of a line, which are numbers, from its first bar on: the place after them (0 where that needs more care), how many are
    converted by then, and how many are collected."""
    while text[p] == BAR:
        p += ONE
        if not ends(text[p]):  # a namespace
            return NONE, done, many
        while True:
            while blank(text[p]):
                p += ONE
            if text[p] == NEWLINE or text[p] == BAR:
                break
            place, value = p, 1.0
            p, done, many = collect_usual(text, p, done, many, batch, indices, values, True)
            if p > place:
                continue
            index, p = index_at(text, p)
            sure = p > place and index <= LIMIT and (text[place] != NOUGHT or p - place == ONE)
            if text[p] == COLON:
                value, p = value_at(text, p + ONE)
                sure = sure and p != NONE
            elif not ends(text[p]):
                sure = False
            if not sure:
                return NONE, done, many
            done, many = collect(done, many, batch, indices, values, index, value)
    return p, done, many


@jit_lent
def parse(text, start, stop, state, labels, lines, indptr, indices, values, weights, tags, batch, names):
    """Parse whole lines of text[start:stop], which ends with a newline, into the arrays, from row state[0] and line state[1] on.

    Returns the place: `stop`, or where a line begins that the plain reader judges. State: row, line, nothing, rows with a weight other
    than 1, rows with a tag, values other than 1 (of names), names that wait.

    `names` is None where features are numbers, which are collected in `batch`. Else columns that its table knows are filled in, and the
    other names are noted as waiting; with bits, columns are hashes, and its prints take the other half of these.
    """
    p, stop, row, line = U(start), U(stop), U(state[0]), state[1]
    weighted, tagged, valued = state[3], state[4], state[5]
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
                    p, done, collected = numbers(text, p, done, collected, batch, indices, values)
                    others = 0
                    if p == NONE:  # the line's features are taken back
                        done, collected = min(done, k), max(done, k) - done
                    k = done + collected
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
    else:
        convert(done, collected, batch, indices, values)
    state[0], state[1], state[3], state[4], state[5], state[6] = row, line, weighted, tagged, valued, waits
    return p


@jit_lent
def named(text, begin, p, k, values, indices, waits, done, collected, names):
    """The features of a line that begins at `begin`, from its first bar on, collected to be looked up together.

    The place after them (0 where that needs more care), how many there are by then, how many values are not 1; then how many names wait,
    how many features have been looked up and how many are collected for it.
    """
    batch, seed = names[0], names[5]
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
        before, room = before_names(text, prefix, prefixed, JOINT)
        while sure:
            while blank(text[p]):
                p += ONE
            if text[p] == NEWLINE or text[p] == BAR:
                break
            if collected > U(BATCH - STOPS):
                waits = place_names(done, collected, text, JOINT, indices, waits, names)
                done, collected = k, NONE
            place, from_here, bits, c = p, p, stops(text, p), SPACE
            while c == SPACE:  # most names stand alone, with a blank between them
                p = from_here + trailing_zeros(bits)
                bits &= bits - ONE
                c, size = text[p], p - place
                around = collect_name(collected, text, place, size, prefix, prefixed, before, batch)
                if size - ONE >= room or scale != 1.0 or (c != SPACE and c != NEWLINE):
                    break
                high |= around
                values[k] = 1.0
                k += ONE
                collected += ONE
                p += U(c == SPACE)
                place = p
            if place > from_here:
                p = place
                continue
            p, value = word_end(text, place), scale
            c, size = text[p], p - place
            sure = size > NONE
            h, word = hash_of(seed, text, place, size, prefix, prefixed, JOINT)
            high |= word
            if c == COLON:
                value, p = value_at(text, p + ONE)
                sure = sure and p != NONE
                if scale != 1.0:
                    value *= scale
                    sure = sure and abs(value) <= LARGEST_FLOAT32
            elif not ends(c):
                sure = False
            if not sure:
                break
            others += value != 1.0
            collect_name(collected, text, place, size, prefix, prefixed, before, batch)
            collect_hash(collected, h, batch)
            values[k] = value
            k += ONE
            collected += ONE
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
