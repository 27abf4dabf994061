"""Winnow over [0,1]: halfspaces with a gap, weights of either sign by complemented features.

Predict 1 iff w·x ≥ θ = d, the number of features.  A missed 1 multiplies each w_i by α^x_i, a false 1 divides by it, so w_i = α^s_i with
s_i = Σ ±x_i over the mistakes.  α = 1 + δ/2 unless given.  A correct round changes nothing.

With complement=True the features are x_1, …, x_n and 1-x_1, …, 1-x_n, d = 2n, and a row still costs its nonzero values only.  With c =
promotions - demotions the weight of 1-x_i is α^(c-s_i), so the score is  Σ x_i·α^s_i + α^(c-h)·(T - Σ x_i·v_i),  v_i = α^(h-s_i) and
T = Σ v_i over all n.  The v_i of the features that have taught something are the leaves of a tree of sums, in the order in which they
came; the others are all α^h.  A mistake rewrites the paths from its own features, so T is a function of the state and nothing drifts.
h follows c in leaps, when |c-h|·ln α passes 300, so that no v_i overflows.

>>> import littlestone as ls
>>> X, y = [[1.0, 0.5], [0.5, 1.0], [0.0, 1.0]] * 20, [1, 0, 0] * 20         # 1 where x1 - x2 ≥ 1/2, 0 where it is ≤ -1/2
>>> run = ls.play(ls.winnow_real(delta="2/3", complement=True), X, y)
>>> run.mistakes, run.bounds("separable:U=4/3,delta=2/3")[0].limit
(4, 30)

Doubles decide; the bounds carry a slack for their rounding.

Theorem (Littlestone 1988): if μ ≥ 0 with Σμ ≤ U has μ·x ≥ 1 on the 1s and μ·x ≤ 1-δ on the 0s, at most
U·(ln d + ln c - 1 + 1/c)/(g·ln α) mistakes (c and g as in `theory.winnow_real`), near 8U·ln(d)/δ² for small δ; on any stream fewer than
α/(α-1) + (1+α)P, P = missed 1s.
"""

from collections import namedtuple
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from littlestone.errors import LittlestoneError, require
from littlestone.kernels import native
from littlestone.protocol import Learner, Run
from littlestone.protocol.layout import Column, Layout
from littlestone.protocol.score_terms import ScoreTerms, Term, linear
from littlestone.protocol.soundness import MOST, NOT_NEGATIVE, within
from littlestone.reference.hyperbolic import exp
from littlestone.theory import winnow_real as theory
from littlestone.theory.numbers import fraction, real

Params = namedtuple("Params", "theta log_alpha n complement")


class State(NamedTuple):
    s: Any = Column()
    w: Any = Column(fill=1, within=NOT_NEGATIVE)
    place: Any = Column(np.int64)  # 0, or 1 + the feature's leaf
    tree: Any = Column(size=None, within=NOT_NEGATIVE)
    z: Any = Column(fill=[0.0, 0.0, 1.0, 0.0, 0.0])


C, H, UNTOUCHED, LEAVES, LARGEST = range(5)  # in z: c, h, α^h, leaves in use, and the largest sum that a score was made of

FAR, LARGEST_EXPONENT = 300.0, 710.0  # e^710 is no double


def complements(n, tree, z):
    """T = Σ v_i over all n features."""
    return tree[1] + (n - z[LEAVES]) * z[UNTOUCHED]


def first_state(n: int, complement: bool, room: int) -> State:
    leaves = 1 << (n - 1).bit_length() if complement else 1
    return State(np.zeros(room), np.ones(room), np.zeros(room, np.int64), np.zeros(2 * leaves), np.array([0.0, 0.0, 1.0, 0.0, 0.0]))


