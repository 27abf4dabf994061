"""Coin betting: logistic regression without a rate. Each feature bets on the next gradient with what its earlier bets have won.

s_i is the largest |x_i| so far, this round's included, and L_i the largest |g| that came with it, at least 1; c_i = s_i·L_i. The coin of
feature i owns V_i, 1 to begin with. With Z_i = -Σg·x_i and G_i = Σ|g·x_i| over its rounds so far, w_i = V_i·Z_i/(c_i·(c_i + G_i)) is its
weight: the better its gradients agree, the larger a share of what it owns. The score, the logarithm of the odds of a 1, is wealth·w·x/a,
a the mean over the labelled rounds, this one included, of Σ(x_i/s_i)²; predict 1 where it is not negative. After each label, with
p = 1/(1 + e^(-score)) and g = p - y, V_i becomes V_i - g·x_i·w_i, and Z_i and G_i take in g·x_i.

>>> import littlestone as ls
>>> run = ls.play(ls.coin(), [[2, 0], [2, 1], [0, 1], [2, 0]], [0, 0, 1, 0], scores=True)
>>> run.predictions.tolist(), run.probabilities.round(3).tolist(), run.state.V.round(3).tolist()
([1, 0, 0, 0], [0.5, 0.291, 0.337, 0.175], [1.182, 0.85])

Theorem: at most Λ/ln 2 mistakes, Λ the run's own log-loss; and no coin ever loses all it owns.
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
from littlestone.protocol.soundness import LOG_LOSS, MOST, NOT_NEGATIVE, REAL
from littlestone.theory import coin as theory
from littlestone.theory import log_loss

Params = namedtuple("Params", "wealth rho")


# w: the weight that the others make, kept because most rounds only read it
# extra: w, L, Z, G, V of the bias; labelled rounds, and their Σ(x_i/s_i)²; sums: the log-loss, as `native/core/log_loss.h` keeps it
class State(NamedTuple):
    w: Any = Column(negated=EVERYWHERE)
    scale: Any = Column(within=NOT_NEGATIVE)
    peak: Any = Column(within=NOT_NEGATIVE)
    Z: Any = Column(within=REAL, negated=EVERYWHERE)
    G: Any = Column(within=NOT_NEGATIVE)
    V: Any = Column(fill=1, within=NOT_NEGATIVE)
    extra: Any = Column(fill=[0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0], within=([-MOST, 0, -MOST, 0, 0, 0, 0], MOST), negated=np.s_[0:3:2])
    sums: Any = Column(fill=[1.0, 0.0, 0.0, 0.0], within=LOG_LOSS, account=True)


def sound(params: Params, state: State) -> None:
    """A coin that has a scale has met a force, and no force that was met counts less than 1."""
    require(np.array_equal(state.peak >= 1, state.scale > 0), "its peak and scale do not agree on which coins have been tossed")


def parts(params: Params, state: State, indices: np.ndarray, values: np.ndarray | None) -> ScoreTerms:
    """Weights are those of the score: w_i times the wealth, divided by the mean."""
    size = np.ones(len(indices)) if values is None else np.abs(values.astype(np.float64))
    scale = np.maximum(state.scale[indices], size)
    c = scale * state.peak[indices]
    bets = np.divide(state.V[indices] * state.Z[indices], c * (c + state.G[indices]), out=np.zeros(len(c)), where=c > 0)
    z = np.divide(size, scale, out=np.zeros(len(c)), where=scale > 0)
    total = state.extra[6] + z @ z + (params.rho > 0)
    factor = params.wealth * (state.extra[5] + 1) / total if total > 0 else 0.0
    others = bias_term(params.rho, factor * state.extra[0])
    return linear(factor * bets, values, levels=state.w[indices], kind="bet for a wealth of 1", others=others)


def facts(run: Run) -> dict:
    """The run's own log-loss."""
    product, bits, weighed, _ = run.state.sums.tolist()
    return {"loss": log_loss.log_loss(Fraction(product), int(bits), Fraction(weighed)), "witness": "the run itself"}


WHEN = "long rows of which few features matter, words of a page say, labels with noise, and no rate to choose"
SAMPLES: tuple[dict, ...] = ({}, {"wealth": 1, "bias": 1}, {"wealth": "1/10", "bias": "1/2"})


def coin(n: int | None = None, *, wealth: float | Fraction = 4, bias: float | Fraction = 0) -> Learner:
    """Logistic regression by coin betting; coins begin with `wealth`; `bias` is the value of a feature in every instance, 0 for none."""
    settings = theory.FAMILY.take(n=n, wealth=wealth, bias=bias)
    return Learner(
        name="coin",
        family=theory.FAMILY,
        settings=settings,
        params=Params(float(settings["wealth"]), float(settings["bias"])),
        state=Layout(State, sound=sound, spaced=True),
        algorithm=native.core.CoinBetting,
        facts=facts,
        parts=parts,
    )
