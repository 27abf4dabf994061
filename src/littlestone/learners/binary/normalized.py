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
from math import sqrt

import numpy as np

from littlestone.errors import require
from littlestone.kernels import native
from littlestone.kernels.compiler import (
    chosen_lanes,
    gathered,
    in_order,
    jit_lent,
    lanes_abs,
    lanes_at,
    lanes_max,
    lanes_sqrt,
    places_of,
    scatter,
)
from littlestone.kernels.hyperbolic import exp
from littlestone.protocol import Kernels, Learner, Run
from littlestone.protocol.learner import ALL, signs_changed
from littlestone.protocol.score_terms import ScoreTerms, bias_term, linear
from littlestone.protocol.soundness import MOST, NOT_NEGATIVE, within
from littlestone.theory import normalized as theory

Params = namedtuple("Params", "eta rho squared")
State = namedtuple("State", "v G scale extra sums")  # extra: v and G of the bias, k, Σ|z|²; sums: Λ, updates

EIGHT, NOTHING = np.uint64(8), -0.0  # what changes no sum


@jit_lent
def score(eta, rho, squared, v, G, scale, extra, sums, indices, values, lo, hi):
    s, end = rho * extra[0], np.uint64(hi)
    for k in range(np.uint64(lo), end, EIGHT):  # eight features at a time
        at, x = places_of(indices, k, end), lanes_at(values, k, end)
        weight = gathered(v, at)  # a feature that was learned from has a scale
        part = weight * (x / lanes_max(gathered(scale, at), lanes_abs(x)))
        s = in_order(s, chosen_lanes(weight != 0.0, part, NOTHING), end - k)
    return s


@jit_lent
def predict(eta, rho, squared, v, G, scale, extra, sums, indices, values, lo, hi):
    return score(eta, rho, squared, v, G, scale, extra, sums, indices, values, lo, hi) >= 0.0


@jit_lent
def learn(params, state, indices, values, lo, hi, s, y, weight):
    """The update, given the score; True where there was one."""
    eta, rho, squared = params
    v, G, scale, extra, sums = state
    sign = 1.0 if y else -1.0
    loss = 1.0 - sign * s
    if not loss > 0.0 or not weight > 0.0:
        return False
    sums[0] += weight * loss * loss if squared else weight * loss
    sums[1] += 1.0
    g = 2.0 * weight * loss if squared else weight
    length2, end = rho * rho, np.uint64(hi)
    for k in range(np.uint64(lo), end, EIGHT):
        at, x = places_of(indices, k, end), lanes_at(values, k, end)
        size = lanes_max(gathered(scale, at), lanes_abs(x))
        z = chosen_lanes(x != 0.0, x / size, 0.0)
        length2 = in_order(length2, z * z, end - k)
        scatter(scale, at, size)
        scatter(G, at, gathered(G, at) + (g * z) * (g * z))
    if not length2 > 0.0:  # a row of nothing teaches nothing
        return True
    extra[1] += (g * rho) * (g * rho)
    extra[2] += 1.0
    extra[3] += length2
    rate = eta * sqrt(extra[2] / extra[3])
    gain = rho * rho * (rate / sqrt(extra[1])) if rho > 0.0 else 0.0
    for k in range(np.uint64(lo), end, EIGHT):
        at = places_of(indices, k, end)
        z, squares = lanes_at(values, k, end) / gathered(scale, at), gathered(G, at)
        gain = in_order(gain, chosen_lanes(squares > 0.0, z * z * (rate / lanes_sqrt(squares)), 0.0), end - k)
    if not gain > 0.0:
        return True
    tau = loss * (1.0 - exp(-2.0 * weight * gain)) / gain if squared else min(weight, loss / gain)
    step = sign * (rate * tau)
    if rho > 0.0:
        extra[0] += step * rho / sqrt(extra[1])
    for k in range(np.uint64(lo), end, EIGHT):
        at = places_of(indices, k, end)
        z, squares, before = lanes_at(values, k, end) / gathered(scale, at), gathered(G, at), gathered(v, at)
        scatter(v, at, chosen_lanes(squares > 0.0, before + step * z / lanes_sqrt(squares), before))
    return True


@jit_lent
def update(eta, rho, squared, v, G, scale, extra, sums, indices, values, lo, hi, y, yhat, weight):
    params, state = Params(eta, rho, squared), State(v, G, scale, extra, sums)
    s = score(eta, rho, squared, v, G, scale, extra, sums, indices, values, lo, hi)
    return learn(params, state, indices, values, lo, hi, s, y, weight)


@jit_lent
def play(eta, rho, squared, v, G, scale, extra, sums, indptr, indices, values, labels, weights, predictions, scores, updates):
    params, state = Params(eta, rho, squared), State(v, G, scale, extra, sums)
    for t in range(len(labels)):
        lo, hi = indptr[t], indptr[t + 1]
        s = score(eta, rho, squared, v, G, scale, extra, sums, indices, values, lo, hi)
        predictions[t] = s >= 0.0
        if scores is not None:
            scores[t] = s
        if labels[t] >= 0:
            weight = 1.0 if weights is None else np.float64(weights[t])
            updated = learn(params, state, indices, values, lo, hi, s, labels[t] == 1, weight)
            if updates is not None:
                updates[t] = updated


@jit_lent
def teach(eta, rho, squared, v, G, scale, extra, sums, indptr, indices, values, labels, scores):
    """Learn the label of one round, given the score that `play` told of it."""
    params, state = Params(eta, rho, squared), State(v, G, scale, extra, sums)
    learn(params, state, indices, values, indptr[0], indptr[1], scores[0], labels[0] == 1, 1.0)


def init(room: int) -> State:
    return State(np.zeros(room), np.zeros(room), np.zeros(room), np.zeros(4), np.zeros(2))


def sound(params: Params, state: State) -> None:
    within(state, G=NOT_NEGATIVE, scale=NOT_NEGATIVE, extra=([-MOST, 0, 0, 0], MOST), sums=NOT_NEGATIVE)
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
    kernels = Kernels(predict, update, play, score, teach, native=native.core.Normalized)
    return Learner(
        "normalized", settings, params, init, kernels, n=n, family=theory.FAMILY, facts=facts, parts=parts, sound=sound, ledger=("sums",),
        spaced=True, mirrored=signs_changed(v=ALL, extra=0),
    )  # fmt: skip
