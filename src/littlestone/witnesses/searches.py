"""For each bound in hindsight: where its witness is looked for, and what the witness makes of the rounds, rounded outward.

A search gives candidates; each is written down exactly (whole numbers over a power of two), and its facts are measured on what was written
down: upper ends of sums in doubles, a relative 10⁻¹¹ above the truth at most.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from littlestone.witnesses import of_sets
from littlestone.witnesses.of_sets import SETS
from littlestone.witnesses.of_vectors import VECTORS, Candidates
from littlestone.witnesses.played import Played

#: By the bound's name.
SEARCHES: dict[str, Callable[[Played, float], Candidates]] = {
    **VECTORS,
    **SETS,
}

#: By the learner's name: facts that are told by a look at the stream, in the place of the run's own.
PRIOR: dict[str, Callable[[Played], Mapping[str, Any]]] = {
    **of_sets.PRIOR,
    "balanced_winnow": lambda played: {"n": max(1, played.features)},
}
