"""Elimination: the disjunction of all variables that no false 1 has struck out.

A prediction of 1 needs an active variable still there, and a false 1 strikes out all active ones, at least that one: false 1s ≤
variables struck out, on every stream.  If a disjunction labels the stream, none of its variables is active where the label is 0, so
none is struck out; the hypothesis then contains the target and never misses a 1: M ≤ n - r.

On any stream, for every set S: drop a member at the first 0 that has it on.  A variable is struck out only by a 0 that has it on, so the
members left are in the hypothesis, and a missed 1 has none of them on: P ≤ B, B the 1s of all rounds without one.  Those left at the end
are never struck out: N ≤ met - living.  Together M ≤ met - living + B, whatever the learner did.  As a rule the shrinking set errs on those
1s and on the 0s that drop a member, `errors` = B + `drops` in all: M ≤ errors + (met - living - drops), and a drop costs a member at least,
so that the price is never below met - |S|.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from littlestone.errors import require
from littlestone.theory.all_rounds import CoverMeter
from littlestone.theory.bound import Invariant, Moment, a_priori, hindsight
from littlestone.theory.comparators.feature_set import Features
from littlestone.theory.evidence import Evidence
from littlestone.theory.families import Family
from littlestone.theory.mixing import OWN, MixingTheorems, ShardFacts, ShardRounds
from littlestone.theory.potentials import Line, Proof
from littlestone.theory.settings import FEATURES


def disjunction(n: int, r: int = 0) -> int:
    """Mistakes on streams labelled by a disjunction of r or more of n variables.

    >>> disjunction(5, 2), disjunction(5)
    (3, 5)
    """
    require(0 <= r <= n, f"r={r} must lie between 0 and n = {n}, the features of the stream")
    return n - r


def eliminated(E: int, P: int) -> int:
    """M ≤ E + P on any stream: E variables struck out, P missed 1s."""
    return E + P


DISJUNCTION = a_priori(
    "elimination",
    "disjunction",
    "M ≤ n - r",
    disjunction,
    "Blum, Hopcroft, Kannan, Section 5.8",
    among="r",
    least=("n",),
    says="some monotone disjunction of at least r of the stream's n features labels every round",
)
ELIMINATED = hindsight("elimination-any-stream", "M ≤ E + P,  E = variables struck out, P = missed 1s", eliminated, "derived")

CONSISTENT = hindsight(
    "elimination-consistent",
    "M ≤ met - r,  r = variables of a disjunction that labels every round, met = features that are on in some round",
    lambda met, r: disjunction(met, r),
    "Blum, Hopcroft, Kannan, Section 5.8",
    witness="set",
    falling=("r",),
    every=True,
    loss="0",
)


COVER = hindsight(
    "elimination-cover",
    "M ≤ errors + met - living - drops,  errors = of S, its members dropped by the first 0 that has them on; drops = such 0s, "
    "living = members that no 0 has, met = features met",
    lambda met, living, drops, errors: errors + met - living - drops,
    "derived",
    witness="set",
    falling=("living", "drops"),
    every=True,
    loss="errors",
    meter=CoverMeter,
)


INVARIANTS = (
    Invariant("each false 1 strikes out", "N ≤ variables struck out", lambda m: (m.demotions, len(m.state["gone"]))),
    Invariant(
        "relevant variables stay",
        "variables of S struck out ≤ A_S, its attribute errors",
        lambda m: (sum(i in m.state["gone"] for i in m.witness or {}), m.errors),
        True,
    ),
    Invariant("no 1 is missed", "P ≤ A_S", lambda m: (Fraction(m.promotions), Fraction(m.errors)), True),
)


def _left(m: Moment) -> tuple[int, int]:
    n = m.settings["n_seen"]
    return n - len(m.state["gone"]), n - m.demotions


def proof(settings: Mapping[str, Any], witness: bool) -> Proof:
    letters = "N false 1s, the only mistakes where a disjunction labels the stream"
    if not witness:
        return Proof((Line(("variables left", "n-N"), _left, ("variables left",)),), letters)
    line = Line(("r", "variables left", "n-N"), lambda m: (len(m.witness or {}), *_left(m)), ("variables left",))
    return Proof((line,), f"r variables of the witness, {letters}")


def measure(e: Evidence, S: Features | None) -> dict:
    """E is a function of the mistakes: the features that are on in some false 1. P is counted.

    Which rows are mistakes a replay tells. Variables of S that no labelled round met are no part of n = met, and leave n - r as it is.
    """
    struck = set().union(*(row.x for row in e.taught if not row.y))
    facts = {"n": e.settings["n"] or e.features, "E": len(struck), "P": e.P}
    require(S is None or S.k == 1, f"k={S and S.k}: the theorem is about disjunctions, k = 1")
    if S is None or e.every is None:
        return facts
    labels = all((not S.features.isdisjoint(x)) == y for x, y in ((row.x, row.y) for row in e.every))
    return facts | {"met": len(e.met), "r": len(S.features & e.met) if labels else None}


def merged(rounds: ShardRounds, witness: Mapping[str, Any], last: Any) -> ShardFacts:
    """The variables that some 0 has on, and the 1s that have no other."""
    n, met, struck = rounds.settings["n"], len(rounds.features(True, False, None)), rounds.features(False)
    require(n is None or met <= n, f"disjunctions was made for n={n} features, and the stream has {met}")
    lost = sum(y and struck >= x.keys() for x, y in rounds.labelled)
    facts = {"struck": len(struck), "lost": lost * len(rounds.shares)}
    return ShardFacts(facts if n is None else {**facts, "n": n}, {"n": met})


OVER_SHARDS = MixingTheorems(
    ("intersection",),
    (
        a_priori("elimination-mixing", "disjunction", "M ≤ S·(n - r)", lambda S, n, r: S * disjunction(n, r), OWN, among="r", least=("n",)),
        hindsight(
            "elimination-mixing-cover",
            "M ≤ S·struck + lost,  struck = variables that a 0 has on, lost = 1s of all epochs that have no other on",
            lambda S, struck, lost: S * struck + lost,
            OWN,
            every=True,
            loss="lost",
        ),
    ),
    merged,
    arithmetic="exact",
)

FAMILY = Family(
    "disjunctions",
    {"n": FEATURES},
    (DISJUNCTION, ELIMINATED, CONSISTENT, COVER),
    measure,
    ties="none: a variable is there or not",
    arithmetic="exact",
    invariants=INVARIANTS,
    proof=proof,
    never="false_negatives",
    domain="boolean",
    featurewise=True,
    mixing=OVER_SHARDS,
    source="Blum, Hopcroft, Kannan, Section 5.8",
)
