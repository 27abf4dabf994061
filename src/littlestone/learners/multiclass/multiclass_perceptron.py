"""The Perceptron over several classes: a row of weights for each, and the largest score wins.

Predict argmax_c W_c·x over the classes seen so far, the first seen where they tie.  On a mistake add x to W_y and subtract it from W_ŷ.
A correct round changes nothing.  A class that appears for the first time is only registered, with weights 0: W_ŷ was not preferred to
W_y, which did not exist, and subtracting x from it could make W longer than the theorem allows.

>>> import littlestone as ls
>>> X, drinks = [[1, 0], [0, 1], [0, 1], [1, 0], [0, 1]], ["tea", "coffee", "coffee", "tea", "coffee"]
>>> run = ls.play(ls.multiclass_perceptron(), X, drinks)
>>> run.predictions.tolist(), run.mistakes
([None, 'tea', 'tea', 'tea', 'coffee'], 3)
>>> run.state.W.tolist(), run.confusion.tolist()
([[0.0, 0.0], [-1.0, 1.0]], [[1, 0], [2, 1]])

W is kept by features: run.state.W[i] has the weights of feature i, one for each class.

Theorem (Crammer, Singer 2003): if |x| ≤ R and some U of norm 1 has u_y·x ≥ u_j·x + γ for all j ≠ y on every round, at most
k + 2(R/γ)² mistakes, k the number of classes; and on any stream at most k + ((√K+√(K+4L))/2)², K = 2R²|U|², L the hinge loss of U.
"""

from collections import namedtuple
from fractions import Fraction
from functools import partial

import numpy as np

from littlestone.errors import require
from littlestone.kernels import native
from littlestone.protocol import ClassLearner, ClassRun, KernelEngine
from littlestone.theory import multiclass_perceptron as theory
from littlestone.theory.perceptron import rounding

State = namedtuple("State", "W seen")  # W[feature, class], and how many classes there are


def init(room: int, classes: int) -> State:
    return State(np.zeros((room, classes)), np.zeros(1, np.int64))


def facts(run: ClassRun) -> dict:
    """R², and the witness U = W/(√2·R|W|): |U| = 1/(√2·R), so no margin of it passes 1 and its losses add up to C - <U, W>."""
    m, exact, at = run.mistakes - len(run.classes), run.arithmetic == "exact", run.lengths
    rounded = 1 if exact else 1 + Fraction(run.widest_row + run.mistakes + 2, 2**52)  # of a sum in doubles
    R2, C = Fraction(at.square) * rounded, Fraction(at.weight)
    R = _root(R2) if R2 else Fraction(1)
    Q = Fraction(at.sum_squares) * rounded
    length = Fraction(float(np.sqrt((run.state.W**2).sum() / 2))) * (1 - Fraction(run.state.W.size + 2**12, 2**52))  # |W|/√2
    drift = 0 if exact else 3 * m * _root(Q) / R / 2**53  # how far W may be from ΣcZ
    return {
        "first": len(run.classes) if not run.weighted else Fraction(at.first) * rounded,
        "R2": Fraction(at.weighted_square) * rounded,
        "K": Q * rounded / (R**2 * C) if C else Fraction(0),
        "L": max(Fraction(0), C * rounded - length / R + drift),
        "slack": 1 if exact else rounding(m, run.widest_row),
        "witness": "U = W/(√2·R|W|), the final weights at length 1/(√2·R)",
    }


def _root(x: Fraction) -> Fraction:
    """√x, a little above."""
    return Fraction(float(np.sqrt(float(x)))) * (1 + Fraction(1, 2**40))


def exact_when(run: ClassRun) -> bool:
    """Whole numbers, small enough that no sum of the run can pass 2^53."""
    return run.whole and not run.weighted and (run.mistakes + 1) * run.widest_row * Fraction(run.largest_value) ** 2 < 2**53


WHEN = "several classes: the first thing to try"
SAMPLES: tuple[dict, ...] = ({}, {"n": 6})


def multiclass_perceptron(n: int | None = None) -> ClassLearner:
    """The Perceptron over several classes; `n` is only checked."""
    require(n is None or n >= 1, f"n={n!r} must be a positive number of features")
    return ClassLearner(
        name="multiclass_perceptron",
        settings={"n": n},
        engine=partial(KernelEngine, init, native.core.MulticlassPerceptron),
        n=n,
        family=theory.FAMILY,
        facts=facts,
        exact_when=exact_when,
    )
