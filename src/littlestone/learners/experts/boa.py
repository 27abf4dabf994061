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

from collections import namedtuple
from functools import partial
from math import log as ln

import numpy as np

from littlestone.kernels import native
from littlestone.kernels.advice import ASLEEP, coin
from littlestone.kernels.compiler import jit, jit_lent
from littlestone.learners._regrets import (
    blended,
    drawn,
    labelled,
    learn_gain,
    regretted,
    relight,
    slope,
    sound_regrets,
    told_as,
    trust_by_gain,
)
from littlestone.protocol import Rule
from littlestone.theory.boa import FAMILY

Params = namedtuple("Params", "strict loss quantile ln_n seed")
# sizes: of each expert's largest regret; slowness: 1/η; z: rounds learnt, has anyone slept, B, Δ
State = namedtuple("State", "gains corrections squares sizes slowness z")


@jit
def play(strict, loss, quantile, ln_n, seed, gains, corrections, squares, sizes, slowness, z, table, truth, mix, choices):
    w, r = np.empty(len(gains)), np.empty(len(gains))
    return rounds(strict, loss, quantile, ln_n, seed, gains, corrections, squares, sizes, slowness, z, table, truth, mix, choices, w, r)


@jit_lent
def rounds(strict, loss, quantile, ln_n, seed, gains, corrections, squares, sizes, slowness, z, table, truth, mix, choices, w, r):
    """The pass; w takes the weights of each round, r its regrets."""
    for t in range(len(truth)):
        row = table[t]
        trust_by_gain(w, gains, slowness)
        f, total, holds = blended(loss, w, row)
        if holds & strict:
            return t
        if holds & ASLEEP:
            relight(w, gains, slowness, row)
            f, total, holds = blended(loss, w, row)
        mix[t] = f
        if len(choices):
            choices[t] = drawn(w, row, total, coin(seed, np.int64(z[0])))
        if labelled(loss, truth[t]):
            z[0] += 1.0
            if holds & ASLEEP:
                z[1] = 1.0
            if total > 0.0:
                z[2] = max(z[2], regretted(r, row, f, slope(loss, quantile, f, truth[t])))
                z[3] += learn_gain(False, r, z[2], ln_n, gains, corrections, squares, sizes, slowness)
    return len(truth)


def init(n: int) -> State:
    return State(np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(4))


def sound(params: Params, state: State) -> None:
    sound_regrets(state)


def weights(rule: Rule, state: State) -> np.ndarray:
    w = np.zeros(len(state.gains))
    native.core.Boa(*rule.params, *state).trust(w)
    return w / w.sum() if w.sum() > 0 else np.full(len(w), 1 / len(w))


def measured(state: State, scale: float) -> dict:
    """What the theorem needs beside a comparator's loss: numbers, and one for each expert, of which a combination has the mean."""
    return {"excess": float(state.z[3]), "corrections": state.corrections / scale, "slowness": state.slowness / scale}


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
    quantile = FAMILY.settings["quantile"].take(quantile, "quantile")
    settings = {"n": n, "advice": advice, "loss": loss, "quantile": quantile, "seed": seed}
    again = partial(boa, advice=advice, loss=loss, quantile=quantile, seed=seed)
    strict, kind, q = told_as(advice, loss, quantile)
    params = Params(strict, kind, q, ln(max(2, n or 2)), seed)
    return Rule(
        FAMILY,
        settings,
        params,
        init,
        play,
        again,
        randomized=True,
        weights=weights,
        sound=sound,
        measured=measured,
        native=native.core.Boa,
    )
