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
from littlestone.kernels.advice import (
    ASLEEP,
    FAINT,
    NEARLY_ALL,
    coin,
    count_losses,
    exp,
    faint,
    least,
    least_awake,
    log,
    log_less,
    loss_of,
    measure,
    pick,
    punish,
    refresh,
    refresh_near,
    share,
    votes_mixed,
    weigh,
)
from littlestone.kernels.compiler import jit, jit_lent
from littlestone.learners._rates import by_losses, sound_counts, strictness
from littlestone.protocol import Rule
from littlestone.theory.adahedge import FAMILY

Params = namedtuple("Params", "strict ln_n seed")
STEEP = 30.0  # above this rate e^-η is lost beside 1, and every round is weighed by the best of those awake
State = namedtuple("State", "losses z")  # z: rounds learnt, has anyone slept, Δ, the base of the weights, rounds since it was set


@jit
def play(strict, ln_n, seed, losses, z, table, truth, mix, choices):
    return play_weighted(strict, ln_n, seed, losses, z, table, truth, mix, choices, np.empty(0, np.float32))


@jit
def play_weighted(strict, ln_n, seed, losses, z, table, truth, mix, choices, weights):
    """The same; where there are weights, a round of votes with weight c costs c times as much, the rule and every expert."""
    return rounds(strict, ln_n, seed, losses, z, table, truth, mix, choices, weights, np.empty(len(losses)))


@jit_lent
def rounds(strict, ln_n, seed, losses, z, table, truth, mix, choices, weights, w):
    """The pass; w takes the weights of each round."""
    for t in range(len(truth)):
        row = table[t]
        eta = ln_n / z[2] if z[2] > 0.0 else np.inf
        steep = not eta < STEEP
        if steep:
            measure(w, losses, eta, least_awake(losses, row))
        elif eta * (z[0] - z[3]) > -FAINT:  # somebody may be that far behind
            refresh_near(w, losses, eta, z[3])
        else:
            refresh(w, losses, eta, z[3])
        total, favour, holds = weigh(w, row)
        if holds & strict:
            return t
        if faint(total, holds):  # the leaders sleep
            measure(w, losses, eta, least_awake(losses, row))
            total, favour, holds = weigh(w, row)
        mix[t] = f = share(favour, total)
        if len(choices):
            choices[t] = pick(w, row, total, coin(seed, np.int64(z[0])))
        if truth[t] >= 0:
            y = truth[t]
            f = abs(f - y)
            m = f
            c = np.float64(weights[t]) if len(weights) else 1.0
            if c != 1.0:
                f *= c
                m = sharply_mixed(eta, w, losses, row, y, c) if total > 0.0 else f
                for i in range(len(losses)):
                    losses[i] += c * loss_of(row[i], y)
            elif strict == 3 and not f > NEARLY_ALL:
                m = votes_mixed(eta, f) if total > 0.0 else f
                count_losses(losses, table, t, y)
            elif strict == 3 or steep or not total > 1e-100:
                m = sharply_mixed(eta, w, losses, row, y, 1.0) if total > 0.0 else f
                count_losses(losses, table, t, y)
            else:
                after = punish(w, losses, row, row, y, eta)[0]
                fallen = (total - after) / total
                m = (-log_less(fallen) if fallen < 0.5 else log(total) - log(after)) / eta
            z[2] += max(0.0, f - m)
            z[0] += 1.0
            if holds & ASLEEP:
                z[1] = 1.0
            z[4] += max(1.0, c)
            if ln_n * z[4] > STEEP * z[2]:  # a loss grows by at most c a round, so the base is near enough while η·(rounds since) is small
                z[3] = least(losses)
                z[4] = 0.0
    return len(truth)


@jit_lent
def sharply_mixed(eta, w, losses, row, y, c):
    """The mix loss of a round whose losses are each c times as large; e^-η may be no number: how much the least of those awake grows, and
    logarithms."""
    before, after = least_awake(losses, row), np.inf
    for i in range(len(w)):
        if row[i] == row[i]:
            after = min(after, losses[i] + c * loss_of(row[i], y))
    grown = after - before
    if eta < np.inf:
        ahead = behind = 0.0
        for i in range(len(w)):
            if row[i] == row[i]:
                ahead += exp(-eta * (losses[i] - before))
                behind += exp(-eta * (losses[i] + c * loss_of(row[i], y) - after))
        grown += (log(ahead) - log(behind)) / eta
    return grown


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
    more: dict = {"weights": weights, "sound": sound, "facts": facts, "play_weighted": play_weighted}
    return Rule(FAMILY, settings, params, init, play, again, randomized=True, **more, native=native.core.AdaHedge)
