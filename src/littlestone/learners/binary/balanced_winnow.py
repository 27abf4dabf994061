"""Balanced Winnow (EG± with threshold 0): a linear function with few large weights of either sign, over real features.

Each feature has two weights, exp(ηc_i) and exp(-ηc_i), where c_i = Σ y·x_i over the updates.  Predict the sign of
Σ x_i·sinh(ηc_i), sign(0) = +1.  On a mistake add y·x to c.  With a margin ν the rule also updates on correct rounds whose score is
at most ν·(1 + Σ(cosh(ηc_i) - 1)), the sum over its own features.

The state keeps c and the weights s_i = sinh(ηc_i)·exp(-h) that predictions add up; h is 0 until some |ηc_i| nears what a double
can hold, and then all weights are rescaled together, which no sign notices.

>>> import littlestone as ls
>>> run = ls.play(ls.balanced_winnow(eta=0.5), [[1, 0.5], [0, 1], [1, -1]], [0, 1, 0])
>>> run.predictions.tolist(), run.state.c.tolist()
([1, 0, 0], [-1.0, 0.5])

Theorem: if |x_i| ≤ X and some u with |u|₁ ≤ U has y·(u·x) ≥ γ on every round, at most ln(2n)/(ηγ/U - ln cosh ηX) mistakes, which is
2(UX/γ)²·ln(2n) at the best η; on any stream at most 2U²X²·ln(2n) + 2L for η = 1/(UX²), L the hinge loss of u.
"""

from collections import namedtuple
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from littlestone.errors import require
from littlestone.kernels import native
from littlestone.protocol import Learner, Run
from littlestone.protocol.layout import EVERYWHERE, Column, Layout
from littlestone.protocol.score_terms import ScoreTerms, linear
from littlestone.protocol.soundness import MOST
from littlestone.theory import balanced_winnow as theory

Params = namedtuple("Params", "eta margin")


class State(NamedTuple):
    c: Any = Column(negated=EVERYWHERE)
    s: Any = Column(negated=EVERYWHERE)
    z: Any = Column(size=2, within=([0, 0], [MOST, 2**53]))  # h, and the number of updates


EIGHT, ONE = np.uint64(8), np.uint64(1)
FAR, STEP = 600.0, 512.0  # exp(709) is the largest double; rescale well before


def sound(params: Params, state: State) -> None:
    far = np.abs(params.eta * state.c).max(initial=0.0) - state.z[0]
    require(far <= FAR, f"its c is {far:g} beyond what its weights are scaled by; expected at most {FAR:g}")


def parts(params: Params, state: State, indices: np.ndarray, values: np.ndarray | None) -> ScoreTerms:
    h = state.z[0]
    return linear(state.s[indices], values, levels=state.c[indices], kind="c", words=f"weights in units of exp({h:g})" if h else "")


def facts(run: Run) -> dict:
    """|x_i| ≤ X, n, and the witness u = ±κ·e_i for the feature with the largest |c_i|: its hinge losses add up to N - κ|c_i|."""
    settings, X, N = run.learner.settings, Fraction(run.largest_value) or Fraction(1), int(run.state.z[1])
    eta, nu = settings["eta"], settings["margin"]
    growth = Fraction(theory.growth(eta, X, nu))
    kappa = min(1 / X, eta / (2 * growth)) if growth else 1 / X  # small enough for y·u·x ≤ 1 and for the bound to be finite
    feature = int(np.abs(run.state.c).argmax()) if len(run.state.c) else 0
    pull = kappa * Fraction(float(np.abs(run.state.c).max(initial=0))) * (1 - Fraction(N + 1, 2**50))
    witness = f"u = ±{float(kappa):.3g} on feature {feature} alone"
    return {"n": max(1, run.width), "eta": eta, "X": X, "U": kappa, "L": max(Fraction(0), N - pull), "nu": nu, "witness": witness}


WHEN = "few of very many features matter, with weights of either sign, and values are numbers"
SAMPLES: tuple[dict, ...] = ({}, {"eta": "1/8"}, {"eta": "1/2", "margin": "1/10"}, {"eta": 300})


def balanced_winnow(n: int | None = None, *, eta: float | Fraction = 1, margin: float | Fraction = 0) -> Learner:
    """Balanced Winnow with rate `eta`; `n` is only checked.

    `margin`, 0 for none, makes it learn from narrow successes too; it is a fraction of the weight of the row's own features.
    """
    settings = theory.FAMILY.take(n=n, eta=eta, margin=margin)
    return Learner(
        name="balanced_winnow",
        family=theory.FAMILY,
        settings=settings,
        params=Params(float(settings["eta"]), float(settings["margin"])),
        state=Layout(State, sound=sound),
        algorithm=native.core.BalancedWinnow,
        facts=facts,
        parts=parts,
    )
