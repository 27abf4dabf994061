"""Rosenblatt's Perceptron: learn a halfspace with a margin, one mistake at a time.

Predict sign(w·x), with sign(0) = +1.  On a mistake add y·x to w.  A correct round changes nothing.  A bias feature of value ρ
stands in every instance when asked for; its weight is kept as b, a whole number of mistakes, so that it adds b·ρ² to the score.

>>> import littlestone as ls
>>> run = ls.play(ls.perceptron(), [[2, 0], [0, 1], [2, 1]], [0, 1, 0])
>>> run.predictions.tolist(), run.state.w.tolist(), run.mistakes
([True, True, False], [-2.0, 0.0], 1)

Theorem (Block, Novikoff 1962): if |x| ≤ R and some unit vector u has y·(u·x) ≥ γ on every round, at most (R/γ)² mistakes;
and on any stream at most ((√K+√(K+4L))/2)², K = R²|u|², L the hinge loss of u, for every u.
"""

from collections import namedtuple
from fractions import Fraction

import numpy as np

from littlestone.errors import require
from littlestone.jit import jit
from littlestone.kernels.rows import add, dot
from littlestone.protocol import Kernels, Learner, Run
from littlestone.reference import perceptron as twin
from littlestone.theory import perceptron as theory
from littlestone.theory.numbers import fraction

Params = namedtuple("Params", "rho2")
State = namedtuple("State", "w b")


@jit
def score(rho2, w, b, indices, values, lo, hi):
    return dot(w, indices, values, lo, hi) + rho2 * b[0]


@jit
def predict(rho2, w, b, indices, values, lo, hi):
    return score(rho2, w, b, indices, values, lo, hi) >= 0.0


@jit
def update(rho2, w, b, indices, values, lo, hi, y, yhat, weight):
    if yhat != y:
        step = weight if y else -weight
        add(w, indices, values, lo, hi, step)
        if rho2 > 0.0:
            b[0] += step


@jit
def play(rho2, w, b, indptr, indices, values, labels, weights, predictions, scores):
    for t in range(len(labels)):
        lo, hi = indptr[t], indptr[t + 1]
        s = score(rho2, w, b, indices, values, lo, hi)
        predictions[t] = yhat = s >= 0.0
        if scores is not None:
            scores[t] = s
        if labels[t] >= 0:
            update(rho2, w, b, indices, values, lo, hi, labels[t] == 1, yhat, 1.0 if weights is None else weights[t])


def init(room: int) -> State:
    return State(np.zeros(room), np.zeros(1))


def facts(run: Run) -> dict:
    """R² over the mistake rounds, rounded up; and the witness u = w/(R|w|), whose hinge loss the state alone tells."""
    rho2, M = Fraction(run.learner.settings["bias"]) ** 2, run.mistakes
    exact = run.arithmetic == "exact"
    rounded = 1 if exact else 1 + Fraction(run.widest_row + M + 4, 2**52)
    c, Mc = Fraction(run.largest_weight), Fraction(run.weighted_mistakes) * rounded
    largest, together = (Fraction(square) * rounded for square in run.squares)
    R2, Q = largest + c * rho2, together + c * Mc * rho2  # max c|x|² and Σc²|x|², with the bias feature
    length = Fraction(float(np.sqrt(run.state.w @ run.state.w + float(rho2) * run.state.b[0] ** 2)))
    length *= 1 - Fraction(len(run.state.w) + 2**12, 2**52)
    # |u| = 1/R, R ≥ |x|, so y·u·x ≤ 1 on every mistake and the hinge losses add up to Σc - u·w; K = |u|²·Σc²|x|²/Σc
    plain = Fraction(run.largest_value) ** 2 * run.widest_row + rho2 if run.weighted else R2
    R = Fraction(float(np.sqrt(float(plain)))) * (1 + Fraction(1, 2**40)) if plain else Fraction(1)
    drift = 0 if exact else Fraction(3 * M, 2**53) * Fraction(float(np.sqrt(float(Q)))) / R  # how far w may be from Σ c·y·x, over R
    return {
        "R2": R2,
        "active": R2 - rho2 if run.whole and run.largest_value <= 1 else None,  # most features on in a mistake round; 0/1 rounds only
        "K": Q / Mc / R**2 if Mc else Fraction(0),
        "L": max(Fraction(0), Mc - length / R + drift),
        "slack": 1 if exact else theory.rounding(M, run.widest_row),
        "rho2": rho2,
        "witness": "u = w/(R|w|), the final weights at length 1/R",
    }


def exact_when(run: Run) -> bool:
    """Whole numbers, small enough that no sum of the run can pass 2^53."""
    rho2 = Fraction(run.learner.settings["bias"]) ** 2
    largest = (run.mistakes + 1) * (run.widest_row * Fraction(run.largest_value) ** 2 + rho2)
    return run.whole and not run.weighted and rho2.denominator == 1 and largest < 2**53


#: Settings the contract suite tries.
SAMPLES: tuple[dict, ...] = ({}, {"bias": 1}, {"bias": "1/2"})


def perceptron(n: int | None = None, *, bias: float | Fraction = 0) -> Learner:
    """The Perceptron. `bias` is the value ρ of a feature present in every instance, 0 for none; `n` is only checked."""
    require(n is None or n >= 1, f"n={n!r} must be a positive number of features")
    rho = fraction(bias, "bias")
    require(rho >= 0, f"bias={bias!r} must not be negative: it is the value of a feature, its weight has the sign")
    bounds = (theory.MARGIN, theory.DISJUNCTION, theory.HINGE) if rho else (theory.MARGIN, theory.HINGE)
    return Learner(
        name="perceptron",
        settings={"n": n, "bias": rho},
        params=Params(float(rho**2)),
        init=init,
        kernels=Kernels(predict, update, play, score),
        n=n,
        arithmetic="float",
        bounds=bounds,
        invariants=theory.INVARIANTS,
        facts=facts,
        exact_when=exact_when,
        weighted=True,
        twin=lambda rounds, number=float: twin(rounds, bias=rho, number=number),
        source="Rosenblatt 1958",
    )
