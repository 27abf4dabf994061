"""The shifting Perceptron: what was learned fades as mistakes are made, so that a target that moves is followed.

Predict sign(w·x), sign(0) = +1.  Mistake k shrinks the weights and adds the instance: w ← (1-λ_k)·w + y·x, λ_k = λ/(λ+k).  A correct
round changes nothing.  λ = 0 is the Perceptron; the larger λ is, the sooner old mistakes are forgotten.

>>> import littlestone as ls
>>> run = ls.play(ls.shifting(), [[1, 0], [1, 0], [1, 0], [0, 1]], [0, 1, 1, 0])
>>> run.predictions.tolist(), (run.state.z[0] * run.state.v).tolist()                # 0, then -1, then 1 - 1·2/3
([1, 0, 1, 1], [0.25, -1.0])

Theorem (after Cavallanti, Cesa-Bianchi, Gentile 2007): for every sequence of vectors M ≤ L + U·|w| + S·W + U·Z; L is their hinge loss over
all rounds, S how far they move in all, U the longest of them, W the longest w, Z = Σ λ_k|w| over the mistakes.  If one unit vector has the
margin γ on every round, M ≤ ((1+2λ)R/γ)².
"""

from collections import namedtuple
from fractions import Fraction
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from littlestone.kernels import native
from littlestone.protocol import Learner, Run
from littlestone.protocol.layout import Column
from littlestone.protocol.score_terms import ScoreTerms, bias_term, linear
from littlestone.protocol.soundness import MOST
from littlestone.theory import shifting as theory

Params = namedtuple("Params", "lam rho2")
FLOOR = 0.5


class State(NamedTuple):
    v: Any = Column()  # w = g·v
    b: Any = Column(size=1)
    # g, mistakes, |w|², the largest |w|, Z, the largest |x|² of a mistake
    z: Any = Column(fill=[1.0, 0.0, 0.0, 0.0, 0.0, 0.0], within=([FLOOR, 0, 0, 0, 0, 0], [1, 2**53, MOST, MOST, MOST, MOST]))


def parts(params: Params, state: State, indices: np.ndarray, values: np.ndarray | None) -> ScoreTerms:
    rho, b, g = params.rho2**0.5, state.b[0], state.z[0]
    return linear(g * state.v[indices], values, others=bias_term(rho, g * rho * b, g * (params.rho2 * b)))


def facts(run: Run) -> dict:
    """How long w was, a little more than doubles have it."""
    _, mistakes, square, longest, Z, R2 = (Fraction(float(z)) for z in run.state.z)
    slack = theory.rounding(int(mistakes), run.widest_row)
    more = slack * (1 + Fraction(1, 2**30))  # whoever adds them up in another order is no higher
    return {
        "last": Fraction(sqrt(square)) * more,
        "W": longest * more,
        "Z": Z * more,
        "R2": R2 * (1 + Fraction(run.widest_row + 4, 2**52)),
        "lam": run.learner.settings["lam"],
        "slack": slack,
    }


WHEN = "a linear rule that moves as time goes on, and that must be followed"
SAMPLES: tuple[dict, ...] = ({}, {"lam": 5, "bias": 1})


def shifting(n: int | None = None, *, lam: float | Fraction = 1, bias: float | Fraction = 0) -> Learner:
    """The shifting Perceptron with λ = `lam`; `bias` is the value of a feature in every instance, 0 for none; `n` is only checked."""
    settings = theory.FAMILY.take(n=n, lam=lam, bias=bias)
    params = Params(float(settings["lam"]), float(settings["bias"] ** 2))
    return Learner("shifting", settings, params, State, native.core.Shifting, family=theory.FAMILY, facts=facts, parts=parts)
