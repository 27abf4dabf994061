"""Agnostic halving: the concept with the fewest mistakes, which the run itself has counted."""

import numpy as np

from littlestone.theory.comparators.concept import Chosen
from littlestone.witnesses.taught_rounds import Candidates, Played


def best_concept(played: Played, effort: float) -> Candidates:
    C, counts = played.learner.settings["concepts"], played.run.state.counts
    best = int(np.argmin(counts))
    # of features counted from 1 the last takes the place of 0, as the learner has it
    numbers = {played.name(i): i if i < C.n else 0 for i in played.met.tolist()} if C.symmetric else {}
    yield Chosen(best, numbers), {"m": int(counts[best])}


SEARCHES = {"halving-agnostic": best_concept}
