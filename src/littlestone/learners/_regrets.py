"""What rules by regret share beside their algorithms (`native/rules/regrets.h`): what they are told, and what is true of their states.

A rule's forecast is f, the weighted mean of those awake.  Expert i's regret in a round is r_i = s·(f - x_i), s the slope of the loss at f,
and 0 while it sleeps.  Of votes, probabilities and losses the loss |f - y| is a line between 0 and 1, so that r_i is exactly what the rule
lost beyond the expert; of forecasts under a convex loss it is no less than that (`theory.regrets`).  Regrets are in the table's own units:
every rule here has rates that do not mind the unit.
"""

from typing import Any

import numpy as np

from littlestone.errors import require
from littlestone.learners._rates import strictness
from littlestone.protocol import Rule
from littlestone.protocol.soundness import MOST, NOT_NEGATIVE, REAL, within
from littlestone.theory.regrets import LOSSES

SIGNED = ("regrets", "gains", "products", "slopes", "top_behind")


def told_as(advice, loss, quantile):
    """Of a rule's settings, the numbers that its algorithm takes: which faults a row may not have, which loss, its quantile."""
    require(loss is None or advice == "loss", f"loss={loss!r} is of forecasts, whose rounds are losses; advice={advice!r}")
    require((quantile is None) == (loss != "pinball"), f"quantile={quantile!r} goes with loss='pinball', and it with a quantile")
    kind = 0 if loss is None else LOSSES.index(loss)
    return (0 if kind else strictness(advice)), kind, 0.0 if quantile is None else float(quantile)


def trusted(rule: Rule, state: Any) -> np.ndarray:
    """The weights that a state stands for; where nobody has any, all count alike."""
    w = np.zeros(len(state[0]))
    rule.native(*rule.params, *state).trust(w)
    return w / w.sum() if w.sum() > 0 else np.full(len(w), 1 / len(w))


def sound_regrets(params: Any, state: Any) -> None:
    """What is true of the states of these rules: sizes and counts are not negative, and other numbers are finite."""
    within(state, **{name: REAL if name in SIGNED else NOT_NEGATIVE for name in state._fields if name != "z"})
    within(state, z=(0, [2**53, 1, *[MOST] * (len(state.z) - 2)]))
    require(state.z[0] == int(state.z[0]), f"its z says {state.z[0]} rounds; expected a whole number")
