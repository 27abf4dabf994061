"""Rosenblatt's Perceptron: learn a halfspace with a margin, one mistake at a time.

Predict sign(w·x), with sign(0) = +1.  On a mistake add y·x to w.  A correct round changes nothing.  A bias feature of value ρ
stands in every instance when asked for; its weight is kept as b, a whole number of mistakes, so that it adds b·ρ² to the score.

>>> import littlestone as ls
>>> run = ls.play(ls.perceptron(bias=0), [[2, 0], [0, 1], [2, 1]], [0, 1, 0])
>>> run.predictions.tolist(), run.state.w.tolist(), run.mistakes
([1, 1, 0], [-2.0, 0.0], 1)

Theorem (Block, Novikoff 1962): if |x| ≤ R and some unit vector u has y·(u·x) ≥ γ on every round, at most (R/γ)² mistakes;
and on any stream at most ((√K+√(K+4L))/2)², K = R²|u|², L the hinge loss of u, for every u.

Variants.  `margin=β` also updates where y·(w·x) ≤ β: R² + 2β takes the place of R².  `averaged=True` predicts as the plain rule during
the run, and leaves as its final hypothesis (`run.hypothesis`) the mean of the weights that the labelled rounds met, each before its own
update and counted by its weight (Freund, Schapire 1999).  `preset="disjunction"` takes the bias value that is best for disjunctions of k
of n variables.
"""

from collections import namedtuple
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import fsum, sqrt
from typing import Any, NamedTuple

import numpy as np

from littlestone.errors import require
from littlestone.kernels import native
from littlestone.protocol import Block, Learner, Run
from littlestone.protocol.layout import EVERYWHERE, Column, Layout
from littlestone.protocol.mixture import ShardPlay, mean_of, row_sums, row_values
from littlestone.protocol.score_terms import ScoreTerms, bias_term, linear
from littlestone.protocol.soundness import MOST
from littlestone.theory import perceptron as theory
from littlestone.theory.mixing import decimal_up

Params = namedtuple("Params", "rho2")


class State(NamedTuple):
    w: Any = Column(negated=EVERYWHERE)
    b: Any = Column(size=1, negated=EVERYWHERE)


# The variants keep more.  a: Σ C·step·x over the updates, C = Σ weights of the labelled rounds so far (empty unless averaged).
# tally: C, the same Σ for b, and of the updates: how many, Σc, Σc²|x|², max c|x|².
VariantParams = namedtuple("VariantParams", "rho2 beta")


class VariantState(NamedTuple):
    w: Any = Column(negated=EVERYWHERE)
    b: Any = Column(size=1, negated=EVERYWHERE)
    a: Any = Column(size=0, account=True)
    tally: Any = Column(size=6, within=([0, -MOST, 0, 0, 0, 0], MOST), account=True)


class AveragedState(NamedTuple):
    w: Any = Column(negated=EVERYWHERE)
    b: Any = Column(size=1, negated=EVERYWHERE)
    a: Any = Column(account=True)
    tally: Any = Column(size=6, within=([0, -MOST, 0, 0, 0, 0], MOST), account=True)


def average(plain: Learner, state: VariantState) -> tuple[Learner, State]:
    """The mean of the weights: a step made when the clock stood at C was not there for C of the rounds."""
    clock = state.tally[0] or 1.0
    return plain, State(state.w - state.a / clock, state.b - state.tally[1] / clock)


def parts(params: Params | VariantParams, state: State | VariantState, indices: np.ndarray, values: np.ndarray | None) -> ScoreTerms:
    rho, b = params.rho2**0.5, state.b[0]
    return linear(state.w[indices], values, others=bias_term(rho, rho * b, params.rho2 * b))


