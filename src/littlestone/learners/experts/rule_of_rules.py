"""A rule of rules: several rules side by side, and one more that trusts them by their record. Nothing to choose, nothing to tune.

Seven members see every round: ML-Poly, BOA and ML-Prod by gradients; a BOA that forgets, for experts that take turns; and the weights that
were best in least squares, of all rounds and of the last hundred or twenty.  With `members=9` two more
weigh experts by the inverse of their mean squared error, for tables of few rounds.  With `members=12`, as tables of forecasts are played,
there are the median of the experts, for wild errors, and two that trust the likeliest expert, for one that is far better than the others.
Each makes its forecast; AdaHedge, by gradients, is the rule over them, and its mean of their forecasts is the forecast made.

>>> import littlestone as ls, numpy as np
>>> y = np.sin(np.arange(400) / 9)
>>> x = np.stack([y + 1, y - 1, y + np.cos(np.arange(400))], axis=1)
>>> rule = ls.rule_of_rules(n=3, loss="squared")
>>> run = ls.play(rule, x, y)
>>> bool(run.loss < ls.play(ls.boa(n=3, advice="loss", loss="squared"), x, y).loss)
True
>>> [(claim.name, bool(claim.holds)) for claim in run.bounds()]
[('rule-of-rules', True), ('rule-of-rules-combination', True)]

Theorem (chained): for every member k with a theorem of its own and every expert i, L ≤ m_i + P + P_{k,i}: what trusting k costs, and what
k may lose beyond i; and what k lost while i slept.  Of forecasts also L ≤ L(u) + P + Σ u_i·P_{k,i} for every convex combination u.
"""

from collections import namedtuple
from functools import partial
from math import log as ln

import numpy as np

from littlestone.kernels import native
from littlestone.kernels.advice import ASLEEP, coin
from littlestone.kernels.compiler import jit, jit_lent
from littlestone.learners._regrets import (
    SQUARED,
    blended,
    cost,
    drawn,
    ease,
    fade,
    labelled,
    learn_errors,
    learn_excess,
    learn_gain,
    learn_gaps,
    learn_squares,
    level,
    regretted,
    relight,
    slope,
    sound_regrets,
    told_as,
    trust_by_excess,
    trust_by_gaps,
    trust_by_likelihood,
    trust_by_squares,
    trust_the_middle,
)
from littlestone.protocol import Rule
from littlestone.theory.regrets import INVERSE, MOST_EXPERTS, SEVEN
from littlestone.theory.rule_of_rules import FAMILY

POLY, BOA, PROD, FORGETS, SQUARES = range(5)  # and from SQUARES on those of least squares
ERRS, NINE, LIKELY = (
    7,
    9,
    10,
)  # from ERRS on inverse squares; the first of more than nine is the median; from LIKELY on the likeliest experts
GAINS = (BOA, PROD, FORGETS)
KEEP = 0.99  # of what the forgetful one has learned, after each round
KEEPS, PULLS = (1.0, 0.99, 0.95), (10.0, 0.1, 0.1)  # theory.regrets.LEAST; code kept on disk looks at this room alone
FADES = (1.0, 0.95)  # theory.regrets.INVERSE
WAYS, ERRORS, AWAKE = 3, 3, 5  # rows of `apart`: members with a price, then the squares and the rounds of each of inverse squares
Params = namedtuple("Params", "strict loss quantile ln_n ln_k seed")
# regrets, squares: of ML-Poly; gains to slowness: of BOA, ML-Prod and the one that forgets; leads to about: of least squares; apart: what
# each member with a price lost while an expert slept, and of nine members and more the errors of inverse squares; top_behind: how far each
# member is behind the rule
# z: rounds learnt, has anyone slept; the largest regret and the potential of ML-Poly; the largest regrets and the excesses of the three; Δ,
# and the regrets that were rounding; of nine members and more E, and the harmonic means of inverse squares
State = namedtuple("State", "regrets squares gains corrections deviations sizes slowness leads slopes products about apart top_behind z")


# Of a round: the weights and the forecast of each member; what the rule trusts and regrets of them; the regrets, and the mean weights, of
# the experts.
Notes = namedtuple("Notes", "w f top over r mean")


