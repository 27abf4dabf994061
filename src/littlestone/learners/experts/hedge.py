"""Hedge: weights e^(-η·loss), losses in [0, 1]; follow an expert drawn by weight, or lose the weighted mean.

Give `eta`, or `rounds` = T for η = √(8·ln n/T); else it is anytime, η_t = √(8·ln n/t).

>>> import littlestone as ls
>>> run = ls.play(ls.hedge(n=2, eta=1, advice="loss"), [[0, 1], [0, 0.5], [1, 0]])
>>> round(run.loss, 4), run.losses.tolist(), run.best
(1.452, [1.0, 1.5], 0)

Theorem (Freund, Schapire 1997): L ≤ (ηm + ln n)/(1-e^-η) and L ≤ m + ln n/η + ηT/8, m the loss of the best expert; √(T·ln n/2) beyond it at
the best η, which no rule can improve; anytime √(2T·ln n) + √(ln n/8).
"""

from collections import namedtuple
from fractions import Fraction
from functools import partial
from math import exp, log, sqrt

import numpy as np

from littlestone.kernels import native
from littlestone.learners._rates import (
    LossesAndWeights,
    best_or_chosen_rate,
    by_losses,
    even_weights,
    refresh_period,
    refreshed,
    sound,
    strictness,
)
from littlestone.protocol import Rule
from littlestone.theory.hedge import FAMILY, rate_for

Params = namedtuple("Params", "strict eta beta period seed")  # η = 0: anytime


def weights(rule: Rule, state: LossesAndWeights) -> np.ndarray:
    return by_losses(state.losses, rule.params.eta or sqrt(rule.params.period / (state.z[0] + 1)))


WHEN = "experts with losses between 0 and 1: the first thing to try"
SAMPLES: tuple[dict, ...] = (
    {"n": 4},
    {"n": 5, "eta": "1/20", "advice": "loss"},
    {"n": 12, "eta": "1/2", "advice": "probability"},
    {"n": 3, "rounds": 40, "advice": "loss", "seed": 3},
    {"n": 3, "eta": 5},
)


def hedge(
    n: int | None = None, *, eta: float | Fraction | None = None, rounds: int | None = None, advice: str = "vote", seed: int = 0
) -> Rule:
    """Hedge over n experts at a fixed rate `eta`, at the best rate for so many `rounds`, or anytime."""
    rate = best_or_chosen_rate(FAMILY, n, eta, rounds, rate_for)
    step = 0.0 if rate is None else float(rate)
    settings = {"n": n, "eta": rate, "rounds": rounds, "advice": advice, "seed": seed}
    params = Params(strictness(advice), step, exp(-step), refresh_period(step) if step else 8 * log(max(2, n or 2)), seed)
    again = partial(hedge, eta=eta, rounds=rounds, advice=advice, seed=seed)
    losses = refreshed(step, params.period)
    return Rule(
        FAMILY,
        settings,
        params,
        even_weights,
        again,
        randomized=True,
        weights=weights,
        sound=sound,
        of_losses=losses,
        native=native.core.Hedge,
    )
