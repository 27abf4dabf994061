"""The p-norm Perceptron: one rule between the Perceptron (p = 2) and Winnow (p about 2·ln n), with no rate to tune.

θ collects y·x over the mistakes; predict the sign of Σ x_i·w_i, w_i = sign(θ_i)|θ_i|^(p-1), sign(0) = +1.  p is 2·ln n rounded up to a
whole number unless given: a whole p makes a power a few products, the same on every machine.  The weights are kept beside θ, all divided
by a common power of two that moves when one of them nears what a double can hold; no sign notices, but scores are known only up to that
factor.

>>> import littlestone as ls
>>> run = ls.play(ls.pnorm(p=4), [[1, 0.5], [0, 1], [1, -1]], [0, 1, 0])
>>> run.predictions.tolist(), run.state.theta.tolist()
([1, 0, 0], [-1.0, 0.5])

Theorem (Grove, Littlestone, Schuurmans 1997; Gentile 2003): if |x_i| ≤ X and some u with |u|₁ ≤ U has y·(u·x) ≥ γ on every round, at most
(p-1)·a^(2/p)·(XU/γ)² mistakes, a the most features in a row; on any stream at most ((√K+√(K+4L))/2)², K = (p-1)·max|x|_p²·|u|_q².
"""

from collections import namedtuple
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from littlestone.errors import require
from littlestone.kernels import native
from littlestone.protocol import Learner, Run
from littlestone.protocol.layout import Column, Layout
from littlestone.protocol.score_terms import ScoreTerms, linear
from littlestone.protocol.soundness import NOT_NEGATIVE
from littlestone.theory import pnorm as theory

Params = namedtuple("Params", "p far")


class State(NamedTuple):
    theta: Any = Column()
    w: Any = Column()
    scale: Any = Column(size=1, within=NOT_NEGATIVE)


def sound(params: Params, state: State) -> None:
    largest = np.abs(state.theta).max(initial=0.0) * state.scale[0]
    require(largest <= params.far, f"its theta is {largest:g} by its scale; expected at most {params.far:g}")


def parts(params: Params, state: State, indices: np.ndarray, values: np.ndarray | None) -> ScoreTerms:
    words = f"weights are those of {state.scale[0]:g}·θ"
    return linear(state.w[indices], values, levels=state.theta[indices], kind="θ", words=words)


def facts(run: Run) -> dict:
    """X and a over all rounds; and the witness u = w at |u|_q = 1/R, R ≥ |x|_p, whose hinge losses add up to Σc - |θ|_p/R."""
    p, M, nnz = run.learner.settings["p"], run.mistakes, run.widest_row
    c, Mc = Fraction(run.largest_weight), Fraction(run.weighted_mistakes) * (1 + Fraction(M + 2, 2**52))
    X = Fraction(run.largest_value) or Fraction(1)
    R2 = Fraction(theory.row_length2(p, nnz, X))
    theta = np.abs(run.state.theta)
    largest = float(theta.max(initial=0))
    length = largest * float(((theta / largest) ** p).sum() ** (1 / p)) if largest else 0.0
    pull = Fraction(length) / Fraction(float(np.sqrt(float(R2)))) * (1 - Fraction(1, 2**30) - Fraction(M, 2**50))
    squares = min(c * R2, Fraction(run.squares[0]) * (1 + Fraction(nnz + 4, 2**52)))  # max c|x|_p² ≤ max c|x|_2²
    return {
        "p": p,
        "active": nnz,
        "X": X,
        "c": c,
        "K": (p - 1) * squares / R2,
        "L": max(Fraction(0), Mc - pull),
        "slack": theory.rounding(M, nnz, p),
        "witness": "u = w, the final weights, at |u|_q = 1/max|x|_p",
    }


WHEN = "between the Perceptron and Winnow: some of the features matter, you do not know how many"
SAMPLES: tuple[dict, ...] = ({"n": 6}, {"p": 2}, {"p": 5}, {"p": 100})


def pnorm(n: int | None = None, *, p: int | None = None) -> Learner:
    """The p-norm Perceptron; p = 2·ln n rounded up unless given."""
    require(n is None or n >= 1, f"n={n!r} must be a positive number of features")
    exponent = theory.best_p(n) if p is None and n is not None else p
    if exponent is not None:
        whole = isinstance(exponent, int | np.integer) or str(exponent).isdigit()
        require(whole and 2 <= int(exponent) <= 256, f"p={p!r} must be a whole number from 2 to 256")
        exponent = int(exponent)
    return Learner(
        name="pnorm",
        family=theory.FAMILY,
        settings={"n": n, "p": exponent},
        params=() if exponent is None else Params(exponent, 2.0 ** (800 // (exponent - 1))),
        state=Layout(State, sound=sound),
        algorithm=native.core.PNorm,
        with_n=partial(pnorm, p=p) if exponent is None else None,
        facts=facts,
        parts=parts,
    )
