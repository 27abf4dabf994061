"""Winnow with doubling guesses: k of r, for a few k."""

from functools import partial

from littlestone.theory.winnow import promotions_of_one_weight
from littlestone.theory.winnow_doubling import guesses, since
from littlestone.witnesses.sets import k_of_r_set, labelled_presence
from littlestone.witnesses.taught_rounds import Candidates, Played

MOST_OF = 4  # k is tried up to this
SMALL = 20_000  # entries of all rounds up to which several k are tried, and sets are proved to be the best


def doubling(played: Played, effort: float, *, overall: bool, every: bool = False) -> Candidates:
    """k of r, for a few k: since the segment began, or over all mistakes with the first guess or the last, or over all rounds (`every`)."""
    n, largest = (played.learner.settings[name] for name in ("n", "largest"))
    segment, gone = since(n, largest, len(played.y))
    gone = 0 if overall else gone
    rows, label = labelled_presence(played) if every else (played.X[gone:], played.y[gone:] > 0)
    tried, small = guesses(n, largest), not every or rows.nnz < SMALL
    for alpha in {tried[0].alpha, tried[-1].alpha} if overall else {tried[segment].alpha}:
        for k in range(1, (min(MOST_OF, n) if small else 1) + 1):
            if (k - 1) * (alpha - 1) < 1:
                cost, exact = promotions_of_one_weight(alpha, n), None if small else False
                best = k_of_r_set(rows, label, k=k, cost=cost, effort=effort / MOST_OF, exact=exact)
                yield played.set_of(best.set, k), {"k": k, "r": len(best.set), "A_all" if overall else "A": best.errors}


SEARCHES = {
    "winnow-doubling-agnostic-overall-all": partial(doubling, overall=True, every=True),
    "winnow-doubling-agnostic": partial(doubling, overall=False),
    "winnow-doubling-agnostic-overall": partial(doubling, overall=True),
}
