"""Winnow with elimination: sets of variables."""

import numpy as np

from littlestone.theory.winnow_elimination import uncovered
from littlestone.witnesses.sets import GREEDY, cover_of, elimination_set, labelled_presence
from littlestone.witnesses.taught_rounds import Candidates, Played


def elimination(played: Played, effort: float) -> Candidates:
    cheapest = elimination_set(played.X, played.y > 0, theta=played.learner.settings["theta"], effort=effort)
    chosen = np.intersect1d(cheapest.set, played.met)
    rows = np.split(played.X.indices, played.X.indptr[1:-1]) if len(played.y) else []
    B, living = uncovered(zip((row.tolist() for row in rows), played.y > 0, strict=True), chosen.tolist())
    yield played.set_of(chosen), {"r": len(chosen), "living": living, "B": B}


def elimination_all(played: Played, effort: float) -> Candidates:
    """A set that covers the 1s of all rounds, its members living until a 0 has them on."""
    rows, label = labelled_presence(played)
    cheapest = elimination_set(
        rows, label, theta=played.learner.settings["theta"], effort=effort, exact=None if rows.nnz < GREEDY else False
    )
    chosen = np.intersect1d(cheapest.set, rows.indices)
    yield played.set_of(chosen), {"r": len(chosen), **cover_of(rows, label, chosen)}


SEARCHES = {"elimination-agnostic-all": elimination_all, "elimination-agnostic": elimination}
