"""Dimensions of a class on few points, by one sweep over its partial labellings.

Of m points each is labelled 0, labelled 1, or free (2): a number of m digits in base 3, digit j for point j.  It stands for the version
space of the concepts that agree with the labels.  To label a free point makes the number smaller, so in the order of the numbers the two
parts of every version space come before it, and each quantity is one pass, whatever the class.

The labellings that share their high digits are a block of 3^LOW numbers in a row.  The parts by a high point are two earlier blocks,
looked up place by place: the compiler makes vectors of that.  Parts by a low point lie in the same block, and are looked up one by one;
`count` and `places` say which points are free in a number of LOW digits (see `free_points`).

Every quantity is kept plus one, so that 0 is the empty version space.  `values` has 3^m places (m ≥ LOW), a row for each block; at first it
is 0, but 1 at the labellings of all points that are concepts.
"""

import numpy as np

from littlestone.kernels.compiler import jit_lent, jit_lent_apart

LOW = 5
BLOCK = 3**LOW
POWERS = np.array([3**j for j in range(32)])
ONE = np.uint8(1)
THERE, CHAIN = np.uint8(1), np.uint8(2)


def free_points() -> tuple[np.ndarray, np.ndarray]:
    """Of each number of LOW digits, how many of its points are free; and the points, those first."""
    free = np.arange(BLOCK)[:, None] // POWERS[:LOW] % 3 == 2
    return free.sum(axis=1), np.argsort(~free, axis=1, kind="stable")


@jit_lent
def richer(a, b):
    """The larger, or one more where they are equal: Ldim ≥ 1 + min(a, b). An empty part leaves the other as it is."""
    return a + ONE if a == b and a > 0 else max(a, b)


@jit_lent_apart
def littlestone(m, count, places, values):
    """Ldim + 1 of every labelling."""
    for high in range(len(values)):
        here = values[high]
        for j in range(m - LOW):
            if high // POWERS[j] % 3 == 2:
                a, b = values[high - 2 * POWERS[j]], values[high - POWERS[j]]
                for k in range(BLOCK):
                    here[k] = max(here[k], richer(a[k], b[k]))
        for low in range(BLOCK):
            best = here[low]
            for f in range(count[low]):
                p = POWERS[places[low, f]]
                best = max(best, richer(here[low - 2 * p], here[low - p]))
            here[low] = best


@jit_lent
def expected(a, b, unit):
    """What the best randomised learner expects where a point parts the concepts into two of value a and b, all of them plus one unit."""
    return (a + b + unit) >> 1 if abs(a - b) <= unit and a + b > 0 else max(a, b)


@jit_lent_apart
def randomised(m, count, places, values, unit):
    """The randomised optimum + 1 of every labelling, times the unit 2^m: a whole number, since each free point halves once."""
    for high in range(len(values)):
        here = values[high]
        for j in range(m - LOW):
            if high // POWERS[j] % 3 == 2:
                a, b = values[high - 2 * POWERS[j]], values[high - POWERS[j]]
                for k in range(BLOCK):
                    here[k] = max(here[k], expected(a[k], b[k], unit))
        for low in range(BLOCK):
            best = here[low]
            for f in range(count[low]):
                p = POWERS[places[low, f]]
                best = max(best, expected(here[low - 2 * p], here[low - p], unit))
            here[low] = best


@jit_lent
def halved(a, b, zeros, ones, straight, flipped):
    """Halving's mistakes + 1 where so many concepts say 0 and 1 and leave a and b: it errs on the smaller part, of two that are equal on
    the one that says 0. A point that also comes `flipped` has its labels exchanged."""
    most = max(a, b)
    if a > 0 and (zeros < ones or (zeros == ones and straight)):
        most = max(most, a + ONE)
    if b > 0 and (zeros > ones or (zeros == ones and flipped)):
        most = max(most, b + ONE)
    return most


@jit_lent_apart
def halving(m, count, places, values, sizes, straight, flipped):
    """The most mistakes of halving + 1 of every labelling. `sizes`, the concepts in each, begins as `values` does."""
    for high in range(len(values)):
        here, size = values[high], sizes[high]
        for j in range(m - LOW):
            if high // POWERS[j] % 3 == 2:
                up, down = straight[LOW + j], flipped[LOW + j]
                a, b = values[high - 2 * POWERS[j]], values[high - POWERS[j]]
                zeros, ones = sizes[high - 2 * POWERS[j]], sizes[high - POWERS[j]]
                for k in range(BLOCK):
                    size[k] = zeros[k] + ones[k]
                for k in range(BLOCK):
                    here[k] = max(here[k], halved(a[k], b[k], zeros[k], ones[k], up, down))
        for low in range(BLOCK):
            best = here[low]
            for f in range(count[low]):
                j = places[low, f]
                zero, one = low - 2 * POWERS[j], low - POWERS[j]
                size[low] = size[zero] + size[one]
                best = max(best, halved(here[zero], here[one], size[zero], size[one], straight[j], flipped[j]))
            here[low] = best


@jit_lent_apart
def threshold(m, values):
    """The most points whose labellings 11...1, 01...1, 001...1, ..., 0...01 are all there, in some order of the points.

    Here a free point is one that was not chosen.  A labelling that is there is a chain if it has a single 1, or if one of its 1s may be
    made 0 to give a chain.  Wanted is the chain of the most points that are all labelled 1.
    """
    best = 0
    for s in range(POWERS[m]):
        rest, p, zeros, ones, free, chain = s, 1, 0, 0, False, False
        for _ in range(m):
            label = rest % 3
            if label == 0:
                zeros += 1
            elif label == 1:
                ones += 1
                chain |= (values[s - p] & CHAIN) > 0
            elif not free:  # one free point tells whether some concept agrees
                free = True
                values[s] = (values[s - p] | values[s - p - p]) & THERE
                if values[s] == 0:
                    break
            rest //= 3
            p *= 3
        if values[s] and (ones == 1 or chain):
            values[s] |= CHAIN
            if zeros == 0 and ones > best:
                best = ones
    return best
