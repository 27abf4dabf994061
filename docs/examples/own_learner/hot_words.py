"""Hot words: a missed 1 makes its features hot, a false 1 cools those it has; predict 1 where some feature is hot.

>>> import littlestone as ls
>>> mails = [{"free", "offer"}, {"free", "lunch"}, {"offer", "ends"}, {"lunch"}]
>>> run = ls.play(hot_words(), mails, [1, 0, 1, 0])                       # offers are spam
>>> run.predictions.tolist(), run.mistakes
([0, 1, 1, 0], 2)
>>> [(claim.name, claim.limit) for claim in run.bounds("disjunction:r=1")]
[('hot-words-disjunction', 3), ('hot-words-any-stream', 3)]

Theorem: on a disjunction of r variables at most r·(1 + c·s) mistakes, s the most features in a missed 1, c the patience.
"""

from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np

from littlestone import Bound, Column, Kernels, Learner
from littlestone.jit import jit
from littlestone.theory.families import Family
from littlestone.theory.settings import whole

# ---- the twin ----


def twin(rounds, *, patience):
    """The rule once more, as plainly as can be. A label that came late is compared with the prediction that was served then."""
    heat = defaultdict(int)
    for x, y in rounds:
        yhat = any(heat[i] > 0 for i in x)
        earlier = yield yhat
        yhat = yhat if earlier is None else earlier
        if y is not None and y != yhat:
            for i in x:
                heat[i] = patience if y else max(0, heat[i] - 1)


# ---- the theorem ----
#
# A missed 1 heats each of its features to c; a false 1 has a hot feature, and cools it by 1. So the heat, all of it together, grows by
# at most c·|x| in a missed 1 and falls by at least 1 in a false 1, and is never negative: N ≤ c·S, S = Σ|x| over the P missed 1s.  That
# is true of every stream: M ≤ P + c·S.  If a disjunction labels the stream, a missed 1 has one of its variables, and heats it; no false
# 1 has one, so it stays hot and is in no later missed 1: P ≤ r, and S ≤ r·s, s the largest missed 1.  So M ≤ r·(1 + c·s).

ANY_STREAM = Bound(
    name="hot-words-any-stream",
    assumes="none",
    kind="hindsight",
    formula="M ≤ P + c·S,  P = missed 1s, S = their features, c = the patience",
    value=lambda P, S, patience: P + patience * S,
    source="docs/adding_a_learner.md",
)
DISJUNCTION = Bound(
    name="hot-words-disjunction",
    assumes="disjunction",
    kind="a priori",
    formula="M ≤ r·(1 + c·s),  s = the most features in a missed 1",
    value=lambda r, s, patience: r * (1 + patience * s),
    source="docs/adding_a_learner.md",
)


def measure(evidence, witness):
    """The facts of both bounds, from the rows on which it erred: what a certificate states is held against this."""
    missed = [len(row.x) for row in evidence.taught if row.y]
    return {"P": len(missed), "S": sum(missed), "s": max(missed, default=0), "patience": evidence.settings["patience"]}


FAMILY = Family(
    "hot_words",
    {"patience": whole(1, 100)},
    (DISJUNCTION, ANY_STREAM),
    measure,
    ties="none: a feature is hot or not",
    domain="boolean",
    arithmetic="exact",
    source="docs/adding_a_learner.md",
    twin=twin,
)


# ---- the algorithm ----


class State(NamedTuple):
    heat: Any = Column(np.int64)
    sums: Any = Column(np.int64, size=2, account=True)  # features of all missed 1s, and of the largest


@jit
def predict(patience, heat, sums, indices, values, lo, hi):
    for k in range(np.uint64(lo), np.uint64(hi)):  # noqa: SIM110 (compiled, a loop is the quickest)
        if heat[indices[k]] > 0:
            return True
    return False


@jit
def update(patience, heat, sums, indices, values, lo, hi, y, yhat, weight):
    if y and not yhat:
        sums[0] += hi - lo
        sums[1] = max(sums[1], hi - lo)
    if yhat != y:
        for k in range(np.uint64(lo), np.uint64(hi)):
            i = indices[k]
            heat[i] = patience if y else max(0, heat[i] - 1)
    return yhat != y


@jit
def play(patience, heat, sums, indptr, indices, values, labels, weights, predictions, scores, updates):
    for t in range(len(labels)):
        lo, hi = indptr[t], indptr[t + 1]
        predictions[t] = yhat = predict(patience, heat, sums, indices, values, lo, hi)
        if labels[t] >= 0:
            update(patience, heat, sums, indices, values, lo, hi, labels[t] == 1, yhat, 1.0)


def facts(run):
    """The same facts as the run itself knows them."""
    total, largest = run.state.sums.tolist()
    return {"P": run.false_negatives, "S": total, "s": largest, "patience": run.learner.settings["patience"], "witness": "the run itself"}


#: When to use it, for `littlestone learners --which`.
WHEN = "a few words give a 1 away, and rows are short"

#: Settings the contract suite tries.
SAMPLES = ({}, {"patience": 3})


def hot_words(patience=1):
    """Hot words; a feature that was in a missed 1 stays hot through `patience` - 1 false 1s."""
    settings = FAMILY.take(patience=patience)
    return Learner(
        name="hot_words",
        family=FAMILY,
        settings=settings,
        params=(np.int64(settings["patience"]),),
        state=State,
        algorithm=Kernels(predict, update, play),
        facts=facts,
    )