@jit
def scratch(members, n):
    """Room for the notes on a round."""
    return Notes(np.empty((members, n)), np.empty(members), np.empty(members), np.empty(members), np.empty(n), np.empty(n))


@jit_lent
def forecasts(notes, loss, state, row):
    """The weights and the forecast of each member; what the row holds."""
    w, f, z, leads, apart = notes.w, notes.f, state.z, state.leads, state.apart
    trust_by_excess(w[POLY], state.regrets, state.squares, z[2])
    for j in range(3):
        relight(w[GAINS[j]], state.gains[j], state.slowness[j], row)
        for i in range(len(row)):
            w[SQUARES + j, i] = leads[j, i] if leads.shape[1] else 1.0
    for j in range(2 if len(f) > ERRS else 0):
        trust_by_squares(w[ERRS + j], apart[ERRORS + j], apart[AWAKE + j], z[13 + j])
        if len(f) > NINE:
            trust_by_likelihood(w[LIKELY + j], apart[ERRORS + j], apart[AWAKE + j], z[13 + j], row)
    if len(f) > NINE:
        trust_the_middle(w[NINE], row)
    holds = 0
    for k in range(len(f)):
        f[k], total, holds = blended(loss, w[k], row)
        for i in range(len(row)):
            w[k, i] = w[k, i] / total if row[i] == row[i] and total > 0.0 else 0.0
    return holds


@jit
def play(
    strict, loss, quantile, ln_n, ln_k, seed,
    regrets, squares, gains, corrections, deviations, sizes, slowness, leads, slopes, products, about, apart, top_behind, z,
    table, truth, mix, choices,
):  # fmt: skip
    params = Params(strict, loss, quantile, ln_n, ln_k, seed)
    state = State(
        regrets, squares, gains, corrections, deviations, sizes, slowness, leads, slopes, products, about, apart, top_behind, z,
    )  # fmt: skip
    return rounds(params, state, table, truth, mix, choices, scratch(len(top_behind), len(regrets)))


@jit_lent
def rounds(params, state, table, truth, mix, choices, notes):
    """The pass; `notes` takes those on a round."""
    strict, loss, quantile, ln_n, ln_k, seed = params
    regrets, squares, gains, corrections, deviations, sizes, slowness, leads, slopes, products, about, apart, top_behind, z = state
    w, f, top, over, r, mean = notes
    n, members = len(regrets), len(top_behind)
    for t in range(len(truth)):
        row = table[t]
        holds = forecasts(notes, loss, state, row)
        if holds & strict:
            return t
        slow = slowness_of(members, z)
        trust_by_gaps(top, top_behind, slow, ln_k, f)
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
                for k in range(WAYS):
                    for i in range(n):
                        apart[k, i] += 0.0 if loss else 0.5
                continue
            regretted(over, f, own, slope(loss, quantile, own, y))
            eased, mean_regret = members > NINE and loss == SQUARED, 0.0
            if eased:
                ease(over, f, own)
            z[11] += level(over, f, own)
            for k in range(members if eased else 0):
                mean_regret += top[k] * over[k] / total
            z[10] += learn_gaps(over, top_behind, slow, ln_k, mean_regret)
            for k in range(WAYS):
                if holds & ASLEEP:
                    lost = cost(loss, quantile, f[k], y)
                    for i in range(n):
                        apart[k, i] += 0.0 if row[i] == row[i] else lost
            regretted(r, row, f[POLY], slope(loss, quantile, f[POLY], y))
            z[2], z[3] = learn_excess(r, regrets, squares, z[2], z[3])
            for j in range(3):
                k = GAINS[j]
                z[4 + j] = max(z[4 + j], regretted(r, row, f[k], slope(loss, quantile, f[k], y)))
                z[7 + j] += learn_gain(k == PROD, r, z[4 + j], ln_n, gains[j], corrections[j], deviations[j], sizes[j], slowness[j])
                if leads.shape[1]:
                    learn_squares(row, f[SQUARES + j], y, KEEPS[j], PULLS[j], leads[j], slopes[j], products[j], about[j])
            fade(KEEP, ln_n, z[6], gains[2], deviations[2], slowness[2])
            if members > ERRS:
                for k in range(members):
                    z[12] = max(z[12], abs(over[k]))
                for j in range(2):
                    z[13 + j] = learn_errors(row, y, FADES[j], apart[ERRORS + j], apart[AWAKE + j], z[13 + j])
    return len(truth)


