"""BOA, the Bernstein online aggregation: exponential weights, each expert with a rate of its own and a fine for how much it differs.

Expert i gains X_i = Σ (r - η_i·r²), r what the rule lost beyond it in a round; its weight is η_i·e^(η_i·X_i), its rate
η_i = min(1/(2B), √(ln n/V_i)), V_i the sum of the r², B the largest |r| of all.  Nothing to tune.

>>> import littlestone as ls
>>> run = ls.play(ls.boa(n=3, advice="loss"), [[0, 1, 1], [0, 0.5, 1], [0.25, 1, 0]] * 20)
>>> run.weights.round(3).tolist(), round(run.regret, 4)
([1.0, 0.0, 0.0], 2.03)
>>> claim = run.bounds()[0]
>>> claim.name, bool(claim.holds)
('boa', True)

With `loss="squared"` (or "absolute", or "pinball" and a quantile) rounds are forecasts, and the rule competes with every convex
combination.

Theorem (Wintenberger 2017; the constants are those of this run): for every expert i, over the rounds it was awake,
L_i ≤ m_i + C_i + ln(n·(1+Δ))/η_i, C_i = Σ η_i·r² its fines and Δ what the potential grew by as rates fell; of forecasts also
L ≤ L(u) + u·C + ln(n·(1+Δ))·Σ u_i/η_i for every convex combination u.
"""

from littlestone.kernels import native
from littlestone.learners._own_rates import rule_of_own_rates
from littlestone.protocol import Rule
from littlestone.theory.boa import FAMILY

WHEN = "forecasts or losses, nothing to tune, and experts that are nearly as good as each other"
SAMPLES: tuple[dict, ...] = (
    {"n": 4},
    {"n": 3, "advice": "loss"},
    {"n": 3, "advice": "loss", "loss": "absolute"},
    {"n": 10, "advice": "probability", "seed": 5},
    {"n": 1},
)


def boa(n: int | None = None, *, advice: str = "vote", loss: str | None = None, quantile=None, seed: int = 0) -> Rule:
    """BOA over n experts, by regrets or, where rounds are forecasts, by the gradients of a loss."""
    return rule_of_own_rates(boa, FAMILY, native.core.Boa, n, advice, loss, quantile, seed)
