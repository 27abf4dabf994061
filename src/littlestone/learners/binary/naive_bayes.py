"""Naive Bayes: how often each feature came with a 1 and with a 0. It only counts, so it learns fast from few rounds of many words.

c1_i and c0_i are the sums of |x_i| over the rounds with label 1 and 0, a negative value being another feature than a positive one; t1 and
t0 the sums over all features, n1 and n0 the rounds, V the number of features met. The score is the logarithm of the odds of a 1,

    ln((n1+1)/(n0+1)) + Σ |x_i|·(ln((c1_i+α)/(c0_i+α)) + ln((t0+α(V+1))/(t1+α(V+1)))),

the sum over the features met before; predict 1 where it is not negative. Count after each label.

>>> import littlestone as ls
>>> run = ls.play(ls.naive_bayes(), [{"free": 1, "offer": 1}, {"minutes": 1}, {"free": 1, "minutes": 1}], [1, 0, 0], scores=True)
>>> run.predictions.tolist(), run.probabilities.round(3).tolist(), run.state.ones.tolist(), run.state.zeros.tolist()
([1, 1, 0], [0.5, 0.667, 0.254], [1.0, 1.0, 0.0], [1.0, 0.0, 2.0])

Theorem: at most Λ/ln 2 mistakes, Λ the run's own log-loss.
"""

from collections import namedtuple
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from littlestone.kernels import native
from littlestone.protocol import Learner, Run
from littlestone.protocol.layout import Column, Layout
from littlestone.protocol.score_terms import ScoreTerms, Term, linear
from littlestone.protocol.soundness import LOG_LOSS, NOT_NEGATIVE
from littlestone.theory import log_loss
from littlestone.theory import naive_bayes as theory

Params = namedtuple("Params", "alpha")


# ones, zeros: Σ|x_i| over the rounds with label 1, 0, where x_i > 0; less_ones, less_zeros: where x_i < 0
# totals: t1, t0, n1, n0, V; sums: the log-loss, as `native/core/log_loss.h` keeps it
class State(NamedTuple):
    ones: Any = Column(within=NOT_NEGATIVE, exchanged="zeros")
    zeros: Any = Column(within=NOT_NEGATIVE, exchanged="ones")
    less_ones: Any = Column(within=NOT_NEGATIVE, exchanged="less_zeros")
    less_zeros: Any = Column(within=NOT_NEGATIVE, exchanged="less_ones")
    totals: Any = Column(size=5, within=NOT_NEGATIVE, exchanged=(1, 0, 3, 2, 4))
    sums: Any = Column(fill=[1.0, 0.0, 0.0, 0.0], within=LOG_LOSS, account=True)


EIGHT, NOTHING = np.uint64(8), -0.0  # what changes no sum
HIGH, LOW = 2.0**300, 2.0**-300  # no ratio of counts is as far from 1 as 2^±330, so a product between these can take one more


def parts(params: Params, state: State, indices: np.ndarray, values: np.ndarray | None) -> ScoreTerms:
    """A weight is what a feature of value 1 adds; of one whose value is negative, what it takes away."""
    less = np.zeros(len(indices), bool) if values is None else values < 0
    one = np.where(less, state.less_ones[indices], state.ones[indices])
    zero = np.where(less, state.less_zeros[indices], state.zeros[indices])
    t1, t0, n1, n0, V = state.totals.tolist()
    more = params.alpha * (V + 1)
    odds = np.where(one + zero > 0, np.log((one + params.alpha) / (zero + params.alpha)) + np.log((t0 + more) / (t1 + more)), 0.0)
    prior = float(np.log((n1 + 1) / (n0 + 1)))
    return linear(np.where(less, -odds, odds), values, others=(Term("how often a 1", 1.0, prior, prior, prior),))


def facts(run: Run) -> dict:
    """The run's own log-loss."""
    product, bits, weighed, _ = run.state.sums.tolist()
    return {"loss": log_loss.log_loss(Fraction(product), int(bits), Fraction(weighed)), "witness": "the run itself"}


WHEN = "texts or other rows of many small counts, few rounds, and you want to be right early"
SAMPLES: tuple[dict, ...] = ({}, {"alpha": 1}, {"alpha": "1/1000"})


def naive_bayes(n: int | None = None, *, alpha: float | Fraction = Fraction(1, 10)) -> Learner:
    """Multinomial naive Bayes; `alpha` is what each count begins with; `n` is only checked."""
    settings = theory.FAMILY.take(n=n, alpha=alpha)
    return Learner(
        name="naive_bayes",
        family=theory.FAMILY,
        settings=settings,
        params=Params(float(settings["alpha"])),
        state=Layout(State, spaced=True),
        algorithm=native.core.NaiveBayes,
        facts=facts,
        parts=parts,
    )
