"""AdaHedge: Hedge that sets its own rate, η_t = ln n/Δ, Δ the mixability gaps so far; nothing to tune, and it certifies itself.

Of a round's loss f to expect, the gap is f - m, where m = -(1/η)·ln Σ p_i·e^(-η·loss_i): what mixing lost by not being of one mind.  While
Δ is 0 the rate is infinite, and the leaders share the weight.

>>> import littlestone as ls
>>> run = ls.play(ls.adahedge(n=3, advice="loss"), [[0, 1, 1], [0, 0.5, 1], [0.25, 1, 0]] * 20)
>>> round(run.regret, 4), round(2 * float(run.state.z[2]), 4)          # the regret, and its certificate 2Δ
(1.0994, 1.6978)

Theorem (de Rooij, van Erven, Grünwald, Koolen 2014): L ≤ m + 2Δ, and 2Δ ≤ √(T·ln n) + 4/3·ln n + 2 whatever the losses; far less where one
expert is plainly best.
"""

from collections import namedtuple
from fractions import Fraction
from functools import partial
from math import log as ln

import numpy as np

from littlestone.errors import require
from littlestone.kernels import native
from littlestone.learners._rates import by_losses, sound_counts, strictness
from littlestone.protocol import Rule
from littlestone.theory.adahedge import FAMILY

Params = namedtuple("Params", "strict ln_n seed")
State = namedtuple("State", "losses z")  # z: rounds learnt, has anyone slept, Δ, the base of the weights, rounds since it was set


def init(n: int) -> State:
    return State(np.zeros(n), np.zeros(5))


def sound(params: Params, state: State) -> None:
    sound_counts(state)
    lowest = state.losses.min()
    require(state.z[3] <= lowest, f"its z has {state.z[3]:g} for the base of its weights, and the least loss is {lowest:g}")


def weights(rule: Rule, state: State) -> np.ndarray:
    return by_losses(state.losses, rule.params.ln_n / state.z[2] if state.z[2] > 0 else np.inf)


def facts(run) -> dict:
    return {"gaps": Fraction(float(run.state.z[2]))}


WHEN = "experts with losses, and nothing to tune"
SAMPLES: tuple[dict, ...] = ({"n": 4}, {"n": 3, "advice": "loss"}, {"n": 10, "advice": "probability", "seed": 5}, {"n": 1})


def adahedge(n: int | None = None, *, advice: str = "vote", seed: int = 0) -> Rule:
    """AdaHedge over n experts: no rate to choose."""
    settings, again = {"n": n, "advice": advice, "seed": seed}, partial(adahedge, advice=advice, seed=seed)
    params = Params(strictness(advice), ln(n or 1), seed)
    more: dict = {"weights": weights, "sound": sound, "facts": facts}
    return Rule(FAMILY, settings, params, init, again, randomized=True, hears_weights=True, **more, native=native.core.AdaHedge)
