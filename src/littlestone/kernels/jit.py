"""`littlestone.jit`, for files of the user's own: Numba's compiler where it is installed, else functions as they stand.

The library itself is compiled when it is installed (`native/`). `pip install littlestone[compile]` compiles a learner in Python, too.

>>> import numpy as np
>>> w = np.zeros(3)
>>> add(w, np.array([0, 2], np.uint32), np.array([1, 2], np.float32), 0, 2, 0.5)
>>> w.tolist(), dot(w, np.array([2], np.uint32), None, 0, 1)
([0.5, 0.0, 1.0], 1.0)
"""

import warnings
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import Any

PLAIN = (
    "numba is not installed: functions marked with littlestone.jit run in plain Python; pip install 'littlestone[compile]' compiles them"
)


@cache
def compiler() -> Callable[..., Any] | None:
    """Return Numba's compiler with the arithmetic of NumPy; None where Numba is not installed, which is said once."""
    if find_spec("numba") is None:
        warnings.warn(PLAIN, stacklevel=3)
        return None
    import numba

    return numba.njit(nogil=True, error_model="numpy")


def jit(function: Callable[..., Any]) -> Any:
    """Compile a function when it is first called, where that can be done; otherwise return it as it is."""
    compiled = compiler()
    return function if compiled is None else compiled(function)


@jit
def dot(w: Any, indices: Any, values: Any, lo: Any, hi: Any) -> Any:
    """Return w·x of one row, in the order that `reference.arithmetic.ordered_sum` writes down."""
    a = b = c = d = 0.0
    whole = lo + (hi - lo) // 4 * 4
    for k in range(lo, whole, 4):
        if values is None:
            a += w[indices[k]]
            b += w[indices[k + 1]]
            c += w[indices[k + 2]]
            d += w[indices[k + 3]]
        else:
            a += w[indices[k]] * values[k]
            b += w[indices[k + 1]] * values[k + 1]
            c += w[indices[k + 2]] * values[k + 2]
            d += w[indices[k + 3]] * values[k + 3]
    for k in range(whole, hi):
        a += w[indices[k]] if values is None else w[indices[k]] * values[k]
    return (a + b) + (c + d)


@jit
def add(w: Any, indices: Any, values: Any, lo: Any, hi: Any, c: Any) -> None:
    """Add c·x to w, x one row."""
    for k in range(lo, hi):
        w[indices[k]] += c if values is None else c * values[k]
