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

import numpy as np

from littlestone.kernels import native
from littlestone.kernels.compiler import jit_lent
from littlestone.kernels.rows import add, dot, squared_length
from littlestone.protocol import Kernels, Learner, Run
from littlestone.protocol.score_terms import ScoreTerms, bias_term, linear
from littlestone.protocol.soundness import MOST, within
from littlestone.theory import alma as theory

Params = namedtuple("Params", "edge rho2")
State = namedtuple("State", "v b z")  # w = g·v; z: g, |w|², k of the next correction, (1-α)γ_k, and the largest |x|² of a correction

FLOOR, RATE = 0.5, sqrt(2.0)


@jit_lent
def score(edge, rho2, v, b, z, indices, values, lo, hi):
    return z[0] * (dot(v, indices, values, lo, hi) + rho2 * b[0])


@jit_lent
def predict(edge, rho2, v, b, z, indices, values, lo, hi):
    return score(edge, rho2, v, b, z, indices, values, lo, hi) >= 0.0


@jit_lent
def learn(edge, rho2, v, b, z, indices, values, lo, hi, s, y):
    """The correction, given the score; True where there was one."""
    sign = 1.0 if y else -1.0
    square = squared_length(values, lo, hi) + rho2
    size = sqrt(square)
    updated = sign * s <= z[3] * size
    if updated:
        eta = RATE / sqrt(z[2])
        z[2] += 1.0
        z[3] = edge / sqrt(z[2])
        z[4] = max(z[4], square)
        if size > 0.0:
            step = sign * eta / (z[0] * size)
            add(v, indices, values, lo, hi, step)
            if rho2 > 0.0:
                b[0] += step
            z[1] = max(0.0, z[1] + 2.0 * eta * sign * s / size + eta * eta)
            if z[1] > 1.0:  # outside the ball: scale back
                z[0] /= sqrt(z[1])
                z[1] = 1.0
            if z[0] < FLOOR:  # seldom: g falls like a power of the number of corrections
                for i in range(len(v)):
                    v[i] *= z[0]
                b[0] *= z[0]
                z[0] = 1.0
    return updated


@jit_lent
def update(edge, rho2, v, b, z, indices, values, lo, hi, y, yhat, weight):
    return learn(edge, rho2, v, b, z, indices, values, lo, hi, score(edge, rho2, v, b, z, indices, values, lo, hi), y)


@jit_lent
def play(edge, rho2, v, b, z, indptr, indices, values, labels, weights, predictions, scores, updates):
    for t in range(len(labels)):
        lo, hi = indptr[t], indptr[t + 1]
        s = score(edge, rho2, v, b, z, indices, values, lo, hi)
        predictions[t] = s >= 0.0
        if scores is not None:
            scores[t] = s
        if labels[t] >= 0:
            updated = learn(edge, rho2, v, b, z, indices, values, lo, hi, s, labels[t] == 1)
            if updates is not None:
                updates[t] = updated


def sound(params: Params, state: State) -> None:
    within(state, z=([FLOOR, 0, 1, 0, 0], [1, 1, 2**53, MOST, MOST]))


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
        return State(np.zeros(room), np.zeros(1), np.array([1.0, 0.0, 1.0, edge, 0.0]))

    params, kernels = Params(edge, float(rho**2)), Kernels(predict, update, play, score, native=native.core.Alma)
    return Learner("alma", settings, params, init, kernels, n=n, family=theory.FAMILY, facts=facts, parts=parts, sound=sound)
