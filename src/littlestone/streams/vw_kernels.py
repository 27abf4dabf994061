"""The compiled parsers of VW text. They do what nearly all lines need, and hand a line they are not sure of to `rounds.formats.vw`."""

from __future__ import annotations

import numpy as np

from littlestone.kernels.compiler import STOPS, jit_lent, jit_lent_apart, load8, stops, trailing_zeros
from littlestone.streams.name_kernels import (
    BATCH,
    HALF,
    HIGH_BITS,
    LARGEST_FLOAT32,
    NONE,
    SEED,
    UNKNOWN,
    U,
    ended,
    first_bytes,
    hash_of,
    look_up,
    mixed,
    valid_utf8,
)
from littlestone.streams.number_kernels import (
    DOT,
    EIGHT,
    LIMIT,
    NEWLINE,
    NOUGHT,
    NOUGHTS,
    ONE,
    POWERS,
    RETURN,
    SPACE,
    TAB,
    TEN,
    TENS,
    TWO,
    digits_in,
    number,
    value_of,
)

BAR, COLON, PERCENT, QUOTE, JOINT, PLUS, MINUS = (np.uint8(ord(c)) for c in "|:%'^+-")
WIDTH = U(STOPS)


@jit_lent
def blank(c):
    return c == SPACE or c == TAB or c == RETURN


@jit_lent
def ends(c):
    """May this byte stand after a feature?"""
    return c == SPACE or c == NEWLINE or c == BAR or c == TAB or c == RETURN


@jit_lent_apart
def head(text, p):
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
def quick_head(text, p):
    """The same where it is at most a sign and a digit, a blank, and the bar; else the place is 0."""
    c = text[p]
    if c == BAR:
        return np.nan, p
    d = U(c) - NOUGHT
    if d < TEN and text[p + ONE] == SPACE and text[p + TWO] == BAR:
        return np.float64(d), p + TWO
    d = U(text[p + ONE]) - NOUGHT
    if (c == MINUS or c == PLUS) and d < TEN and text[p + TWO] == SPACE and text[p + U(3)] == BAR:
        return (-np.float64(d) if c == MINUS else np.float64(d)), p + U(3)
    return np.nan, NONE


@jit_lent
def value_at(text, p):
    """A number that ends a feature: (value, the place after it), the place 0 where that needs more care."""
    d = U(text[p]) - NOUGHT
    if d < TEN:
        if text[p + ONE] == DOT:
            word = load8(text, p + TWO) ^ NOUGHTS
            digits = digits_in(word)
            if ONE <= digits < EIGHT and ends(text[p + TWO + digits]):
                return np.float64(d * POWERS[digits] + value_of(word, digits)) / TENS[digits], p + TWO + digits
        else:
            word = load8(text, p) ^ NOUGHTS
            digits = digits_in(word)
            if digits < EIGHT and ends(text[p + digits]):
                return np.float64(value_of(word, digits)), p + digits
    value, after = number(text, p)
    if after != NONE and not ends(text[after]):
        after = NONE
    return value, after


@jit_lent
def word_end(text, p):
    """Where a word ends that begins at p."""
    found = stops(text, p)
    while found == NONE:
        p += WIDTH
        found = stops(text, p)
    return p + trailing_zeros(found)


@jit_lent
def parse_numbers(text, start, stop, state, labels, lines, indptr, indices, values, weights, tags):
    """Parse whole lines of text[start:stop], which ends with a newline, into the arrays, from row state[0] and line state[1] on.

    Returns the place: `stop`, or where a line begins that the plain reader judges. State: row, line, rows whose indices do not increase,
    rows with a weight other than 1, rows with a tag, values other than 1.
    """
    p, stop, row, line = U(start), U(stop), U(state[0]), state[1]
    unordered, weighted, tagged, valued = state[2], state[3], state[4], state[5]
    k, sure = U(indptr[row]), True
    while p < stop:
        begin, first = p, k
        while blank(text[p]):
            p += ONE
        if text[p] != NEWLINE:
            weight, tag, length = 1.0, NONE, NONE
            label, after = quick_head(text, p)
            if after == NONE:
                label, weight, tag, length, after = head(text, p)
                if after == NONE:
                    p = begin
                    break
            p = after
            previous, ordered, others = U(0), True, 0
            while text[p] == BAR:
                p += ONE
                c = text[p]
                if not ends(c):  # a namespace
                    sure = False
                    break
                while True:
                    while blank(c):
                        p += ONE
                        c = text[p]
                    if c == NEWLINE or c == BAR:
                        break
                    place = p
                    word = load8(text, p) ^ NOUGHTS
                    digits = digits_in(word)
                    if ONE <= digits < EIGHT:
                        index = value_of(word, digits)
                        p += digits
                        c = text[p]
                    else:
                        index = U(0)
                        d = U(c) - NOUGHT
                        while d < TEN and p - place < TEN:
                            index = index * TEN + d
                            p += ONE
                            c = text[p]
                            d = U(c) - NOUGHT
                    value = 1.0
                    sure = p > place and index <= LIMIT and (text[place] != NOUGHT or p - place == ONE)
                    if c == COLON:
                        value, p = value_at(text, p + ONE)
                        sure = sure and p != NONE
                        c = text[p]
                    elif not ends(c):
                        sure = False
                    if not sure:
                        break
                    ordered &= (index > previous) | (k == first)
                    previous = index
                    others += value != 1.0
                    indices[k] = index
                    values[k] = value
                    k += ONE
                if not sure:
                    break
            if not sure:
                p, k = begin, first
                break
            unordered += not ordered
            valued += others
            weighted += np.float32(weight) != 1
            tagged += length > NONE
            labels[row], lines[row], weights[row], tags[row] = label, line, weight, tag | (length << HALF)
            row += ONE
            indptr[row] = k
        p += ONE
        line += 1
    state[0], state[1], state[2], state[3], state[4], state[5] = row, line, unordered, weighted, tagged, valued
    return p


