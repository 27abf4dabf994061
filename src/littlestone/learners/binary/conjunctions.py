"""Conjunctions: begin with all 2n literals, drop those that a missed 1 contradicts.

Predict 1 iff every living literal is true.  A missed 1 removes the literals that are false on it; a false 1 teaches nothing.

A row costs its active features only: `seen[i]` counts the missed 1s with feature i on, out of F; x_i lives iff it was on in all of
them, ¬x_i iff in none.  So a row is predicted 1 iff no active feature has a living ¬x_i and as many as live have a living x_i.

>>> import littlestone as ls
>>> X = [[1, 1, 1], [0, 1, 1], [1, 0, 1], [1, 1, 0], [0, 0, 0]]     # the worst stream: every round is a mistake, save the last
>>> run = ls.play(ls.conjunctions(), X, [1, 1, 1, 1, 1])
>>> run.predictions.tolist(), run.mistakes, run.bounds("conjunction")[0].limit
([0, 0, 0, 0, 1], 4, 4)

For `check_invariants` a conjunction is given as a mapping: witness={0: +1, 2: -1} is x0 ∧ ¬x2.

Theorem (Kanade, Lecture 10): on a satisfiable conjunction of k literals over n variables at most n + 1 - k mistakes.  No learner has a
bound below n + 1 for all conjunctions, n ≥ 2.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from littlestone.errors import require
from littlestone.kernels import native
from littlestone.protocol import Learner, Run
from littlestone.protocol.layout import Column, Layout
from littlestone.protocol.mixture import Intersection
from littlestone.protocol.score_terms import ScoreTerms, Term
from littlestone.protocol.soundness import within
from littlestone.theory import conjunctions as theory


class State(NamedTuple):
    seen: Any = Column(np.int32)
    tally: Any = Column(np.int32, size=2)  # F, the missed 1s, and how many x_i live; F ≤ n + 1 on every stream, so it cannot overflow


def sound(params: tuple, state: State) -> None:
    within(state, tally=(0, [2**30, len(state.seen)]))
    F, living = state.tally.tolist()
    within(state, seen=(0, F))
    count = int(np.count_nonzero(state.seen == F)) if F else 0
    require(living == count, f"its tally says that {living} literals live, and {count} do")


def parts(params: tuple, state: State, indices: np.ndarray, values: np.ndarray | None) -> ScoreTerms:
    """As a sum: -1 for every living literal that is false. A feature weighs 1 where x_i lives, less 1 where ¬x_i lives."""
    seen, F = state.seen, state.tally[0]
    alive, barred = seen[indices] == F, (seen[indices] == 0).astype(np.int64)
    weights = alive - barred
    if F == 0:  # all of them, with no round behind it
        rest = (Term("features not there", 0.0, 0.0, float(len(indices) - len(seen)), 0.0),)
        return ScoreTerms(weights, -barred, weights, rest, words="no 1 was missed so far, so every literal lives")
    missing = state.tally[1] - np.count_nonzero(alive)
    missed = sorted({*np.flatnonzero(seen == F).tolist()} - {*indices.tolist()}) if missing else ()
    failing = missing + np.count_nonzero(barred)
    words = f"{failing} living literal{'s fail' if failing != 1 else ' fails'}"
    return ScoreTerms(weights, -barred, weights, tuple(Term(i, 0.0, 1.0, -1.0, 1.0) for i in missed), words=words)


def facts(run: Run) -> dict:
    seen, tally = run.state
    removed = int(np.count_nonzero((seen != 0) & (seen != tally[0])))
    return {"n": run.width, "removed": removed, "N": run.false_positives, "witness": "none needed"}


class MergedConjunctions(Intersection):
    """Over shards: a literal lives that lives in every shard. Of two missed 1s, as it were, x_i was on in both, ¬x_i in neither."""

    def merged(self, learner: Learner, states: Sequence[tuple], parts: Sequence[int], mean: str) -> State:
        learned = [(seen, tally[0]) for seen, tally in states if tally[0]]
        if not learned:
            return State(*states[0])
        on = np.logical_and.reduce([seen == F for seen, F in learned])
        ever = np.logical_or.reduce([seen > 0 for seen, _ in learned])
        return State(on.astype(np.int32) + ever, np.array([2, np.count_nonzero(on)], np.int32))

    def facts(self, learner: Learner, state: tuple, witness: Any, lost: Any) -> dict[str, Any]:
        seen, tally = state
        return {"changing": int(np.count_nonzero((seen != 0) & (seen != tally[0]))), "lost": lost}

    def in_words(self, witness: Any) -> str:
        return "the conjunction that is left"


WHEN = "the label is 1 exactly where some features are on and some are off, without noise"
SAMPLES: tuple[dict, ...] = ({}, {"n": 4})


def conjunctions(n: int | None = None) -> Learner:
    """Conjunctions over boolean features; `n` is only checked, and counted by the bound (else the features met are)."""
    settings = theory.FAMILY.take(n=n)
    return Learner(
        "conjunctions",
        settings,
        (),
        Layout(State, sound=sound),
        algorithm=native.core.Conjunctions,
        family=theory.FAMILY,
        facts=facts,
        parts=parts,
        mixture=MergedConjunctions(),
    )
