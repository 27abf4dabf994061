"""Elimination: the disjunction of every feature that no 0 has."""

import numpy as np

from littlestone.witnesses.sets import GREEDY, cover_of, elimination_set, labelled_presence
from littlestone.witnesses.taught_rounds import Candidates, Played


def consistent_disjunction(played: Played, effort: float) -> Candidates:
    """The disjunction of every feature that no 0 has, where it labels the stream."""
    whole = played.whole
    if whole.uncovered() is None:
        free = (whole.count(whole.labels == 0) == 0) & (whole.count(whole.labels >= 0) > 0)
        yield played.set_of(np.flatnonzero(free)), {"met": whole.met, "r": int(free.sum())}


def cover(played: Played, effort: float) -> Candidates:
    """A set that covers the 1s of all rounds: a 1 without a living member costs 1, and a living member saves 1."""
    rows, label = labelled_presence(played)
    cheapest = elimination_set(rows, label, theta=1, effort=effort, exact=None if rows.nnz < GREEDY else False)
    chosen = np.intersect1d(cheapest.set, rows.indices)
    yield played.set_of(chosen), cover_of(rows, label, chosen)


SEARCHES = {"elimination-cover": cover, "elimination-consistent": consistent_disjunction}
