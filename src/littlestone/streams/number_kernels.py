"""Decimal numbers in text, compiled: eight characters at a time where they are digits."""

import numpy as np

from littlestone.kernels.compiler import jit_lent, jit_lent_apart, load8, nondigits, trailing_zeros

LARGEST_FLOAT32 = float(np.finfo(np.float32).max)
LARGEST_INDEX = 2**31 - 1

# Unsigned throughout: a signed place in the text costs a test for wraparound at every byte.
U = np.uint64
NONE, ONE, TEN, NOUGHT, LIMIT, SURE_DIGITS = U(0), U(1), U(10), U(48), U(LARGEST_INDEX), U(15)
TAB, NEWLINE, RETURN, SPACE, HASH, PLUS, MINUS, DOT, COLON, BAR, LARGE_E, SMALL_E = (np.uint8(ord(c)) for c in "\t\n\r #+-.:|Ee")
TENS = 10.0 ** np.arange(23)  # exact doubles: one multiplication or division by them rounds once
POWERS = np.array([10**k for k in range(9)], np.uint64)

# Eight characters at a time: in a word of bytes, exclusive-or with '0's makes every digit its value.
TWO, EIGHT, BITS, NOUGHTS = U(2), U(8), U(64), U(0x3030303030303030)
PAST_NINE, HIGH_BITS = U(0x7676767676767676), U(0x8080808080808080)
PAIRS, FOURS = U(0x00FF00FF00FF00FF), U(0x0000FFFF0000FFFF)
SEVEN = U(7)
HUNDRED, MYRIAD, SIXTEEN, THIRTY_TWO, THREE = U(100), U(10_000), U(16), U(32), U(3)


@jit_lent
def digits_in(word):
    """How many of the eight bytes, from the first on, are digits."""
    return trailing_zeros(((word + PAST_NINE) | word) & HIGH_BITS) >> THREE if ((word + PAST_NINE) | word) & HIGH_BITS else EIGHT


@jit_lent
def value_of(word, digits):
    """The number that the first 1 to 8 bytes spell: neighbours are joined to pairs, pairs to fours, fours to eight."""
    return joined(word << (BITS - digits * EIGHT))


@jit_lent
def joined(word):
    """The number that eight bytes spell."""
    word = (word * TEN + (word >> EIGHT)) & PAIRS
    word = (word * HUNDRED + (word >> SIXTEEN)) & FOURS
    return (word * MYRIAD + (word >> THIRTY_TWO)) & U(0xFFFFFFFF)


@jit_lent_apart
def number(text, p):
    """A decimal number at p: (value, the place after it), the place 0 where it needs more care than this."""
    c = text[p]
    negative = c == MINUS
    if c == MINUS or c == PLUS:
        p += ONE
        c = text[p]
    digits, count, exponent = U(0), 0, np.int64(0)
    d = U(c) - NOUGHT
    while d < TEN:
        digits, count, p = digits * TEN + d, count + 1, p + ONE
        c = text[p]
        d = U(c) - NOUGHT
    if c == DOT:
        p += ONE
        c = text[p]
        d = U(c) - NOUGHT
        while d < TEN:
            digits, count, exponent, p = digits * TEN + d, count + 1, exponent - 1, p + ONE
            c = text[p]
            d = U(c) - NOUGHT
    if c == SMALL_E or c == LARGE_E:
        p += ONE
        c = text[p]
        down = c == MINUS
        if c == MINUS or c == PLUS:
            p += ONE
            c = text[p]
        d = U(c) - NOUGHT
        if d >= TEN:
            return 0.0, U(0)
        e = np.int64(0)
        while d < TEN:
            e = min(e * 10 + np.int64(d), np.int64(1000))
            p += ONE
            d = U(text[p]) - NOUGHT
        exponent += -e if down else e
    if count == 0 or count > 19 or digits > U(2**53) or exponent < -22 or exponent > 22:
        return 0.0, U(0)
    value = np.float64(digits) / TENS[-exponent] if exponent < 0 else np.float64(digits) * TENS[exponent]
    if value > LARGEST_FLOAT32:
        return 0.0, U(0)
    return (-value if negative else value), p


@jit_lent
def blank(c):
    return c == SPACE or c == TAB or c == RETURN


@jit_lent
def ends(c):
    """May this byte stand after a feature?"""
    return c == SPACE or c == NEWLINE or c == BAR or blank(c)


@jit_lent
def index_at(text, p):
    """Up to ten digits at p: (the number, the place after them)."""
    word = load8(text, p) ^ NOUGHTS
    digits = digits_in(word)
    if ONE <= digits < EIGHT:
        return value_of(word, digits), p + digits
    index, stop = NONE, p + TEN
    d = U(text[p]) - NOUGHT
    while d < TEN and p < stop:
        index = index * TEN + d
        p += ONE
        d = U(text[p]) - NOUGHT
    return index, p


