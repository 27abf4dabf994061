"""Decimal numbers in text, compiled: eight characters at a time where they are digits."""

import numpy as np

from littlestone.kernels.compiler import jit_lent, jit_lent_apart, load8, trailing_zeros

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
HUNDRED, MYRIAD, SIXTEEN, THIRTY_TWO, THREE = U(100), U(10_000), U(16), U(32), U(3)


@jit_lent
def digits_in(word):
    """How many of the eight bytes, from the first on, are digits."""
    return trailing_zeros(((word + PAST_NINE) | word) & HIGH_BITS) >> THREE if ((word + PAST_NINE) | word) & HIGH_BITS else EIGHT


@jit_lent
def value_of(word, digits):
    """The number that the first 1 to 8 bytes spell: neighbours are joined to pairs, pairs to fours, fours to eight."""
    word = word << (BITS - digits * EIGHT)
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
