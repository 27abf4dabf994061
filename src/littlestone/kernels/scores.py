"""Scores in so many bins: enough to rank the rounds of a stream of any length, in memory that does not grow."""

from math import exp, log1p

import numpy as np

from littlestone.kernels.compiler import bits_of, jit

BITS = 20  # the leading bits of a double: sign, exponent and eight of the fraction


@jit
def bin_of(score):
    """A bin for every score, in the order of the scores: 0 to 2^BITS - 1."""
    bits = bits_of(score if score != 0.0 else 0.0)  # -0.0 is no less than 0.0
    key = bits ^ ((bits >> 63) & 0x7FFFFFFFFFFFFFFF)  # whole numbers in the order of the doubles
    return (key >> (64 - BITS)) + (1 << (BITS - 1))


@jit
def tally(scores, labels, bins, first, held, loss, odds):
    """Count labelled rounds by label and bin, and note which bins hold different scores.

    `held`: 0 nothing, 1 one score (`first`), 2 different ones. Where scores are log-odds, add up -ln of the probability of each label.
    """
    for t in range(len(labels)):
        if labels[t] < 0:
            continue
        s = scores[t]
        k = bin_of(s)
        y = 1 if labels[t] == 1 else 0
        bins[y, k] += 1
        if held[k] == 0:
            first[k] = s
            held[k] = 1
        elif first[k] != s:
            held[k] = 2
        if odds:
            against = -s if y == 1 else s
            loss[0] += max(against, 0.0) + log1p(exp(-abs(against)))


def empty() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """What `tally` fills: the memory is the system's until a bin is touched."""
    return np.zeros((2, 1 << BITS), np.int64), np.zeros(1 << BITS), np.zeros(1 << BITS, np.uint8), np.zeros(1)