@jit_lent
def value_at(text, p):
    """A number that ends a feature: (value, the place after it), the place 0 where that needs more care.

    Most are a digit, a point and up to seven digits, or up to seven digits.
    """
    d = U(text[p]) - NOUGHT
    word = load8(text, p + TWO) ^ NOUGHTS
    digits = digits_in(word)
    if d < TEN and text[p + ONE] == DOT and ONE <= digits < EIGHT and ends(text[p + TWO + digits]):
        return np.float64(d * POWERS[digits] + value_of(word, digits)) / TENS[digits], p + TWO + digits
    place, negative = p, text[p] == MINUS
    if negative:
        p += ONE
    begin, whole, fractional = p, NONE, NONE
    d = U(text[p]) - NOUGHT
    while d < TEN:
        whole = whole * TEN + d
        p += ONE
        d = U(text[p]) - NOUGHT
    count = p - begin
    if text[p] == DOT:
        p += ONE
        begin = p
        d = U(text[p]) - NOUGHT
        while d < TEN:
            whole = whole * TEN + d
            p += ONE
            d = U(text[p]) - NOUGHT
        fractional = p - begin
        count += fractional
    if count - ONE < SURE_DIGITS and ends(text[p]):
        value = np.float64(whole)
        if fractional > NONE:
            value /= TENS[fractional]
        return (-value if negative else value), p
    p = place
    value, after = number(text, p)
    return value, (after if ends(text[after]) else NONE)


# Features that are numbers, such as `17:0.25`: a first loop finds where their parts lie, and many are then converted together, in vectors.
BATCH = 512
WIDTHS, DIGITS, LENGTHS, SCALES = (U(BATCH * k) for k in range(1, 5))  # where the parts of a feature lie, in one array for all
SIGNED_TENS = np.concatenate([TENS[:8], -TENS[:8]])


def new_batch() -> tuple[np.ndarray, ...]:
    """Room for BATCH features: index and how many digits it has, digits of the value and how many, which power of ten divides it; and
    those that were converted by themselves: late[0, 0] of them, each with its place, index and value."""
    return np.zeros(BATCH * 5, np.uint64), np.zeros((BATCH + 1, 3))


@jit_lent_apart
def convert(first, many, batch, indices, values):
    """Convert features that were collected, to places `first` and after."""
    parts, late = batch
    for k in range(many):
        j = U(k)
        indices[first + j] = joined((parts[j] ^ NOUGHTS) << (BITS - parts[WIDTHS + j] * EIGHT))
    for k in range(many):
        j = U(k)
        whole = np.int64(joined((parts[DIGITS + j] ^ NOUGHTS) << (BITS - parts[LENGTHS + j] * EIGHT)))
        values[first + j] = np.float64(whole) / SIGNED_TENS[parts[SCALES + j]]
    for i in range(np.int64(late[0, 0])):
        place = U(late[i + 1, 0])
        indices[place], values[place] = np.uint32(late[i + 1, 1]), late[i + 1, 2]
    late[0, 0] = 0.0


@jit_lent
def collect(done, many, batch, indices, values, index, value):
    """Add a feature that is converted already: how many places are done, and how many are collected."""
    late = batch[1]
    if many == U(BATCH):
        convert(done, many, batch, indices, values)
        done, many = done + many, NONE
    i = U(late[0, 0]) + ONE
    late[i, 0], late[i, 1], late[i, 2] = done + many, index, value
    late[0, 0] += 1.0
    return done, many + ONE


@jit_lent
def collect_usual(text, p, done, many, batch, indices, values, alone):
    """Collect features from p on, as long as they are as nearly all are: an index of at most eight digits, a colon, perhaps a minus, up to
    eight digits with a point after the first, or without one, then a blank or the end of the line; or an index `alone`, if that may be.

    Returns the place of what is not so, how many places are done, and how many are collected.
    """
    parts, _ = batch
    while True:
        if many > U(BATCH - 64):
            convert(done, many, batch, indices, values)
            done, many = done + many, NONE
        bits, begin = nondigits(text, p), NONE
        while True:
            end = trailing_zeros(bits)
            bits &= bits - ONE
            width, c = end - begin, text[p + end]
            parts[many], parts[WIDTHS + many] = load8(text, p + begin), width
            if width - ONE >= EIGHT or (alone and width > ONE and text[p + begin] == NOUGHT):
                break
            if c == COLON:
                minus = text[p + end + ONE] == MINUS
                place = end + ONE + U(minus)
                end = trailing_zeros(bits)
                bits &= bits - ONE
                length, fractional, c = end - place, NONE, text[p + end]
                if c == DOT:
                    whole = end
                    end = trailing_zeros(bits)
                    bits &= bits - ONE
                    fractional, c = end - whole - ONE, text[p + end]
                    parts[DIGITS + many] = load8(text, p + whole) + U(text[p + place]) - U(DOT)  # the first digit where the point was
                    if length != ONE or fractional - ONE >= SEVEN:
                        break
                    length += fractional
                else:
                    parts[DIGITS + many] = load8(text, p + place)
                    if length - ONE >= EIGHT:
                        break
                parts[LENGTHS + many], parts[SCALES + many] = length, fractional + (EIGHT if minus else NONE)
            elif alone:
                parts[DIGITS + many], parts[LENGTHS + many], parts[SCALES + many] = NOUGHTS + ONE, ONE, NONE
            else:
                break
            if c != SPACE and c != NEWLINE:
                break
            many += ONE
            begin = end + ONE
            if c == NEWLINE:
                return p + end, done, many
        if begin == NONE:
            return p, done, many
        p += begin
