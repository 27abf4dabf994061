"""Exp3: only the loss of the expert you chose is ever seen; judge the others by estimates that are right on average.

Choose expert I by weight, p_i ∝ e^(-η·estimate_i), and add loss/p_I to its estimate.  Give `eta`, or `rounds` = T for the best η; else
it is anytime, η_t = √(ln n/(tn)).  The choice depends on the seed and the round alone, so a run can be repeated.

>>> import littlestone as ls
>>> run = ls.play(ls.exp3(n=2, rounds=200, advice="loss"), [[0, 1]] * 200)
>>> run.choices[:8].tolist(), run.chosen_loss, round(run.loss, 2)
([1, 0, 0, 1, 0, 0, 0, 1], 14.0, 11.97)

Theorem (Auer, Cesa-Bianchi, Freund, Schapire 2002): in expectation over the choices at most √(2Tn·ln n) beyond the best expert.
"""

from fractions import Fraction

from littlestone.kernels import native
from littlestone.learners._bandits import bandit
from littlestone.protocol import Rule
from littlestone.theory.exp3 import FAMILY

WHEN = "you see only the loss of the expert you chose, and the mean regret counts"
SAMPLES: tuple[dict, ...] = ({"n": 4}, {"n": 3, "eta": "1/5", "advice": "loss"}, {"n": 9, "rounds": 40, "advice": "probability", "seed": 2})


def exp3(
    n: int | None = None, *, eta: float | Fraction | None = None, rounds: int | None = None, advice: str = "vote", seed: int = 0
) -> Rule:
    """Exp3 over n experts, of whom only the chosen one is seen."""
    return bandit(exp3, FAMILY, native.core.Exp3, n, eta, rounds, advice, seed)
