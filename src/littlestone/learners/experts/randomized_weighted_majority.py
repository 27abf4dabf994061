"""The randomised weighted majority: follow an expert drawn by weight, (1-ε)^(mistakes), and learn from every round.

What it loses in expectation is the share of the weight that is wrong, and is computed, not sampled: `run.expected_mistakes`.  One draw by
`seed` stands beside it.  It must update on every round: "on a mistake", as one set of lecture notes has it, the theorem is false
(docs/learners/randomized_weighted_majority.md has the numbers).

>>> import littlestone as ls
>>> run = ls.play(ls.randomized_weighted_majority(n=2, epsilon=0.5), [[1, 0]] * 4, [1, 1, 1, 1])
>>> round(run.expected_mistakes, 4), run.losses.tolist()         # 1/2 + 1/3 + 1/5 + 1/9
(1.1444, [0.0, 4.0])

Theorem (Littlestone, Warmuth 1994): E[M] ≤ (m·ln(1/(1-ε)) + ln n)/ε, for every ε between 0 and 1, m the mistakes of the best expert.
"""

from collections import namedtuple
from fractions import Fraction
from functools import partial
from math import log1p

import numpy as np

from littlestone.kernels import native
from littlestone.learners._rates import LossesAndWeights, even_weights, refresh_period, refreshed, sound, strictness
from littlestone.protocol import Rule
from littlestone.theory.randomized_weighted_majority import FAMILY

Params = namedtuple("Params", "strict beta eta period seed")


def weights(rule: Rule, state: LossesAndWeights) -> np.ndarray:
    return state.w / state.w.sum()


WHEN = "experts who say 0 or 1, and an adversary who does not see your coin"
SAMPLES: tuple[dict, ...] = (
    {"n": 4, "epsilon": "1/2"},
    {"n": 11, "epsilon": "1/10", "seed": 7},
    {"n": 3, "epsilon": "1/4", "advice": "probability"},
    {"n": 9, "epsilon": "1/30", "advice": "loss"},
)


def randomized_weighted_majority(
    n: int | None = None, *, epsilon: float | Fraction = Fraction(1, 4), advice: str = "vote", seed: int = 0
) -> Rule:
    """Follow one of n experts, drawn by weight; a loss of 1 multiplies a weight by 1-ε."""
    rate = FAMILY.settings["epsilon"].take(epsilon, "epsilon")
    eta = -log1p(-float(rate))
    settings = {"n": n, "epsilon": rate, "advice": advice, "seed": seed}
    params = Params(strictness(advice), float(1 - rate), eta, refresh_period(eta), seed)
    again = partial(randomized_weighted_majority, epsilon=epsilon, advice=advice, seed=seed)
    losses = refreshed(eta, params.period)
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
        native=native.core.RandomizedWeightedMajority,
    )