@jit_lent
def slowness_of(members, z):
    """ln k/η of the rule over the members."""
    return 0.5 * (z[10] + z[12]) if members == NINE else z[10]


@jit_lent
def awake(row):
    there = False
    for i in range(len(row)):
        there |= row[i] == row[i]
    return there


def init(n: int, members: int = SEVEN) -> State:
    m, more = n if n <= MOST_EXPERTS else 0, len(INVERSE) if members > SEVEN else 0
    three = [np.zeros((3, n)) for _ in range(5)]
    least = np.ones((3, m)), np.zeros((3, m)), np.zeros((3, m, m)), np.zeros((3, 2))
    return State._make(
        [np.zeros(n), np.zeros(n), *three, *least, np.zeros((WAYS + 2 * more, n)), np.zeros(members), np.zeros(13 + more if more else 12)]
    )


def sound(params: Params, state: State) -> None:
    sound_regrets(state)


def shares(rule: Rule, state: State) -> np.ndarray:
    """What the rule trusts each member, adding up to 1."""
    top = np.zeros(len(state.top_behind))
    native.core.RuleOfRules(*rule.params, *state).trust(top)
    return top / top.sum()


def weights(rule: Rule, state: State) -> np.ndarray:
    """Of each expert, in the mean of the members, where all say the same: the median is then the mean of all."""
    return weights_in(rule, state, np.zeros(len(state.regrets)))


def weights_in(rule: Rule, state: State, row: np.ndarray) -> np.ndarray:
    """Of each expert, in the mean of the members, in a round of this advice."""
    members = np.empty((len(state.top_behind), len(state.regrets)))
    native.core.RuleOfRules(*rule.params, *state).weigh_members(np.ascontiguousarray(row, np.float64), members)
    return shares(rule, state) @ members


def measured(state: State, scale: float) -> dict:
    """The price of each expert by way of each member that has a theorem: what trusting the member costs, what it may lose beyond the
    expert, and what it lost while the expert slept."""
    n, z = len(state.regrets), state.z
    poly = np.sqrt(z[3] * (z[2] + state.squares))
    gain = [state.corrections[j] + ln(n * (1 + z[7 + j])) * state.slowness[j] for j in range(2)]
    trust = slowness_of(len(state.top_behind), z) + z[10]
    return {"price": [(price + trust + z[11] + apart) / scale for price, apart in zip([poly, *gain], state.apart[:WAYS], strict=True)]}


WHEN = "forecasts, and no wish to choose a rule: it is nearly as good as the best of its own"
SAMPLES: tuple[dict, ...] = (
    {"n": 3, "advice": "loss", "loss": "squared"},
    {"n": 4, "advice": "loss"},
    {"n": 2, "advice": "loss", "loss": "pinball", "quantile": "1/4"},
    {"n": 1, "advice": "loss"},
    {"n": 3, "advice": "loss", "loss": "squared", "members": 9},
    {"n": 3, "advice": "loss", "loss": "squared", "members": 12},
    {"n": 4, "advice": "loss", "members": 12},
)


def rule_of_rules(
    n: int | None = None, *, members: int = SEVEN, advice: str = "loss", loss: str | None = None, quantile=None, seed: int = 0
) -> Rule:
    """Seven rules over n experts, or nine or twelve, and AdaHedge over them."""
    members = FAMILY.settings["members"].take(members, "members")
    quantile = FAMILY.settings["quantile"].take(quantile, "quantile")
    settings = {"n": n, "advice": advice, "loss": loss, "quantile": quantile, "seed": seed}
    settings |= {"members": members} if members > SEVEN else {}
    again = partial(rule_of_rules, members=members, advice=advice, loss=loss, quantile=quantile, seed=seed)
    strict, kind, q = told_as(advice, loss, quantile)
    params = Params(strict, kind, q, ln(max(2, n or 2)), ln(members), seed)
    return Rule(
        FAMILY,
        settings,
        params,
        partial(init, members=members),
        play,
        again,
        weights=weights,
        sound=sound,
        measured=measured,
        weights_in=weights_in,
        native=native.core.RuleOfRules,
    )
