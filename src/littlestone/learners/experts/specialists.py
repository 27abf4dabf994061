"""Specialists: experts who speak only when they have something to say (NaN = asleep), each judged on its own rounds.

Those awake share the weight they brought: a loss multiplies a weight by e^(-η·loss), and the awake are rescaled so that their total stays
what it was.  The sleepers neither gain nor lose.  The randomised form follows an expert awake drawn by weight, and learns from every
round; the deterministic form (`form="deterministic"`) predicts by the weighted majority of those awake and learns from its mistakes.

>>> import littlestone as ls
>>> nan = float("nan")
>>> run = ls.play(ls.specialists(n=3, form="deterministic"), [[1, 0, nan], [nan, 0, 1], [1, nan, 0], [1, 0, 1]], [1, 1, 0, 0])
>>> run.predictions.tolist(), [round(float(w), 3) for w in run.weights]
([True, True, True, True], [0.167, 0.5, 0.333])

Theorem (Freund, Schapire, Singer, Warmuth 1997): for every expert i at once, over the T_i rounds it was awake, the rule loses at most
m_i + ln n/η + ηT_i/8; the deterministic form errs at most (m_i·ln(1/β) + ln n)/ln(2/(1+β)) times.
"""

from collections import namedtuple
from fractions import Fraction
from functools import partial

import numpy as np

from littlestone.kernels import native
from littlestone.kernels.advice import (
    ASLEEP,
    after,
    coin,
    exp,
    is_due,
    left_of,
    log,
    pick,
    punish,
    punish_votes,
    share,
    tells_what_is_left,
    weigh,
    weigh_first,
)
from littlestone.kernels.compiler import jit_lent
from littlestone.learners._rates import by_losses, rate_and_factor, refresh_period, sound, strictness
from littlestone.protocol import Rule
from littlestone.theory.specialists import FAMILY

Params = namedtuple("Params", "strict eta beta period always seed")
# w: the weights, up to a common factor; costs: each expert's losses on the rounds that taught; absent, spared, missed: for each expert the
# rounds it slept through, and what the rule lost and the logarithm of what the others were given back on them; z: rounds learnt, has anyone
# slept, rounds that taught, the rule's loss, the logarithm of all that was given back
State = namedtuple("State", "w costs absent spared missed z")


@jit_lent
def play(strict, eta, beta, period, always, seed, w, costs, absent, spared, missed, z, table, truth, mix, choices):
    total, favour, holds = weigh_first(w, table)
    for t in range(len(truth)):
        row, following = table[t], table[after(t, len(truth))]
        if holds & strict:
            return t
        if not 1e-200 < total < 1e200:  # those awake are all faint, or were cut off: measure by the heaviest of them
            relight(eta, w, costs, missed, row)
            total, favour, holds = weigh(w, row)
        mix[t] = share(favour, total)
        if len(choices):
            choices[t] = pick(w, row, total, coin(seed, np.int64(z[0])))
        if truth[t] < 0:
            total, favour, holds = weigh(w, following)
            continue
        y, asleep = truth[t], holds & ASLEEP
        f = abs(mix[t] - y) if always else np.float64((mix[t] >= 0.5) != (y == 1))
        gain, known = 0.0, False  # known: do the sums speak of the row that follows?
        if total > 0.0 and (always or f > 0.0):
            before, known = total, not asleep and tells_what_is_left(beta, strict)
            left = left_of(total, favour, y, beta)
            if strict == 3:
                total, favour, holds = punish_votes(w, costs, row, following if known else row, y, beta)
            else:
                total, favour, holds = punish(w, costs, row, row, y, eta)
            back = before / (left if tells_what_is_left(beta, strict) else total)
            gain = log(back)
            if asleep:  # else all are rescaled alike, which no share notices
                give_back(w, row, back)
            z[2] += 1.0
        z[0] += 1.0
        z[3] += f
        z[4] += gain
        if asleep:
            z[1] = 1.0
            excuse(absent, spared, missed, row, f, gain)
        if gain > 0.0 and is_due(z[2], period):
            relight(eta, w, costs, missed, costs)
            known = False
        if not known:
            total, favour, holds = weigh(w, following)
    return len(truth)


@jit_lent
def give_back(w, row, back):
    """Rescale those awake so that they weigh together what they did."""
    for i in range(len(w)):
        w[i] *= back if row[i] == row[i] else 1.0


@jit_lent
def excuse(absent, spared, missed, row, f, gain):
    """Those asleep had no part in this round."""
    for i in range(len(row)):
        asleep = 0.0 if row[i] == row[i] else 1.0
        absent[i] += asleep
        spared[i] += asleep * f
        missed[i] += asleep * gain


@jit_lent
def relight(eta, w, costs, missed, row):
    """The weights from their logarithms, the heaviest of those awake at 1; others at most e^600, which will not go unnoticed."""
    base = -np.inf
    for i in range(len(w)):
        if row[i] == row[i]:
            base = max(base, -missed[i] - eta * costs[i])
    if base > -np.inf:
        for i in range(len(w)):
            w[i] = exp(min(600.0, -missed[i] - eta * costs[i] - base))


def init(n: int) -> State:
    return State(np.ones(n), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(5))


def weights(rule: Rule, state: State) -> np.ndarray:
    return by_losses(state.missed + rule.params.eta * state.costs, 1.0)


def facts(run) -> dict:
    """The expert for whom the theorem is nearest to its limit: it holds for all of them."""
    state, n = run.state, len(run.state.w)
    own, awake = state.z[3] - state.spared, state.z[0] - state.absent
    if run.rule.cost == "loss":
        eta = run.rule.params.eta
        slack = state.costs + np.log(n) / eta + eta * awake / 8 - own
    else:
        slack = (state.costs * run.rule.params.eta + np.log(n)) / np.log(2 / (1 + np.exp(-run.rule.params.eta))) - own
    i = int(np.argmin(slack))
    return {
        "m": Fraction(float(state.costs[i])),
        "T": int(awake[i]) if run.rule.cost == "loss" else run.rounds,
        "observed": float(own[i]) if run.rule.cost == "loss" else int(own[i]),
        "witness": f"expert {i}, for whom it is nearest to the limit, over the rounds it was awake",
    }


WHEN = "experts who speak only on some rounds"
SAMPLES: tuple[dict, ...] = (
    {"n": 4},
    {"n": 9, "eta": "1/10", "advice": "loss"},
    {"n": 5, "form": "deterministic"},
    {"n": 3, "form": "deterministic", "beta": "1/10", "advice": "probability"},
)


def specialists(
    n: int | None = None,
    *,
    eta: float | Fraction | None = None,
    beta: float | Fraction | None = None,
    form: str = "randomized",
    advice: str = "vote",
    seed: int = 0,
) -> Rule:
    """Sleeping experts, n of them; a loss of 1 multiplies a weight by β = e^-η (β = 1/2 unless given)."""
    FAMILY.settings["form"].take(form, "form")
    rate, factor = rate_and_factor(FAMILY, eta, beta)
    random = form == "randomized"
    settings = {"n": n, "eta": rate, "beta": factor, "form": form, "advice": advice, "seed": seed}
    params = Params(strictness(advice), float(rate), float(factor), refresh_period(rate), random, seed)
    again = partial(specialists, eta=eta, beta=beta, form=form, advice=advice, seed=seed)
    return Rule(
        FAMILY,
        settings,
        params,
        init,
        play,
        again,
        randomized=random,
        weights=weights,
        sound=sound,
        facts=facts,
        native=native.core.Specialists,
    )
