"""What a sound state is: learners index with what a state holds, so one that comes from outside is checked before they see it.

A learner or a rule says it in a function of its file, `sound(params, state)`, which refuses any other state by name.
"""

from typing import Any

import numpy as np

from littlestone.errors import require

MOST = float(np.finfo(np.float64).max)
TINY = 5e-324  # the least number above 0
REAL = (-MOST, MOST)  # any finite number
NOT_NEGATIVE, POSITIVE = (0, MOST), (TINY, MOST)
LOG_LOSS = ([2.0**-100, 0.0, 0.0, 0.0], [1.0, 2.0**53, 1e300, 1e300])  # what the accounts of a log-loss can hold (native/core/log_loss.h)


def within(state: Any, **ranges: tuple[Any, Any]) -> None:
    """Every number of an array lies between two others, or between those of two lists in its own place."""
    for name, (least, most) in ranges.items():
        array = getattr(state, name)
        outside = np.flatnonzero(~((array >= np.asarray(least)) & (array <= np.asarray(most))))
        if len(outside):
            place = int(outside[0])
            low, high = (np.broadcast_to(limit, array.shape).flat[place] for limit in (least, most))
            require(False, f"its {name} has {array.flat[place]!s} at {place}; expected a number from {low:g} to {high:g}")


def lengths(state: Any, **expected: int) -> None:
    """These arrays have so many places."""
    for name, length in expected.items():
        require(len(getattr(state, name)) == length, f"its {name} has {len(getattr(state, name))} places; expected {length}")
