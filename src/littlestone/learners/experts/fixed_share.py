"""Fixed share: weights that never fall so low that they cannot come back; for a best expert that changes.

After each update every weight gives away the share α, divided equally.  The randomised form updates on every round, by e^(-η·loss), and
follows an expert drawn by weight; the deterministic form (`form="deterministic"`) predicts by the weighted majority, and updates and
shares only on its mistakes.

>>> import littlestone as ls
>>> changing = [[1, 0, 0]] * 50 + [[0, 1, 0]] * 50
>>> [ls.play(rule, changing, [1] * 100).mistakes for rule in (ls.hedge(n=3, eta=1), ls.fixed_share(n=3, eta=1))]
[51, 11]

Theorem (Herbster, Warmuth 1998): against every sequence of experts that changes S times and loses m, at most
m + ((S+1)·ln n + S·ln(1/α) + (T-S-1)·ln(1/(1-α)))/η + ηT/8; the deterministic form has a bound without T.
"""

from collections import namedtuple
from fractions import Fraction
from functools import partial

import numpy as np

from littlestone.kernels import native
from littlestone.learners._rates import rate_and_factor, sound_counts, strictness
from littlestone.protocol import Rule
from littlestone.protocol.soundness import POSITIVE, within
from littlestone.theory.fixed_share import FAMILY

Params = namedtuple("Params", "strict eta beta alpha always seed")
State = namedtuple("State", "costs w z")  # w adds up to 1; z: rounds learnt, has anyone slept


def init(n: int) -> State:
    return State(np.zeros(n), np.full(n, 1 / n), np.zeros(2))


def sound(params: Params, state: State) -> None:
    sound_counts(state)
    within(state, w=POSITIVE)


def weights(rule: Rule, state: State) -> np.ndarray:
    return state.w / state.w.sum()


def facts(run) -> dict:
    """The best expert alone, S = 0; in the deterministic form, on the rounds that cost anything."""
    if run.rule.cost == "loss":
        return {"S": 0}
    best = int(np.argmin(run.state.costs))
    return {"S": 0, "m": Fraction(float(run.state.costs[best])), "witness": f"expert {best}, the best on the rounds that count"}


WHEN = "experts, and the best one changes now and then"
SAMPLES: tuple[dict, ...] = (
    {"n": 4},
    {"n": 3, "alpha": "1/100", "eta": "1/2", "advice": "loss"},
    {"n": 9, "form": "deterministic"},
    {"n": 3, "form": "deterministic", "advice": "probability", "alpha": "1/10"},
)


def fixed_share(
    n: int | None = None,
    *,
    alpha: float | Fraction = Fraction(1, 20),
    eta: float | Fraction | None = None,
    beta: float | Fraction | None = None,
    form: str = "randomized",
    advice: str = "vote",
    seed: int = 0,
) -> Rule:
    """Fixed share over n experts; a loss of 1 multiplies a weight by β = e^-η (β = 1/2 unless given)."""
    FAMILY.settings["form"].take(form, "form")
    part = FAMILY.settings["alpha"].take(alpha, "alpha")
    rate, factor = rate_and_factor(FAMILY, eta, beta)
    random = form == "randomized"
    settings = {"n": n, "alpha": part, "eta": rate, "beta": factor, "form": form, "advice": advice, "seed": seed}
    params = Params(strictness(advice), float(rate), float(factor), float(part), random, seed)
    again = partial(fixed_share, alpha=alpha, eta=eta, beta=beta, form=form, advice=advice, seed=seed)
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
        native=native.core.FixedShare,
    )
