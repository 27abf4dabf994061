"""The second-order Perceptron: a Perceptron that has seen how its mistakes lie, and counts a direction the less the more often it came.

A = a·I + Σ xxᵀ and v = Σ y·x over the mistakes.  Predict sign(v·(A + xxᵀ)⁻¹x), sign(0) = +1, for the row x at hand.  A correct round
changes nothing.  The first `dense` features that a mistake brings have their places in A; of each of the others A has the diagonal only.

>>> import littlestone as ls
>>> rows, labels = [[100, 101], [101, 100], [103, 105], [99, 97]] * 10, [1, 0, 1, 0] * 10
>>> [ls.play(rival, rows, labels).mistakes for rival in (ls.second_order(), ls.perceptron())]
[2, 39]

Theorem (after Cesa-Bianchi, Conconi, Gentile 2005): M ≤ L + √(K·Λ) for every vector u, L its hinge loss over all rounds, K = uᵀAu and
Λ = Σ ln(1 + λ_i/a), λ_i the eigenvalues of Σ xxᵀ over the mistakes.
"""

from collections import namedtuple
from fractions import Fraction
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from littlestone.errors import require
from littlestone.kernels import native
from littlestone.protocol import Learner, Run
from littlestone.protocol.layout import Column, Layout
from littlestone.protocol.score_terms import ScoreTerms, Term, linear
from littlestone.protocol.soundness import MOST as LARGEST
from littlestone.protocol.soundness import NOT_NEGATIVE, within
from littlestone.theory import second_order as theory

Params = namedtuple("Params", "a rho")


# w = A⁻¹v of the features that have a place; v = Σ y·x; d = Σ x², of features without a place; place: 0, or where feature i stands in
# P = A⁻¹; owner: which feature stands there (the bias at place 0); extra: w and v of the bias, places taken; sums: Λ, and the largest |x|²
# of a mistake
class State(NamedTuple):
    w: Any = Column()
    v: Any = Column()
    d: Any = Column(within=NOT_NEGATIVE)
    place: Any = Column(np.int32)
    P: Any = Column(size=None)
    owner: Any = Column(np.int64, size=None)
    extra: Any = Column(size=3)
    sums: Any = Column(size=2, within=NOT_NEGATIVE)


def spread(rho, place, P, owner, indices, values):
    """xᵀA⁻¹x over the places."""
    m, at = len(owner), [int(p) for p in place[indices]]
    x = [1.0] * len(at) if values is None else values.astype(np.float64).tolist()
    rows, total = [(p, number) for p, number in zip(at, x, strict=True) if p > 0], 0.0

    def line(q: int) -> float:
        sum_so_far = P[q * m] * rho
        for p, number in rows:
            sum_so_far += P[q * m + p] * number
        return sum_so_far

    if rho > 0.0:
        total += rho * line(0)
    for q, number in rows:
        total += line(q) * number
    return max(total, 0.0)


def first(dense: int, a: float, rho: float, room: int) -> State:
    m = dense + 1
    P = np.zeros(m * m)
    P[0] = 1.0 / a if rho > 0 else 0.0
    return State(
        np.zeros(room),
        np.zeros(room),
        np.zeros(room),
        np.zeros(room, np.int32),
        P,
        np.zeros(m, np.int64),
        np.array([0.0, 0.0, 1.0]),
        np.zeros(2),
    )


def sound(params: Params, state: State) -> None:
    """Every feature that has a place is the owner of it, and no other place is taken but that of the bias."""
    m, room = len(state.owner), len(state.w)
    within(state, extra=([-LARGEST, -LARGEST, 1], [LARGEST, LARGEST, m]))
    require(state.extra[2] == int(state.extra[2]), f"its extra has {state.extra[2]} places taken; expected a whole number")
    taken = int(state.extra[2])
    within(state, place=(0, taken - 1), owner=(0, room - 1))
    placed = np.flatnonzero(state.place)
    fits = len(placed) == taken - 1 and (state.owner[state.place[placed]] == placed).all()
    require(fits, "its place and owner do not agree on which feature stands where")


def parts(params: Params, state: State, indices: np.ndarray, values: np.ndarray | None) -> ScoreTerms:
    """Each feature with its weight in this row: of those without a place it depends on the value, and theirs on all of the row."""
    x = np.ones(len(indices)) if values is None else values.astype(np.float64)
    placed = state.place[indices] > 0
    beyond = np.where(placed, 0.0, state.v[indices] / (params.a + state.d[indices] + x * x))
    share = 1.0
    if (beyond * x).any():
        share = 1.0 / (1.0 + spread(params.rho, state.place, state.P, state.owner, indices, values))
    others = (Term("bias", params.rho, share * state.extra[0], share * params.rho * state.extra[0], state.extra[0]),) if params.rho else ()
    levels = np.where(placed, state.w[indices], state.v[indices])
    return linear(np.where(placed, state.w[indices] * share, beyond), values, levels=levels, others=others)


def facts(run: Run) -> dict:
    """R² over the mistakes, and Λ: no less than v·A⁻¹v, whatever rounding has done; none where doubles did not reach."""
    state, a = run.state, run.learner.params[0]
    placed = state.place > 0
    with np.errstate(all="ignore"):
        potential = float(state.w[placed] @ state.v[placed]) + float(state.extra[0] * state.extra[1])
        potential += float((state.v[~placed] ** 2 / (a + state.d[~placed])).sum())
    largest = max(float(state.sums[0]), potential)
    return {
        "R2": Fraction(float(state.sums[1])) * (1 + Fraction(run.widest_row + 4, 2**52)),
        **({"lam": Fraction(largest) * (1 + 2 * theory.SPARE)} if isfinite(largest + potential) else {}),
        "a": run.learner.settings["a"],
    }


WHEN = "columns that go together or have very different sizes, and a rule that changes on mistakes alone"
SAMPLES: tuple[dict, ...] = ({}, {"a": 10, "dense": 2, "bias": 1})


def second_order(n: int | None = None, *, a: float | Fraction = 1, dense: int = 64, bias: float | Fraction = 0) -> Learner:
    """The second-order Perceptron, A beginning with `a` on the diagonal; `bias` is the value of a feature in every row."""
    settings = theory.FAMILY.take(n=n, a=a, dense=dense, bias=bias)
    params = Params(float(settings["a"]), float(settings["bias"]))

    def init(room: int) -> State:
        return first(dense, params.a, params.rho, room)

    return Learner(
        "second_order",
        settings,
        params,
        Layout(State, init, sound),
        algorithm=native.core.SecondOrder,
        family=theory.FAMILY,
        facts=facts,
        parts=parts,
    )
