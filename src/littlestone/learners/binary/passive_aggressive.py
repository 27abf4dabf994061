"""Passive-Aggressive: change the weights as little as makes this round right by a margin of 1.

Predict sign(w·x), sign(0) = +1.  Where the loss ℓ = 1 - y·w·x is positive, add τ·y·x with τ = min(C, ℓ/|x|²) (variant I) or
ℓ/(|x|² + 1/(2C)) (variant II).  A small C distrusts the labels; without C every update makes its round right.  A bias feature of value ρ
stands in every instance when asked for; its weight is b·ρ.

>>> import littlestone as ls
>>> run = ls.play(ls.passive_aggressive(C=1), [[2, 0], [0, 1], [2, 1]], [0, 1, 0])
>>> run.predictions.tolist(), run.state.w.tolist(), run.mistakes
([1, 1, 1], [-0.9, 0.8], 2)

Theorem (Crammer et al. 2006): if |x| ≤ R and some unit vector u has y·(u·x) ≥ γ on every round, at most max(R², 1/C)/γ² mistakes (II:
(R² + 1/(2C))/γ²); on any stream at most √(Σq·(2Στ - |w|²)), q = max(|x|², 1/C), the first sum over the
mistakes: never more than max(R², 1/C)·(|u|² + 2CΣhinge(u)) for any u.
"""

from collections import namedtuple
from fractions import Fraction
from math import fsum, inf
from typing import Any, NamedTuple

import numpy as np

from littlestone.kernels import native
from littlestone.protocol import Learner, Run
from littlestone.protocol.layout import EVERYWHERE, Column, Layout
from littlestone.protocol.score_terms import ScoreTerms, bias_term, linear
from littlestone.protocol.soundness import NOT_NEGATIVE
from littlestone.theory import passive_aggressive as theory

Params = namedtuple("Params", "rho2 C second")


class State(NamedTuple):
    w: Any = Column(negated=EVERYWHERE)
    b: Any = Column(size=1, negated=EVERYWHERE)
    sums: Any = Column(size=5, within=NOT_NEGATIVE, account=True)  # Στ, Στ²/c, updates, mistakes that no τ covers, and Σc²q over the others


def parts(params: Params, state: State, indices: np.ndarray, values: np.ndarray | None) -> ScoreTerms:
    rho, b = params.rho2**0.5, state.b[0]
    return linear(state.w[indices], values, others=bias_term(rho, rho * b, params.rho2 * b))


def facts(run: Run) -> dict:
    """Σq and R² over the mistake rounds, and the dual value 2Στ - |w|² with what rounding may have taken from it."""
    settings, (tau, squares, updates, uncovered, worth) = run.learner.settings, map(Fraction, run.state.sums.tolist())
    rho2, inverse_C = settings["bias"] ** 2, 1 / settings["C"] if settings["C"] else Fraction(0)
    nnz, count = run.widest_row, int(updates)
    R2 = (Fraction(run.squares[0]) + Fraction(run.largest_weight) * rho2) * (1 + Fraction(nnz + 4, 2**52))
    length2 = Fraction(fsum((run.state.w * run.state.w).tolist())) * (1 - Fraction(1, 2**50))
    length2 += rho2 * Fraction(float(run.state.b[0])) ** 2
    dual = 2 * tau - length2 - (squares * inverse_C / 2 if settings["variant"] == "II" else 0)
    return {
        "R2": R2,
        "worth": worth * (1 + Fraction(nnz + count + 8, 2**51)),
        "inverse_C": inverse_C,
        "dual_value": dual + theory.rounding(count, nnz) * tau,
        "uncovered": uncovered * (1 + Fraction(count + 1, 2**52)) if run.weighted else uncovered,
        "slack": 1 + 2 * theory.rounding(count, nnz),
        "witness": "none needed: no u gives less",
    }


WHEN = "there is a margin or a little noise, and each round should be right at once"
SAMPLES: tuple[dict, ...] = ({}, {"C": "1/10", "bias": 1}, {"C": None}, {"C": 2, "variant": "II", "bias": "1/2"})


def passive_aggressive(n: int | None = None, *, C: float | Fraction | None = 1, variant: str = "I", bias: float | Fraction = 0) -> Learner:
    """Passive-Aggressive I or II with aggressiveness `C` (None: no limit); `bias` as the Perceptron's; `n` is only checked."""
    unlimited = C is None or C in ("inf", "None") or inf == C
    settings = theory.FAMILY.take(n=n, C=None if unlimited else C, variant=variant, bias=bias)
    limit, rho = settings["C"], settings["bias"]
    return Learner(
        name="passive_aggressive",
        family=theory.FAMILY,
        settings=settings,
        params=Params(float(rho**2), inf if limit is None else float(limit), variant == "II"),
        state=Layout(State, spaced=True),
        algorithm=native.core.PassiveAggressive,
        facts=facts,
        parts=parts,
    )
