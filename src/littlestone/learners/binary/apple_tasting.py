"""Apple tasting: the label is seen only where 1 was predicted. The Perceptron, and now and then a taste of what it would leave.

An apple that is not eaten never tells whether it was good.  Predict 1 where w·x ≥ 0; elsewhere predict 1 all the same with probability p,
by a coin that depends on the seed and the number of labels so far.  Where 1 was predicted, and only there, look at the label: where w·x
erred, add y·x.

>>> import littlestone as ls
>>> run = ls.play(ls.apple_tasting(bias=1, taste="1/5"), [{0: 1}, {1: 1}, {0: 1}, {1: 1}] * 10, [1, 0, 1, 0] * 10)
>>> run.mistakes, run.false_positives, run.state.sums[:4].tolist()
(2, 2, [1.0, 1.0, 1.0, 0.0])

Theorem: with a margin of γ at most R²/(γ²p) + pT mistakes of T rounds in expectation over the coin.
"""

from collections import namedtuple
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from littlestone.kernels import native
from littlestone.protocol import Learner, Run
from littlestone.protocol.layout import Column
from littlestone.protocol.score_terms import ScoreTerms, Term, bias_term, linear
from littlestone.protocol.soundness import NOT_NEGATIVE
from littlestone.theory import apple_tasting as theory

Params = namedtuple("Params", "rho2 taste seed")


class State(NamedTuple):
    w: Any = Column()
    b: Any = Column(size=1)
    told: Any = Column(np.int64, size=1, within=(0, 2**62))  # labels so far, seen or not
    sums: Any = Column(size=7, within=NOT_NEGATIVE, account=True)  # gained, lost, idle, missed, Σ|x|², max|x|², widest


def parts(params: Params, state: State, indices: np.ndarray, values: np.ndarray | None) -> ScoreTerms:
    """A taste counts as what it takes to reach 1: the coin decides it, whatever the score."""
    rho, ever = params.rho2**0.5, state.b[0]
    terms = linear(state.w[indices], values, others=bias_term(rho, rho * ever, params.rho2 * ever))
    score = float(np.sum(terms.contributions)) + params.rho2 * ever  # type: ignore[arg-type]
    if score >= 0 or native.core.coin(params.seed, int(state.told[0])) >= params.taste:
        return terms
    return terms._replace(others=(*terms.others, Term("a taste, by the coin", 1.0, None, 1.0 - score, 0.0)))


def facts(run: Run) -> dict:
    """What the run knows of itself, from its counts and its weights."""
    state, rho2 = run.state, Fraction(run.learner.settings["bias"]) ** 2
    width = len(state.w) + 2**12
    square = Fraction(float(state.w @ state.w + float(rho2) * state.b[0] ** 2)) * (1 - Fraction(width, 2**52))
    return {**theory.facts_of(state.sums.tolist(), square), "witness": "u = w/(R|w|), the final weights at length 1/R"}


WHEN = "a label comes only for what was accepted: loans, mails that were read, apples that were eaten"
SAMPLES: tuple[dict, ...] = ({}, {"bias": 1, "taste": "1/4", "seed": 3}, {"taste": 1})


def apple_tasting(n: int | None = None, *, taste: float | Fraction = Fraction(1, 10), bias: float | Fraction = 0, seed: int = 0) -> Learner:
    """The Perceptron that sees a label only where it predicted 1, and predicts 1 with probability `taste` where it would not.

    `bias` is the value of a feature in every instance, 0 for none; another `seed` is another coin.
    """
    settings = theory.FAMILY.take(n=n, taste=taste, bias=bias, seed=seed)
    params = Params(float(settings["bias"] ** 2), float(settings["taste"]), settings["seed"])
    return Learner(
        "apple_tasting",
        settings,
        params,
        State,
        algorithm=native.core.AppleTasting,
        family=theory.FAMILY,
        facts=facts,
        parts=parts,
    )
