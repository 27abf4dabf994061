"""A vector in whole numbers: ints·2^-exponent, exactly, with no more digits than its limit needs.

A certificate stores the whole numbers and a verifier adds and multiplies nothing else, so short ones make it small and quick.  Every vector
is a witness, so nothing is lost in truth, only in tightness.  The exponent is chosen so that the largest entry has a given number of bits;
entries below half a unit become 0.  Where the limit can be evaluated, the number of bits is the smallest that costs less than 0.1 % of it.

>>> quantised([1.0, -0.26, 0.01], bits=3)
(array([ 4, -1,  0]), 2)
>>> quantised([1.0, -0.26, 0.01], limit=lambda u: 100 + abs(u[1] + 0.26))
(array([ 4, -1,  0]), 2)
"""

from collections.abc import Callable
from math import frexp
from typing import Any

import numpy as np

from littlestone.errors import require
from littlestone.witnesses.rows import TOLERANCE

BITS = 16  # where nobody says what is lost
MOST = 40  # products with float32 values and their sums stay in reach of a verifier's machine words


def quantised(
    u: Any, bits: int | None = None, *, limit: Callable[[np.ndarray], float] | None = None, share: float = TOLERANCE
) -> tuple[np.ndarray, int]:
    """(ints, exponent): the largest entry gets `bits` bits, or as few as raise `limit(u)` by less than `share` of it."""
    u = np.asarray(u, np.float64)
    require(bool(np.isfinite(u).all()), "a vector must be finite to be a witness")
    require(bits is None or 1 <= bits <= 52, f"bits={bits!r} must be from 1 to 52")
    (placed,) = u.nonzero()  # few of many features, where indices are large
    entries = u[placed]
    if bits is not None or limit is None:
        ints, exponent = _rounded(entries, bits or BITS)
    else:
        allowed, tried = (1 + share) * limit(u), np.zeros(len(u))
        for bits in range(2, MOST + 1):
            ints, exponent = _rounded(entries, bits)
            tried[placed] = value_of(ints, exponent)
            if bits == MOST or limit(tried) <= allowed:
                break
    whole = np.zeros(len(u), np.int64)
    whole[placed] = ints
    return whole, exponent


def value_of(ints: np.ndarray, exponent: int) -> np.ndarray:
    """The vector again, exactly.

    >>> value_of(np.array([4, -1, 0]), 2).tolist()
    [1.0, -0.25, 0.0]
    """
    return np.ldexp(ints.astype(np.float64), -exponent)


def _rounded(u: np.ndarray, bits: int) -> tuple[np.ndarray, int]:
    largest = float(np.abs(u).max(initial=0.0))
    if largest == 0.0:
        return np.zeros(len(u), np.int64), 0
    exponent = bits - frexp(largest)[1]
    return np.rint(np.ldexp(u, exponent)).astype(np.int64), exponent
