"""Exp3-IX: Exp3 whose estimates are a little too small on purpose, so that its regret is small with high probability, not only on average.

Choose expert I by weight, p_i ∝ e^(-η·estimate_i), and add loss/(p_I + γ) to its estimate, γ = η/2 ("implicit exploration").  Give `eta`,
or `rounds` = T for η = √(2·ln n/(Tn)); else it is anytime, η_t = √(ln n/(tn)).

>>> import littlestone as ls
>>> run = ls.play(ls.exp3_ix(n=2, rounds=200, advice="loss"), [[0, 1]] * 200)
>>> run.choices[:8].tolist(), run.chosen_loss, round(run.loss, 2)
([1, 0, 0, 1, 0, 0, 0, 1], 15.0, 13.85)

Theorem (Neu 2015; constants derived): with probability 1-δ at most 2√(2Tn·ln n) + (1 + √(Tn/(2·ln n)))·ln(2/δ) beyond the best expert.
"""

from fractions import Fraction

from littlestone.kernels import native
from littlestone.learners._bandits import bandit
from littlestone.protocol import Rule
from littlestone.theory.exp3_ix import FAMILY

WHEN = "you see only the loss of the expert you chose, and each run counts"
SAMPLES: tuple[dict, ...] = ({"n": 4}, {"n": 3, "eta": "1/5", "advice": "loss"}, {"n": 9, "rounds": 40, "advice": "probability", "seed": 2})


def exp3_ix(
    n: int | None = None, *, eta: float | Fraction | None = None, rounds: int | None = None, advice: str = "vote", seed: int = 0
) -> Rule:
    """Exp3-IX over n experts, of whom only the chosen one is seen."""
    return bandit(exp3_ix, FAMILY, native.core.Exp3Ix, n, eta, rounds, advice, seed)
