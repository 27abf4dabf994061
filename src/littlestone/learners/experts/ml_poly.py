"""ML-Poly: trust an expert by how much better than the rule it was, divided by how much the two differed; nothing to tune.

The weight of expert i is (R_i)₊/(E + V_i): R_i what the rule lost beyond it, V_i the sum of the squares of that, round by round, E the
largest square so far.  Experts behind the rule have none; where nobody is ahead all count alike.

>>> import littlestone as ls
>>> run = ls.play(ls.ml_poly(n=3, advice="loss"), [[0, 1, 1], [0, 0.5, 1], [0.25, 1, 0]] * 20)
>>> run.weights.round(3).tolist(), round(run.regret, 4)
([1.0, 0.0, 0.0], 0.6667)
>>> claim = run.bounds()[0]
>>> claim.name, bool(claim.holds)
('ml-poly', True)

With `loss="squared"` (or "absolute", or "pinball" and a quantile) rounds are forecasts, and what the rule is told is the slope of its own
loss times each forecast: it then competes with every convex combination of them.

Theorem (Gaillard, Stoltz, van Erven 2014; the constants are those of this run): for every expert i, over the rounds it was awake,
L_i ≤ m_i + √(Φ·(E + V_i)), Φ the potential that the run measured; of forecasts also L ≤ L(u) + √(Φ·(E + u·V)) for every convex combination
u."""

from collections import namedtuple
from functools import partial

import numpy as np

from littlestone.kernels import native
from littlestone.learners._regrets import sound_regrets, told_as, trusted
from littlestone.protocol import Rule
from littlestone.theory.ml_poly import FAMILY

Params = namedtuple("Params", "strict loss quantile seed")
State = namedtuple("State", "regrets squares z")  # z: rounds learnt, has anyone slept, E, Φ


def init(n: int) -> State:
    return State(np.zeros(n), np.zeros(n), np.zeros(4))


def measured(state: State, scale: float) -> dict:
    """What the theorem needs beside a comparator's loss: numbers, and one for each expert, of which a combination has the mean."""
    return {"potential": float(state.z[3]), "widest": float(state.z[2]) / scale**2, "squares": state.squares / scale**2}


WHEN = "forecasts or losses, nothing to tune, and little to lose beside an expert that is hardly ever far from the rule"
SAMPLES: tuple[dict, ...] = (
    {"n": 4},
    {"n": 3, "advice": "loss"},
    {"n": 3, "advice": "loss", "loss": "squared"},
    {"n": 10, "advice": "probability", "seed": 5},
    {"n": 2, "advice": "loss", "loss": "pinball", "quantile": "3/4"},
    {"n": 1},
)


def ml_poly(n: int | None = None, *, advice: str = "vote", loss: str | None = None, quantile=None, seed: int = 0) -> Rule:
    """ML-Poly over n experts, by regrets or, where rounds are forecasts, by the gradients of a loss."""
    quantile = FAMILY.settings["quantile"].take(quantile, "quantile")
    settings = {"n": n, "advice": advice, "loss": loss, "quantile": quantile, "seed": seed}
    again = partial(ml_poly, advice=advice, loss=loss, quantile=quantile, seed=seed)
    strict, kind, q = told_as(advice, loss, quantile)
    params = Params(strict, kind, q, seed)
    return Rule(
        FAMILY,
        settings,
        params,
        init,
        again,
        randomized=True,
        weights=trusted,
        sound=sound_regrets,
        measured=measured,
        native=native.core.MlPoly,
    )
