"""A rule of rules: several rules side by side, and one more that trusts them by their record. Nothing to choose, nothing to tune.

Seven members see every round: ML-Poly, BOA, ML-Prod and AdaHedge by gradients; ML-Poly by the losses themselves; a BOA that forgets, for
experts that take turns; and the plain average.  Each makes its forecast; ML-Prod, by gradients, is the rule over them, and its mean of
their forecasts is the forecast made.

>>> import littlestone as ls, numpy as np
>>> y = np.sin(np.arange(400) / 9)
>>> x = np.stack([y + 1, y - 1, y + np.cos(np.arange(400))], axis=1)
>>> rule = ls.rule_of_rules(n=3, loss="squared")
>>> run = ls.play(rule, x, y)
>>> bool(run.loss < ls.play(ls.boa(n=3, advice="loss", loss="squared"), x, y).loss)
True
>>> [(claim.name, bool(claim.holds)) for claim in run.bounds()]
[('rule-of-rules', True), ('rule-of-rules-combination', True)]

Theorem (chained): for every member k with a theorem of its own and every expert i, L ≤ m_i + P_k + P_{k,i}: what trusting k costs, and what
k may lose beyond i; and what k lost while i slept.  Of forecasts also L ≤ L(u) + P_k + Σ u_i·P_{k,i} for every convex combination u.
"""

from collections import namedtuple
from functools import partial
from math import log as ln

import numpy as np

from littlestone.kernels.advice import ASLEEP, coin
from littlestone.kernels.compiler import jit
from littlestone.learners._regrets import (
    blended,
    cost,
    drawn,
    fade,
    labelled,
    learn_excess,
    learn_gain,
    learn_gaps,
    regretted,
    relight,
    slope,
    sound_regrets,
    told_as,
    trust_by_excess,
    trust_by_gain,
    trust_by_gaps,
)
from littlestone.protocol import Rule
from littlestone.theory.regrets import MEMBERS
from littlestone.theory.rule_of_rules import FAMILY

POLY, BOA, PROD, LOSSES, ADAHEDGE, FORGETS, ALIKE = range(len(MEMBERS))
GAINS, PRICED = (BOA, PROD, FORGETS), (POLY, BOA, PROD, ADAHEDGE)
KEEP = 0.99  # of what the forgetful one has learned, after each round
Params = namedtuple("Params", "strict loss quantile ln_n ln_k seed")
# regrets, squares: of ML-Poly, by gradients and by losses; gains to slowness: of BOA, ML-Prod and the one that forgets; behind: of
# AdaHedge; apart: what each member with a price lost while an expert slept; top_…: of the rule over members
# z: rounds learnt, has anyone slept; the largest regrets and potentials of ML-Poly, twice; the largest regrets and excesses of the three;
# Δ of AdaHedge; the largest regret and the excess of the rule over members
State = namedtuple(
    "State",
    "regrets squares gains corrections deviations sizes slowness behind apart "
    "top_gains top_corrections top_squares top_sizes top_slowness z",
)


@jit
def forecasts(w, f, loss, ln_n, regrets, squares, gains, slowness, behind, z, row):
    """The weights and the forecast of each member; what the row holds."""
    trust_by_excess(w[POLY], regrets[0], squares[0], z[2])
    trust_by_excess(w[LOSSES], regrets[1], squares[1], z[4])
    trust_by_gaps(w[ADAHEDGE], behind, z[12], ln_n, row)
    for j in range(3):
        relight(w[GAINS[j]], gains[j], slowness[j], row)
    for i in range(len(row)):
        w[ALIKE, i] = 1.0
    holds = 0
    for k in range(len(f)):
        f[k], total, holds = blended(loss, w[k], row)
        for i in range(len(row)):
            w[k, i] = w[k, i] / total if row[i] == row[i] and total > 0.0 else 0.0
    return holds


