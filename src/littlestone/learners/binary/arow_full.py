"""AROW with a full covariance among the features that came first: columns that go together are told apart.

Predict sign(μ·x), sign(0) = +1.  Where the loss ℓ = 1 - y·μ·x is positive, μ += α·y·Σx with α = ℓ/(v + r), v = x·Σx, and then Σ⁻¹ grows by
xxᵀ/r.  The first `dense` features it learns from have all their covariances; each of the others has a variance only.  A feature starts
with the variance 1/x², x the first value learned from; when a larger one comes, what was learned is weighed anew as if the variance had
been 1/x² of that, so that units do not matter.

>>> import littlestone as ls
>>> rows, labels = [[100, 101], [101, 100], [103, 105], [99, 97]] * 10, [1, 0, 1, 0] * 10
>>> [ls.play(rival, rows, labels).mistakes for rival in (ls.arow_full(r="1/10000"), ls.arow(r="1/10000"), ls.perceptron())]
[1, 39, 39]

Theorem: on any stream at most √(Σq·Γ) mistakes, q = 1 + v/r, the sum over the mistakes, Γ = Σℓ²/q over the updates; and where no more
than `dense` features came, Γ ≤ Σ(1 - y·u·x)² + r·Σs_i²u_i² for every u, the first sum over the updates, s_i the largest |x_i| of them.
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
from littlestone.protocol.soundness import MOST as LARGEST
from littlestone.protocol.soundness import NOT_NEGATIVE, within
from littlestone.theory import arow_full as theory

MOST = 1024  # the covariances of so many features fill 8 MB
Params = namedtuple("Params", "r rho")


# scale: the largest |x_i| that counted for the variance, 0 before the first; place: 0, or where feature i stands among the covariances P;
# owner: which feature stands there (the bias at place 0); extra: weight of the bias, places taken; sums: Γ, Σq, updates
class State(NamedTuple):
    mu: Any = Column(negated=EVERYWHERE)
    sigma: Any = Column(within=NOT_NEGATIVE)
    scale: Any = Column(within=NOT_NEGATIVE)
    place: Any = Column(np.int32)
    P: Any = Column(size=None)
    owner: Any = Column(np.int64, size=None)
    extra: Any = Column(fill=[0.0, 1.0], negated=0)
    sums: Any = Column(size=3, within=NOT_NEGATIVE, account=True)


def first(dense: int, rho: float, room: int) -> State:
    m = dense + 1
    P = np.zeros(m * m)
    P[0] = 1.0 if rho > 0 else 0.0
    return State(
        np.zeros(room),
        np.zeros(room),
        np.zeros(room),
        np.zeros(room, np.int32),
        P,
        np.zeros(m, np.int64),
        np.array([0.0, 1.0]),
        np.zeros(3),
    )


def sound(params: Params, state: State) -> None:
    """Every feature that has a place is the owner of it, and no other place is taken but that of the bias."""
    m, room = len(state.owner), len(state.mu)
    within(state, extra=([-LARGEST, 1], [LARGEST, m]))
    require(state.extra[1] == int(state.extra[1]), f"its extra has {state.extra[1]} places taken; expected a whole number")
    taken = int(state.extra[1])
    within(state, place=(0, taken - 1), owner=(0, room - 1))
    placed = np.flatnonzero(state.place)
    fits = len(placed) == taken - 1 and (state.owner[state.place[placed]] == placed).all() and (state.scale[placed] > 0).all()
    require(fits, "its place and owner do not agree on which feature stands where")


def parts(params: Params, state: State, indices: np.ndarray, values: np.ndarray | None) -> ScoreTerms:
    return linear(state.mu[indices], values, others=bias_term(params.rho, state.extra[0]))


def facts(run: Run) -> dict:
    """Γ and Σq, with what rounding may have taken from them."""
    require(
        np.isfinite(run.state.sums).all(), "arow_full: rounds weigh so much beside r that doubles lose what it learned; expected a larger r"
    )
    gain, worth, updates = map(Fraction, run.state.sums.tolist())
    more = 1 + theory.rounding(int(updates))
    return {"gain": gain * more, "worth": worth * more, "witness": "none needed: an inequality of the run"}


WHEN = "tables of up to a hundred or so columns that go together, in any units"
SAMPLES: tuple[dict, ...] = ({}, {"dense": 2, "bias": 1}, {"r": 10, "dense": 3, "bias": "1/2"})


def arow_full(n: int | None = None, *, r: float | Fraction = 1, dense: int = 64, bias: float | Fraction = 0) -> Learner:
    """AROW with regularisation `r` and the covariances of the first `dense` features; `bias` is the value of a feature in every row."""
    settings = theory.FAMILY.take(n=n, r=r, dense=dense, bias=bias)
    params = Params(float(settings["r"]), float(settings["bias"]))

    def init(room: int) -> State:
        return first(dense, params.rho, room)

    return Learner(
        "arow_full",
        settings,
        params,
        Layout(State, init, sound),
        algorithm=native.core.ArowFull,
        family=theory.FAMILY,
        facts=facts,
        parts=parts,
    )
