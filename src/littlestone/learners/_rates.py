"""What rules over experts share beside their algorithms (`native/rules`): rates as a user may choose them, and weights of a state."""

from collections import namedtuple
from collections.abc import Callable
from fractions import Fraction
from math import exp
from typing import Any

import numpy as np

from littlestone.errors import require
from littlestone.kernels import native
from littlestone.protocol.advice import OfLosses
from littlestone.protocol.soundness import MOST, NOT_NEGATIVE, within
from littlestone.theory.families import RuleFamily
from littlestone.theory.numbers import fraction

#: The state of rules that multiply weights and know what they stand for; z: rounds learnt, has anyone slept.
LossesAndWeights = namedtuple("LossesAndWeights", "losses w z")


def even_weights(n: int) -> LossesAndWeights:
    """The first of these states."""
    return LossesAndWeights(np.zeros(n), np.ones(n), np.zeros(2))


def strictness(advice: str) -> int:
    """The faults (`native/rules/advice.h`) that a row may not have: votes are 0 or 1, other advice lies between them."""
    return 3 if advice == "vote" else 1


def best_or_chosen_rate(family: RuleFamily, n: int | None, eta: Any, rounds: Any, rate_for: Callable[[int, int], Any]) -> Fraction | None:
    """η as it was chosen, or the best for so many rounds; None for one that falls as the rounds go."""
    require(eta is None or rounds is None, "give eta or rounds, not both")
    family.settings["rounds"].take(rounds, "rounds")
    rate = family.settings["eta"].take(eta, "eta")
    return rate if rounds is None or n is None else Fraction(rate_for(n, rounds))


def rate_and_factor(family: RuleFamily, eta: Any, beta: Any) -> tuple[Fraction, Fraction]:
    """η and β = e^-η, of which one was chosen, or none."""
    require(eta is None or beta is None, "give eta or beta, not both")
    if eta is not None:
        rate = fraction(eta, "eta")
        factor = Fraction(exp(-float(rate)))
    else:
        factor = family.settings["beta"].take(Fraction(1, 2) if beta is None else beta, "beta")
        rate = Fraction(-float(np.log(float(factor))))
    require(Fraction(1, 10**9) <= rate <= 100, f"eta={float(rate):g} must lie between 1e-9 and 100")
    return rate, factor


def refresh_period(eta: Any) -> float:
    """After how many rounds weights are made anew from the losses, before they fade or their rounding shows."""
    return float(max(1, min(256, int(64 / eta))))


def refreshed(eta: float, period: float) -> OfLosses:
    """Of a rule at a fixed rate: its weights are made anew from the losses; at η = 0, where the rate falls, they are never used."""

    def remake(state: Any) -> None:
        if eta > 0.0 and state.z[0]:
            native.core.refresh(state.w, state.losses, eta)

    return OfLosses(remake, int(period) if eta > 0.0 else 1)


def by_losses(losses: np.ndarray, eta: float) -> np.ndarray:
    """Weights e^(-η·loss) that add up to 1; at η = ∞ the leaders share them."""
    behind = losses - losses.min()
    w = np.exp(-eta * behind) if eta < np.inf else (behind == 0).astype(float)
    return w / w.sum()


def sound_counts(state: Any, most: int | None = None) -> None:
    """What is true of the states of all rules: losses, weights and counts are not negative. z[2] has a limit where there is a `most`."""
    within(state, **{name: NOT_NEGATIVE for name in state._fields if name not in ("behind", "missed", "z")})
    limits = [2**53, 1, *[MOST] * (len(state.z) - 2)]
    within(state, z=(0, limits if most is None else [*limits[:2], most]))
    require(state.z[0] == int(state.z[0]), f"its z says {state.z[0]} rounds; expected a whole number")


def sound(params: Any, state: Any) -> None:
    sound_counts(state)


def sound_leader(params: Any, state: Any) -> None:
    """One of the experts leads."""
    sound_counts(state, most=len(state.losses) - 1)
    require(state.z[2] == int(state.z[2]), f"its z says that expert {state.z[2]} leads; expected a whole number")


def of_the_leader(losses: np.ndarray, leader: float) -> np.ndarray:
    return (np.arange(len(losses)) == int(leader)).astype(float)
