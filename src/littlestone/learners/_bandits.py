"""Exp3 and Exp3-IX as they are declared: only the chosen expert's loss is seen, and the others' are estimated."""

from collections import namedtuple
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import log, sqrt
from typing import Any

import numpy as np

from littlestone.learners._rates import best_or_chosen_rate, by_losses, sound, strictness
from littlestone.protocol import Rule
from littlestone.theory.exp3 import rate_for
from littlestone.theory.families import RuleFamily

Params = namedtuple("Params", "strict eta spread seed")  # η = 0: anytime, √(spread/t)
State = namedtuple("State", "estimates w z")  # z: rounds learnt, has anyone slept


def init(n: int) -> State:
    return State(np.zeros(n), np.ones(n), np.zeros(2))


def weights(rule: Rule, state: State) -> np.ndarray:
    return by_losses(state.estimates, rule.params.eta or sqrt(rule.params.spread / (state.z[0] + 1)))


def facts(run) -> dict:
    return {"eta": Fraction(run.rule.params.eta)}


def bandit(
    make: Callable[..., Rule], family: RuleFamily, native: Any, n: int | None, eta: Any, rounds: int | None, advice: str, seed: int
) -> Rule:
    """The rule that `make` makes of such settings."""
    rate = best_or_chosen_rate(family, n, eta, rounds, rate_for)
    return Rule(
        family,
        {"n": n, "eta": rate, "rounds": rounds, "advice": advice, "seed": seed},
        Params(strictness(advice), 0.0 if rate is None else float(rate), log(max(2, n or 2)) / (n or 1), seed),
        init,
        partial(make, eta=eta, rounds=rounds, advice=advice, seed=seed),
        native,
        randomized=True,
        weights=weights,
        sound=sound,
        facts=facts,
    )
