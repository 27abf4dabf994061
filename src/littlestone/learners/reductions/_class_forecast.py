"""The forecasts of a panel of several classes as `reference.class_forecast` defines them, compiled."""

from collections import namedtuple

import numpy as np

from littlestone.reference.class_forecast import FORECASTERS, PRIOR

# slopes, the curvatures that their steps are divided by, and weights of the forecasters; products of the probabilities that labels had,
# with their halvings, of each and of the mixture last; rounds, and mistakes of the likeliest class
ForecastState = namedtuple("ForecastState", "slopes curvatures trust products halvings counts")
FIRST = np.array(PRIOR)


def first_forecasts() -> ForecastState:
    size = len(FORECASTERS)
    return ForecastState(
        np.ones(size), np.ones(size), FIRST.copy(), np.ones(size + 1), np.zeros(size + 1, np.int64), np.zeros(2, np.int64)
    )  # fmt: skip
