"""Exp3-IX: Exp3 whose estimates are a little too small on purpose, so that its regret is small with high probability, not only on average.

Choose expert I by weight, p_i ∝ e^(-η·estimate_i), and add loss/(p_I + γ) to its estimate, γ = η/2 ("implicit exploration").  Give `eta`,
or `rounds` = T for η = √(2·ln n/(Tn)); else it is anytime, η_t = √(ln n/(tn)).

>>> import littlestone as ls
>>> run = ls.play(ls.exp3_ix(n=2, rounds=200, advice="loss"), [[0, 1]] * 200)
>>> run.choices[:8].tolist(), run.chosen_loss, round(run.loss, 2)
([1, 0, 0, 1, 0, 0, 0, 1], 15.0, 13.85)

Theorem (Neu 2015; constants derived): with probability 1-δ at most 2√(2Tn·ln n) + (1 + √(Tn/(2·ln n)))·ln(2/δ) beyond the best expert.
"""

from collections import namedtuple
from fractions import Fraction
from functools import partial
from math import log, sqrt

import numpy as np

from littlestone.kernels import native
from littlestone.kernels.advice import ASLEEP, coin, exp, faint, least, least_awake, loss_of, measure, pick, refresh, share, total_of, weigh
from littlestone.kernels.compiler import jit, jit_lent
from littlestone.learners._rates import best_or_chosen_rate, by_losses, sound, strictness
from littlestone.protocol import Rule
from littlestone.theory.exp3 import rate_for
from littlestone.theory.exp3_ix import FAMILY

Params = namedtuple("Params", "strict eta spread seed")  # η = 0: anytime, √(spread/t)
State = namedtuple("State", "estimates w z")  # z: rounds learnt, has anyone slept


@jit
def play(strict, eta, spread, seed, estimates, w, z, table, truth, mix, choices):
    spare = np.empty(len(estimates))
    return rounds(strict, eta, spread, seed, estimates, w if eta > 0.0 else spare, z, table, truth, mix, choices, spare)


@jit_lent
def rounds(strict, eta, spread, seed, estimates, w, z, table, truth, mix, choices, spare):
    """`spare` takes the weights of a round that the kept ones say nothing of; where η changes every round, it is w itself."""
    for t in range(len(truth)):
        row = table[t]
        rate = eta
        if eta == 0.0:
            rate = np.sqrt(spread / (z[0] + 1.0))
            refresh(w, estimates, rate, least(estimates))
        total, favour, holds = weigh(w, row)
        if holds & strict:
            return t
        v = w
        if faint(total, holds):
            v = spare
            measure(v, estimates, rate, least_awake(estimates, row))
            total, favour, holds = weigh(v, row)
        mix[t] = share(favour, total)
        choices[t] = pick(v, row, total, coin(seed, np.int64(z[0])))
        if truth[t] >= 0:
            chosen = choices[t]
            if chosen >= 0 and total > 0.0:
                loss = loss_of(row[chosen], truth[t])
                estimate = loss / (v[chosen] / total + 0.5 * rate)
                estimates[chosen] += estimate
                w[chosen] *= exp(-rate * estimate)
            z[0] += 1.0
            if holds & ASLEEP:
                z[1] = 1.0
            if eta > 0.0 and (z[0] % 64.0 == 0.0 or not total_of(w) > 1e-200):
                refresh(w, estimates, eta, least(estimates))
    return len(truth)


def init(n: int) -> State:
    return State(np.zeros(n), np.ones(n), np.zeros(2))


def weights(rule: Rule, state: State) -> np.ndarray:
    return by_losses(state.estimates, rule.params.eta or sqrt(rule.params.spread / (state.z[0] + 1)))


def facts(run) -> dict:
    return {"eta": Fraction(run.rule.params.eta)}


WHEN = "you see only the loss of the expert you chose, and each run counts"
SAMPLES: tuple[dict, ...] = ({"n": 4}, {"n": 3, "eta": "1/5", "advice": "loss"}, {"n": 9, "rounds": 40, "advice": "probability", "seed": 2})


def exp3_ix(
    n: int | None = None, *, eta: float | Fraction | None = None, rounds: int | None = None, advice: str = "vote", seed: int = 0
) -> Rule:
    """Exp3-IX over n experts, of whom only the chosen one is seen."""
    rate = best_or_chosen_rate(FAMILY, n, eta, rounds, rate_for)
    settings = {"n": n, "eta": rate, "rounds": rounds, "advice": advice, "seed": seed}
    params = Params(strictness(advice), 0.0 if rate is None else float(rate), log(max(2, n or 2)) / (n or 1), seed)
    again = partial(exp3_ix, eta=eta, rounds=rounds, advice=advice, seed=seed)
    return Rule(
        FAMILY, settings, params, init, play, again, randomized=True, weights=weights, sound=sound, facts=facts, native=native.core.Exp3Ix
    )
