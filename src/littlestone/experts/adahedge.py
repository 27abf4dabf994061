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

from littlestone.jit import jit
from littlestone.kernels.advice import (
    ASLEEP,
    coin,
    count_losses,
    exp,
    faint,
    least,
    least_awake,
    log,
    log_less,
    loss_of,
    pick,
    punish,
    refresh,
    relit,
    share,
    weigh,
)
from littlestone.protocol import Rule
from littlestone.reference import experts as twins
from littlestone.theory import experts as theory

Params = namedtuple("Params", "strict ln_n seed")
State = namedtuple("State", "losses z")  # z: rounds learnt, has anyone slept, Δ, the base of the weights, rounds since it was set


@jit
def play(strict, ln_n, seed, losses, z, table, truth, mix, choices):
    w = np.empty(len(losses))
    for t in range(len(truth)):
        row = table[t]
        eta = ln_n / z[2] if z[2] > 0.0 else np.inf
        if eta > 1e9:
            share_among_leaders(w, losses, least(losses))
        else:
            refresh(w, losses, eta, z[3])
        total, favour, holds = weigh(w, row)
        if holds & strict:
            return t
        if faint(total, holds):  # the leaders sleep
            if eta > 1e9:
                share_among_leaders(w, losses, least_awake(losses, row))
            else:
                w = relit(losses, row, eta)
            total, favour, holds = weigh(w, row)
        f = share(favour, total)
        mix[t] = f
        if len(choices):
            choices[t] = pick(w, row, total, coin(seed, np.int64(z[0])))
        if truth[t] >= 0:
            y = truth[t]
            f = abs(f - y)
            if strict == 3:
                count_losses(losses, row, y)
                m = votes_mixed(eta, f)
            else:
                m = mixed(eta, w, losses, row, y, total)
            z[2] += max(0.0, f - m) if total > 0.0 else 0.0
            z[0] += 1.0
            z[4] += 1.0
            if ln_n * z[4] > 30.0 * z[2]:  # a loss grows by at most 1 a round, so the base is near enough while η·(rounds since) is small
                z[3] = least(losses)
                z[4] = 0.0
            if holds & ASLEEP:
                z[1] = 1.0
    return len(truth)


@jit
def share_among_leaders(w, losses, lowest):
    for i in range(len(w)):
        w[i] = 1.0 if losses[i] <= lowest else 0.0


@jit
def votes_mixed(eta, f):
    """-(1/η)·ln(1 - f(1-e^-η)); at η = ∞, 0 unless all the weight was wrong."""
    if eta > 1e9:
        return 1.0 if f >= 1.0 else 0.0
    if f >= 1.0:
        return 1.0
    return -log_less(f * (1.0 - exp(-eta))) / eta


@jit
def mixed(eta, w, losses, row, y, total):
    """-(1/η)·ln Σ p_i·e^(-η·loss_i), and the losses counted; at η = ∞ the least loss among those with weight."""
    if eta > 1e9:
        lowest = 1.0
        for i in range(len(w)):
            if w[i] > 0.0 and row[i] == row[i]:
                lowest = min(lowest, loss_of(row[i], y))
        count_losses(losses, row, y)
        return lowest
    punish(w, losses, row, y, eta)
    after = weigh(w, row)[0]
    fallen = (total - after) / total if total > 0.0 else 0.0
    return -log_less(fallen) / eta if fallen < 0.5 else -(log(after) - log(total)) / eta


def init(n: int) -> State:
    return State(np.zeros(n), np.zeros(5))


def weights(rule: Rule, state: State) -> np.ndarray:
    behind = state.losses - state.losses.min()
    w = np.exp(-rule.params.ln_n / state.z[2] * behind) if state.z[2] > 0 else (behind == 0).astype(float)
    return w / w.sum()


def facts(run) -> dict:
    return {"gaps": Fraction(float(run.state.z[2]))}


#: Settings the contract suite tries.
SAMPLES: tuple[dict, ...] = ({"n": 4}, {"n": 3, "advice": "loss"}, {"n": 10, "advice": "probability", "seed": 5}, {"n": 1})


def adahedge(n: int | None = None, *, advice: str = "vote", seed: int = 0) -> Rule:
    """AdaHedge over n experts: no rate to choose."""
    return Rule(
        name="adahedge",
        settings={"n": n, "advice": advice, "seed": seed},
        params=Params(3 if advice == "vote" else 1, ln(n or 1), seed),
        init=init,
        play=play,
        n=n,
        with_n=partial(adahedge, advice=advice, seed=seed),
        advice=advice,
        randomized=True,
        seed=seed,
        bounds=(*theory.ADAHEDGE, theory.ONE_DRAW),
        weights=weights,
        facts=facts,
        twin=lambda rounds: twins.adahedge(rounds, n=n or 1),
        source="de Rooij, van Erven, Grünwald, Koolen 2014",
    )
