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
from littlestone.learners._regrets import sound_regrets, told_as
from littlestone.protocol import Rule
from littlestone.theory.regrets import INVERSE, MOST_EXPERTS, NINE, SEVEN
from littlestone.theory.rule_of_rules import FAMILY

WAYS = 3  # members with a price
Params = namedtuple("Params", "strict loss quantile ln_n ln_k seed")
# regrets, squares: of ML-Poly; gains to slowness: of BOA, ML-Prod and the one that forgets; leads to about: of least squares; apart: what
# each member with a price lost while an expert slept, and of nine members and more the errors of inverse squares; top_behind: how far each
# member is behind the rule
# z: rounds learnt, has anyone slept; the largest regret and the potential of ML-Poly; the largest regrets and the excesses of the three; Δ,
# and the regrets that were rounding; of nine members and more E, and the harmonic means of inverse squares
State = namedtuple("State", "regrets squares gains corrections deviations sizes slowness leads slopes products about apart top_behind z")


def init(n: int, members: int = SEVEN) -> State:
    m, more = n if n <= MOST_EXPERTS else 0, len(INVERSE) if members > SEVEN else 0
    three = [np.zeros((3, n)) for _ in range(5)]
    least = np.ones((3, m)), np.zeros((3, m)), np.zeros((3, m, m)), np.zeros((3, 2))
    return State._make(
        [np.zeros(n), np.zeros(n), *three, *least, np.zeros((WAYS + 2 * more, n)), np.zeros(members), np.zeros(13 + more if more else 12)]
    )


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
    trust = z[10] + (0.5 * (z[10] + z[12]) if len(state.top_behind) == NINE else z[10])  # Δ, and ln k/η of the rule over the members
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
        again,
        weights=weights,
        sound=sound_regrets,
        measured=measured,
        weights_in=weights_in,
        native=native.core.RuleOfRules,
    )