@jit_lent
def parse_names(text, start, stop, state, labels, lines, indptr, indices, values, weights, tags, batch, table, bits, prints, waiting):
    """The same for features with names. Columns that `table` knows are filled in, and the other names noted in `waiting`, state[6] of them;
    with `bits`, columns are hashes, and `prints` takes the other half of these."""
    p, stop, row, line = U(start), U(stop), U(state[0]), state[1]
    weighted, tagged, valued, waits = state[3], state[4], state[5], state[6]
    hashes, at, n, pre, m, _ = batch
    k, sure = U(indptr[row]), True
    done, j = k, U(0)  # features looked up, and those that are collected for it
    while p < stop:
        begin, first = p, k
        while blank(text[p]):
            p += ONE
        if text[p] != NEWLINE:
            weight, tag, length = 1.0, NONE, NONE
            label, after = quick_head(text, p)
            if after == NONE:
                label, weight, tag, length, after = head(text, p)
                if after == NONE:
                    p = begin
                    break
            p = after
            high, others = NONE, 0
            while text[p] == BAR:
                p += ONE
                c = text[p]
                prefix, prefixed, scale = p, NONE, 1.0
                if not ends(c):
                    p = word_end(text, p)
                    prefixed = p - prefix
                    high |= hash_of(text, prefix, prefixed, NONE, NONE, JOINT)[1]  # no feature may follow that would tell
                    c = text[p]
                    if c == COLON:
                        scale, p = value_at(text, p + ONE)
                        c = text[p]
                    if p == NONE or prefixed == NONE or not ends(c):
                        sure = False
                        break
                while True:
                    while blank(c):
                        p += ONE
                        c = text[p]
                    if c == NEWLINE or c == BAR:
                        break
                    place = p
                    p = word_end(text, p)
                    size = p - place
                    c = text[p]
                    if prefixed == NONE and size <= EIGHT:
                        if size == NONE:
                            sure = False
                            break
                        word = first_bytes(text, place, size)
                        h = ended(mixed(SEED ^ size, word))
                    else:
                        h, word = hash_of(text, place, size, prefix, prefixed, JOINT)
                        sure = size > NONE
                    high |= word
                    value = scale
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
                    hashes[j], at[j], n[j], pre[j], m[j] = h, place, size, prefix, prefixed
                    values[k] = value
                    k += ONE
                    j += ONE
                    if j == U(BATCH):
                        waits = flush(done, j, batch, text, table, bits, indices, prints, waiting, waits)
                        done, j = k, U(0)
                if not sure:
                    break
            if sure and high & HIGH_BITS != NONE:
                sure = valid_utf8(text, begin, p)
            if not sure:  # take the line's features back
                p, k = begin, first
                if done > k:
                    while waits > 0 and waiting[U(waits - 1), 0] >= k:
                        waits -= 1
                    done, j = k, U(0)
                else:
                    j = k - done
                break
            valued += others
            weighted += np.float32(weight) != 1
            tagged += length > NONE
            labels[row], lines[row], weights[row], tags[row] = label, line, weight, tag | (length << HALF)
            row += ONE
            indptr[row] = k
        p += ONE
        line += 1
    waits = flush(done, j, batch, text, table, bits, indices, prints, waiting, waits)
    state[0], state[1], state[3], state[4], state[5], state[6] = row, line, weighted, tagged, valued, waits
    return p


@jit_lent_apart
def flush(first, many, batch, text, table, bits, indices, prints, waiting, waits):
    """Columns for the names that were collected; how many wait then."""
    if bits == 0:
        return look_up(first, many, batch, JOINT, text, table, indices, waiting, waits)
    hashes, mask = batch[0], (ONE << U(bits)) - ONE
    for j in range(many):
        indices[first + j] = hashes[j] & mask
        prints[first + j] = hashes[j] >> HALF
    return waits


assert UNKNOWN > LIMIT  # no column is taken for one that waits
