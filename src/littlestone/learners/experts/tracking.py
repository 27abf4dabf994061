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
from math import log as ln

import numpy as np

from littlestone.kernels import native
from littlestone.learners._rates import by_losses, sound_counts, strictness
from littlestone.protocol import Rule
from littlestone.protocol.soundness import POSITIVE, within
from littlestone.theory.tracking import FAMILY, GAPS, START

RULES = len(GAPS)
LN_RULES = ln(RULES)
Params = namedtuple("Params", "strict ln_n seed")
# w: the weights of the rules that share, one after the other, each adding up to 1; rules: what the seven lost;
# z: rounds learnt, has anyone slept, Δ of the AdaHedge above, the gaps of the seven
State = namedtuple("State", "losses w rules z")


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
        FAMILY, settings, params, init, again, randomized=True, weights=weights, sound=sound, facts=facts, native=native.core.Tracking
    )
