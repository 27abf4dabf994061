"""Littlestone's Standard Optimal Algorithm: predict the label that leaves the richer class.

Let d be the Littlestone dimension of the living concepts V, and d₀, d₁ those of the parts that say 0 and 1 of x (-1 for none).  The
tree of the dimension may begin with x, so d ≥ 1 + min(d₀, d₁).  The learner predicts the part of the larger dimension.  After a mistake
the other part is left, and its dimension is min(d₀, d₁) ≤ d - 1.  A part never has a larger dimension than the whole.  Hence, after M
mistakes, the dimension is at most Ldim(C) - M; and as long as some concept is left it is at least 0.

No deterministic learner does better: along the tree of depth Ldim(C) an adversary answers each prediction with the other label.
"""

from __future__ import annotations

from littlestone.theory.bound import Bound

SOURCE = "Littlestone 1988, Theorem 3"


def any_concept(ldim: int) -> int:
    return ldim


def survivors(ldim: int, left: int) -> int:
    return ldim - left


CLASS = Bound(
    name="optimal-class",
    assumes="class",
    kind="a priori",
    formula="M ≤ Ldim(C)",
    value=any_concept,
    source=SOURCE,
)
SURVIVORS = Bound(
    name="optimal-survivors",
    assumes="none",
    kind="hindsight",
    formula="M ≤ Ldim(C) - Ldim(V),  V = the concepts still alive",
    value=survivors,
    source=f"{SOURCE}, its proof",
)
