"""AROW with a diagonal: each weight has a variance that shrinks as its feature is seen, so rare features move far and common ones little.

Predict sign(μ·x), sign(0) = +1.  Where the loss ℓ = 1 - y·μ·x is positive, μ_i += α·y·σ_i x_i with α = ℓ/(v + r), v = Σσ_i x_i², and then
1/σ_i += x_i²/r.  All σ_i are 1 at first.  A large r distrusts the labels.

>>> import littlestone as ls
>>> run = ls.play(ls.arow(), [[1, 0], [0, 1], [1, 1]], [0, 1, 0])
>>> run.predictions.tolist(), run.state.mu.tolist(), run.mistakes
([1, 1, 1], [-0.75, 0.25], 2)

Theorem: on any stream at most √(Σ(v + r)·(2Σα + E - Σμ_i²/σ_i)) mistakes, the first sum over the mistakes, E = ΣΣx_i²μ_i²/r over the
updates: it rests on an identity, so it needs no comparator.  No a priori bound is known for the diagonal rule; the full-matrix rule
has one.
"""

from collections import namedtuple
from fractions import Fraction
from math import fsum
from typing import Any, NamedTuple

import numpy as np

from littlestone.kernels import native
from littlestone.protocol import Learner, Run
from littlestone.protocol.layout import EVERYWHERE, Column, Layout
from littlestone.protocol.score_terms import ScoreTerms, bias_term, linear
from littlestone.protocol.soundness import MOST, NOT_NEGATIVE, TINY
from littlestone.theory import arow as theory

Params = namedtuple("Params", "r rho")


class State(NamedTuple):
    mu: Any = Column(negated=EVERYWHERE)
    sigma: Any = Column(fill=1, within=(TINY, 1))
    extra: Any = Column(fill=[0.0, 1.0], within=([-MOST, TINY], [MOST, 1]), negated=0)  # μ and σ of the bias feature
    sums: Any = Column(size=4, within=NOT_NEGATIVE, account=True)  # Σα, E, updates, Σc²q over the mistakes


def parts(params: Params, state: State, indices: np.ndarray, values: np.ndarray | None) -> ScoreTerms:
    return linear(state.mu[indices], values, others=bias_term(params.rho, state.extra[0]))


def facts(run: Run) -> dict:
    """Σq over the mistake rounds, and 2Σα + E - |μ|²_A with what rounding may have taken from it."""
    state, nnz = run.state, run.widest_row
    alpha, growth, updates, worth = map(Fraction, state.sums.tolist())
    length2 = Fraction(fsum((state.mu * state.mu / state.sigma).tolist())) * (1 - Fraction(1, 2**50))
    length2 += Fraction(float(state.extra[0])) ** 2 / Fraction(float(state.extra[1]))
    most = 2 * alpha + growth
    return {
        "worth": worth * (1 + Fraction(nnz + int(updates) + 8, 2**51)),
        "gain": most - length2 + theory.rounding(int(updates), nnz) * most,
        "witness": "none needed: an identity of the run",
    }


WHEN = "text with noisy labels, many rare features: few mistakes without tuning"
SAMPLES: tuple[dict, ...] = ({}, {"r": "1/10", "bias": 1}, {"r": 10, "bias": "1/2"})


def arow(n: int | None = None, *, r: float | Fraction = 1, bias: float | Fraction = 0) -> Learner:
    """Diagonal AROW with regularisation `r`; `bias` is the value of a feature in every instance, 0 for none; `n` is only checked."""
    settings = theory.FAMILY.take(n=n, r=r, bias=bias)
    params = Params(float(settings["r"]), float(settings["bias"]))
    return Learner(
        "arow",
        settings,
        params,
        Layout(State, spaced=True),
        algorithm=native.core.Arow,
        family=theory.FAMILY,
        facts=facts,
        parts=parts,
    )