@jit
def play(
    strict, loss, quantile, ln_n, ln_k, seed,
    regrets, squares, gains, corrections, deviations, sizes, slowness, behind, apart,
    top_gains, top_corrections, top_squares, top_sizes, top_slowness, z,
    table, truth, mix, choices,
):  # fmt: skip
    n, members = len(behind), len(top_gains)
    w, f, r = np.empty((members, n)), np.empty(members), np.empty(n)
    top, over, mean = np.empty(members), np.empty(members), np.empty(n)
    for t in range(len(truth)):
        row = table[t]
        holds = forecasts(w, f, loss, ln_n, regrets, squares, gains, slowness, behind, z, row)
        if holds & strict:
            return t
        trust_by_gain(top, top_gains, top_slowness)
        own, total, _ = blended(loss, top, f)
        mix[t] = own
        if len(choices):
            for i in range(n):
                mean[i] = 0.0
                for k in range(members):
                    mean[i] += top[k] * w[k, i]
            choices[t] = drawn(mean, row, total, coin(seed, np.int64(z[0])))
        if labelled(loss, truth[t]):
            y = truth[t]
            z[0] += 1.0
            if holds & ASLEEP:
                z[1] = 1.0
            if not awake(row):  # of losses, all are charged 1/2
                apart += 0.0 if loss else 0.5
                continue
            z[13] = max(z[13], regretted(over, f, own, slope(loss, quantile, own, y)))
            z[14] += learn_gain(True, over, z[13], ln_k, top_gains, top_corrections, top_squares, top_sizes, top_slowness)
            for j in range(len(PRICED)):
                if holds & ASLEEP:
                    lost = cost(loss, quantile, f[PRICED[j]], y)
                    for i in range(n):
                        apart[j, i] += 0.0 if row[i] == row[i] else lost
            regretted(r, row, f[POLY], slope(loss, quantile, f[POLY], y))
            z[2], z[3] = learn_excess(r, regrets[0], squares[0], z[2], z[3])
            lost = cost(loss, quantile, f[LOSSES], y)
            for i in range(n):
                r[i] = lost - cost(loss, quantile, row[i], y) if row[i] == row[i] else 0.0
            z[4], z[5] = learn_excess(r, regrets[1], squares[1], z[4], z[5])
            for j in range(3):
                k = GAINS[j]
                z[6 + j] = max(z[6 + j], regretted(r, row, f[k], slope(loss, quantile, f[k], y)))
                z[9 + j] += learn_gain(k == PROD, r, z[6 + j], ln_n, gains[j], corrections[j], deviations[j], sizes[j], slowness[j])
            fade(KEEP, ln_n, z[8], gains[2], deviations[2], slowness[2])
            widest = regretted(r, row, f[ADAHEDGE], slope(loss, quantile, f[ADAHEDGE], y))
            z[12] += learn_gaps(r, widest, behind, z[12], ln_n)
    return len(truth)


@jit
def awake(row):
    there = False
    for i in range(len(row)):
        there |= row[i] == row[i]
    return there


def init(n: int) -> State:
    k = len(MEMBERS)
    two, three = [np.zeros((2, n)) for _ in range(2)], [np.zeros((3, n)) for _ in range(5)]
    return State._make([*two, *three, np.zeros(n), np.zeros((len(PRICED), n)), *(np.zeros(k) for _ in range(5)), np.zeros(15)])


def sound(params: Params, state: State) -> None:
    sound_regrets(state)


def shares(rule: Rule, state: State) -> np.ndarray:
    """What the rule trusts each member, adding up to 1."""
    top = np.zeros(len(state.top_gains))
    trust_by_gain(top, state.top_gains, state.top_slowness)
    return top / top.sum() if top.sum() > 0 else np.full(len(top), 1 / len(top))


def weights(rule: Rule, state: State) -> np.ndarray:
    """Of each expert, in the mean of the members."""
    w, f, row = np.empty((len(MEMBERS), len(state.behind))), np.empty(len(MEMBERS)), np.zeros(len(state.behind))
    forecasts(w, f, 0, rule.params.ln_n, state.regrets, state.squares, state.gains, state.slowness, state.behind, state.z, row)
    return shares(rule, state) @ w


def measured(state: State, scale: float) -> dict:
    """The price of each expert by way of each member that has a theorem: what trusting the member costs, what it may lose beyond the
    expert, and what it lost while the expert slept."""
    n, z = len(state.behind), state.z
    top = state.top_corrections + ln(len(MEMBERS) * (1 + z[14])) * state.top_slowness
    poly = np.sqrt(z[3] * (z[2] + state.squares[0]))
    gain = [state.corrections[j] + ln(n * (1 + z[9 + j])) * state.slowness[j] for j in range(2)]
    prices = [poly, *gain, np.full(n, 2 * z[12])]
    return {"price": [(price + top[k] + apart) / scale for k, price, apart in zip(PRICED, prices, state.apart, strict=True)]}


WHEN = "forecasts, and no wish to choose a rule: it is nearly as good as the best of its own"
SAMPLES: tuple[dict, ...] = (
    {"n": 3, "advice": "loss", "loss": "squared"},
    {"n": 4, "advice": "loss"},
    {"n": 2, "advice": "loss", "loss": "pinball", "quantile": "1/4"},
    {"n": 1, "advice": "loss"},
)


def rule_of_rules(n: int | None = None, *, advice: str = "loss", loss: str | None = None, quantile=None, seed: int = 0) -> Rule:
    """Seven rules over n experts, and ML-Prod over them."""
    quantile = FAMILY.settings["quantile"].take(quantile, "quantile")
    settings = {"n": n, "advice": advice, "loss": loss, "quantile": quantile, "seed": seed}
    again = partial(rule_of_rules, advice=advice, loss=loss, quantile=quantile, seed=seed)
    strict, kind, q = told_as(advice, loss, quantile)
    params = Params(strict, kind, q, ln(max(2, n or 2)), ln(len(MEMBERS)), seed)
    return Rule(FAMILY, settings, params, init, play, again, weights=weights, sound=sound, measured=measured)
