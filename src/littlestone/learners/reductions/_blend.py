"""What the blends of a panel begin with (`native/panel/blend.h`)."""

from math import sqrt

import numpy as np

from littlestone.kernels.compiler import add_rows, jit_lent, take_outer
from littlestone.reference.blend import SHARP, Blend


def first_state(members: int, blend: Blend) -> tuple[np.ndarray, np.ndarray]:
    """w, and P row by row."""
    w = np.full(members + 1, blend.trust / members)
    w[members] = 0.0
    return w, (np.eye(members + 1) / blend.stiffness).ravel()


@jit_lent
def rescale(rows, share):
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            rows[i, j] *= share


@jit_lent
def spread(x, h, memory, Px, u):
    """q = memory/h + x'Px for a round of curvature h, and P·x/√q in u."""
    q = memory / min(h, SHARP)
    for i in range(len(Px)):
        q += Px[i] * x[i]
    root = sqrt(q)
    for i in range(len(Px)):
        u[i] = Px[i] / root
    return q


@jit_lent
def narrow(x, h, memory, most, rows, Px, u):
    """A round of curvature h narrows P, which is given by its rows; q = memory/h + x'Px, and P·x of before in Px."""
    n = len(Px)
    add_rows(x, rows, Px)  # P is symmetric: row by row, side by side
    q = spread(x, h, memory, Px, u)
    take_outer(rows, u, 1.0 / memory)  # P stays symmetric to the last bit, or rounding would grow without end
    trace = 0.0
    for i in range(n if memory < 1.0 else 0):
        trace += rows[i, i]
    if trace > most:  # what was not seen for long must not be trusted without end
        rescale(rows, most / trace)
    return q
