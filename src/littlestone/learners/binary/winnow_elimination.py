"""Winnow with elimination: learn a disjunction of few variables among many, when no label is wrong.

Predict 1 iff w·x ≥ θ, with θ = n/2 unless given.  A missed 1 doubles the active weights, a false 1 sets them to 0, for good.
A correct round changes nothing.  Weights are whole numbers, so every sum is exact.

>>> import littlestone as ls
>>> run = ls.play(ls.winnow_elimination(n=4), [[1, 0, 0, 1], [0, 0, 1, 1], [1, 1, 0, 0]], [1, 0, 1])
>>> run.predictions.tolist(), run.state.w.tolist()
([1, 1, 1], [1, 1, 0, 0])

Theorem (Littlestone 1988): on a disjunction of r variables at most 2r·log2(n) + 2 mistakes; the bound printed is sharper.
"""

from collections import namedtuple
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from littlestone.errors import require
from littlestone.kernels import native
from littlestone.protocol import Learner, Run
from littlestone.protocol.layout import Column
from littlestone.protocol.score_terms import ScoreTerms, linear
from littlestone.theory import winnow_elimination as theory
from littlestone.theory.numbers import fraction

Params = namedtuple("Params", "theta")


class State(NamedTuple):
    w: Any = Column(np.int64, fill=1, within=(0, 2**62))


def parts(params: Params, state: State, indices: np.ndarray, values: np.ndarray | None) -> ScoreTerms:
    return linear(state.w[indices], None, threshold=params.theta)


def facts(run: Run) -> dict:
    return {**run.learner.settings, "P": run.false_negatives, "witness": "none needed"}


WHEN = "boolean features, thousands of them, a disjunction of few, and no label is wrong"
SAMPLES: tuple[dict, ...] = ({"n": 6}, {"n": 7}, {"n": 6, "theta": "3/4"})


def winnow_elimination(n: int | None = None, *, theta: float | Fraction | None = None) -> Learner:
    """Winnow with elimination over n boolean features; θ = n/2 unless given."""
    threshold: Any = theta
    if n is not None:
        require(1 <= n < 2**31, f"n={n!r} must be a positive number of features, below 2^31")
        threshold = Fraction(n, 2) if theta is None else fraction(theta, "theta")
        require(0 < threshold < 2**31, f"theta={theta!r} must be positive and below 2^31, so that no sum overflows")
    return Learner(
        name="winnow_elimination",
        family=theory.FAMILY,
        settings={"n": n, "theta": threshold},
        params=() if n is None else Params(ceil(threshold)),  # the weights are whole: w·x ≥ θ says w·x ≥ ⌈θ⌉
        state=State,
        algorithm=native.core.WinnowElimination,
        with_n=partial(winnow_elimination, theta=theta),
        facts=facts,
        parts=parts,
    )
