"""What the forecasts of a panel begin with (`native/panel/forecast.h`)."""

import numpy as np

from littlestone.reference.forecast import BINS, SHIFTS
from littlestone.reference.hyperbolic import exp

AGAINST = np.array([exp(-shift) for shift in SHIFTS])  # what a shift of the logarithm does to the odds of a 0


def first_calibration(members: int) -> np.ndarray:
    """Of each member a slope, an offset, and the Hessian: Σ h·z² + 1, Σ h·z, Σ h + 1."""
    return np.repeat([[1.0], [0.0], [1.0], [0.0], [1.0]], members, axis=1).ravel()


def first_bins() -> tuple[np.ndarray, np.ndarray]:
    """Of each bin the weights of what puts it right; and how many labels there were, and 1s among them."""
    return np.full((BINS, len(SHIFTS) + 1), 1.0 / (len(SHIFTS) + 1)), np.zeros((BINS, 2))
