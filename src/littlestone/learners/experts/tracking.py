"""Tracking: for a best expert that changes, at nobody knows which rate: fixed share at six rates, and AdaHedge, under one AdaHedge.

Seven rules watch the same experts.  Each has weights on them; the AdaHedge above weighs the seven by what they lost, and follows their
mean.  Where one expert is best throughout the AdaHedge among the seven soon has the weight; where the best one changes, a rule that shares.

>>> import littlestone as ls
>>> changing = [[1, 0, 0]] * 50 + [[0, 1, 0]] * 50
>>> [round(ls.play(rule, changing, [1] * 100).loss, 1) for rule in (ls.tracking(n=3), ls.adahedge(n=3), ls.fixed_share(n=3, eta=1))]
[8.7, 50.8, 10.2]

Theorem: against every sequence of experts that changes S times and loses m, at most m + min_k(code_k(S) + Δ_k) + 2Δ, with all gaps measured
by the run (theory/tracking.py); at S = 0 no more than AdaHedge's own bound, and 2Δ.
"""

from collections import namedtuple
from fractions import Fraction
from functools import partial
from math import exp as e_to
from math import log as ln

import numpy as np

from littlestone.kernels.advice import (
    ASLEEP,
    coin,
    count_losses,
    exp,
    least_awake,
    log,
    log_less,
    loss_of,
    measure,
    pick,
    punish_these,
    punish_these_votes,
    share,
    total_of,
    weigh,
)
from littlestone.kernels.compiler import jit
from littlestone.learners._rates import by_losses, sound_counts, strictness
from littlestone.protocol import Rule
from littlestone.protocol.soundness import POSITIVE, within
from littlestone.theory.tracking import FAMILY, GAPS, RATES

RULES = len(GAPS)
ALPHAS = np.array([float(alpha) for alpha, _ in RATES])
ETAS = np.array([float(eta) for _, eta in RATES])
BETAS = np.array([e_to(-float(eta)) for _, eta in RATES])
LN_RULES = ln(RULES)
Params = namedtuple("Params", "strict ln_n seed")
# w: the weights of the rules that share, one after the other, each adding up to 1; behind: what the seven lost;
# z: rounds learnt, has anyone slept, Δ of the AdaHedge above, the gaps of the seven
State = namedtuple("State", "losses w behind z")


@jit
def play(strict, ln_n, seed, losses, w, behind, z, table, truth, mix, choices):
    n, rules = len(losses), len(behind)
    first, unused = np.empty(n), np.empty(n)
    shares, totals, trust = np.empty(rules), np.empty(rules), np.empty(rules)
    for t in range(len(truth)):
        row = table[t]
        eta = ln_n / z[3] if z[3] > 0.0 else np.inf
        measure(first, losses, eta, least_awake(losses, row))
        total, favour, holds = weigh(first, row)
        if holds & strict:
            return t
        shares[0], totals[0] = share(favour, total), total
        for k in range(1, rules):
            total, favour, _ = weigh(w[(k - 1) * n : k * n], row)
            shares[k], totals[k] = share(favour, total), total
        rate = LN_RULES / z[2] if z[2] > 0.0 else np.inf
        measure(trust, behind, rate, least_awake(behind, shares))
        total, favour, _ = weigh(trust, shares)
        mix[t] = share(favour, total)
        if len(choices):
            combine(unused, trust, totals, first, w)
            choices[t] = pick(unused, row, weigh(unused, row)[0], coin(seed, np.int64(z[0])))
        if truth[t] >= 0:
            y = truth[t]
            z[0] += 1.0
            asleep = holds & ASLEEP
            if asleep:
                z[1] = 1.0
            votes = strict == 3 and not asleep  # then the share that is wrong tells everything
            if totals[0] > 0.0:
                f = abs(shares[0] - y)
                z[3] += max(0.0, f - (votes_mixed(eta, f) if votes else mixed(eta, losses, row, y)))
            for k in range(1, rules):
                v, f = w[(k - 1) * n : k * n], abs(shares[k] - y)
                if strict == 3:
                    punish_these_votes(v, unused, row, y, BETAS[k - 1])
                else:
                    punish_these(v, unused, row, y, ETAS[k - 1])
                after = totals[k] * (1.0 - (1.0 - BETAS[k - 1]) * f) if votes else total_of(v)
                if votes:
                    z[3 + k] += max(0.0, f + log_less((1.0 - BETAS[k - 1]) * f) / ETAS[k - 1])
                elif not asleep:
                    z[3 + k] += max(0.0, f + log(after / totals[k]) / ETAS[k - 1])
                keep, gift = (1.0 - ALPHAS[k - 1]) / after, ALPHAS[k - 1] / n
                for i in range(n):
                    v[i] = keep * v[i] + gift
            z[2] += max(0.0, abs(mix[t] - y) - mixed(rate, behind, shares, y))
            for k in range(rules):
                behind[k] += abs(shares[k] - y)
            count_losses(losses, table, t, y)
    return len(truth)


