"""Littlestone's Standard Optimal Algorithm: predict the label that leaves the richer class.

Let d be the Littlestone dimension of the living concepts V, and d₀, d₁ those of the parts that say 0 and 1 of x (-1 for none).  The
tree of the dimension may begin with x, so d ≥ 1 + min(d₀, d₁).  The learner predicts the part of the larger dimension.  After a mistake
the other part is left, and its dimension is min(d₀, d₁) ≤ d - 1.  A part never has a larger dimension than the whole.  Hence, after M
mistakes, the dimension is at most Ldim(C) - M; and as long as some concept is left it is at least 0.

No deterministic learner does better: along the tree of depth Ldim(C) an adversary answers each prediction with the other label.
"""

from collections.abc import Mapping
from typing import Any

from littlestone.errors import require
from littlestone.theory.bound import Moment, a_priori, hindsight
from littlestone.theory.classes import PlainClass, theorems_of_class
from littlestone.theory.evidence import Evidence
from littlestone.theory.families import Family
from littlestone.theory.halving import living
from littlestone.theory.mixing import OWN, MixingTheorems, ShardFacts, ShardRounds
from littlestone.theory.potentials import Line, Proof, Term
from littlestone.theory.settings import CONCEPTS

SOURCE = "Littlestone 1988, Theorem 3"


def any_concept(ldim: int) -> int:
    return ldim


def survivors(ldim: int, left: int) -> int:
    require(0 <= left <= ldim, f"left={left}: a concept must be left, so that the dimension is 0 or more")
    return ldim - left


CLASS = a_priori("optimal-class", "class", "M ≤ Ldim(C)", any_concept, SOURCE)
SURVIVORS = hindsight(
    "optimal-survivors",
    "M ≤ Ldim(C) - Ldim(V),  V = the concepts still alive",
    survivors,
    f"{SOURCE}, its proof",
    falling=("left",),
    every=True,
    loss="0",
)


def _chain(m: Moment) -> tuple[Term, ...]:
    return 0, m.settings["left"], m.settings["ldim"] - m.settings["mistakes"]


def proof(settings: Mapping[str, Any], witness: bool) -> Proof:
    line = Line(("0", "Ldim(V)", "Ldim(C)-M"), _chain, ("Ldim(V)",))
    return Proof((line,), "V the concepts that are left of C, Ldim the Littlestone dimension")


def measure(e: Evidence, _: None) -> dict:
    """The dimension of the class that the settings name, and of the concepts that agree with every label."""
    C = PlainClass.of(e.settings["concepts"])
    facts = {"ldim": C.ldim(C.all)}
    return facts if e.every is None else facts | {"left": C.ldim(living(e, C, True))}


def merged(rounds: ShardRounds, witness: Mapping[str, Any], last: Any) -> ShardFacts:
    """The dimension of the class, and of what the last epoch has left of it."""
    C = PlainClass.of(rounds.settings["concepts"])
    return ShardFacts({"ldim": C.ldim(C.all)} if last is None else {"ldim": C.ldim(C.all), "left": C.ldim(last.concepts)})


OVER_SHARDS = MixingTheorems(
    ("intersection",),
    (
        a_priori("optimal-mixing-class", "class", "M ≤ S·Ldim(C)", lambda S, ldim: S * any_concept(ldim), OWN),
        hindsight(
            "optimal-mixing-survivors",
            "M ≤ S·(Ldim(C) - Ldim(V)),  V = the concepts that every shard has left",
            lambda S, ldim, left: S * survivors(ldim, left),
            OWN,
            falling=("left",),
            every=True,
            loss="0",
        ),
    ),
    merged,
    arithmetic="exact",
)

FAMILY = Family(
    "optimal",
    {"concepts": CONCEPTS},
    theorems_of_class(CLASS, SURVIVORS),
    measure,
    ties="equal dimensions predict 1",
    updates_on="always",
    arithmetic="exact",
    proof=proof,
    domain="boolean",
    mixing=OVER_SHARDS,
    source="Littlestone 1988",
)
