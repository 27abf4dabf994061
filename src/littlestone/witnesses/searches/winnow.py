"""Winnow: sets of variables, as a disjunction and as k of r."""

from functools import partial

import numpy as np

from littlestone.theory.comparators.feature_set import Features
from littlestone.theory.winnow import promotions_of_one_weight
from littlestone.witnesses.sets import GREEDY, SetWitness, attribute_errors, k_of_r_set, presence
from littlestone.witnesses.taught_rounds import Candidates, Played


def winnow_set(played: Played, effort: float) -> Candidates:
    """On the mistake rounds no set beats the empty one (P - A ≤ rL is its proof), so it is stated, and beside it a set that says something
    of the stream: the one with the least cost over all rounds, its errors counted on the mistakes."""
    settings = played.learner.settings
    cost = promotions_of_one_weight(settings["alpha"], settings["theta"])
    yield Features(frozenset()), {"r": 0, "A": int((played.y > 0).sum())}
    chosen = np.intersect1d(cheapest(played, 1, cost, effort).set, np.unique(played.X.indices))
    yield played.set_of(chosen), {"r": len(chosen), "A": attribute_errors(presence(played.X), played.y > 0, chosen)}


def cheapest(played: Played, k: int, cost: int, effort: float) -> SetWitness:
    """The set with the least cost over all labelled rounds."""
    if f"set {k}" not in played.memo:
        labelled = played.whole.labels >= 0
        rows = played.whole.X if labelled.all() else played.whole.X[labelled]
        exact = None if rows.nnz < GREEDY else False
        played.memo[f"set {k}"] = k_of_r_set(rows, played.whole.labels[labelled] == 1, k=k, cost=cost, effort=effort, exact=exact)
    return played.memo[f"set {k}"]


def winnow_set_all(played: Played, effort: float, *, of_r: bool = False) -> Candidates:
    """The set with the least cost over all rounds, its errors counted there."""
    settings = played.learner.settings
    k, cost = (settings["k"] or 1) if of_r else 1, promotions_of_one_weight(settings["alpha"], settings["theta"])
    if k > 1 or not of_r:
        chosen = cheapest(played, k, cost, effort)
        yield played.set_of(chosen.set, k), {"r": len(chosen.set), "A": chosen.errors, "k": k}


def winnow_k_of_r(played: Played, effort: float) -> Candidates:
    settings = played.learner.settings
    k, cost = settings["k"] or 1, promotions_of_one_weight(settings["alpha"], settings["theta"])
    if k > 1:
        best = k_of_r_set(played.X, played.y > 0, k=k, cost=cost, effort=effort)
        yield played.set_of(best.set, k), {"r": len(best.set), "A": best.errors, "k": k}


SEARCHES = {
    "winnow-disjunction-agnostic": winnow_set,
    "winnow-disjunction-agnostic-all": winnow_set_all,
    "winnow-k-of-r-agnostic": winnow_k_of_r,
    "winnow-k-of-r-agnostic-all": partial(winnow_set_all, of_r=True),
}
