"""Sleeping AdaHedge: AdaHedge for experts who are not always there (NaN = asleep), each judged on its own rounds; nothing to tune.

A sleeper is charged what the rule loses in that round: f, the mean loss of those awake.  So beside the rule it neither gains nor loses, and
what counts of an expert is how far it is behind the rule: loss_i - f, added up over the rounds it was awake.  Weights are e^(-η·behind),
η = ln n/Δ; a round's gap, (1/η)·ln Σ p_i·e^(η·(f - charge_i)), is what it adds to the logarithm of all weight, over η.

>>> import littlestone as ls
>>> nan = float("nan")
>>> run = ls.play(ls.sleeping_adahedge(n=3, advice="loss"), [[0, 1, nan], [0, nan, 1], [nan, 0.5, 0.25]] * 20)
>>> run.weights.round(3).tolist(), run.losses.tolist()
([1.0, 0.0, 0.0], [0.0, 30.0, 25.0])
>>> claim = run.bounds()[0]
>>> claim.witness, round(claim.observed, 4), round(claim.limit, 4)
('expert 0, for whom it is nearest to the limit, over the rounds it was awake', 0.9854, 1.4829)

Theorem (de Rooij et al. 2014, on the charges): for every expert i at once, over the rounds it was awake, the rule loses at most m_i + 2Δ, Δ
the gaps of all rounds; and 2Δ ≤ √(T·ln n) + 4/3·ln n + 2 whatever the losses.  Where nobody sleeps it is AdaHedge.
"""

from collections import namedtuple
from fractions import Fraction
from functools import partial
from math import log as ln

import numpy as np

from littlestone.kernels import native
from littlestone.learners._rates import by_losses, sound, strictness
from littlestone.protocol import Rule
from littlestone.theory.sleeping_adahedge import FAMILY

Params = namedtuple("Params", "strict ln_n seed")
# losses: each expert's own; behind: these less the rule's on the same rounds; spared: the rule's on the rounds it slept through
State = namedtuple("State", "losses behind spared z")  # z: rounds learnt, has anyone slept, Δ, the rule's loss


def init(n: int) -> State:
    return State(np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(4))


def weights(rule: Rule, state: State) -> np.ndarray:
    return by_losses(state.behind, rule.params.ln_n / state.z[2] if state.z[2] > 0 else np.inf)


def facts(run) -> dict:
    """The expert for whom the theorem is nearest to its limit: it holds for all of them."""
    state, i = run.state, int(np.argmin(run.state.behind))
    return {
        "m": Fraction(float(state.losses[i])),
        "gaps": Fraction(float(state.z[2])),
        "observed": float(state.z[3] - state.spared[i]),
        "witness": f"expert {i}, for whom it is nearest to the limit, over the rounds it was awake",
    }


WHEN = "experts who are not always there, and nothing to tune"
SAMPLES: tuple[dict, ...] = ({"n": 4}, {"n": 3, "advice": "loss"}, {"n": 10, "advice": "probability", "seed": 5}, {"n": 1})


def sleeping_adahedge(n: int | None = None, *, advice: str = "vote", seed: int = 0) -> Rule:
    """AdaHedge over n experts who may sleep: no rate to choose."""
    settings, again = {"n": n, "advice": advice, "seed": seed}, partial(sleeping_adahedge, advice=advice, seed=seed)
    params = Params(strictness(advice), ln(n or 1), seed)
    return Rule(
        FAMILY,
        settings,
        params,
        init,
        again,
        randomized=True,
        weights=weights,
        sound=sound,
        facts=facts,
        native=native.core.SleepingAdaHedge,
    )
