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

from littlestone.kernels import native
from littlestone.kernels.advice import (
    ASLEEP,
    NEARLY_ALL,
    coin,
    count_losses,
    exp,
    least,
    log,
    log_less,
    loss_of,
    measure,
    pick,
    punish,
    punish_votes,
    refresh,
    share,
    total_of,
    votes_mixed,
    weigh,
)
from littlestone.kernels.compiler import jit, jit_lent
from littlestone.learners._rates import by_losses, sound_counts, strictness
from littlestone.protocol import Rule
from littlestone.protocol.soundness import POSITIVE, within
from littlestone.theory.tracking import FAMILY, GAPS

# compiled code rests on numbers of this file; they are those of theory/tracking.py, as the definition has them
ALPHAS = np.repeat([1 / 100, 1 / 1000, 1 / 100_000], 2)
ETAS = np.tile([1 / 5, 1.0], 3)
BETAS = np.array([e_to(-eta) for eta in (1 / 5, 1.0)] * 3)
RULES, START = 7, 1 / 8
LN_RULES = ln(7)
Params = namedtuple("Params", "strict ln_n seed")
# w: the weights of the rules that share, one after the other, each adding up to 1; rules: what the seven lost;
# z: rounds learnt, has anyone slept, Δ of the AdaHedge above, the gaps of the seven
State = namedtuple("State", "losses w rules z")


@jit
def play(strict, ln_n, seed, losses, w, rules, z, table, truth, mix, choices):
    n, count = len(losses), len(rules)
    first, weights, shares, totals, trust = np.empty(n), np.empty(n), np.empty(count), np.empty(count), np.empty(count)
    return rounds(strict, ln_n, seed, losses, w, rules, z, table, truth, mix, choices, first, weights, shares, totals, trust)


@jit_lent
def rounds(strict, ln_n, seed, losses, w, rules, z, table, truth, mix, choices, first, weights, shares, totals, trust):
    """The pass; the last arrays take the weights of a round, on experts and on rules, and what each rule says."""
    n, count = len(losses), len(rules)
    for t in range(len(truth)):
        row = table[t]
        eta = ln_n / z[3] if z[3] > 0.0 else np.inf
        measure(first, losses, eta, least(losses))
        totals[0], favour, holds = weigh(first, row)
        if holds & strict:
            return t
        asleep = holds & ASLEEP
        rate = LN_RULES / (START + z[2])
        refresh(trust, rules, rate, least(rules))
        whole = total_of(trust)
        for k in range(count):
            trust[k] /= whole
        if asleep or len(choices):
            combine(weights, trust, first, w)
            total, inclined, _ = weigh(weights, row)
        if asleep:
            mix[t] = share(inclined, total)
        else:
            shares[0] = favour / totals[0]
            for k in range(1, count):
                totals[k], favour, _ = weigh(w[(k - 1) * n : k * n], row)
                shares[k] = favour / totals[k]
            mix[t] = min(1.0, weigh(trust, shares)[1])
        if len(choices):
            choices[t] = pick(weights, row, total, coin(seed, np.int64(z[0])))
        if truth[t] >= 0:
            y = truth[t]
            z[0] += 1.0
            if asleep:
                z[1] = 1.0
            else:
                f = abs(shares[0] - y)
                z[3] += max(0.0, f - (votes_mixed(eta, f) if strict == 3 and not f > NEARLY_ALL else mixed(eta, losses, row, y)))
                z[2] += max(0.0, abs(mix[t] - y) - mixed(rate, rules, shares, y))
                for k in range(count):
                    rules[k] += abs(shares[k] - y)
            for k in range(1, count):
                v, f = w[(k - 1) * n : k * n], abs(shares[k] - y)
                if strict == 3:
                    punish_votes(v, weights, row, row, y, BETAS[k - 1])
                else:
                    punish(v, weights, row, row, y, ETAS[k - 1])
                after = total_of(v) if asleep or strict != 3 else totals[k] * (1.0 - (1.0 - BETAS[k - 1]) * f)
                if not asleep:
                    fallen = (1.0 - BETAS[k - 1]) * f if strict == 3 else 1.0 - after / totals[k]
                    z[3 + k] += max(0.0, f + log_less(fallen) / ETAS[k - 1])
                keep, gift = (1.0 - ALPHAS[k - 1]) / after, ALPHAS[k - 1] / n
                for i in range(n):
                    v[i] = keep * v[i] + gift
            count_losses(losses, table, t, y)
    return len(truth)


@jit_lent
def combine(weights, trust, first, w):
    """The weights on the experts that come of trusting the rules so."""
    n, part = len(weights), trust[0] / total_of(first)
    for i in range(n):
        weights[i] = part * first[i]
    for k in range(1, len(trust)):
        for i in range(n):
            weights[i] += trust[k] * w[(k - 1) * n + i]


@jit_lent
def mixed(eta, lost, row, y):
    """The mix loss of a round: how the least loss grows, and at a finite rate the logarithms beside it."""
    before, after = least(lost), np.inf
    for i in range(len(lost)):
        after = min(after, lost[i] + loss_of(row[i], y))
    grown = after - before
    if eta < np.inf:
        ahead = behind = 0.0
        for i in range(len(lost)):
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
    trust = by_losses(state.rules, LN_RULES / (START + state.z[2]))
    first = by_losses(state.losses, rule.params.ln_n / state.z[3] if state.z[3] > 0 else np.inf)
    return trust @ np.vstack([first, state.w.reshape(RULES - 1, n)])


def facts(run) -> dict:
    above, *gaps = (Fraction(float(gap)) for gap in run.state.z[2:])
    top = 2 * above + Fraction(START if run.rounds else 0)
    return {"S": 0} | dict(zip(GAPS, [2 * gaps[0] + top, *(gap + top for gap in gaps[1:])], strict=True))


WHEN = "experts, and the best one may change, who knows how often"
SAMPLES: tuple[dict, ...] = ({"n": 4}, {"n": 3, "advice": "loss"}, {"n": 9, "advice": "probability", "seed": 5}, {"n": 1})


def tracking(n: int | None = None, *, advice: str = "vote", seed: int = 0) -> Rule:
    """Fixed share at six rates, and AdaHedge, over n experts: nothing to choose."""
    settings, again = {"n": n, "advice": advice, "seed": seed}, partial(tracking, advice=advice, seed=seed)
    params = Params(strictness(advice), ln(n or 1), seed)
    return Rule(
        FAMILY, settings, params, init, play, again, randomized=True, weights=weights, sound=sound, facts=facts, native=native.core.Tracking
    )
