"""ML-Prod: weights that are multiplied by 1 + η_i·r, each expert with a rate of its own; nothing to tune.

A round in which the rule lost r more than expert i multiplies the weight of i by 1 + η_i·r; as its rate falls, what was multiplied is
raised to the power by which it falls.  So the weight is η_i·e^(η_i·X_i) with X_i = Σ ln(1 + η_i·r)/η_i, and η_i = min(1/(2B_i), √(ln
n/V_i)): V_i the sum of the r², B_i the largest |r| of this expert.

>>> import littlestone as ls
>>> run = ls.play(ls.ml_prod(n=3, advice="loss"), [[0, 1, 1], [0, 0.5, 1], [0.25, 1, 0]] * 20)
>>> run.weights.round(3).tolist(), round(run.regret, 4)
([1.0, 0.0, 0.0], 1.8613)
>>> claim = run.bounds()[0]
>>> claim.name, bool(claim.holds)
('ml-prod', True)

With `loss="squared"` (or "absolute", or "pinball" and a quantile) rounds are forecasts, and the rule competes with every convex
combination.

Theorem (Gaillard, Stoltz, van Erven 2014; the constants are those of this run): for every expert i, over the rounds it was awake,
L_i ≤ m_i + C_i + ln(n·(1+Δ))/η_i, C_i = Σ (r - ln(1 + η_i·r)/η_i) and Δ what the potential grew by as rates fell; of forecasts also
L ≤ L(u) + u·C + ln(n·(1+Δ))·Σ u_i/η_i for every convex combination u.
"""

from littlestone.kernels import native
from littlestone.learners._own_rates import rule_of_own_rates
from littlestone.protocol import Rule
from littlestone.theory.ml_prod import FAMILY

WHEN = "forecasts or losses, nothing to tune, and one expert that is far better than the others now and then"
SAMPLES: tuple[dict, ...] = (
    {"n": 4},
    {"n": 3, "advice": "loss"},
    {"n": 3, "advice": "loss", "loss": "squared"},
    {"n": 10, "advice": "probability", "seed": 5},
    {"n": 1},
)


def ml_prod(n: int | None = None, *, advice: str = "vote", loss: str | None = None, quantile=None, seed: int = 0) -> Rule:
    """ML-Prod over n experts, by regrets or, where rounds are forecasts, by the gradients of a loss."""
    return rule_of_own_rates(ml_prod, FAMILY, native.core.MlProd, n, advice, loss, quantile, seed)
