"""Winnow: sets of variables, as a disjunction and as k of r."""

import numpy as np

from littlestone.theory.comparators.feature_set import Features
from littlestone.theory.winnow import promotions_of_one_weight
from littlestone.witnesses.sets import attribute_errors, disjunction_set, k_of_r_set, presence
from littlestone.witnesses.taught_rounds import Candidates, Played

LARGE = 2_000_000  # entries from which on a set is looked for greedily alone


def winnow_set(played: Played, seconds: float) -> Candidates:
    """On the mistake rounds no set beats the empty one (P - A ≤ rL is its proof), so it is stated, and beside it a set that says something
    of the stream: the one with the least cost over all rounds, its errors counted on the mistakes."""
    settings = played.learner.settings
    cost = promotions_of_one_weight(settings["alpha"], settings["theta"])
    yield Features(frozenset()), {"r": 0, "A": int((played.y > 0).sum())}
    labelled = played.whole.labels >= 0
    rows = played.whole.X if labelled.all() else played.whole.X[labelled]
    cheapest = disjunction_set(
        rows, played.whole.labels[labelled] == 1, cost=cost, seconds=seconds, exact=None if rows.nnz < LARGE else False
    )
    chosen = np.intersect1d(cheapest.set, np.unique(played.X.indices))
    yield played.set_of(chosen), {"r": len(chosen), "A": attribute_errors(presence(played.X), played.y > 0, chosen)}


def winnow_k_of_r(played: Played, seconds: float) -> Candidates:
    settings = played.learner.settings
    k, cost = settings["k"] or 1, promotions_of_one_weight(settings["alpha"], settings["theta"])
    if k > 1:
        cheapest = k_of_r_set(played.X, played.y > 0, k=k, cost=cost, seconds=seconds)
        yield played.set_of(cheapest.set, k), {"r": len(cheapest.set), "A": cheapest.errors, "k": k}


SEARCHES = {"winnow-disjunction-agnostic": winnow_set, "winnow-k-of-r-agnostic": winnow_k_of_r}
