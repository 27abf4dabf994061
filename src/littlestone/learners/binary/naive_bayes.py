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

import numpy as np

from littlestone.kernels import native
from littlestone.kernels.compiler import any_lane, chosen_lanes, gathered, in_order, jit_lent, lane, lanes_abs, lanes_at, places_of
from littlestone.kernels.hyperbolic import lanes_log, log
from littlestone.kernels.log_loss import SOUND as LOG_LOSS
from littlestone.kernels.log_loss import chances, keep
from littlestone.protocol import Kernels, Learner, Run
from littlestone.protocol.score_terms import ScoreTerms, Term, linear
from littlestone.protocol.soundness import NOT_NEGATIVE, within
from littlestone.theory import log_loss
from littlestone.theory import naive_bayes as theory

Params = namedtuple("Params", "alpha")
# ones, zeros: Σ|x_i| over the rounds with label 1, 0, where x_i > 0; less_ones, less_zeros: where x_i < 0
# totals: t1, t0, n1, n0, V; sums: the log-loss, as `kernels.log_loss` keeps it
State = namedtuple("State", "ones zeros less_ones less_zeros totals sums")

EIGHT, NOTHING = np.uint64(8), -0.0  # what changes no sum
HIGH, LOW = 2.0**300, 2.0**-300  # no ratio of counts is as far from 1 as 2^±330, so a product between these can take one more


@jit_lent
def score(alpha, ones, zeros, less_ones, less_zeros, totals, sums, indices, values, lo, hi):
    product = (totals[2] + 1.0) / (totals[3] + 1.0)  # ratios of features of value 1 are multiplied: one logarithm for all
    s, length, end = 0.0, 0.0, np.uint64(hi)
    for k in range(np.uint64(lo), end, EIGHT):  # eight features at a time
        at, signed = places_of(indices, k, end), lanes_at(values, k, end)
        x, one, zero = lanes_abs(signed), gathered(ones, at), gathered(zeros, at)
        less = signed < 0.0
        if any_lane(less):
            one, zero = chosen_lanes(less, gathered(less_ones, at), one), chosen_lanes(less, gathered(less_zeros, at), zero)
        known = one + zero > 0.0
        ratios, x = chosen_lanes(known, (one + alpha) / (zero + alpha), 1.0), chosen_lanes(known, x, 0.0)
        length = in_order(length, x, end - k)
        other = known & (x != 1.0)
        mixed, parts = any_lane(other), ratios
        if mixed:
            parts, ratios = chosen_lanes(other, x * lanes_log(ratios), NOTHING), chosen_lanes(other, 1.0, ratios)
            if not any_lane(ratios != 1.0):  # no value is 1, so the product stays as it is
                s = in_order(s, parts, end - k)
                continue
        for j in range(min(EIGHT, end - k)):
            if mixed:
                s += lane(parts, j)
            product *= lane(ratios, j)
            if not LOW < product < HIGH:
                s += log(product)
                product = 1.0
    s += log(product)
    if length > 0.0:
        more = alpha * (totals[4] + 1.0)
        s += length * log((totals[1] + more) / (totals[0] + more))
    return s


@jit_lent
def predict(alpha, ones, zeros, less_ones, less_zeros, totals, sums, indices, values, lo, hi):
    return score(alpha, ones, zeros, less_ones, less_zeros, totals, sums, indices, values, lo, hi) >= 0.0


@jit_lent
def learn(state, indices, values, lo, hi, s, y, weight):
    """The update, given the score."""
    ones, zeros, less_ones, less_zeros, totals, sums = state
    if weight == 0.0:
        return
    right, _ = chances(s, y)
    keep(sums, right, weight)
    added, new = 0.0, 0  # the two signs are written out: handing arrays to a function at every feature costs ten times the counting
    for k in range(np.uint64(lo), np.uint64(hi)):
        i = indices[k]
        c = weight if values is None else weight * np.float64(values[k])
        if c > 0.0:
            new += ones[i] + zeros[i] == 0.0
            if y:
                ones[i] += c
            else:
                zeros[i] += c
        elif c < 0.0:
            c = -c
            new += less_ones[i] + less_zeros[i] == 0.0
            if y:
                less_ones[i] += c
            else:
                less_zeros[i] += c
        added += c
    j = 0 if y else 1
    totals[j] += added
    totals[2 + j] += weight
    totals[4] += new


@jit_lent
def update(alpha, ones, zeros, less_ones, less_zeros, totals, sums, indices, values, lo, hi, y, yhat, weight):
    state = State(ones, zeros, less_ones, less_zeros, totals, sums)
    s = score(alpha, ones, zeros, less_ones, less_zeros, totals, sums, indices, values, lo, hi)
    learn(state, indices, values, lo, hi, s, y, weight)
    return True


@jit_lent
def play(alpha, ones, zeros, less_ones, less_zeros, totals, sums, indptr, indices, values, labels, weights, predictions, scores, updates):
    state = State(ones, zeros, less_ones, less_zeros, totals, sums)
    for t in range(len(labels)):
        lo, hi = indptr[t], indptr[t + 1]
        s = score(alpha, ones, zeros, less_ones, less_zeros, totals, sums, indices, values, lo, hi)
        predictions[t] = s >= 0.0
        if scores is not None:
            scores[t] = s
        if labels[t] >= 0:
            weight = 1.0 if weights is None else np.float64(weights[t])
            learn(state, indices, values, lo, hi, s, labels[t] == 1, weight)


@jit_lent
def teach(alpha, ones, zeros, less_ones, less_zeros, totals, sums, indptr, indices, values, labels, scores):
    """Learn the label of one round, given the score that `play` told of it."""
    state = State(ones, zeros, less_ones, less_zeros, totals, sums)
    learn(state, indices, values, indptr[0], indptr[1], scores[0], labels[0] == 1, 1.0)


def init(room: int) -> State:
    return State(np.zeros(room), np.zeros(room), np.zeros(room), np.zeros(room), np.zeros(5), np.array([1.0, 0.0, 0.0, 0.0]))


def sound(params: Params, state: State) -> None:
    counts = dict.fromkeys(("ones", "zeros", "less_ones", "less_zeros", "totals"), NOT_NEGATIVE)
    within(state, sums=LOG_LOSS, **counts)


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


def mirrored(state: State) -> State:
    """The counts of the one label and of the other, exchanged."""
    t1, t0, n1, n0, V = state.totals.tolist()
    arrays = (state.zeros, state.ones, state.less_zeros, state.less_ones, np.array([t0, t1, n0, n1, V]), state.sums)
    return State(*(array.copy() for array in arrays))


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
        init=init,
        kernels=Kernels(predict, update, play, score, teach, native=native.core.NaiveBayes),
        n=n,
        facts=facts,
        parts=parts,
        sound=sound,
        spaced=True,
        mirrored=mirrored,
        ledger=("sums",),
        probabilities=theory.FAMILY.odds,
    )
