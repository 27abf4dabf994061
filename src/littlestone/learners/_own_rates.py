"""BOA and ML-Prod as they are declared: each expert has a gain, and a rate of its own, of which the inverse is kept."""

from collections import namedtuple
from collections.abc import Callable
from functools import partial
from math import log
from typing import Any

import numpy as np

from littlestone.learners._regrets import sound_regrets, told_as, trusted
from littlestone.protocol import Rule
from littlestone.theory.families import RuleFamily

Params = namedtuple("Params", "strict loss quantile ln_n seed")
# sizes: of each expert's largest regret; slowness: 1/η; z: rounds learnt, has anyone slept, B, Δ
State = namedtuple("State", "gains corrections squares sizes slowness z")


def init(n: int) -> State:
    return State(np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(4))


def measured(state: State, scale: float) -> dict:
    """What the theorems need beside a comparator's loss: numbers, and one for each expert, of which a combination has the mean."""
    return {"excess": float(state.z[3]), "corrections": state.corrections / scale, "slowness": state.slowness / scale}


def rule_of_own_rates(
    make: Callable[..., Rule], family: RuleFamily, native: Any, n: int | None, advice: str, loss: str | None, quantile: Any, seed: int
) -> Rule:
    """The rule that `make` makes of such settings."""
    quantile = family.settings["quantile"].take(quantile, "quantile")
    strict, kind, q = told_as(advice, loss, quantile)
    return Rule(
        family,
        {"n": n, "advice": advice, "loss": loss, "quantile": quantile, "seed": seed},
        Params(strict, kind, q, log(max(2, n or 2)), seed),
        init,
        partial(make, advice=advice, loss=loss, quantile=quantile, seed=seed),
        native,
        randomized=True,
        weights=trusted,
        sound=sound_regrets,
        measured=measured,
    )
