"""Winnow with doubling guesses: k of r, for a few k."""

from functools import partial

from littlestone.theory.winnow import promotions_of_one_weight
from littlestone.theory.winnow_doubling import guesses, since
from littlestone.witnesses.sets import k_of_r_set, labelled_presence
from littlestone.witnesses.taught_rounds import Candidates, Played

MOST_OF = 4  # k is tried up to this
SMALL = 20_000  # entries of all rounds up to which several k are tried, and sets are proved to be the best


def doubling(played: Played, effort: float, *, overall: bool) -> Candidates:
    """k of r, for a few k: since the segment began, or over all mistakes with the first guess or the last."""
    n, largest = (played.learner.settings[name] for name in ("n", "largest"))
    segment, gone = since(n, largest, len(played.y))
    if overall:
        gone = 0
    X, label = played.X[gone:], played.y[gone:] > 0
    tried = guesses(n, largest)
    for alpha in {tried[0].alpha, tried[-1].alpha} if overall else {tried[segment].alpha}:
        for k in range(1, min(MOST_OF, n) + 1):
            if (k - 1) * (alpha - 1) < 1:
                best = k_of_r_set(X, label, k=k, cost=promotions_of_one_weight(alpha, n), effort=effort / MOST_OF)
                yield played.set_of(best.set, k), {"k": k, "r": len(best.set), "A_all" if overall else "A": best.errors}


def overall_all(played: Played, effort: float) -> Candidates:
    """k of r over all rounds, with the first guess or the last."""
    n, largest = (played.learner.settings[name] for name in ("n", "largest"))
    rows, label = labelled_presence(played)
    tried, small = guesses(n, largest), rows.nnz < SMALL
    for alpha in {tried[0].alpha, tried[-1].alpha}:
        for k in range(1, (min(MOST_OF, n) if small else 1) + 1):
            if (k - 1) * (alpha - 1) < 1:
                cost, exact = promotions_of_one_weight(alpha, n), None if small else False
                best = k_of_r_set(rows, label, k=k, cost=cost, effort=effort / MOST_OF, exact=exact)
                yield played.set_of(best.set, k), {"k": k, "r": len(best.set), "A_all": best.errors}


SEARCHES = {
    "winnow-doubling-agnostic-overall-all": overall_all,
    "winnow-doubling-agnostic": partial(doubling, overall=False),
    "winnow-doubling-agnostic-overall": partial(doubling, overall=True),
}
