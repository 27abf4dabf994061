"""Scores in so many bins: enough to rank the rounds of a stream of any length, in memory that does not grow."""

from math import exp, log1p

from littlestone.kernels.compiler import bits_of, jit_lent

BITS = 20  # the leading bits of a double: sign, exponent and eight of the fraction


@jit_lent
def bin_of(score):
    """A bin for every score, in the order of the scores: 0 to 2^BITS - 1."""
    bits = bits_of(score if score != 0.0 else 0.0)  # -0.0 is no less than 0.0
    key = bits ^ ((bits >> 63) & 0x7FFFFFFFFFFFFFFF)  # whole numbers in the order of the doubles
    return (key >> (64 - BITS)) + (1 << (BITS - 1))


@jit_lent
def tally(scores, labels, bins, first, held, losses, reliability, odds):
    """Count labelled rounds by label and bin, and note which bins hold different scores.

    `held`: 0 nothing, 1 one score (`first`), 2 different ones. Where scores are log-odds, p is the probability of a 1: `losses` are the
    sums of -ln of the probability of each label, and of (p - y)²; `reliability` has for each of its bins of p the number of rounds, Σp,
    the rounds with label 1, and Σp(1-p).
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
            e = exp(-abs(s))
            likely = 1.0 / (1.0 + e)
            p, q = (likely, e * likely) if s >= 0.0 else (e * likely, likely)
            wrong = q if y == 1 else p
            losses[0] += max(-s if y == 1 else s, 0.0) + log1p(e)
            losses[1] += wrong * wrong
            place = len(reliability) - 1  # for a score that is not a number, too
            if p < 1.0:
                place = min(int(p * len(reliability)), place)
            row = reliability[place]
            row[0] += 1.0
            row[1] += p
            row[2] += y
            row[3] += p * q
