"""Littlestone's Winnow: learn a function of few relevant variables among many.

Predict 1 iff w·x ≥ θ, with θ = n unless given.  A missed 1 multiplies the active weights by α, a false 1 divides them by α.  A
correct round changes nothing.  α = 2 is the doubling-and-halving version, α = 1+β and α = 1+ε (for k-of-r functions) the others;
`k` chooses ε for "at least k of r" variables: ls.winnow(n=8, k=3) has α = 5/4, with its own bound under k_of_r:k=3,r=….

The state is the exponents, w_i = α^e_i, so it is exact however long the run.  A prediction adds doubles; where they come too
close to θ to be sure, exact arithmetic decides.

>>> import littlestone as ls
>>> run = ls.play(ls.winnow(n=4), [[1, 0, 0, 1], [1, 0, 0, 1], [0, 0, 1, 1], [1, 1, 0, 0]], [1, 1, 0, 1])
>>> run.predictions.tolist(), run.state.e.tolist()
([0, 1, 0, 0], [2, 1, 0, 1])

Theorem (Littlestone 1988): on a disjunction of r variables at most 3r·⌈log2 n⌉ + 1 mistakes (α = 2, θ = n); the bound printed is
sharper, and there is one for every stream: 3(r·⌈log2 n⌉ + A) + 1 for every set of r variables with A attribute errors.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from littlestone.errors import require
from littlestone.kernels import native
from littlestone.kernels.powers import LOWEST, powers_of, reaches_exactly
from littlestone.protocol import Block, Learner, Run
from littlestone.protocol.layout import Column, Layout
from littlestone.protocol.mixture import ShardPlay, mean_of, row_sums
from littlestone.protocol.score_terms import ScoreTerms, linear
from littlestone.protocol.soundness import within
from littlestone.theory import winnow as theory
from littlestone.theory.numbers import fraction


class State(NamedTuple):
    e: Any = Column(np.int32)  # the exponents


def settle(settings: dict, state: State, indices: np.ndarray) -> bool:
    return reaches_exactly(settings["alpha"], settings["theta"], state.e[indices])


def sound(params: Any, state: State) -> None:
    within(state, e=(LOWEST, params.low + len(params.powers) - 1))


def parts(params: tuple, state: State, indices: np.ndarray, values: np.ndarray | None) -> ScoreTerms:
    theta, low, powers, *_ = params
    e = state.e[indices].astype(np.int64)
    return linear(powers[np.maximum(e, low) - low], None, levels=e, kind="exponent", threshold=theta)


def facts(run: Run) -> dict:
    """The witness that costs nothing: the empty disjunction, whose attribute errors are the missed 1s."""
    settings = {name: run.learner.settings[name] for name in ("n", "alpha", "theta")}
    return {**settings, "r": 0, "A": run.false_negatives, "witness": "the empty disjunction, S = {}"}


def _factor(alpha, theta, n: int | None, k: int | None, choice: str, preset: str | None) -> Fraction:
    """The α that the settings ask for; settings that contradict each other are refused."""
    require(preset in (None, "disjunctions"), f"preset={preset!r} must be 'disjunctions', or left out")
    require(choice in ("k-1", "k"), f"choice={choice!r} must be 'k-1' (ε = 1/(2(k-1))) or 'k' (ε = 1/(2k))")
    require(k is None or (isinstance(k, int) and k >= 1), f"k={k!r} must be a whole number, 1 or more")
    if preset:
        require(k is None or k == 1, f"k={k!r} contradicts preset='disjunctions', where 1 of r suffices")
        require(alpha is None or fraction(alpha, "alpha") == 2, f"alpha={alpha!r} contradicts preset='disjunctions', where α = 2")
        require(theta is None or n in (None, fraction(theta, "theta")), f"theta={theta!r} contradicts preset='disjunctions', where θ = n")
        return Fraction(2)
    factor = fraction(alpha, "alpha") if alpha is not None else theory.factor_for(k, choice) if k else Fraction(2)
    require(factor > 1, f"alpha={alpha!r} must exceed 1, or no weight ever grows")
    require(
        factor >= 1 + Fraction(1, 10_000),
        f"{f'k={k!r}' if alpha is None else f'alpha={alpha!r}'}: α must be at least 1.0001, below it the table of powers is too long",
    )
    require(k is None or (k - 1) * (factor - 1) < 1, f"k={k!r} and alpha={alpha!r}: to learn k of r, (k-1)(α-1) must be below 1")
    return factor


class MixedWinnow(ShardPlay):
    """Over shards: weights in doubles, since mixed exponents are no whole numbers; whom to compare with are the heaviest features."""

    def first(self, learner: Learner, room: int) -> tuple:
        return (np.ones(room),)

    def play(self, learner: Learner, state: tuple, block: Block) -> tuple[tuple, np.ndarray]:
        w, predictions = state[0].copy(), np.empty(len(block), np.bool_)
        alpha, theta = (float(Fraction(learner.settings[key])) for key in ("alpha", "theta"))
        shard = native.core.MixedWinnow(alpha, theta, w)
        shard.play(block.indptr, block.indices, block.values, block.labels, None, predictions, None, None)
        return (w,), predictions

    def merged(self, learner: Learner, states: Sequence[tuple], parts: Sequence[int], mean: str) -> tuple:
        return (mean_of([w for (w,) in states], parts, mean),)

    def witnesses(self, learner: Learner, state: tuple) -> list[Any]:
        (w,) = state
        heaviest = np.argsort(-w, kind="stable")
        sizes = [0, *(2**k for k in range(20) if 2**k <= len(heaviest))]
        return [tuple(sorted(heaviest[:size][w[heaviest[:size]] > 1].tolist())) for size in sizes]

    def losses(self, learner: Learner, state: tuple, block: Block, witnesses: Sequence[Any]) -> list[float]:
        """The attribute errors of each set."""
        labelled = block.labels >= 0
        ones, lost = block.labels[labelled] == 1, []
        for witness in witnesses:
            active = row_sums(block, np.isin(block.indices, witness).astype(np.float64))[labelled]
            lost.append(float(np.where(ones, active == 0, active).sum()))
        return lost

    def facts(self, learner: Learner, state: tuple, witness: Any, lost: Any) -> dict[str, Any]:
        alpha, theta = (Fraction(learner.settings[key]) for key in ("alpha", "theta"))
        known = {"n": learner.settings["n"], "alpha": alpha, "theta": theta}
        return known if witness is None else {**known, "r": len(witness), "A": lost}

    def in_words(self, witness: Any) -> str:
        return f"a disjunction of {len(witness)} features"

    def stated(self, witness: Any, name: Any) -> dict[str, Any]:
        return {"features": [name(i) for i in witness]}

    def linear(self, learner: Learner, state: tuple) -> tuple[np.ndarray, float]:
        return state[0], -float(Fraction(learner.settings["theta"]))


WHEN = "boolean features, thousands of them, and few matter; it stands some noise"
SAMPLES: tuple[dict, ...] = (
    {"n": 6},
    {"n": 6, "alpha": "3/2"},
    {"n": 5, "alpha": 3, "theta": "5/2"},
    {"n": 6, "alpha": "11/10", "theta": 1},
    {"n": 6, "k": 3},
)


def winnow(
    n: int | None = None,
    *,
    alpha: float | Fraction | None = None,
    theta: float | Fraction | None = None,
    k: int | None = None,
    choice: str = "k-1",
    preset: str | None = None,
) -> Learner:
    """Winnow over n boolean features; α = 2 and θ = n unless given. They are taken as written: 1.1 is 11/10.

    `k` chooses α = 1+ε for "at least k of r": ε = 1/(2(k-1)), and 1 where k = 1, or with choice="k" ε = 1/(2k). α given as well is
    kept, if it can learn that k. preset="disjunctions" says α = 2, θ = n.
    """
    factor = _factor(alpha, theta, n, k, choice, preset)
    threshold: Any = theta
    if n is not None:
        require(1 <= n < 2**31, f"n={n!r} must be a positive number of features, below 2^31")
        threshold = fraction(n if theta is None else theta, "theta")
        require(Fraction(1, 2**500) < threshold < 2**53, f"theta={theta!r} must be positive (above 2^-500), and below 2^53")
    return Learner(
        name="winnow",
        family=theory.FAMILY,
        settings={"n": n, "k": k, "alpha": factor, "theta": threshold},
        params=() if n is None else powers_of(factor, threshold),
        state=Layout(State, sound=sound),
        algorithm=native.core.Winnow,
        with_n=partial(winnow, alpha=alpha, theta=theta, k=k, choice=choice, preset=preset),
        settle=settle,
        facts=facts,
        parts=parts,
        mixture=MixedWinnow(),
    )