def facts(run: Run) -> dict:
    """R² over the updates, rounded up; and the witness u = w/(R|w|), whose hinge loss the state alone tells."""
    rho2, beta = Fraction(run.learner.settings["bias"]) ** 2, run.learner.settings["margin"]
    M, exact = updates(run), run.arithmetic == "exact"
    rounded = 1 if exact else 1 + Fraction(run.widest_row + M + 4, 2**52)
    if beta:
        Mc, Q, R2 = (Fraction(number) * rounded for number in run.state.tally[3:].tolist())
    else:
        Mc, c = Fraction(run.weighted_mistakes) * rounded, Fraction(run.largest_weight)
        R2, Q = (Fraction(square) * rounded for square in run.squares)
        R2, Q = R2 + c * rho2, Q + c * Mc * rho2  # max c|x|² and Σc²|x|², with the bias feature
    length = Fraction(float(np.sqrt(run.state.w @ run.state.w + float(rho2) * run.state.b[0] ** 2)))
    length *= 1 - Fraction(len(run.state.w) + 2**12, 2**52)
    # |u| = 1/R, R ≥ |x|, so y·u·x ≤ 1 on every update and the hinge losses add up to Σc - u·w; K = |u|²·(Σc²|x|²/Σc + 2β)
    plain = Fraction(run.largest_value) ** 2 * run.widest_row + rho2 if run.weighted else R2
    R = Fraction(float(np.sqrt(float(plain)))) * (1 + Fraction(1, 2**40)) if plain else Fraction(1)
    Q += 2 * beta * Mc
    drift = 0 if exact else Fraction(3 * M, 2**53) * Fraction(float(np.sqrt(float(Q)))) / R  # how far w may be from Σ c·y·x, over R
    return {
        "R2": R2,
        "active": R2 - rho2
        if run.whole and run.largest_value <= 1 and not run.negative
        else None,  # most features on in an update; 0/1 rounds only
        "K": Q / Mc / R**2 if Mc else Fraction(0),
        "L": max(Fraction(0), Mc - length / R + drift),
        "slack": 1 if exact else theory.rounding(M, run.widest_row),
        "rho2": rho2,
        "beta": beta,
        "witness": "u = w/(R|w|), the final weights at length 1/R",
    }


def updates(run: Run) -> int:
    return int(run.state.tally[2]) if run.learner.settings["margin"] else run.mistakes


class Perceptron(Learner):
    """Exact on many streams, and not on all."""

    @property
    def exact_when(self) -> Callable[[Run], bool]:
        return in_whole_numbers


def in_whole_numbers(run: Run) -> bool:
    """Whole numbers, small enough that no sum of the run can pass 2^53."""
    rho2, beta = Fraction(run.learner.settings["bias"]) ** 2, run.learner.settings["margin"]
    largest = (updates(run) + 1) * (run.widest_row * Fraction(run.largest_value) ** 2 + rho2)
    return run.whole and not run.weighted and rho2.denominator == 1 and float(beta) == beta and largest < 2**53


SCALES = tuple(2.0**k for k in range(-12, 13))  # of the last weights, to compare with


def squares(w: np.ndarray) -> float:
    """|w|² to the nearest double, however many unused weights stand between the others (a sum by parts would differ)."""
    return fsum(w * w)


