"""Normalized: a rule for columns of any unit. Each feature is divided by its largest value so far and has its own falling rate.

z_i = x_i/s_i, s_i the largest |x_i| that it learned from, this round's included.  Predict the sign of v·z, sign(0) = +1.  Where y·v·z < 1,
add g²z_i² to G_i and move v_i by ε·τ·y·z_i/√G_i.  ε = η·√(k/Σ|z|²), both counted over the k updates so far; g and τ by the loss, with
a = Σ ε·z_i²/√G_i, what a unit step adds to the margin m = y·v·z: for the hinge loss g = 1 and τ = min(1, (1-m)/a), for its square
g = 2(1-m) and τ = (1-m)(1-e^(-2a))/a.  So no step goes beyond a margin of 1, and no unit has to be chosen.

>>> import littlestone as ls
>>> rows, labels = [[2000, 0.001], [-1000, 0.001], [1000, -0.002], [-500, -0.003]] * 5, [1, 1, 1, 0] * 5
>>> run = ls.play(ls.normalized(bias=1), rows, labels)
>>> run.mistakes, run.state.scale.round(3).tolist(), ls.play(ls.perceptron(bias=1), rows, labels).mistakes
(2, [2000.0, 0.003], 9)

Theorem: a mistake has a loss of at least 1, so there are at most Λ mistakes, Λ the losses of the run itself.
"""

from collections import namedtuple
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from littlestone.errors import require
from littlestone.kernels import native
from littlestone.protocol import Learner, Run
from littlestone.protocol.layout import EVERYWHERE, Column, Layout
from littlestone.protocol.score_terms import ScoreTerms, bias_term, linear
from littlestone.protocol.soundness import MOST, NOT_NEGATIVE
from littlestone.theory import normalized as theory

Params = namedtuple("Params", "eta rho squared")


class State(NamedTuple):
    v: Any = Column(negated=EVERYWHERE)
    G: Any = Column(within=NOT_NEGATIVE)
    scale: Any = Column(within=NOT_NEGATIVE)
    extra: Any = Column(size=4, within=([-MOST, 0, 0, 0], MOST), negated=0)  # v and G of the bias, k, Σ|z|²
    sums: Any = Column(size=2, within=NOT_NEGATIVE, account=True)  # Λ, updates


def sound(params: Params, state: State) -> None:
    require(not ((state.G > 0) | (state.v != 0))[state.scale == 0].any(), "its v or G has a feature without a scale")


def parts(params: Params, state: State, indices: np.ndarray, values: np.ndarray | None) -> ScoreTerms:
    size = np.ones(len(indices)) if values is None else np.abs(values.astype(np.float64))
    weights = state.v[indices] / np.maximum(np.maximum(state.scale[indices], size), np.finfo(float).tiny)
    return linear(
        weights, values, levels=state.v[indices], kind="weight of the scaled feature", others=bias_term(params.rho, state.extra[0])
    )


def facts(run: Run) -> dict:
    """The run's own loss, with what rounding may have taken from it."""
    loss, updates = map(Fraction, run.state.sums.tolist())
    return {"losses": loss * (1 + theory.rounding(int(updates))), "witness": "the run itself"}


WHEN = "columns in units of every size, mixed with words or flags, and nothing to tune"
SAMPLES: tuple[dict, ...] = ({}, {"eta": "1/2", "bias": 1, "loss": "squared"}, {"eta": 4, "bias": "1/2"})


def normalized(n: int | None = None, *, eta: float | Fraction = 2, loss: str = "hinge", bias: float | Fraction = 0) -> Learner:
    """Scaled features, adaptive rates `eta`, `loss` "hinge" or "squared" (its square); `bias` the value of a feature in every instance."""
    settings = theory.FAMILY.take(n=n, eta=eta, loss=loss, bias=bias)
    params = Params(float(settings["eta"]), float(settings["bias"]), loss == "squared")
    return Learner(
        "normalized",
        settings,
        params,
        Layout(State, sound=sound, spaced=True),
        algorithm=native.core.Normalized,
        family=theory.FAMILY,
        facts=facts,
        parts=parts,
    )