def sound(params: Params, state: State) -> None:
    """Every feature that has a leaf has one of its own, and so many leaves are in use."""
    within(state, z=([-(2**53), -(2**53), 0, 0, 0], [2**53, 2**53, MOST, params.n, MOST]))
    leaves = state.z[LEAVES] if params.complement else 0
    places = np.sort(state.place[state.place != 0])
    require(np.array_equal(places, np.arange(1, leaves + 1)), f"its place is not one of {leaves:g} leaves for each feature that has any")
    far = max((state.s * params.log_alpha).max(initial=0.0) - LARGEST_EXPONENT, abs(state.z[C] - state.z[H]) * params.log_alpha - 2 * FAR)
    require(far <= 0, f"its weights are e^{far:g} larger than any that it can have")


def parts(params: Params, state: State, indices: np.ndarray, values: np.ndarray | None) -> ScoreTerms:
    """As a sum over the x_i alone: with complements each weighs w_i less that of 1-x_i, and the weights of all complements stand apart."""
    weights, s, z, tree = state.w[indices], state.s[indices], state.z, state.tree
    if not params.complement:
        return linear(weights, values, levels=s, kind="exponent", threshold=params.theta)
    unit, leaf = exp((z[C] - z[H]) * params.log_alpha), state.place[indices]
    v = np.where(leaf > 0, tree[len(tree) // 2 + leaf - 1], z[UNTOUCHED])
    total = float(unit * complements(params.n, tree, z))
    everything = Term("1-x of all features", 1.0, total, total, total)
    words = f"a weight is α^exponent less that of 1-x, α^(c-exponent); c = {z[C]:g}, promotions less demotions"
    return linear(weights - unit * v, values, levels=s, kind="exponent", others=(everything,), threshold=params.theta, words=words)


def facts(run: Run) -> dict:
    settings = run.learner.settings
    alpha, d = settings["alpha"], settings["n"] * (2 if settings["complement"] else 1)
    spread = max(Fraction(1), Fraction(float(run.state.z[LARGEST])) / d) if settings["complement"] else Fraction(0)
    try:
        eta = theory.rounding(run.mistakes, run.widest_row, settings["n"], alpha, spread, run.whole)
    except LittlestoneError:
        eta = None
    return {"d": d, "alpha": alpha, "eta": eta, "P": run.false_negatives, "witness": "μ = 0"}


WHEN = "few of very many features matter, and values lie between 0 and 1"
SAMPLES: tuple[dict, ...] = (
    {"n": 6},
    {"n": 3, "alpha": "3/2", "complement": True},
    {"n": 3, "delta": 1, "alpha": 1024, "complement": True},
)


def winnow_real(
    n: int | None = None, *, delta: float | Fraction = Fraction(1, 2), complement: bool = False, alpha: float | Fraction | None = None
) -> Learner:
    """Winnow over n features in [0,1], made for a gap of `delta`; `complement` adds 1-x_i for each, for weights of either sign."""
    require(str(complement).lower() in ("true", "false", "1", "0"), f"complement={complement!r} must be True or False")
    complement = str(complement).lower() in ("true", "1")  # the command line has only text
    gap = fraction(delta, "delta")
    require(0 < gap <= 1, f"delta={delta!r} must lie above 0 and be at most 1")
    factor = 1 + gap / 2 if alpha is None else fraction(alpha, "alpha")
    require(
        1 + Fraction(1, 10**6) <= factor <= 1024,
        f"{f'delta={delta!r}' if alpha is None else f'alpha={alpha!r}'}: α must lie between 1.000001 and 1024",
    )
    require(n is None or 1 <= n < 2**31, f"n={n!r} must be a positive number of features, below 2^31")

    def init(room: int) -> State:
        return first_state(n or 1, complement, room)

    return Learner(
        name="winnow_real",
        family=theory.FAMILY,
        settings={"n": n, "delta": gap, "complement": complement, "alpha": factor},
        params=() if n is None else Params(float(2 * n if complement else n), float(real(factor).ln()), n, complement),
        state=Layout(State, init, sound),
        algorithm=native.core.WinnowReal,
        with_n=partial(winnow_real, delta=delta, complement=complement, alpha=alpha),
        facts=facts,
        parts=parts,
    )