@jit
def combine(weights, trust, totals, first, w):
    """The weights on the experts that come of trusting the rules so."""
    n = len(weights)
    for i in range(n):
        weights[i] = trust[0] * first[i] / totals[0] if totals[0] > 0.0 else 0.0
    for k in range(1, len(trust)):
        if totals[k] > 0.0:
            part = trust[k] / totals[k]
            for i in range(n):
                weights[i] += part * w[(k - 1) * n + i]


@jit
def votes_mixed(eta, f):
    """-(1/η)·ln(1 - f(1-e^-η)); at η = ∞, 0 unless all the weight was wrong."""
    if f >= 1.0:
        return 1.0
    return -log_less(f * (1.0 - exp(-eta))) / eta if eta < np.inf else 0.0


@jit
def mixed(eta, lost, row, y):
    """The mix loss of a round, of those awake: how the least loss grows, and at a finite rate the logarithms beside it."""
    before, after = least_awake(lost, row), np.inf
    for i in range(len(lost)):
        if row[i] == row[i]:
            after = min(after, lost[i] + loss_of(row[i], y))
    grown = after - before
    if eta < np.inf:
        ahead = behind = 0.0
        for i in range(len(lost)):
            if row[i] == row[i]:
                ahead += exp(-eta * (lost[i] - before))
                behind += exp(-eta * (lost[i] + loss_of(row[i], y) - after))
        grown += (log(ahead) - log(behind)) / eta
    return grown


def init(n: int) -> State:
    return State(np.zeros(n), np.full((RULES - 1) * n, 1 / n), np.zeros(RULES), np.zeros(3 + RULES))


def sound(params: Params, state: State) -> None:
    sound_counts(state)
    within(state, w=POSITIVE)


def weights(rule: Rule, state: State) -> np.ndarray:
    """What the rules put on each expert, as they are trusted now."""
    n = len(state.losses)
    trust = by_losses(state.behind, LN_RULES / state.z[2] if state.z[2] > 0 else np.inf)
    first = by_losses(state.losses, rule.params.ln_n / state.z[3] if state.z[3] > 0 else np.inf)
    return trust @ np.vstack([first, state.w.reshape(RULES - 1, n)])


def facts(run) -> dict:
    above, *gaps = (Fraction(float(gap)) for gap in run.state.z[2:])
    return {"S": 0} | dict(zip(GAPS, [2 * gaps[0] + 2 * above, *(gap + 2 * above for gap in gaps[1:])], strict=True))


WHEN = "experts, and the best one may change, who knows how often"
SAMPLES: tuple[dict, ...] = ({"n": 4}, {"n": 3, "advice": "loss"}, {"n": 9, "advice": "probability", "seed": 5}, {"n": 1})


def tracking(n: int | None = None, *, advice: str = "vote", seed: int = 0) -> Rule:
    """Fixed share at six rates, and AdaHedge, over n experts: nothing to choose."""
    settings, again = {"n": n, "advice": advice, "seed": seed}, partial(tracking, advice=advice, seed=seed)
    params = Params(strictness(advice), ln(n or 1), seed)
    return Rule(FAMILY, settings, params, init, play, again, randomized=True, weights=weights, sound=sound, facts=facts)
