"""Conjunctions: the one of every literal that all the 1s satisfy."""

import numpy as np

from littlestone.theory.comparators.conjunction import Literals
from littlestone.witnesses.consistent import conjunction_witness
from littlestone.witnesses.taught_rounds import Candidates, Played


def consistent_conjunction(played: Played, effort: float) -> Candidates:
    """The conjunction of every literal that all the 1s satisfy, where it labels the stream; without a 1, one that no row satisfies."""
    whole = played.whole
    if whole.satisfied() is not None:
        return
    met = np.flatnonzero(whole.count(whole.labels >= 0))
    conjunction = conjunction_witness(whole.X[:, met], whole.labels)
    if conjunction.positive is not None and conjunction.negative is not None:
        literals = (frozenset(played.name(int(i)) for i in met[side]) for side in (conjunction.positive, conjunction.negative))
        witness = Literals(*literals)
        yield witness, {"met": whole.met, "size": len(witness.on) + len(witness.off)}


SEARCHES = {"conjunctions-consistent": consistent_conjunction}
