"""Kernels as they stand, run by Python: bit for bit what the compiler makes of them, a thousand times slower, and there at once.

Loading the compiler and twenty kernels takes longer than to read and play ten rows. Who knows that a process has no more to do says so
before the first kernel is imported. Where the languages differ they are evened out here: a Python float gives way to the float32 it meets,
so that a kernel's floats are made doubles of numpy, constants and arguments alike; numpy remarks on numbers that wrap; and whoever calls a
kernel gets numbers of Python from it.
"""

import sys
from functools import wraps
from pathlib import Path
from threading import local
from typing import Any

import numpy as np

from littlestone.reference import doubles

CHOSEN = False
LANES = doubles.LANES
FEED = 16
STOPS = 64
PROBES = 16
ENDS = np.array([c <= 0x20 or c in b"%:|" for c in range(256)])
NO_DIGITS = np.array([c not in b"0123456789" for c in range(256)])


class Nesting(local):
    """Is this thread inside a kernel already?"""

    inside = False


HERE = Nesting()


def choose() -> None:
    """Let this process interpret its kernels, unless it has begun to compile them."""
    global CHOSEN
    CHOSEN = CHOSEN or "littlestone.kernels.compiler" not in sys.modules


def jit(function: Any) -> Any:
    """The function, whose floats are doubles.

    >>> @jit
    ... def thrice(x):
    ...     return 3.0 * x
    >>> thrice(np.float32(0.1)), (3.0 * np.float32(0.1)).item()
    (0.30000000447034836, 0.30000001192092896)
    """
    constants = tuple(np.float64(value) if type(value) is float else value for value in function.__code__.co_consts)
    function.__code__ = function.__code__.replace(co_consts=constants)

    @wraps(function)
    def kernel(*arguments: Any) -> Any:
        arguments = tuple(np.float64(value) if type(value) is float else value for value in arguments)
        if HERE.inside:
            return function(*arguments)
        HERE.inside = True
        try:
            with np.errstate(all="ignore"):
                result = function(*arguments)
        finally:
            HERE.inside = False
        return tuple(map(plain, result)) if type(result) is tuple else plain(result)

    return kernel


def plain(value: Any) -> Any:
    """What Python gets to see of a number."""
    return value.item() if isinstance(value, np.generic) else value


jit_apart = jit_lent = jit_lent_apart = jit


def is_compiled(kernel: Any) -> bool:
    """Nothing has to be."""
    return True


def cache_folder() -> Path | None:
    """Nothing is kept."""
    return None


def load8(text: Any, place: Any) -> Any:
    return text[place : place + np.uint64(8)].view("<u8")[0]


def store8(text: Any, place: Any, word: Any) -> None:
    text[place : place + 8].view("<u8")[0] = word


def stops(text: Any, place: Any) -> Any:
    return np.packbits(ENDS[text[place : place + np.uint64(STOPS)]], bitorder="little").view("<u8")[0]


def nondigits(text: Any, place: Any) -> Any:
    window = text[place : place + np.uint64(64)]
    others = NO_DIGITS[window]
    others[1:] &= (window[1:] != ord("-")) | (window[:-1] != ord(":"))
    return np.packbits(others, bitorder="little").view("<u8")[0]


def probed(table: Any, place: Any, tag: Any) -> Any:
    entries = table[int(place) : int(place) + PROBES]
    like, empty = (entries >> 21 == tag) & (entries != 0), entries == 0
    return np.packbits(np.concatenate([like, empty, np.zeros(32, np.bool_)]), bitorder="little").view("<u8")[0]


def trailing_zeros(word: Any) -> Any:
    word = int(word)
    return np.uint64((word & -word).bit_length() - 1 if word else 64)


def popcount(word: Any) -> Any:
    return np.uint64(int(word).bit_count())


def bits_of(x: Any) -> Any:
    return np.float64(x).view(np.int64)


def double_of(bits: Any) -> Any:
    return np.int64(bits).view(np.float64)


def fma(a: Any, b: Any, c: Any) -> Any:
    usual = a * b + c
    return np.float64(doubles.fma(float(a), float(b), float(c)) if np.isfinite(usual) and usual else usual)


def prefetch(table: Any, row: Any, column: Any) -> None:
    """There is nothing to hurry."""


def prefetch_entry(array: Any, place: Any) -> None:
    """There is nothing to hurry."""


def copied_row(source: Any, numbers: Any, row: Any, values: Any, lo: Any, n: Any, extremes: Any) -> int:
    row[:n] = source[lo : lo + n]
    faults = (row[1:n] <= row[: n - 1]).any() if n > 1 else False
    if numbers is not None:
        with np.errstate(over="ignore"):
            values[:n] = numbers[lo : lo + n]
        bits = values[:n].view(np.uint32)
        for place, numbers_seen in ((0, bits & 0x7FFFFFFF), (FEED, bits)):
            extremes[place] = max(extremes[place], numbers_seen.max(initial=0))
        faults |= not (np.isfinite(values[:n]) & (values[:n] != 0)).all()
    return int(faults)