class MixedPerceptron(ShardPlay):
    """Over shards: the mean of the weights; whom to compare with are multiples of the last ones."""

    def merged(self, learner: Learner, states: Sequence[tuple], parts: Sequence[int], mean: str) -> State:
        w, b = (mean_of(arrays, parts, mean) for arrays in zip(*states, strict=True))
        return State(w, b)

    def rho2(self, learner: Learner) -> float:
        return float(Fraction(learner.settings["bias"])) ** 2

    def witnesses(self, learner: Learner, state: Any) -> list[Any]:
        w, b = state
        length = sqrt(squares(w) + float(b[0]) ** 2)
        return [scale / length for scale in SCALES] if length else [0.0]

    def losses(self, learner: Learner, state: Any, block: Block, witnesses: Sequence[Any]) -> list[float]:
        """The hinge losses, rounded up."""
        (w, b), values, labelled = state, row_values(block), block.labels >= 0
        y, widest = np.where(block.labels == 1, 1.0, -1.0)[labelled], int(np.diff(block.indptr).max(initial=0))
        scores = (row_sums(block, w[block.indices] * values) + self.rho2(learner) * b[0])[labelled]
        slack = float(row_sums(block, np.abs(w[block.indices] * values)).max(initial=0.0)) * (widest + 4) * 2.0**-52
        return [float(np.maximum(0.0, 1 - c * (y * scores - slack)).sum()) * (1 + len(y) * 2.0**-52) for c in witnesses]

    def facts(self, learner: Learner, state: Any, witness: Any, lost: Any) -> dict[str, Any]:
        if witness is None:
            return {}
        w, b = state
        rho2 = Fraction(learner.settings["bias"]) ** 2
        squared = Fraction(squares(w)) + rho2 * Fraction(float(b[0])) ** 2
        return {"u2": decimal_up(float(squared * Fraction(witness) ** 2)), "L": decimal_up(float(lost))}

    def in_words(self, witness: Any) -> str:
        return f"the last weights, {witness:g} times"

    def stated(self, witness: Any, name: Any) -> dict[str, Any]:
        return {"times": float(witness)}


WHEN = "the first thing to try: some margin, features of any kind, short rows"
SAMPLES: tuple[dict, ...] = (
    {},
    {"bias": 0},
    {"bias": "1/2"},
    {"averaged": True, "bias": 1},
    {"margin": "3/2", "bias": 1},
    {"margin": 2, "averaged": True},
    {"n": 6, "preset": "disjunction", "k": 2},
)


#: What a member of a panel that is written without these settings has: so panels have been written down.
AS_MEMBER = {"bias": 0}


def perceptron(
    n: int | None = None,
    *,
    bias: float | Fraction = 1,
    margin: float | Fraction = 0,
    averaged: bool = False,
    preset: str | None = None,
    k: int | None = None,
) -> Learner:
    """The Perceptron. `bias` is the value ρ of a feature in every instance, 0 for none; `n` is only checked, unless a preset needs it.

    `margin` β > 0 makes it learn from correct rounds with y·(w·x) ≤ β too; `averaged` makes the mean of the weights the final hypothesis;
    `preset="disjunction"` chooses the bias for disjunctions of `k` of `n` variables.
    """
    settings = theory.FAMILY.take(n=n, bias=bias, margin=margin)
    rho, beta = settings["bias"], settings["margin"]
    require(averaged in (True, False), f"averaged={averaged!r} must be True or False")
    if preset is not None:
        require(preset == "disjunction", f"preset={preset!r} must be 'disjunction'")
        sized = n is not None and isinstance(k, int) and 1 <= k <= n
        require(sized, f"preset='disjunction' needs n and k, 1 ≤ k ≤ n: the features and the relevant ones; got n={n!r}, k={k!r}")
        require(rho == 1, f"preset='disjunction' chooses the bias itself; leave out bias={bias!r}")
        rho = theory.bias_for(n, k)  # type: ignore[arg-type]
    require(preset is not None or k is None, f"k={k!r} goes with preset='disjunction'")
    plain = Perceptron(
        name="perceptron",
        family=theory.FAMILY,
        settings={**settings, "bias": rho, "averaged": averaged},
        params=Params(float(rho**2)),
        state=Layout(State, spaced=True),
        algorithm=native.core.Perceptron,
        facts=facts,
        parts=parts,
        mixture=MixedPerceptron(),
    )
    if not beta and not averaged:
        return plain
    return replace(
        plain,
        params=VariantParams(float(rho**2), float(beta)),
        state=Layout(AveragedState if averaged else VariantState, spaced=True),
        algorithm=native.core.PerceptronVariant,
        family=replace(plain.family, updates_on="always" if averaged else "margin"),
        final=partial(average, perceptron(n, bias=rho)) if averaged else None,
    )
