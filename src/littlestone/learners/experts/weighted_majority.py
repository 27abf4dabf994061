"""The weighted majority: every expert has a vote, worth β^(mistakes) of it; predict what most of the weight says, 1 on a tie.

With `updates="mistakes"` only rounds on which the rule errs cost an expert anything (the lecture's version); with "always" every wrong vote
does.  β = 0 drops an expert at the first mistake that counts: that is halving.

Votes are weighed in doubles; where they come too close to a tie to be sure, exact arithmetic decides.  Probabilities a cost |a - y|, and
the rule predicts 1 where their weighted mean is at least 1/2, in doubles.

>>> import littlestone as ls
>>> run = ls.play(ls.weighted_majority(n=3), [[1, 1, 0], [1, 0, 0], [1, 0, 1]], [0, 0, 1])
>>> run.predictions.tolist(), run.weights.tolist(), run.bounds()[0].limit
([True, False, True], [0.25, 0.25, 0.5], 3)

Theorem (Littlestone, Warmuth 1994): at most (m·ln(1/β) + ln n)/ln(2/(1+β)) mistakes, m those of the best expert;
2.41(m + log2 n) at β = 1/2.
"""

from collections import Counter, namedtuple
from fractions import Fraction
from functools import partial
from math import log

import numpy as np

from littlestone.errors import require
from littlestone.kernels import native
from littlestone.kernels.powers import outweighs
from littlestone.learners._rates import refresh_period, sound_counts, strictness
from littlestone.protocol import Rule
from littlestone.protocol.soundness import within
from littlestone.theory.weighted_majority import FAMILY

Params = namedtuple("Params", "strict beta eta period always")
State = namedtuple("State", "costs w z")  # costs: the mistakes that count; z: rounds learnt, has anyone slept, updates


def settle(rule: Rule, state: State, row: np.ndarray, y: int) -> tuple[bool, State]:
    """Weigh the votes exactly; then learn."""
    beta, counts = rule.settings["beta"], state.costs.astype(np.int64)
    yhat = outweighs(beta, *(Counter(counts[row == vote].tolist()) for vote in (1, 0)))
    if y >= 0:
        native.core.WeightedMajority(*rule.params, *state).settle(row, float(y), yhat)
    return yhat, state


def init(n: int) -> State:
    return State(np.zeros(n), np.ones(n), np.zeros(3))


def sound(params: Params, state: State) -> None:
    sound_counts(state)
    within(state, costs=(0, state.z[2]))
    require(params.strict == 1 or np.array_equal(state.costs, np.rint(state.costs)), "its costs of votes are not whole numbers")


def weights(rule: Rule, state: State) -> np.ndarray:
    return state.w / state.w.sum() if state.w.any() else state.w


def facts(run) -> dict:
    """The best expert on the rounds that cost anything."""
    best = int(np.argmin(run.state.costs))
    return {"m": Fraction(float(run.state.costs[best])), "witness": f"expert {best}, the best on the rounds that count"}


WHEN = "experts who say 0 or 1, one of them good, and no coin to toss"
SAMPLES: tuple[dict, ...] = (
    {"n": 4},
    {"n": 5, "beta": "9/10", "updates": "always"},
    {"n": 3, "beta": 0},
    {"n": 10, "beta": "1/3", "advice": "probability"},
)


def weighted_majority(
    n: int | None = None, *, beta: float | Fraction = Fraction(1, 2), updates: str = "mistakes", advice: str = "vote"
) -> Rule:
    """The weighted majority of n experts; a mistake that counts multiplies a weight by β, 0 ≤ β < 1."""
    factor = FAMILY.settings["beta"].take(beta, "beta")
    FAMILY.settings["updates"].take(updates, "updates")
    require(factor > 0 or advice == "vote", "beta=0 needs votes: a probability is never quite wrong")
    eta = -log(factor) if factor else 700.0
    settings = {"n": n, "beta": factor, "updates": updates, "advice": advice}
    params = Params(strictness(advice), float(factor), eta, refresh_period(eta), updates == "always")
    again, exactly = partial(weighted_majority, beta=beta, updates=updates, advice=advice), settle if advice == "vote" else None
    return Rule(
        FAMILY,
        settings,
        params,
        init,
        again,
        settle=exactly,
        weights=weights,
        sound=sound,
        facts=facts,
        native=native.core.WeightedMajority,
    )
