"""Elimination: learn a monotone disjunction by striking variables out.

Predict 1 iff some active variable has not been struck out.  A false 1 strikes out its active variables, for good.  A missed 1 teaches
nothing: it can only come when the target is no disjunction.

>>> import littlestone as ls
>>> run = ls.play(ls.disjunctions(), [[1, 0, 1, 0, 0], [0, 1, 1, 0, 0], [0, 1, 1, 1, 0], [0, 0, 0, 0, 0]], [1, 0, 1, 0])  # x1 ∨ x4
>>> run.predictions.tolist(), run.state.gone.tolist()
([1, 1, 1, 0], [0, 1, 1, 0, 0])
>>> [(claim.name, claim.observed, claim.limit) for claim in run.bounds("disjunction:r=2")]
[('elimination', 1, 3), ('elimination-any-stream', 1, 2)]

Theorem (Blum, Hopcroft, Kannan, Section 5.8): on a disjunction of r of n variables at most n - r mistakes.  Every
deterministic learner can be made to err n times on some disjunction.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from littlestone.kernels import native
from littlestone.protocol import Learner, Run
from littlestone.protocol.layout import Column
from littlestone.protocol.mixture import Intersection
from littlestone.protocol.score_terms import ScoreTerms, linear
from littlestone.theory import disjunctions as theory


class State(NamedTuple):
    gone: Any = Column(np.int8, within=(0, 1))


def parts(params: tuple, state: State, indices: np.ndarray, values: np.ndarray | None) -> ScoreTerms:
    """As a sum: a variable that has not been struck out weighs 1, and 1 is enough."""
    return linear(1 - state.gone[indices].astype(np.int64), None, threshold=1)


def facts(run: Run) -> dict:
    return {"n": run.width, "E": int(run.state.gone.sum(dtype=np.int64)), "P": run.false_negatives, "witness": "none needed"}


class MergedDisjunctions(Intersection):
    """Over shards: struck out is what any shard has struck out."""

    def merged(self, learner: Learner, states: Sequence[tuple], parts: Sequence[int], mean: str) -> State:
        return State(np.maximum.reduce([gone for (gone,) in states]))

    def facts(self, learner: Learner, state: tuple, witness: Any, lost: Any) -> dict[str, Any]:
        (gone,) = state
        return {"struck": int(gone.sum(dtype=np.int64)), "lost": lost}

    def in_words(self, witness: Any) -> str:
        return "the disjunction that is left"


WHEN = "the label is 1 exactly where one of some features is on, without noise, and few features in all"
SAMPLES: tuple[dict, ...] = ({}, {"n": 5})


def disjunctions(n: int | None = None) -> Learner:
    """Elimination over boolean features; `n` is only checked, and counted by the bound (else the features met are)."""
    settings = theory.FAMILY.take(n=n)
    return Learner(
        "disjunctions",
        settings,
        (),
        State,
        algorithm=native.core.Disjunctions,
        family=theory.FAMILY,
        facts=facts,
        parts=parts,
        mixture=MergedDisjunctions(),
    )
