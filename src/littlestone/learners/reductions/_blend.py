"""What the blends of a panel begin with (`native/panel/blend.h`)."""

import numpy as np

from littlestone.reference.blend import Blend


def first_state(members: int, blend: Blend) -> tuple[np.ndarray, np.ndarray]:
    """w, and P row by row."""
    w = np.full(members + 1, blend.trust / members)
    w[members] = 0.0
    return w, (np.eye(members + 1) / blend.stiffness).ravel()
