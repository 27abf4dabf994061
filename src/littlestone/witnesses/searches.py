"""For each bound in hindsight: where its witness is looked for, and what the witness makes of the rounds, rounded outward.

A search gives candidates; each is written down exactly (whole numbers over a power of two), and its facts are measured on what was written
down: upper ends of sums in doubles, a relative 10⁻¹¹ above the truth at most.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from littlestone.theory.evidence import Features
from littlestone.witnesses.of_vectors import VECTORS, Candidates
from littlestone.witnesses.played import Played


def winnow_set(played: Played, seconds: float) -> Candidates:
    from littlestone.theory.winnow import promotions_of_one_weight
    from littlestone.witnesses.sets import disjunction_set

    settings = played.learner.settings
    cost = promotions_of_one_weight(settings["alpha"], settings["theta"])
    found = disjunction_set(played.X, played.y > 0, cost=cost, seconds=seconds)
    yield _set(played, found.set, 1), {"r": len(found.set), "A": found.errors}


def winnow_k_of_r(played: Played, seconds: float) -> Candidates:
    from littlestone.theory.winnow import promotions_of_one_weight
    from littlestone.witnesses.sets import k_of_r_set

    settings = played.learner.settings
    k, cost = settings["k"] or 1, promotions_of_one_weight(settings["alpha"], settings["theta"])
    if k > 1:
        found = k_of_r_set(played.X, played.y > 0, k=k, cost=cost, seconds=seconds)
        yield _set(played, found.set, k), {"r": len(found.set), "A": found.errors, "k": k}


def _set(played: Played, columns: np.ndarray, k: int) -> Features:
    return Features(frozenset(played.name(int(i)) for i in columns), k)


#: By the bound's name.
SEARCHES: dict[str, Callable[[Played, float], Candidates]] = {
    **VECTORS,
    "winnow-disjunction-agnostic": winnow_set,
    "winnow-k-of-r-agnostic": winnow_k_of_r,
}

#: By the learner's name: facts of its a priori bounds that only a look at the stream can tell.
PRIOR: dict[str, Callable[[Played], Mapping[str, Any]]] = {
    "balanced_winnow": lambda played: {"n": max(1, played.features)},
}