def laned_sums(arrays: Any, row: Any, following: Any, numbers: Any) -> Any:
    whole = len(arrays[0]) - len(arrays[0]) % LANES
    weights, advice = arrays[0][:whole].reshape(-1, LANES), following[:whole].reshape(-1, LANES)
    awake = advice == advice
    weights, votes = np.where(awake, weights, 0.0), np.where(awake, advice, np.float32(0))
    total, favour = np.zeros(LANES), np.zeros(LANES)
    for v, a in zip(weights, votes.astype(np.float64), strict=True):
        total += v
        favour += v * a
    bits, squares = votes.view(np.uint32), (votes * votes).view(np.uint32)
    return joined(total), joined(favour), bits.max(initial=0), np.bitwise_or.reduce(bits ^ squares, axis=None), np.uint32(not awake.all())


def laned_votes(arrays: Any, row: Any, following: Any, numbers: Any) -> Any:
    return laned_shares(arrays, row, following, (*numbers, 1.0, 0.0))


def laned_shares(arrays: Any, row: Any, following: Any, numbers: Any) -> Any:
    (w, losses), (wrong, beta, keep, gift) = arrays, numbers
    whole = len(w) - len(w) % LANES
    is_wrong = row[:whole] == wrong
    losses[:whole] += np.where(is_wrong, 1.0, 0.0)
    w[:whole] = keep * (w[:whole] * np.where(is_wrong, beta, 1.0)) + gift
    return laned_sums(arrays, row, following, ())


def laned_losses(arrays: Any, row: Any, following: Any, numbers: Any) -> Any:
    (w, losses), (y, *terms) = arrays, numbers
    for i in range(len(w) - len(w) % LANES):
        loss = abs(np.float64(row[i]) - y)
        loss, factor = loss if loss > 0.0 else np.float64(0.0), terms[-1]
        for term in (*terms[-2::-1], np.float64(1.0)):
            factor = fma(loss, factor, term)
        losses[i] += loss
        w[i] *= factor
    return laned_sums(arrays, row, following, ())


def laned_given(arrays: Any, row: Any, following: Any, numbers: Any) -> Any:
    return laned_losses(arrays, row, following, (np.float64(0.0), *numbers))


def laned_counts(arrays: Any, row: Any, following: Any, numbers: Any) -> Any:
    losses, whole = arrays[0], len(arrays[0]) - len(arrays[0]) % LANES
    lost = np.abs(row[:whole].astype(np.float64) - numbers[0])
    losses[:whole] += np.where(lost > 0.0, lost, 0.0)
    return losses[:whole].min(initial=np.inf), *laned_sums(arrays, row, following, ())[1:]


def four_sums(w: Any, indices: Any, values: Any, lo: Any, hi: Any) -> Any:
    stop = int(hi) - (int(hi) - int(lo)) % 4
    products = (w[indices[int(lo) : stop]] * values[int(lo) : stop].astype(np.float64)).reshape(-1, 4)
    return np.uint64(stop), *sum(products, np.zeros(4))


def add_four(w: Any, indices: Any, values: Any, k: Any, c: Any) -> None:
    for place in range(int(k), int(k) + 4):
        w[indices[place]] += c * values[place]


def places_of(indices: Any, k: Any, end: Any) -> Any:
    return indices[np.minimum(int(k) + np.arange(LANES), int(end) - 1)]


def lanes_at(values: Any, k: Any, end: Any) -> Any:
    return np.ones(LANES) if values is None else places_of(values, k, end).astype(np.float64)


def gathered(array: Any, places: Any) -> Any:
    return array[places]


def scatter(array: Any, places: Any, lanes: Any) -> None:
    array[places] = lanes


def in_order(total: Any, lanes: Any, count: Any) -> Any:
    for lane in lanes[: int(count)]:
        total = total + lane
    return total


chosen_lanes, lanes_abs, lanes_floor, lanes_max, lanes_sqrt, lanes_frexp = np.where, np.abs, np.floor, np.maximum, np.sqrt, np.frexp


def lanes_power(k: Any) -> Any:
    return np.ldexp(1.0, k.astype(np.int64))


def lane(lanes: Any, j: Any) -> Any:
    return lanes[j]


def any_lane(flags: Any) -> Any:
    return flags.any()


def joined(lanes: Any) -> Any:
    """Pairwise."""
    while len(lanes) > 1:
        lanes = lanes[::2] + lanes[1::2]
    return lanes[0]
