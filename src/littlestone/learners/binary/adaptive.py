"""Logistic regression with a falling rate for each coordinate: probabilities, and a rule for sparse data of any scale.

The score w·x is the logarithm of the odds of a 1; predict 1 where it is not negative.  After each label, with p = 1/(1 + e^(-w·x)) and
g_i = (p - y)·x_i, add g_i² to G_i and move w_i by -η·g_i/√G_i (AdaGrad).

>>> import littlestone as ls
>>> run = ls.play(ls.adaptive(eta=0.5), [[2, 0], [0, 1], [2, 1]], [0, 1, 0], scores=True)
>>> run.predictions.tolist(), run.state.w.round(3).tolist(), run.probabilities.round(3).tolist()
([1, 1, 0], [-0.801, 0.199], [0.5, 0.5, 0.378])

Theorem: at most Λ/ln 2 mistakes, Λ the run's own log-loss; and Λ ≤ Λ(u) + Σ_i √G_i·((B_i + |u_i|)²/(2η) + η) for every u, B_i the largest
|w_i| of the run (Duchi, Hazan, Singer 2011, with its constants).
"""

from collections import namedtuple
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from littlestone.kernels import native
from littlestone.protocol import Learner, Run
from littlestone.protocol.layout import EVERYWHERE, Column, Layout
from littlestone.protocol.score_terms import ScoreTerms, bias_term, linear
from littlestone.protocol.soundness import LOG_LOSS, NOT_NEGATIVE
from littlestone.theory import adaptive as theory
from littlestone.theory import log_loss

Params = namedtuple("Params", "eta rho")


# top: the largest |w_i| so far
# sums: the log-loss, as `native/core/log_loss.h` keeps it
class State(NamedTuple):
    w: Any = Column(negated=EVERYWHERE)
    G: Any = Column(within=NOT_NEGATIVE)
    top: Any = Column(within=NOT_NEGATIVE, account=True)
    b: Any = Column(size=1, negated=EVERYWHERE)
    bias_G: Any = Column(size=1, within=NOT_NEGATIVE)
    bias_top: Any = Column(size=1, within=NOT_NEGATIVE, account=True)
    sums: Any = Column(fill=[1.0, 0.0, 0.0, 0.0], within=LOG_LOSS, account=True)


EIGHT = np.uint64(8)


def parts(params: Params, state: State, indices: np.ndarray, values: np.ndarray | None) -> ScoreTerms:
    return linear(state.w[indices], values, others=bias_term(params.rho, state.b[0]))


def facts(run: Run) -> dict:
    """The run's own log-loss, and the regret against the witness u = 0."""
    state, eta = run.state, run.learner.settings["eta"]
    product, bits, weighed, labelled = state.sums.tolist()
    roots, top = np.sqrt(np.append(state.G, state.bias_G)), np.append(state.top, state.bias_top)
    regret = Fraction(float(roots @ (top * top))) / (2 * eta) + Fraction(float(roots.sum())) * eta
    return {
        "loss": log_loss.log_loss(Fraction(product), int(bits), Fraction(weighed)),
        "loss_u": Fraction(labelled) * Fraction(log_loss.ln2()),
        "regret": regret,
        "witness": "the run itself; u = 0 in the bound by regret",
    }


WHEN = "text or clicks with noise, features of any scale, and you want probabilities"
SAMPLES: tuple[dict, ...] = ({}, {"eta": "1/10", "bias": 1}, {"eta": 2, "bias": "1/2"})


def adaptive(n: int | None = None, *, eta: float | Fraction = Fraction(1, 2), bias: float | Fraction = 0) -> Learner:
    """Adaptive logistic regression with rate `eta`; `bias` is the value of a feature in every instance, 0 for none; `n` is only checked."""
    settings = theory.FAMILY.take(n=n, eta=eta, bias=bias)
    return Learner(
        name="adaptive",
        family=theory.FAMILY,
        settings=settings,
        params=Params(float(settings["eta"]), float(settings["bias"])),
        state=Layout(State, spaced=True),
        algorithm=native.core.Adaptive,
        facts=facts,
        parts=parts,
    )
