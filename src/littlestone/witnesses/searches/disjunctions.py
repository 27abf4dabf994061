"""Elimination: the disjunction of every feature that no 0 has."""

import numpy as np

from littlestone.witnesses.taught_rounds import Candidates, Played


def consistent_disjunction(played: Played, effort: float) -> Candidates:
    """The disjunction of every feature that no 0 has, where it labels the stream."""
    whole = played.whole
    if whole.uncovered() is None:
        free = (whole.count(whole.labels == 0) == 0) & (whole.count(whole.labels >= 0) > 0)
        yield played.set_of(np.flatnonzero(free)), {"met": whole.met, "r": int(free.sum())}


SEARCHES = {"elimination-consistent": consistent_disjunction}
