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
from littlestone.learners._rates import by_losses, rate_and_factor, refresh_period, sound, strictness
from littlestone.protocol import Rule
from littlestone.theory.specialists import FAMILY

Params = namedtuple("Params", "strict eta beta period always seed")
# w: the weights, up to a common factor; costs: each expert's losses on the rounds that taught; absent, spared, missed: for each expert the
# rounds it slept through, and what the rule lost and the logarithm of what the others were given back on them; z: rounds learnt, has anyone
# slept, rounds that taught, the rule's loss, the logarithm of all that was given back
State = namedtuple("State", "w costs absent spared missed z")


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
        again,
        randomized=random,
        weights=weights,
        sound=sound,
        facts=facts,
        native=native.core.Specialists,
    )
