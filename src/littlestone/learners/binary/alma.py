"""ALMA for p = 2: nearly the largest margin, by rates that fall as corrections are made; nothing to tune but how near.

Instances are taken at length 1, w stays in the unit ball.  Correction k happens where y·w·x/|x| ≤ (1-α)γ_k, γ_k = √8/(α√k): add
η_k·y·x/|x|, η_k = √2/√k, and scale w back to length 1 if it is longer.  α = 1 corrects mistakes only, a smaller α seeks more of the
largest margin.

>>> import littlestone as ls
>>> run = ls.play(ls.alma(), [[2, 0], [0, 1], [2, 1]], [0, 1, 0])
>>> run.predictions.tolist(), run.mistakes, int(run.state.z[2]) - 1
([1, 1, 0], 1, 2)

Theorem: if |x| ≤ R and some unit vector u has y·(u·x) ≥ γ on every round, at most (A·R/γ)² corrections, A = 4√2(1/α - 1) + 3/√2; and on any
stream a bound against every u in the unit ball.  Derived in `theory.alma`; the algorithm is Gentile's (2001).
"""

from collections import namedtuple
from fractions import Fraction
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from littlestone.kernels import native
from littlestone.protocol import Learner, Run
from littlestone.protocol.layout import Column, Layout
from littlestone.protocol.score_terms import ScoreTerms, bias_term, linear
from littlestone.protocol.soundness import MOST
from littlestone.theory import alma as theory

Params = namedtuple("Params", "edge rho2")
FLOOR, RATE = 0.5, sqrt(2.0)


class State(NamedTuple):
    v: Any = Column()  # w = g·v
    b: Any = Column(size=1)
    z: Any = Column(size=5, within=([FLOOR, 0, 1, 0, 0], [1, 1, 2**53, MOST, MOST]))  # see `init`


def parts(params: Params, state: State, indices: np.ndarray, values: np.ndarray | None) -> ScoreTerms:
    rho, b, g = params.rho2**0.5, state.b[0], state.z[0]
    return linear(g * state.v[indices], values, others=bias_term(rho, g * rho * b, g * (params.rho2 * b)))


def facts(run: Run) -> dict:
    """R² over the corrections; and the witness u = 0 at level 1, whose loss is 1 on every correction."""
    settings, corrections = run.learner.settings, int(run.state.z[2]) - 1
    return {
        "R2": Fraction(float(run.state.z[4])) * (1 + Fraction(run.widest_row + 4, 2**52)),
        "alpha": settings["alpha"],
        "level": 1,
        "L": corrections,
        "slack": theory.rounding(corrections, run.widest_row),
        "witness": "u = 0 at level 1",
    }


WHEN = "there is a margin, and the last weights should have nearly the largest one"
SAMPLES: tuple[dict, ...] = ({}, {"alpha": 1}, {"alpha": "1/2", "bias": 1})


def alma(n: int | None = None, *, alpha: float | Fraction = Fraction(9, 10), bias: float | Fraction = 0) -> Learner:
    """ALMA with 0 < `alpha` ≤ 1; `bias` is the value of a feature present in every instance, 0 for none; `n` is only checked."""
    settings = theory.FAMILY.take(n=n, alpha=alpha, bias=bias)
    near, rho = settings["alpha"], settings["bias"]
    edge = float((1 - near) / near) * sqrt(8.0)

    def init(room: int) -> State:
        """In z: g, |w|², k of the next correction, (1-α)γ_k, and the largest |x|² of a correction."""
        return State(np.zeros(room), np.zeros(1), np.array([1.0, 0.0, 1.0, edge, 0.0]))

    params = Params(edge, float(rho**2))
    return Learner("alma", settings, params, Layout(State, init), native.core.Alma, family=theory.FAMILY, facts=facts, parts=parts)
